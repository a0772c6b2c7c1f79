// Vectors of one instruction set, and the few functions on them that the inner loops share. Only
// files that are compiled once per instruction set include this: everything is private to them,
// and nothing from the standard library is instantiated.
#pragma once

// Pins a vector to a register: the compiler can neither fold it into memory operands nor move it.
#if defined(__x86_64__) && defined(__AVX512F__)
#define PARZEN_OPAQUE(v) asm volatile("" : "+v"(v))
#elif defined(__x86_64__)
#define PARZEN_OPAQUE(v) asm volatile("" : "+x"(v))
#elif defined(__aarch64__)
#define PARZEN_OPAQUE(v) asm volatile("" : "+w"(v))
#else
#define PARZEN_OPAQUE(v)
#endif

#define PARZEN_INLINE inline __attribute__((always_inline))
#define PARZEN_INLINE_LAMBDA __attribute__((always_inline))
#ifdef __clang__
#define PARZEN_UNROLL _Pragma("unroll")
#define PARZEN_UNROLL_TWICE _Pragma("unroll 2")
#else
#define PARZEN_UNROLL _Pragma("GCC unroll 16")
#define PARZEN_UNROLL_TWICE _Pragma("GCC unroll 2")
#endif

namespace {

constexpr int bytes = PARZEN_VECTOR_BYTES;

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
    static constexpr double huge = 1e300;
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
    static constexpr float huge = 1e37f;
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

// A vector that may start at any element. Not copied through memcpy: that may alias everything,
// and the compiler would read the plan again after every store.
template <class T>
using Loose = typename Traits<T>::Loose;

template <class T>
constexpr int lanes = bytes / static_cast<int>(sizeof(T));

template <class T>
PARZEN_INLINE Vec<T> load(const T* p) {
    return *reinterpret_cast<const Loose<T>*>(p);
}

template <class T>
PARZEN_INLINE void store(T* p, Vec<T> v) {
    *reinterpret_cast<Loose<T>*>(p) = v;
}

// Subtracting zero changes no number, adding it would change -0: only this folds to a broadcast.
template <class T>
PARZEN_INLINE Vec<T> splat(T x) {
    return x - Vec<T>{};
}

// Written as one expression so that it contracts to a fused multiply-add where there is one.
template <class T>
PARZEN_INLINE Vec<T> multiply_add(Vec<T> a, Vec<T> b, Vec<T> c) {
    return a * b + c;
}

// GCC and Clang both turn this pattern into the machine's minimum and maximum.
template <class T>
PARZEN_INLINE Vec<T> smaller(Vec<T> a, Vec<T> b) {
    return a < b ? a : b;
}

template <class T>
PARZEN_INLINE Vec<T> larger(Vec<T> a, Vec<T> b) {
    return a > b ? a : b;
}

template <class T>
PARZEN_INLINE Vec<T> absolute(Vec<T> a) {
    using I = typename Traits<T>::I;
    return (Vec<T>)((I)a & (I{} + Traits<T>::absolute_mask));
}

template <class T>
PARZEN_INLINE Vec<T> square_root(Vec<T> a) {
    for (int i = 0; i < lanes<T>; ++i) {
        a[i] = sizeof(T) == 8 ? static_cast<T>(__builtin_sqrt(a[i]))
                              : static_cast<T>(__builtin_sqrtf(static_cast<float>(a[i])));
    }
    return a;
}

template <class T>
PARZEN_INLINE double add(Vec<T> v) {
    double sum = 0;
    for (int i = 0; i < lanes<T>; ++i) sum += static_cast<double>(v[i]);
    return sum;
}

// 2^t for t below 1000; exactly 0 below the smallest normal number, minus infinity included.
// Round t to an integer n by adding a large constant, take a polynomial in f = t - n, and add n to
// the exponent bits. Out of range the bits are nonsense and are masked away. Three vectors go
// through the stages side by side, and even and odd powers are summed apart, so that the processor
// always has independent multiplications at hand; what is alive just fits sixteen registers.
constexpr int exp_width = 3;

template <class T, int width = exp_width>
PARZEN_INLINE void exp2_clipped(Vec<T>* t) {
    using Tr = Traits<T>;
    using U = typename Tr::U;
    static_assert(Tr::degree % 2 == 0);
    Vec<T> shifted[width], f[width], f2[width], even[width], odd[width];
    for (int i = 0; i < width; ++i) shifted[i] = t[i] + Tr::shifter;
    for (int i = 0; i < width; ++i) f[i] = t[i] - (shifted[i] - Tr::shifter);
    for (int i = 0; i < width; ++i) f2[i] = f[i] * f[i];
    for (int i = 0; i < width; ++i) {
        even[i] = splat<T>(Tr::coefficients[Tr::degree]);
        odd[i] = splat<T>(Tr::coefficients[Tr::degree - 1]);
    }
    for (int k = Tr::degree - 2; k >= 0; k -= 2) {
        Vec<T> c = splat<T>(Tr::coefficients[k]);
        PARZEN_OPAQUE(c);  // loaded once for all vectors: the load units are the bottleneck otherwise
        for (int i = 0; i < width; ++i) even[i] = multiply_add<T>(even[i], f2[i], c);
        if (k == 0) break;
        c = splat<T>(Tr::coefficients[k - 1]);
        PARZEN_OPAQUE(c);
        for (int i = 0; i < width; ++i) odd[i] = multiply_add<T>(odd[i], f2[i], c);
    }
    for (int i = 0; i < width; ++i) {
        const Vec<T> p = multiply_add<T>(odd[i], f[i], even[i]);
        const U scaled = (U)p + ((U)shifted[i] << Tr::mantissa_bits);  // unsigned: nonsense may wrap
        t[i] = (Vec<T>)(scaled & (U)(shifted[i] > Tr::shifter + Tr::smallest_exponent));
    }
}

// 2^t for t well inside the range of normal numbers: nothing is masked. By Horner's rule so few vectors
// are alive that six go through the stages side by side; between their multiplications the next six
// are split into integer and fraction, because the processor does not look far enough ahead for that.
constexpr int in_range_width = 6;

template <class T, int count>
PARZEN_INLINE void exp2_in_range(Vec<T>* t) {
    using Tr = Traits<T>;
    using U = typename Tr::U;
    constexpr int width = in_range_width;
    static_assert(count % width == 0 && Tr::degree >= width);
    Vec<T> shifted[count], f[count];
    const auto split = [&](int i) PARZEN_INLINE_LAMBDA {
        shifted[i] = t[i] + Tr::shifter;
        f[i] = t[i] - (shifted[i] - Tr::shifter);
        PARZEN_OPAQUE(f[i]);
    };
    for (int i = 0; i < width; ++i) split(i);
    PARZEN_UNROLL
    for (int first = 0; first < count; first += width) {
        Vec<T> p[width];
        for (int i = 0; i < width; ++i) p[i] = splat<T>(Tr::coefficients[Tr::degree]);
        PARZEN_UNROLL
        for (int k = Tr::degree - 1; k >= 0; --k) {
            Vec<T> c = splat<T>(Tr::coefficients[k]);
            PARZEN_OPAQUE(c);
            for (int i = 0; i < width; ++i) p[i] = multiply_add<T>(p[i], f[first + i], c);
            if (k < width && first + width < count) split(first + width + k);
        }
        for (int i = 0; i < width; ++i) t[first + i] = (Vec<T>)((U)p[i] + ((U)shifted[first + i] << Tr::mantissa_bits));
    }
}

template <class T>
PARZEN_INLINE Vec<T> integer_power(Vec<T> x, int n) {
    Vec<T> result = splat<T>(1);
    for (; n > 0; n >>= 1) {
        if (n & 1) result *= x;
        x *= x;
    }
    return result;
}

template <class T>
PARZEN_INLINE T lowest_lane(Vec<T> v) {
    T result = v[0];
    for (int i = 1; i < lanes<T>; ++i) result = v[i] < result ? v[i] : result;
    return result;
}

}  // namespace
