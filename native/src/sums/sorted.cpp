#include "parzen/sorted.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace parzen {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t few_points = 16;                  // so few points are summed faster one by one
constexpr double cancelled = 0x1p-30;                   // a sum below this share of its mass may be rounding
constexpr std::size_t queries_between_polls = 1 << 14;  // queries between two checks for an interruption
constexpr double point_cost = 60.0;                     // nanoseconds for a point or a query, roughly

// The sums below know these kernels; the compiler refuses a row of the table that promises another one.
#define PARZEN_CHECK(name, formula, measure, tail, tree, sorted)                                          \
    static_assert(!sorted || Profile::name == Profile::uniform || Profile::name == Profile::triangular || \
                  Profile::name == Profile::epanechnikov || Profile::name == Profile::laplacian ||        \
                  Profile::name == Profile::radial_laplacian);
PARZEN_KERNELS(PARZEN_CHECK)
#undef PARZEN_CHECK

// A sum whose rounding errors are kept beside it (Neumaier).
struct RunningSum {
    double sum = 0, error = 0;
    double add(double term) {
        const double total = sum + term;
        error += std::abs(sum) >= std::abs(term) ? (sum - total) + term : (term - total) + sum;
        sum = total;
        return sum + error;
    }
};

template <class T>
std::vector<std::size_t> ascending(const T* values, std::size_t n) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [values](std::size_t a, std::size_t b) {
        return values[a] < values[b] || (values[a] == values[b] && a < b);
    });
    return order;
}

// The queries in ascending order. Where they are the points, their places are the points' ranks.
struct SortedQueries {
    std::vector<std::size_t> order;
    std::vector<double> x;
    bool exclude_self;
};

// The points of one column that carry a weight, in ascending order.
struct SortedColumn {
    std::vector<double> y, w;
    std::vector<std::size_t> rank;  // place among all points

    std::size_t size() const { return y.size(); }
};

template <class T>
class SortedColumns {
   public:
    SortedColumns(const SumsInput<T>& input, std::vector<std::size_t> order) : input_(input), order_(std::move(order)) {
        if (!input.labels) return;
        ranks_.resize(static_cast<std::size_t>(input.columns));
        for (std::size_t r = 0; r < order_.size(); ++r) {
            ranks_[static_cast<std::size_t>(input.labels[order_[r]])].push_back(r);
        }
    }

    SortedColumn at(int column, int level) const {
        SortedColumn result;
        if (input_.labels) {
            for (std::size_t r : ranks_[static_cast<std::size_t>(column)]) add(result, r, weight(r, 0, level));
        } else {
            for (std::size_t r = 0; r < order_.size(); ++r) add(result, r, weight(r, column, level));
        }
        return result;
    }

    // All points that carry a weight in some column.
    SortedColumn together(int level) const {
        SortedColumn result;
        const int width = input_.labels ? 1 : input_.columns;
        for (std::size_t r = 0; r < order_.size(); ++r) {
            bool used = false;
            for (int c = 0; c < width && !used; ++c) used = weight(r, c, level) != 0;
            add(result, r, used ? 1.0 : 0.0);
        }
        return result;
    }

   private:
    double weight(std::size_t rank, int column, int level) const {
        if (!input_.weights) return 1.0;
        const std::size_t width = input_.labels ? 1 : static_cast<std::size_t>(input_.columns);
        const std::size_t row = order_[rank] * width + static_cast<std::size_t>(column);
        return static_cast<double>(
            input_.weights[row * static_cast<std::size_t>(input_.depth) + static_cast<std::size_t>(level)]);
    }

    void add(SortedColumn& column, std::size_t rank, double w) const {
        if (w == 0) return;
        column.y.push_back(static_cast<double>(input_.points[order_[rank]]));
        column.w.push_back(w);
        column.rank.push_back(rank);
    }

    const SumsInput<T>& input_;
    std::vector<std::size_t> order_;
    std::vector<std::vector<std::size_t>> ranks_;  // by label
};

// Where each query stands: points [0, left) lie before it, [right, n) after it.
class Sweep {
   public:
    Sweep(const SortedQueries& queries, const SortedColumn& column) : queries_(queries), column_(column) {}

    void move_to(std::size_t place) {
        const std::size_t n = column_.size();
        if (queries_.exclude_self) {
            while (left < n && column_.rank[left] < place) ++left;
            right = left + (left < n && column_.rank[left] == place);
        } else {
            while (left < n && column_.y[left] <= queries_.x[place]) ++left;
            right = left;
        }
    }

    std::size_t left = 0, right = 0;

   private:
    const SortedQueries& queries_;
    const SortedColumn& column_;
};

// Runs of points no wider than the bandwidth.
struct Cells {
    std::vector<std::size_t> cell;   // of each point
    std::vector<std::size_t> start;  // first point of each cell, and n
    std::vector<double> middle;

    Cells(const std::vector<double>& y, double h) : cell(y.size()) {
        for (std::size_t j = 0; j < y.size(); ++j) {
            if (start.empty() || y[j] - y[start.back()] >= h) start.push_back(j);
            cell[j] = start.size() - 1;
        }
        start.push_back(y.size());
        for (std::size_t k = 0; k + 1 < start.size(); ++k) {
            const double first = y[start[k]];
            middle.push_back(first + 0.5 * (y[start[k + 1] - 1] - first));
        }
    }
};

struct Moments {
    double mass = 0, first = 0, second = 0, size = 0;  // size: the mass without signs
};

// Sums of a compact kernel.
class Windows {
   public:
    Windows(const SortedColumn& column, Profile profile, double h)
        : column_(column), profile_(profile), h_(h), reach_(h * h), cells_(column.y, h) {
        up_to_.resize(column.size());
        from_.resize(column.size());
        for (std::size_t k = 0; k + 1 < cells_.start.size(); ++k) {
            const std::size_t begin = cells_.start[k], end = cells_.start[k + 1];
            Running ahead, back;
            for (std::size_t j = begin; j < end; ++j) up_to_[j] = ahead.add(offset(j, k), column.w[j]);
            for (std::size_t j = end; j-- > begin;) from_[j] = back.add(offset(j, k), column.w[j]);
        }
    }

    // In units of the peak; `place` tells what lies before and after x. Queries must ascend.
    double at(double x, const Sweep& place) {
        while (low_ < place.left && !inside(x - column_.y[low_])) ++low_;
        const std::size_t low = std::min(low_, place.left);
        high_ = std::max(high_, place.right);
        while (high_ < column_.size() && inside(column_.y[high_] - x)) ++high_;
        const std::size_t count = (place.left - low) + (high_ - place.right);
        if (count <= few_points) return one_by_one(x, low, place.left) + one_by_one(x, place.right, high_);
        double size = 0;
        const double sum = side(x, low, place.left, -1.0, size) + side(x, place.right, high_, 1.0, size);
        if (std::abs(sum) > cancelled * size) return sum;
        return one_by_one(x, low, place.left) + one_by_one(x, place.right, high_);
    }

   private:
    struct Running {
        RunningSum mass, first, second, size;
        Moments add(double t, double w) {
            return {mass.add(w), first.add(w * t), second.add(w * t * t), size.add(std::abs(w))};
        }
    };

    bool inside(double r) const { return r * r <= reach_; }
    double offset(std::size_t j, std::size_t k) const { return (column_.y[j] - cells_.middle[k]) / h_; }

    // The sum over points [low, high), all on one side of x: sign -1 for the left.
    double side(double x, std::size_t low, std::size_t high, double sign, double& size) const {
        if (low >= high) return 0;
        const std::size_t first = cells_.cell[low], last = cells_.cell[high - 1];
        double sum = 0;
        if (first == last && low > cells_.start[first]) {
            // Cells are narrower than the window, so it ends where the cell does, but for rounding.
            if (high < cells_.start[first + 1]) return one_by_one(x, low, high);
            return value(x, from_[low], first, sign, size);
        }
        std::size_t k = first;
        if (low > cells_.start[first]) sum += value(x, from_[low], k++, sign, size);
        for (; k < last; ++k) sum += value(x, up_to_[cells_.start[k + 1] - 1], k, sign, size);
        return sum + value(x, up_to_[high - 1], last, sign, size);
    }

    double value(double x, const Moments& m, std::size_t k, double sign, double& size) const {
        // The moments are those of t = (y - middle) / h, and a is t of the query: the kernels are 1, 1 - |a - t| and
        // 1 - (a - t)^2.
        const double a = (x - cells_.middle[k]) / h_;
        size += m.size;
        if (profile_ == Profile::uniform) return m.mass;
        if (profile_ == Profile::triangular) return m.mass + sign * (a * m.mass - m.first);
        return (1 - a * a) * m.mass + (2 * a * m.first - m.second);
    }

    double one_by_one(double x, std::size_t low, std::size_t high) const {
        double sum = 0;
        for (std::size_t j = low; j < high; ++j) {
            const double r = std::abs(x - column_.y[j]);
            if (profile_ == Profile::uniform) {
                sum += column_.w[j];
            } else {
                const double u = profile_ == Profile::triangular ? r / h_ : r * r / reach_;
                sum += column_.w[j] * std::max(1 - u, 0.0);
            }
        }
        return sum;
    }

    const SortedColumn& column_;
    Profile profile_;
    double h_, reach_;
    Cells cells_;
    std::vector<Moments> up_to_, from_;  // within the cell, the point included
    std::size_t low_ = 0, high_ = 0;
};

// sum * exp(log): of the points on one side of a query.
struct OneSidedSum {
    double sum = 0, log = -infinity;
};

// Sums of exp(-|x - y| / h) from both sides: decayed[j] = sum_{i <= j} w_i exp(-(y_j - y_i) / h).
class Decays {
   public:
    Decays(const SortedColumn& column, double h) : column_(column), h_(h) {
        left_ = decayed(column.y, column.w, h);
        std::vector<double> mirrored(column.y.rbegin(), column.y.rend());
        for (double& y : mirrored) y = -y;
        right_ = decayed(mirrored, {column.w.rbegin(), column.w.rend()}, h);
        std::reverse(right_.begin(), right_.end());
    }

    OneSidedSum before(double x, const Sweep& place) const {
        if (place.left == 0) return {};
        return {left_[place.left - 1], (column_.y[place.left - 1] - x) / h_};
    }
    OneSidedSum after(double x, const Sweep& place) const {
        if (place.right == column_.size()) return {};
        return {right_[place.right], (x - column_.y[place.right]) / h_};
    }

   private:
    static std::vector<double> decayed(const std::vector<double>& y, const std::vector<double>& w, double h) {
        const Cells cells(y, h);
        std::vector<double> out(y.size());
        double carried = 0;
        for (std::size_t k = 0; k + 1 < cells.start.size(); ++k) {
            const std::size_t begin = cells.start[k], end = cells.start[k + 1];
            if (k > 0) carried = out[begin - 1] * std::exp((y[begin - 1] - y[begin]) / h);
            RunningSum sum;
            for (std::size_t j = begin; j < end; ++j) {
                const double growth = std::exp((y[j] - y[begin]) / h);  // at most e within a cell
                out[j] = (sum.add(w[j] * growth) + carried) / growth;
            }
        }
        return out;
    }

    const SortedColumn& column_;
    double h_;
    std::vector<double> left_, right_;
};

// Distance to the nearest point for every query, in their order.
std::vector<double> nearest(const SortedQueries& queries, const SortedColumn& column) {
    std::vector<double> result(queries.x.size());
    Sweep sweep(queries, column);
    for (std::size_t p = 0; p < result.size(); ++p) {
        sweep.move_to(p);
        const double left = sweep.left > 0 ? queries.x[p] - column.y[sweep.left - 1] : infinity;
        const double right = sweep.right < column.size() ? column.y[sweep.right] - queries.x[p] : infinity;
        result[p] = std::min(left, right);
    }
    return result;
}

// What is to be written for a sum of two tails; `scale` is the logarithm taken out, scaled mode only.
double finish(const OneSidedSum& a, const OneSidedSum& b, Mode mode, double scale, double log_normalizer) {
    const auto times_exp = [](double sum, double exponent) { return sum == 0 ? 0 : sum * std::exp(exponent); };
    if (mode == Mode::plain) return times_exp(a.sum, a.log + log_normalizer) + times_exp(b.sum, b.log + log_normalizer);
    if (mode == Mode::scaled) return times_exp(a.sum, a.log - scale) + times_exp(b.sum, b.log - scale);
    const double largest = std::max(a.log, b.log);
    if (largest == -infinity) return -infinity;
    const double sum = times_exp(a.sum, a.log - largest) + times_exp(b.sum, b.log - largest);
    return std::log(sum) + largest + log_normalizer;
}

double finish(double sum, Mode mode, double log_normalizer) {
    if (mode == Mode::plain) return sum * std::exp(log_normalizer);
    if (mode == Mode::scaled) return sum;
    return sum > 0 ? std::log(sum) + log_normalizer : -infinity;
}

// Calls put(place, value) for every query in ascending order.
template <class Put>
void sweep_column(const SortedQueries& queries, const SortedColumn& column, Profile profile, double h,
                  double log_normalizer, Mode mode, const std::vector<double>* distance, const Control& control,
                  Put put) {
    Sweep sweep(queries, column);
    const auto each = [&](auto value) {
        for (std::size_t p = 0; p < queries.x.size(); ++p) {
            if (p % queries_between_polls == 0 && control.stopped()) return;
            sweep.move_to(p);
            put(p, value(p));
        }
    };
    if (is_compact(profile)) {
        Windows windows(column, profile, h);
        each([&](std::size_t p) { return finish(windows.at(queries.x[p], sweep), mode, log_normalizer); });
    } else {
        const Decays decays(column, h);
        each([&](std::size_t p) {
            const double x = queries.x[p], scale = distance ? -(*distance)[p] / h : 0;
            return finish(decays.before(x, sweep), decays.after(x, sweep), mode, scale, log_normalizer);
        });
    }
}

template <class T>
SortedQueries sorted_queries(const SumsInput<T>& input, const std::vector<std::size_t>& point_order) {
    SortedQueries queries{input.same ? point_order : ascending(input.queries, input.n_queries), {}, input.exclude_self};
    queries.x.reserve(queries.order.size());
    for (std::size_t i : queries.order) queries.x.push_back(static_cast<double>(input.queries[i]));
    return queries;
}

}  // namespace

template <class T>
void sorted_sums(const SumsInput<T>& input, Mode mode, T* sums, T* log_scale, Control& control) {
    const Profile profile = input.kernel.profile;
    if (input.dimension != 1 || !row_of(profile).sorted) throw std::invalid_argument("no sorted sums of this kernel");
    const std::vector<std::size_t> order = ascending(input.points, input.n_points);
    const SortedQueries queries = sorted_queries(input, order);
    const SortedColumns<T> columns(input, order);
    const std::size_t n_bandwidths = static_cast<std::size_t>(input.n_bandwidths);
    const std::size_t n_columns = static_cast<std::size_t>(input.columns);

    std::vector<std::vector<double>> distances;  // by level of the weights
    if (mode == Mode::scaled && !is_compact(profile)) {
        for (int level = 0; level < input.depth; ++level) {
            distances.push_back(nearest(queries, columns.together(level)));
            for (double& d : distances.back()) d = d == infinity ? 0 : d;  // no term at all
        }
    }
    const auto level_of = [&](std::size_t b) { return input.depth > 1 ? b : 0; };

    const double work = point_cost * static_cast<double>(n_bandwidths * n_columns) *
                        static_cast<double>(input.n_queries + input.n_points / (input.labels ? n_columns : 1));
    parallel_for(control, work, n_bandwidths * n_columns, [&](std::size_t task) {
        const std::size_t c = task / n_bandwidths, b = task % n_bandwidths, level = level_of(b);
        const SortedColumn column = columns.at(static_cast<int>(c), static_cast<int>(level));
        sweep_column(queries, column, profile, input.bandwidths[b], input.log_normalizers[b], mode,
                     distances.empty() ? nullptr : &distances[level], control, [&](std::size_t place, double value) {
                         sums[(queries.order[place] * n_columns + c) * n_bandwidths + b] = static_cast<T>(value);
                     });
    });
    if (mode != Mode::scaled) return;
    for (std::size_t p = 0; p < queries.order.size(); ++p) {
        for (std::size_t b = 0; b < n_bandwidths; ++b) {
            const double factored = distances.empty() ? 0 : -distances[level_of(b)][p] / input.bandwidths[b];
            log_scale[queries.order[p] * n_bandwidths + b] = static_cast<T>(factored + input.log_normalizers[b]);
        }
    }
}

template void sorted_sums<float>(const SumsInput<float>&, Mode, float*, float*, Control&);
template void sorted_sums<double>(const SumsInput<double>&, Mode, double*, double*, Control&);

}  // namespace parzen
