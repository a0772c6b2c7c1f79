// Compiled once per instruction set (PARZEN_ISA, PARZEN_VECTOR_BYTES); everything but the tables at
// the foot is private to the translation unit.
#include "metric/loops.hpp"

#include <cmath>
#include <limits>

#include "core/loop_tables.hpp"
#include "core/vector.hpp"

namespace {

using parzen::metric_rows;
using parzen::MetricLoops;

constexpr std::size_t points_per_sum = 1024;  // points whose terms are summed in T before they are added to a double

template <class T, bool magnitude>
PARZEN_INLINE Vec<T> coordinate_distance(Vec<T> a, Vec<T> b) {
    const Vec<T> difference = a - b;
    if constexpr (magnitude) return absolute<T>(difference);
    return difference * difference;
}

template <class T, bool absolute>
void distances_of(const T* points, std::size_t stride, int dimension, const T* queries, std::size_t count, T* u,
                  std::size_t ldu) {
    for (std::size_t j = 0; j < count; j += 2 * lanes<T>) {
        Vec<T> s[metric_rows][2] = {};
        const bool two = j + lanes<T> < count;
        for (int l = 0; l < dimension; ++l) {
            const T* p = points + static_cast<std::size_t>(l) * stride + j;
            const Vec<T> p0 = load<T>(p), p1 = load<T>(two ? p + lanes<T> : p);
            for (int r = 0; r < metric_rows; ++r) {
                const Vec<T> x = splat<T>(queries[l * metric_rows + r]);
                s[r][0] += coordinate_distance<T, absolute>(p0, x);
                s[r][1] += coordinate_distance<T, absolute>(p1, x);
            }
        }
        for (std::size_t r = 0; r < metric_rows; ++r) {
            store<T>(u + r * ldu + j, s[r][0]);
            if (two) store<T>(u + r * ldu + j + lanes<T>, s[r][1]);
        }
    }
}

template <class T>
void distances(bool absolute, const T* points, std::size_t stride, int dimension, const T* queries, std::size_t count,
               T* u, std::size_t ldu) {
    (absolute ? distances_of<T, true> : distances_of<T, false>)(points, stride, dimension, queries, count, u, ldu);
}

template <class T>
T smallest(const T* u, std::size_t count) {
    Vec<T> best = load<T>(u);
    for (std::size_t j = lanes<T>; j < count; j += lanes<T>) best = smaller<T>(best, load<T>(u + j));
    return lowest_lane<T>(best);
}

template <class T>
double exponentials(const T* u, const T* weights, std::size_t count, T slope, T reference, T* values) {
    const T per_unit = slope * T(1.4426950408889634074);
    double total = 0;
    for (std::size_t begin = 0; begin < count; begin += points_per_sum) {
        const std::size_t end = begin + points_per_sum < count ? begin + points_per_sum : count;
        Vec<T> part{};
        for (std::size_t j = begin; j < end; j += lanes<T>) {
            Vec<T> e = (reference - load<T>(u + j)) * per_unit;
            exp2_clipped<T, 1>(&e);
            e *= load<T>(weights + j);
            store<T>(values + j, e);
            part += e;
        }
        total += add<T>(part);
    }
    return total;
}

// Values that would come near the smallest normal number become zero: they add nothing, and a processor takes a hundred
// times as long over the numbers below it.
template <class T>
double scale_values(T* values, const T* u, std::size_t count, T factor) {
    using I = typename Traits<T>::I;
    const T least = std::numeric_limits<T>::min() * T(1 << 24) / std::abs(factor);
    double total = 0;
    for (std::size_t begin = 0; begin < count; begin += points_per_sum) {
        const std::size_t end = begin + points_per_sum < count ? begin + points_per_sum : count;
        Vec<T> part{};
        for (std::size_t j = begin; j < end; j += lanes<T>) {
            const Vec<T> e = load<T>(values + j);
            const Vec<T> v = (Vec<T>)((I)e & (I)(e > least)) * factor;
            store<T>(values + j, v);
            part += v * load<T>(u + j);
        }
        total += add<T>(part);
    }
    return total;
}

// Two coordinates at a time, so that a value is loaded once for both.
template <class T, bool absolute, int together>
PARZEN_INLINE void moments_of_run(const T* points, std::size_t stride, const T* queries, std::size_t begin,
                                  std::size_t end, const T* values, std::size_t ld, double* moments) {
    Vec<T> s[together] = {};
    for (std::size_t j = begin; j < end; j += lanes<T>) {
        Vec<T> p[together];
        for (int k = 0; k < together; ++k) p[k] = load<T>(points + static_cast<std::size_t>(k) * stride + j);
        for (std::size_t r = 0; r < metric_rows; ++r) {
            const Vec<T> v = load<T>(values + r * ld + j);
            for (int k = 0; k < together; ++k)
                s[k] += v * coordinate_distance<T, absolute>(p[k],
                                                             splat<T>(queries[k * metric_rows + static_cast<int>(r)]));
        }
    }
    for (int k = 0; k < together; ++k) moments[k] += add<T>(s[k]);
}

template <class T, bool absolute>
void moments_of(const T* points, std::size_t stride, int dimension, const T* queries, std::size_t count,
                const T* values, std::size_t ld, double* moments) {
    for (std::size_t begin = 0; begin < count; begin += points_per_sum) {
        const std::size_t end = begin + points_per_sum < count ? begin + points_per_sum : count;
        int l = 0;
        for (; l + 2 <= dimension; l += 2)
            moments_of_run<T, absolute, 2>(points + static_cast<std::size_t>(l) * stride, stride,
                                           queries + l * metric_rows, begin, end, values, ld, moments + l);
        if (l < dimension)
            moments_of_run<T, absolute, 1>(points + static_cast<std::size_t>(l) * stride, stride,
                                           queries + l * metric_rows, begin, end, values, ld, moments + l);
    }
}

template <class T>
void moments(bool absolute, const T* points, std::size_t stride, int dimension, const T* queries, std::size_t count,
             const T* values, std::size_t ld, double* out) {
    (absolute ? moments_of<T, true> : moments_of<T, false>)(points, stride, dimension, queries, count, values, ld, out);
}

template <class T>
constexpr MetricLoops<T> loops{distances<T>, smallest<T>, exponentials<T>, scale_values<T>, moments<T>};

}  // namespace

namespace parzen {

extern const MetricLoops<float>* const PARZEN_OF_ISA(metric_float);
extern const MetricLoops<double>* const PARZEN_OF_ISA(metric_double);
const MetricLoops<float>* const PARZEN_OF_ISA(metric_float) = &loops<float>;
const MetricLoops<double>* const PARZEN_OF_ISA(metric_double) = &loops<double>;

}  // namespace parzen
