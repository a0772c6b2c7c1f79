// One instruction set's inner loops. CMake compiles this file several times with other flags and
// another PARZEN_ISA; everything sits in an anonymous namespace, and nothing from the standard
// library is instantiated, so that no function compiled for one processor is linked into the
// code of another.
#include "parzen/tile.hpp"

#include "core/loop_tables.hpp"
#include "core/vector.hpp"
#include "sums/tile_pairs.hpp"
#include "sums/tile_values.hpp"

namespace {

using parzen::DirectTask;
using parzen::DistanceTask;
using parzen::ExponentTask;
using parzen::Form;
using parzen::most_groups;
using parzen::RowTask;
using parzen::TileOps;

// ---- distances ------------------------------------------------------------------------------

// What one coordinate adds to the measure of a pair.
template <class T, Form form>
PARZEN_INLINE Vec<T> distance_term(Vec<T> y, Vec<T> x) {
    if constexpr (form == Form::dot || form == Form::inner) return y * x;
    const Vec<T> difference = y - x;
    if constexpr (form == Form::difference) return difference * difference;
    return absolute<T>(difference);
}

// The measure of one group of rows against one panel, in registers.
template <class T, Form form>
PARZEN_INLINE void measure_tile(const DistanceTask<T>& task, int group, int panel,
                                Vec<T> (&acc)[tile_rows][panel_vectors]) {
    constexpr int C = panel_vectors;
    constexpr int L = lanes<T>;
    const T* q = task.queries + static_cast<std::ptrdiff_t>(group) * task.dimension * tile_rows;
    const T* p = task.points + static_cast<std::ptrdiff_t>(panel) * task.dimension * C * L;
    for (int r = 0; r < tile_rows; ++r) {
        for (int c = 0; c < C; ++c) {
            acc[r][c] = form == Form::dot
                            ? load<T>(task.point_norms + (panel * C + c) * L) + task.query_norms[group * tile_rows + r]
                            : Vec<T>{};
        }
    }
    for (int k = 0; k < task.dimension; ++k, q += tile_rows, p += C * L) {
        Vec<T> x[C];
        for (int c = 0; c < C; ++c) x[c] = load<T>(p + c * L);
        for (int r = 0; r < tile_rows; ++r) {
            const Vec<T> y = splat<T>(q[r]);
            for (int c = 0; c < C; ++c) acc[r][c] = acc[r][c] + distance_term<T, form>(y, x[c]);
        }
    }
    for (int r = 0; form == Form::dot && r < tile_rows; ++r) {
        for (int c = 0; c < C; ++c) acc[r][c] = larger<T>(acc[r][c], Vec<T>{});
    }
}

// The smallest u of each row, found while the tiles are in registers.
template <class T>
struct Lowest {
    Vec<T> rows[most_groups * tile_rows];

    explicit Lowest(int count) {
        for (int i = 0; i < count; ++i) rows[i] = splat<T>(static_cast<T>(__builtin_inf()));
    }
    PARZEN_INLINE void take_smaller(int row, const Vec<T> (&u)[panel_vectors]) {
        for (int c = 0; c < panel_vectors; ++c) rows[row] = smaller<T>(rows[row], u[c]);
    }
    void write(T* nearest, int count) const {
        for (int i = 0; i < count; ++i) nearest[i] = lowest_lane<T>(rows[i]);
    }
};

template <class T, Form form>
void distance_tiles(const DistanceTask<T> task) {
    constexpr int width = panel_vectors * lanes<T>;
    Lowest<T> lowest(task.groups * tile_rows);
    for (int panel = 0; panel < task.panels; ++panel) {
        for (int group = 0; group < task.groups; ++group) {
            Vec<T> acc[tile_rows][panel_vectors];
            measure_tile<T, form>(task, group, panel, acc);
            T* const u = task.u + static_cast<std::ptrdiff_t>(group) * tile_rows * task.ldu + panel * width;
            for (int r = 0; r < tile_rows; ++r) {
                for (int c = 0; c < panel_vectors; ++c) store<T>(u + r * task.ldu + c * lanes<T>, acc[r][c]);
            }
            for (int r = 0; task.nearest && r < tile_rows; ++r) lowest.take_smaller(group * tile_rows + r, acc[r]);
        }
    }
    if (task.nearest) lowest.write(task.nearest, task.groups * tile_rows);
}

template <class T>
void distances(const DistanceTask<T>& task) {
    switch (task.form) {
        case Form::difference:
            return distance_tiles<T, Form::difference>(task);
        case Form::dot:
            return distance_tiles<T, Form::dot>(task);
        case Form::absolute:
            return distance_tiles<T, Form::absolute>(task);
        case Form::inner:
            return distance_tiles<T, Form::inner>(task);
    }
}

template <class T>
void root(T* u, int count) {
    for (int j = 0; j < count; j += lanes<T>) store<T>(u + j, square_root<T>(load<T>(u + j)));
}

template <class T>
void multiply(T* u, const T* factors, int count) {
    for (int j = 0; j < count; j += lanes<T>) store<T>(u + j, load<T>(u + j) * load<T>(factors + j));
}

template <class T>
T minimum(const T* u, int count) {
    Vec<T> m = load<T>(u);
    for (int j = lanes<T>; j < count; j += lanes<T>) m = smaller<T>(m, load<T>(u + j));
    return lowest_lane<T>(m);
}

// ---- sums of rows -----------------------------------------------------------------------------

// `width` vectors of one row through every step and column; the running sums stay in scratch.
template <class T, class Values, Weights kind, int width>
PARZEN_INLINE void accumulate_vectors(const BandwidthPlan<T>& plan, const RowTask<T>& task, const T* row_u, T reference,
                                      int j) {
    constexpr int L = lanes<T>;
    Vec<T> u[width];
    for (int i = 0; i < width; ++i) u[i] = load<T>(row_u + j + i * L);
    for_each_step<T, Values, width>(plan, reference, u, [&](const Vec<T>(&k)[width], int step) {
        T* sums = task.scratch + step * L;
        if constexpr (kind == Weights::ones) {
            store<T>(sums, add_weighted<T, kind, width>(load<T>(sums), k, nullptr));
        } else {
            const T* w = task.weights + (task.depth > 1 ? step * task.stride : 0) + j;
            for (int c = 0; c < (kind == Weights::columns ? task.columns : 1); ++c) {
                store<T>(sums, add_weighted<T, kind, width>(load<T>(sums), k, w));
                w += task.depth * task.stride;
                sums += plan.steps * L;
            }
        }
    });
}

template <class T, class Values, Weights kind>
PARZEN_INLINE void accumulate_many(const BandwidthPlan<T>& plan, const RowTask<T>& task, const T* u, T reference,
                                   double* out) {
    constexpr int L = lanes<T>;
    constexpr int width = panel_vectors;
    int j = 0;
    for (; j + 2 * width * L <= task.points; j += 2 * width * L)
        accumulate_vectors<T, Values, kind, 2 * width>(plan, task, u, reference, j);
    if (j < task.points) accumulate_vectors<T, Values, kind, width>(plan, task, u, reference, j);
    for (int i = 0; i < task.columns * plan.steps; ++i) {
        out[i] += add<T>(load<T>(task.scratch + i * L));
        store<T>(task.scratch + i * L, Vec<T>{});
    }
}

// One bandwidth and one column, the common case: the sum stays in a register.
template <class T, class Values, Weights kind>
PARZEN_INLINE void accumulate_one(const BandwidthPlan<T>& plan, const RowTask<T>& task, const T* row_u, T reference,
                                  double* out) {
    constexpr int L = lanes<T>;
    constexpr int width = panel_vectors;
    const T scale = plan.scale[0];
    Vec<T> sum{};
    for (int j = 0; j < task.points; j += width * L) {
        Vec<T> u[width], k[width];
        for (int i = 0; i < width; ++i) u[i] = load<T>(row_u + j + i * L);
        Values::template values<T, width>(plan.kernel, scale, reference, u, k);
        sum = add_weighted<T, kind, width>(sum, k, kind == Weights::ones ? nullptr : task.weights + j);
    }
    out[0] += add<T>(sum);
}

template <class T, class Values, Weights kind, bool one>
void accumulate_rows(const BandwidthPlan<T> plan, const RowTask<T> task) {
    for (int r = 0; r < task.rows; ++r) {
        const T reference = task.reference[r];
        if (reference == static_cast<T>(__builtin_inf())) continue;
        const T* u = task.u + static_cast<std::ptrdiff_t>(r) * task.ldu;
        double* out = task.out + static_cast<std::ptrdiff_t>(r) * task.columns * plan.steps;
        if constexpr (one) {
            accumulate_one<T, Values, kind>(plan, task, u, reference, out);
        } else {
            accumulate_many<T, Values, kind>(plan, task, u, reference, out);
        }
    }
}

template <class T, class Values>
void accumulate_values(const BandwidthPlan<T>& plan, const RowTask<T>& task) {
    const bool one = plan.steps == 1;
    if (task.columns > 1) return accumulate_rows<T, Values, Weights::columns, false>(plan, task);
    if (task.weights) {
        return one ? accumulate_rows<T, Values, Weights::column, true>(plan, task)
                   : accumulate_rows<T, Values, Weights::column, false>(plan, task);
    }
    return one ? accumulate_rows<T, Values, Weights::ones, true>(plan, task)
               : accumulate_rows<T, Values, Weights::ones, false>(plan, task);
}

// ---- distances and sums in one go ---------------------------------------------------------------

// One row against one panel, for few dimensions: the points are read again for every row.
template <class T, Form form>
PARZEN_INLINE void measure_row(const DistanceTask<T>& task, int row, int panel, Vec<T> (&acc)[panel_vectors]) {
    constexpr int width = panel_vectors * lanes<T>;
    const T* q =
        task.queries + static_cast<std::ptrdiff_t>(row / tile_rows) * task.dimension * tile_rows + row % tile_rows;
    const T* p = task.points + static_cast<std::ptrdiff_t>(panel) * task.dimension * width;
    for (int c = 0; c < panel_vectors; ++c) acc[c] = Vec<T>{};
    for (int k = 0; k < task.dimension; ++k, q += tile_rows, p += width) {
        const Vec<T> y = splat<T>(*q);
        for (int c = 0; c < panel_vectors; ++c) acc[c] = acc[c] + distance_term<T, form>(y, load<T>(p + c * lanes<T>));
    }
}

// Calls use(row, u) for every row of the groups with its measures against one panel. A row ahead:
// its distances are computed while the exponentials of the last are under way.
template <class T, Form form, class Use>
PARZEN_INLINE void for_each_row(const DistanceTask<T>& task, int panel, Use use) {
    const int last = task.groups * tile_rows - 1;
    Vec<T> u[panel_vectors], next[panel_vectors];
    measure_row<T, form>(task, 0, panel, u);
    for (int row = 0; row <= last; ++row) {
        measure_row<T, form>(task, row < last ? row + 1 : last, panel, next);
        use(row, u);
        for (int c = 0; c < panel_vectors; ++c) u[c] = next[c];
    }
}

// An exponential kernel at one bandwidth for one column: distances are not stored.
template <class T, Form form, Weights kind, bool nearest>
void sum_tiles(const DistanceTask<T> task, const DirectTask<T> direct) {
    constexpr int width = panel_vectors * lanes<T>;
    const parzen::Kernel kernel;
    const int rows = task.groups * tile_rows;
    Lowest<T> lowest(nearest ? rows : 0);
    Vec<T> sums[most_groups * tile_rows];
    for (int i = 0; i < rows; ++i) sums[i] = Vec<T>{};
    for (int panel = 0; panel < task.panels; ++panel) {
        const T* weights = kind == Weights::ones ? nullptr : direct.weights + panel * width;
        for_each_row<T, form>(task, panel, [&](int row, const Vec<T>(&u)[panel_vectors]) {
            if constexpr (nearest) lowest.take_smaller(row, u);
            Vec<T> k[panel_vectors];
            ExponentialValues::values<T, panel_vectors>(kernel, direct.scale, direct.reference[row], u, k);
            sums[row] = add_weighted<T, kind, panel_vectors>(sums[row], k, weights);
        });
    }
    for (int i = 0; i < rows; ++i) direct.out[i] = add<T>(sums[i]);
    if constexpr (nearest) lowest.write(task.nearest, rows);
}

template <class T, Form form>
void sum_form(const DistanceTask<T>& task, const DirectTask<T>& direct) {
    if (direct.weights) {
        return task.nearest ? sum_tiles<T, form, Weights::column, true>(task, direct)
                            : sum_tiles<T, form, Weights::column, false>(task, direct);
    }
    return task.nearest ? sum_tiles<T, form, Weights::ones, true>(task, direct)
                        : sum_tiles<T, form, Weights::ones, false>(task, direct);
}

template <class T>
void sum_directly(const DistanceTask<T>& task, const DirectTask<T>& direct) {
    switch (task.form) {
        case Form::difference:
            return sum_form<T, Form::difference>(task, direct);
        case Form::absolute:
            return sum_form<T, Form::absolute>(task, direct);
        case Form::dot:
        case Form::inner:
            return;  // see sum_exponents; no exponential kernel depends on inner products
    }
}

// ---- exponents and sums in one go ---------------------------------------------------------------

// What the norms add to the exponents of `rows` rows, from `row` on and of one group, against one panel.
template <class T, int rows>
PARZEN_INLINE void begin_exponents(const ExponentTask<T>& task, int row, int panel, Vec<T>* t) {
    for (int c = 0; c < panel_vectors; ++c) {
        const Vec<T> x = load<T>(task.point_exponents + (panel * panel_vectors + c) * lanes<T>);
        for (int r = 0; r < rows; ++r) t[r * panel_vectors + c] = x + task.query_exponents[row + r];
    }
}

// What coordinates `from` to `to` add to them.
template <class T, int rows>
PARZEN_INLINE void add_products(const ExponentTask<T>& task, int row, int panel, int from, int to, Vec<T>* t) {
    constexpr int C = panel_vectors;
    constexpr int L = lanes<T>;
    const std::ptrdiff_t group = row / tile_rows;
    const T* q = task.queries + (group * task.dimension + from) * tile_rows + row % tile_rows;
    const T* p = task.points + (static_cast<std::ptrdiff_t>(panel) * task.dimension + from) * C * L;
    PARZEN_UNROLL_TWICE
    for (int k = from; k < to; ++k, q += tile_rows, p += C * L) {
        Vec<T> x[C];
        for (int c = 0; c < C; ++c) x[c] = load<T>(p + c * L);
        for (int r = 0; r < rows; ++r) {
            const Vec<T> y = splat<T>(q[r]);
            for (int c = 0; c < C; ++c) t[r * C + c] = multiply_add<T>(y, x[c], t[r * C + c]);
        }
    }
}

// The sums of a task's rows, and the largest exponent of each where it is wanted.
template <class T, Weights kind, bool in_range, bool highest>
struct ExponentSums {
    Vec<T> sums[most_groups * tile_rows], most[most_groups * tile_rows];

    explicit ExponentSums(int rows) {
        for (int i = 0; i < rows; ++i) sums[i] = Vec<T>{};
        for (int i = 0; highest && i < rows; ++i) most[i] = splat<T>(-Traits<T>::huge);
    }
    // `rows` rows, from `row` on, against one panel: from exponents to values.
    template <int rows>
    PARZEN_INLINE void add_values(const ExponentTask<T>& task, int row, int panel, Vec<T>* t) {
        constexpr int C = panel_vectors;
        for (int i = 0; highest && i < rows * C; ++i) most[row + i / C] = larger<T>(most[row + i / C], t[i]);
        if constexpr (in_range) {
            exp2_in_range<T, rows * C>(t);
        } else {
            for (int i = 0; i < rows * C; i += exp_width) exp2_clipped<T>(t + i);
        }
        const T* weights = kind == Weights::ones ? nullptr : task.weights + panel * C * lanes<T>;
        for (int r = 0; r < rows; ++r) sums[row + r] = add_weighted<T, kind, C>(sums[row + r], t + r * C, weights);
    }
    void write(const ExponentTask<T>& task, int rows) const {
        for (int i = 0; i < rows; ++i) task.out[i] = add<T>(sums[i]);
        for (int i = 0; highest && i < rows; ++i) task.highest[i] = -lowest_lane<T>(-most[i]);
    }
};

// Prefetches this group's share of the next panel.
template <class T>
PARZEN_INLINE const T* fetch_ahead(const T* next, int share, const T* end) {
    const T* const until = end - next > share ? next + share : end;
    for (; next < until; next += 64 / sizeof(T)) __builtin_prefetch(next);
    return next;
}

// Few coordinates: `count` rows at a time meet a whole panel.
template <class T, Weights kind, bool in_range, bool highest, int count>
void sum_exponents_by_rows(const ExponentTask<T> task) {
    constexpr int width = panel_vectors * lanes<T>;
    const int rows = task.groups * tile_rows;
    ExponentSums<T, kind, in_range, highest> sums(rows);
    const int share = task.dimension * width / task.groups + 1;
    const T* const end = task.points + static_cast<std::ptrdiff_t>(task.panels) * task.dimension * width;
    for (int panel = 0; panel < task.panels; ++panel) {
        const T* next = task.points + static_cast<std::ptrdiff_t>(panel + 1) * task.dimension * width;
        for (int row = 0; row < rows; row += count) {
            if constexpr (count == tile_rows) next = fetch_ahead<T>(next, share, end);
            Vec<T> t[count * panel_vectors];
            begin_exponents<T, count>(task, row, panel, t);
            add_products<T, count>(task, row, panel, 0, task.dimension, t);
            sums.template add_values<count>(task, row, panel, t);
        }
    }
    sums.write(task, rows);
}

// Many: a panel is read in parts of at most so many coordinates. A part stays in the first-level cache,
// beside the unfinished exponents of all rows, until every group of them has passed over it.
constexpr int most_coordinates = 100;

template <class T, Weights kind, bool in_range, bool highest>
void sum_exponents_by_parts(const ExponentTask<T> task) {
    constexpr int width = panel_vectors * lanes<T>;
    constexpr int tile = tile_rows * panel_vectors;
    const int rows = task.groups * tile_rows;
    ExponentSums<T, kind, in_range, highest> sums(rows);
    Vec<T> unfinished[most_groups * tile];
    const int parts = (task.dimension + most_coordinates - 1) / most_coordinates;
    const int depth = (task.dimension + parts - 1) / parts;
    const int share = depth * width / task.groups + 1;
    const T* const end = task.points + static_cast<std::ptrdiff_t>(task.panels) * task.dimension * width;
    for (int panel = 0; panel < task.panels; ++panel) {
        for (int from = 0, to; from < task.dimension; from = to) {
            to = task.dimension - from > depth ? from + depth : task.dimension;
            const T* next = task.points + (static_cast<std::ptrdiff_t>(panel) * task.dimension + to) * width;
            for (int row = 0; row < rows; row += tile_rows) {
                next = fetch_ahead<T>(next, share, end);
                Vec<T>* const kept = unfinished + row * panel_vectors;
                Vec<T> t[tile];
                if (from == 0) {
                    begin_exponents<T, tile_rows>(task, row, panel, t);
                } else {
                    for (int i = 0; i < tile; ++i) t[i] = kept[i];
                }
                add_products<T, tile_rows>(task, row, panel, from, to, t);
                if (to == task.dimension) {
                    sums.template add_values<tile_rows>(task, row, panel, t);
                } else {
                    for (int i = 0; i < tile; ++i) kept[i] = t[i];
                }
            }
        }
    }
    sums.write(task, rows);
}

// Up to here two rows at a time are faster than a tile, although the points are read more often.
constexpr int largest_paired_dimension = 3;

template <class T, Weights kind, bool in_range, bool highest>
void sum_exponent_tiles(const ExponentTask<T>& task) {
    if (task.dimension > most_coordinates) return sum_exponents_by_parts<T, kind, in_range, highest>(task);
    return task.dimension > largest_paired_dimension
               ? sum_exponents_by_rows<T, kind, in_range, highest, tile_rows>(task)
               : sum_exponents_by_rows<T, kind, in_range, highest, 2>(task);
}

template <class T, Weights kind>
void sum_exponents_weighted(const ExponentTask<T>& task) {
    if (task.in_range) return sum_exponent_tiles<T, kind, true, false>(task);
    return task.highest ? sum_exponent_tiles<T, kind, false, true>(task)
                        : sum_exponent_tiles<T, kind, false, false>(task);
}

template <class T>
void sum_exponents(const ExponentTask<T>& task) {
    return task.weights ? sum_exponents_weighted<T, Weights::column>(task)
                        : sum_exponents_weighted<T, Weights::ones>(task);
}

template <class T>
void accumulate(const BandwidthPlan<T>& plan, const RowTask<T>& task) {
    with_formula(plan.kernel.profile,
                 [&]<class Formula>() { accumulate_values<T, typename Formula::Values>(plan, task); });
}

template <class T>
void accumulate_pairs(const BandwidthPlan<T>& plan, const PairTask<T>& task) {
    with_formula(plan.kernel.profile,
                 [&]<class Formula>() { accumulate_pair_values<T, typename Formula::Values>(plan, task); });
}

template <class T>
void add_lanes(const T* __restrict sums, int count, double* __restrict out) {
    for (int i = 0; i < count; ++i) {  // element by element: the compiler turns rows of lanes into columns
        double sum = 0;
        for (int l = 0; l < lanes<T>; ++l) sum += static_cast<double>(sums[i * lanes<T> + l]);
        out[i] += sum;
    }
}

// ---- the limit that the benchmark measures -----------------------------------------------------

template <class T>
T peak_multiply_add(std::ptrdiff_t count) {
    constexpr int chains = 12;
    Vec<T> acc[chains];
    for (int c = 0; c < chains; ++c) acc[c] = splat<T>(static_cast<T>(c));
    Vec<T> a = splat<T>(static_cast<T>(0.999999)), b = splat<T>(static_cast<T>(1e-6));
    for (std::ptrdiff_t i = 0; i < count; i += chains) {
        PARZEN_OPAQUE(a);  // keep the loop from being folded
        for (int c = 0; c < chains; ++c) acc[c] = multiply_add<T>(acc[c], a, b);
    }
    Vec<T> sum{};
    for (int c = 0; c < chains; ++c) sum += acc[c];
    return sum[0];
}

template <class T>
T sum_exponentials(const T* u, int count, T scale) {
    constexpr int L = lanes<T>;
    Vec<T> sum{};
    for (int j = 0; j + exp_width * L <= count; j += exp_width * L) {
        Vec<T> t[exp_width], k[exp_width];
        for (int i = 0; i < exp_width; ++i) t[i] = load<T>(u + j + i * L);
        ExponentialValues::values<T, exp_width>({}, scale, T(0), t, k);
        sum = add_weighted<T, Weights::ones, exp_width>(sum, k, nullptr);
    }
    return sum[0];
}

template <class T>
constexpr TileOps<T> table = {
    lanes<T>,      panel_vectors * lanes<T>, &distances<T>,        &root<T>,          &minimum<T>,
    &multiply<T>,  &accumulate<T>,           &sum_directly<T>,     &sum_exponents<T>, &accumulate_pairs<T>,
    &add_lanes<T>, &peak_multiply_add<T>,    &sum_exponentials<T>,
};

}  // namespace

namespace parzen {

extern const TileOps<float>* const PARZEN_OF_ISA(tile_float) = &table<float>;
extern const TileOps<double>* const PARZEN_OF_ISA(tile_double) = &table<double>;

}  // namespace parzen
