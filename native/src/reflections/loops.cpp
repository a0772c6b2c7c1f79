// Compiled once per instruction set (PARZEN_ISA, PARZEN_VECTOR_BYTES); everything but the tables at
// the foot is private to the translation unit.
#include "reflections/loops.hpp"

#include "core/loop_tables.hpp"
#include "core/vector.hpp"

namespace {

using parzen::ReflectionLoops;

constexpr int group = 4;                   // rows that are taken together, so that all sums fit registers
constexpr std::size_t rows_in_cache = 64;  // rows of two strips that stay in the first-level cache together

// In a row of a strip: more of them for fewer lanes, as long as groups of rows fill the strip.
template <class T>
constexpr int vectors = lanes<T> % group == 0 && lanes<T> <= group ? 3 : 2;
template <class T>
constexpr int width = vectors<T> * lanes<T>;

template <class T>
struct Row {
    Vec<T> part[vectors<T>];
};

template <class T>
PARZEN_INLINE Row<T> load_row(const T* p) {
    Row<T> row;
    for (int c = 0; c < vectors<T>; ++c) row.part[c] = load<T>(p + c * lanes<T>);
    return row;
}

template <class T>
PARZEN_INLINE void store_row(T* p, const Row<T>& row) {
    for (int c = 0; c < vectors<T>; ++c) store<T>(p + c * lanes<T>, row.part[c]);
}

// sum += factor row
template <class T>
PARZEN_INLINE void add_times(Row<T>& sum, T factor, const Row<T>& row) {
    const Vec<T> f = splat<T>(factor);
    for (int c = 0; c < vectors<T>; ++c) sum.part[c] = multiply_add<T>(f, row.part[c], sum.part[c]);
}

PARZEN_INLINE double root(double x) { return __builtin_sqrt(x); }
PARZEN_INLINE float root(float x) { return __builtin_sqrtf(x); }

// The reflections of the columns in one of the vectors. Column j is reflected by I - tau v v', which leaves its
// diagonal entry and zeros below; v has a 1 on the diagonal, and its other entries take the column's place. F follows
// from the products of the columns of V: its column j is -tau F (V'v), above tau on the diagonal.
//
// Each reflection goes over the strip once. On the way it scales its own column to v, subtracts its multiples from
// the columns to the right, and sums the products of two columns with all others: of its own, which F needs, and of
// the next one as it is from now on, which the next reflection needs (`sums`).
template <class T, bool own_rows, int part>
PARZEN_INLINE void reflect_part(T* strip, std::size_t height, T* top, T* factor, Row<T>& sums) {
    constexpr int w = width<T>;
    for (int j = part * lanes<T>; j < (part + 1) * lanes<T>; ++j) {
        T products[w], removed[w] = {}, own_lane[lanes<T>] = {}, scale = 0, tau = 0;
        store_row<T>(products, sums);
        T* row = own_rows ? strip + j * w : top + j * w;
        if (products[j] > 0) {
            const T a = row[j], length = root(a * a + products[j]), diagonal = a > 0 ? -length : length;
            scale = 1 / (a - diagonal);
            tau = (diagonal - a) / diagonal;
            row[j] = diagonal;
            for (int c = j + 1; c < w; ++c) {
                removed[c] = tau * (row[c] + products[c] * scale);
                row[c] -= removed[c];
            }
        }
        own_lane[j - part * lanes<T>] = 1;
        const auto is_own = load<T>(own_lane) > Vec<T>{};
        const Row<T> multiples = load_row<T>(removed);
        const int next = j + 1 < w ? j + 1 : j;
        Row<T> with_own{}, with_next{};
        const auto update_row = [&](T* p, bool is_below_next) PARZEN_INLINE_LAMBDA {
            const T value = p[j] * scale;
            const Vec<T> v = splat<T>(value), b = splat<T>(p[next] - value * removed[next]);
            for (int c = 0; c < vectors<T>; ++c) {
                Vec<T> updated = load<T>(p + c * lanes<T>);
                with_own.part[c] = multiply_add<T>(v, updated, with_own.part[c]);
                if (c < part) continue;
                updated -= v * multiples.part[c];
                if (is_below_next) with_next.part[c] = multiply_add<T>(b, updated, with_next.part[c]);
                store<T>(p + c * lanes<T>, c == part ? (is_own ? v : updated) : updated);
            }
        };
        std::size_t i = own_rows ? j + 1 : 0;
        if (own_rows && i < height) update_row(strip + i++ * w, false);  // the next reflection's own row
        for (; i < height; ++i) update_row(strip + i * w, true);
        sums = with_next;
        store_row<T>(products, with_own);
        factor[j * w + j] = tau;
        for (int c = 0; c < j; ++c) {
            T sum = 0;
            for (int e = c; e < j; ++e) sum += factor[c * w + e] * (products[e] + (own_rows ? strip[j * w + e] : 0));
            factor[c * w + j] = -tau * sum;
        }
    }
}

template <class T, bool own_rows>
void reflect(T* strip, std::size_t height, T* top, T* factor) {
    constexpr int w = width<T>;
    for (int i = 0; i < w * w; ++i) factor[i] = 0;
    Row<T> sums{};
    for (std::size_t i = own_rows; i < height; ++i) add_times<T>(sums, strip[i * w], load_row<T>(strip + i * w));
    reflect_part<T, own_rows, 0>(strip, height, top, factor, sums);
    reflect_part<T, own_rows, 1>(strip, height, top, factor, sums);
    if constexpr (vectors<T> == 3) reflect_part<T, own_rows, 2>(strip, height, top, factor, sums);
    if (!own_rows) return;
    for (int i = 0; i < w; ++i) {
        for (int c = i; c < w; ++c) {
            top[i * w + c] = strip[i * w + c];
            strip[i * w + c] = c == i;
        }
    }
}

// products += V' strip, over some rows
template <class T>
PARZEN_INLINE void multiply(const T* reflections, const T* strip, std::size_t rows, T* products) {
    constexpr int w = width<T>;
    for (int j = 0; j < w; j += group) {
        Row<T> sums[group];
        for (int r = 0; r < group; ++r) sums[r] = load_row<T>(products + (j + r) * w);
        for (std::size_t i = 0; i < rows; ++i) {
            Row<T> row = load_row<T>(strip + i * w);
            for (int c = 0; c < vectors<T>; ++c) PARZEN_OPAQUE(row.part[c]);
            for (int r = 0; r < group; ++r) add_times<T>(sums[r], reflections[i * w + j + r], row);
        }
        for (int r = 0; r < group; ++r) store_row<T>(products + (j + r) * w, sums[r]);
    }
}

// strip += V products
template <class T>
PARZEN_INLINE void add_multiples(const T* reflections, const T* products, std::size_t rows, T* strip) {
    constexpr int w = width<T>;
    for (std::size_t i = 0; i < rows; i += group) {
        Row<T> sums[group];
        for (int r = 0; r < group; ++r) sums[r] = load_row<T>(strip + (i + r) * w);
        for (int j = 0; j < w; ++j) {
            Row<T> row = load_row<T>(products + j * w);
            for (int c = 0; c < vectors<T>; ++c) PARZEN_OPAQUE(row.part[c]);
            for (int r = 0; r < group; ++r) add_times<T>(sums[r], reflections[(i + r) * w + j], row);
        }
        for (int r = 0; r < group; ++r) store_row<T>(strip + (i + r) * w, sums[r]);
    }
}

template <class T>
void apply(const T* reflections, std::size_t used, std::size_t height, const T* factor, T* top, T* strip) {
    static_assert(width<T> % group == 0);
    constexpr int w = width<T>;
    T products[w * w], turned[w * w];
    for (int i = 0; i < w * w; ++i) products[i] = top ? top[i] : 0;
    for (std::size_t i = 0; i < used; i += rows_in_cache)
        multiply<T>(reflections + i * w, strip + i * w, used - i < rows_in_cache ? used - i : rows_in_cache, products);
    for (int j = 0; j < w; ++j) {
        Row<T> sum{};
        for (int e = 0; e <= j; ++e) add_times<T>(sum, -factor[e * w + j], load_row<T>(products + e * w));
        store_row<T>(turned + j * w, sum);
        if (top) {
            Row<T> row = load_row<T>(top + j * w);
            add_times<T>(row, 1, sum);
            store_row<T>(top + j * w, row);
        }
    }
    add_multiples<T>(reflections, turned, height, strip);
}

template <class T>
constexpr ReflectionLoops<T> table{width<T>, reflect<T, false>, reflect<T, true>, apply<T>};

}  // namespace

namespace parzen {

extern const ReflectionLoops<double>* const PARZEN_OF_ISA(reflections_double);
extern const ReflectionLoops<float>* const PARZEN_OF_ISA(reflections_float);
const ReflectionLoops<double>* const PARZEN_OF_ISA(reflections_double) = &table<double>;
const ReflectionLoops<float>* const PARZEN_OF_ISA(reflections_float) = &table<float>;

}  // namespace parzen
