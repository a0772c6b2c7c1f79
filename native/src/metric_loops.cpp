// Compiled once per instruction set (PARZEN_ISA, PARZEN_VECTOR_BYTES); everything but the tables at
// the foot is private to the translation unit.
#include "metric_loops.hpp"

#define PARZEN_JOIN_(a, b) a##b
#define PARZEN_JOIN(a, b) PARZEN_JOIN_(a, b)
#define PARZEN_INLINE inline __attribute__((always_inline))

namespace {

using parzen::metric_rows;
using parzen::MetricLoops;

constexpr int bytes = PARZEN_VECTOR_BYTES;
constexpr std::size_t run = 1024;  // points whose moments are summed in T before they join a double

template <class T>
struct Traits;

template <>
struct Traits<double> {
    typedef double V __attribute__((vector_size(bytes)));
    typedef double Loose __attribute__((vector_size(bytes), aligned(sizeof(double))));
    typedef long long I __attribute__((vector_size(bytes)));
    typedef unsigned long long U __attribute__((vector_size(bytes)));
    static constexpr int mantissa_bits = 52;
    static constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to integers
    static constexpr double smallest_exponent = -1021.0;
    static constexpr long long absolute_mask = 0x7fffffffffffffffLL;
    static constexpr int degree = 10;
    // Chebyshev fit of 2^f on [-1/2, 1/2]; largest error 2.2e-16.
    static constexpr double coefficients[degree + 1] = {
        1.0,
        0.69314718055994998286,
        0.2402265069591009822,
        0.055504108664447719166,
        0.0096181291076068885273,
        0.0013333558230164973899,
        0.00015403530441736050155,
        0.000015252657260200837064,
        1.3215442587921689653e-6,
        1.0208690299958305835e-7,
        7.0725859492692236999e-9,
    };
};

template <>
struct Traits<float> {
    typedef float V __attribute__((vector_size(bytes)));
    typedef float Loose __attribute__((vector_size(bytes), aligned(sizeof(float))));
    typedef int I __attribute__((vector_size(bytes)));
    typedef unsigned U __attribute__((vector_size(bytes)));
    static constexpr int mantissa_bits = 23;
    static constexpr float shifter = 12582912.0f;  // 1.5 * 2^23
    static constexpr float smallest_exponent = -125.0f;
    static constexpr int absolute_mask = 0x7fffffff;
    static constexpr int degree = 6;
    // Chebyshev fit of 2^f on [-1/2, 1/2]; largest error 2.0e-9.
    static constexpr float coefficients[degree + 1] = {1.0f,
                                                       0.693147206703f,
                                                       0.240226509223f,
                                                       0.0555032722667f,
                                                       0.00961805667852f,
                                                       0.00134004281776f,
                                                       0.000154614446986f};
};

template <class T>
using Vec = typename Traits<T>::V;

template <class T>
constexpr std::size_t lanes = bytes / sizeof(T);

template <class T>
PARZEN_INLINE Vec<T> load(const T* p) {
    return *reinterpret_cast<const typename Traits<T>::Loose*>(p);
}

template <class T>
PARZEN_INLINE void store(T* p, Vec<T> v) {
    *reinterpret_cast<typename Traits<T>::Loose*>(p) = v;
}

template <class T>
PARZEN_INLINE Vec<T> splat(T x) {
    return x - Vec<T>{};
}

template <class T>
PARZEN_INLINE double sum(Vec<T> v) {
    double total = 0;
    for (std::size_t l = 0; l < lanes<T>; ++l) total += static_cast<double>(v[l]);
    return total;
}

template <class T, bool absolute>
PARZEN_INLINE Vec<T> apart(Vec<T> a, Vec<T> b) {
    const Vec<T> difference = a - b;
    if constexpr (absolute) {
        using I = typename Traits<T>::I;
        return (Vec<T>)((I)difference & (I{} + Traits<T>::absolute_mask));
    } else {
        return difference * difference;
    }
}

// 2^x for x <= 0, zero where it would be denormal.
template <class T>
PARZEN_INLINE Vec<T> power_of_two(Vec<T> x) {
    using Tr = Traits<T>;
    const Vec<T> low = splat<T>(Tr::smallest_exponent);
    const auto vanishes = x < low;
    x = vanishes ? low : x;
    const Vec<T> shifted = x + Tr::shifter;
    const Vec<T> f = x - (shifted - Tr::shifter);
    Vec<T> p = splat<T>(Tr::coefficients[Tr::degree]);
    for (int i = Tr::degree - 1; i >= 0; --i) p = p * f + Tr::coefficients[i];
    const typename Tr::U bits = (typename Tr::U)shifted << Tr::mantissa_bits;
    const Vec<T> scaled = (Vec<T>)((typename Tr::U)p + bits);
    return vanishes ? Vec<T>{} : scaled;
}

template <class T, bool absolute>
void distances_of(const T* points, std::size_t stride, int dimension, const T* queries, std::size_t count, T* u,
                  std::size_t ldu) {
    for (std::size_t j = 0; j < count; j += 2 * lanes<T>) {
        Vec<T> s[metric_rows][2] = {};
        const bool two = j + lanes<T> < count;
        for (int l = 0; l < dimension; ++l) {
            const T* p = points + static_cast<std::size_t>(l) * stride + j;
            const Vec<T> p0 = load(p), p1 = load(two ? p + lanes<T> : p);
            for (int r = 0; r < metric_rows; ++r) {
                const Vec<T> x = splat<T>(queries[l * metric_rows + r]);
                s[r][0] += apart<T, absolute>(p0, x);
                s[r][1] += apart<T, absolute>(p1, x);
            }
        }
        for (std::size_t r = 0; r < metric_rows; ++r) {
            store(u + r * ldu + j, s[r][0]);
            if (two) store(u + r * ldu + j + lanes<T>, s[r][1]);
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
    Vec<T> best = load(u);
    for (std::size_t j = lanes<T>; j < count; j += lanes<T>) {
        const Vec<T> v = load(u + j);
        best = v < best ? v : best;
    }
    T result = best[0];
    for (std::size_t l = 1; l < lanes<T>; ++l) result = best[l] < result ? best[l] : result;
    return result;
}

template <class T>
double exponentials(const T* u, const T* weights, std::size_t count, T slope, T reference, T* values) {
    const T per_unit = slope * T(1.4426950408889634074);
    double total = 0;
    for (std::size_t begin = 0; begin < count; begin += run) {
        const std::size_t end = begin + run < count ? begin + run : count;
        Vec<T> part{};
        for (std::size_t j = begin; j < end; j += lanes<T>) {
            const Vec<T> e = load(weights + j) * power_of_two<T>((reference - load(u + j)) * per_unit);
            store(values + j, e);
            part += e;
        }
        total += sum<T>(part);
    }
    return total;
}

template <class T>
double pull(T* values, const T* u, std::size_t count, T factor) {
    double total = 0;
    for (std::size_t begin = 0; begin < count; begin += run) {
        const std::size_t end = begin + run < count ? begin + run : count;
        Vec<T> part{};
        for (std::size_t j = begin; j < end; j += lanes<T>) {
            const Vec<T> v = load(values + j) * factor;
            store(values + j, v);
            part += v * load(u + j);
        }
        total += sum<T>(part);
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
        for (int k = 0; k < together; ++k) p[k] = load(points + static_cast<std::size_t>(k) * stride + j);
        for (std::size_t r = 0; r < metric_rows; ++r) {
            const Vec<T> v = load(values + r * ld + j);
            for (int k = 0; k < together; ++k)
                s[k] += v * apart<T, absolute>(p[k], splat<T>(queries[k * metric_rows + static_cast<int>(r)]));
        }
    }
    for (int k = 0; k < together; ++k) moments[k] += sum<T>(s[k]);
}

template <class T, bool absolute>
void moments_of(const T* points, std::size_t stride, int dimension, const T* queries, std::size_t count,
                const T* values, std::size_t ld, double* moments) {
    for (std::size_t begin = 0; begin < count; begin += run) {
        const std::size_t end = begin + run < count ? begin + run : count;
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
constexpr MetricLoops<T> loops{distances<T>, smallest<T>, exponentials<T>, pull<T>, moments<T>};

}  // namespace

namespace parzen {

extern const MetricLoops<float>* const PARZEN_JOIN(metric_float_, PARZEN_ISA);
extern const MetricLoops<double>* const PARZEN_JOIN(metric_double_, PARZEN_ISA);
const MetricLoops<float>* const PARZEN_JOIN(metric_float_, PARZEN_ISA) = &loops<float>;
const MetricLoops<double>* const PARZEN_JOIN(metric_double_, PARZEN_ISA) = &loops<double>;

}  // namespace parzen
