// The formulas of the kernels, one struct each; PARZEN_KERNELS says which kernel uses which.
//
// A formula has
//
//   parameter_count, accepts(p), set(kernel, p)   the parameters that Python passes, and where they are kept
//   scale(h)                                      what its loops take in place of the bandwidth h
//   log_value(kernel, u, h)                       log of the value at u in units of the peak, one pair at a time
//   Values                                        struct whose values() computes several vectors at a time
//
// Formulas that differ in their scale only share one struct of Values, and so the code of the inner loops.
// values(kernel, scale, reference, u, k) writes k = value at u / value at reference. Formulas without a
// log_value of their own are never factored: their reference is always 0, where the value is 1.
//
// Everything is in an anonymous namespace: the vectors are those of one instruction set, and code compiled
// for one processor must not be linked into that of another.
#pragma once

#include <cmath>

#include "parzen/kernel.hpp"
#ifdef PARZEN_ISA
#include "core/vector.hpp"
#endif

namespace {

constexpr double log2_e = 1.4426950408889634074;

// ---- values, a few vectors at a time ------------------------------------------------------------

#ifdef PARZEN_ISA

// 2^(scale (u - reference))
struct ExponentialValues {
    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel&, T scale, T reference, const Vec<T> (&u)[width],
                                     Vec<T> (&k)[width]) {
        static_assert(width % exp_width == 0);
        // Subtract before multiplying: far from all points the difference of two products would be rounding error.
        for (int i = 0; i < width; ++i) k[i] = (u[i] - reference) * scale;
        for (int i = 0; i < width; i += exp_width) exp2_clipped<T>(k + i);
    }
};

// ((scale + reference) / (scale + u))^power
struct RationalValues {
    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel& kernel, T scale, T reference, const Vec<T> (&u)[width],
                                     Vec<T> (&k)[width]) {
        const int twice = static_cast<int>(2 * kernel.power);
        for (int i = 0; i < width; ++i) {
            const Vec<T> ratio = (scale + reference) / (u[i] + scale);
            k[i] = integer_power<T>(ratio, twice / 2);
            if (twice % 2) k[i] *= square_root<T>(ratio);
        }
    }
};

// 1 for u <= scale
struct UniformValues {
    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel&, T scale, T, const Vec<T> (&u)[width], Vec<T> (&k)[width]) {
        using I = typename Traits<T>::I;
        for (int i = 0; i < width; ++i) k[i] = (Vec<T>)((I)splat<T>(1) & (I)(u[i] <= scale));
    }
};

// (1 - u / scale)^power, 0 beyond the scale
template <int power>
struct TruncatedPowerValues {
    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel&, T scale, T, const Vec<T> (&u)[width], Vec<T> (&k)[width]) {
        for (int i = 0; i < width; ++i) {
            const Vec<T> base = larger<T>(splat<T>(1) - u[i] / scale, Vec<T>{});
            k[i] = base;
            for (int factor = 1; factor < power; ++factor) k[i] *= base;
        }
    }
};

// (1 - (u / scale)^3)^3, 0 beyond the scale
struct TricubeValues {
    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel&, T scale, T, const Vec<T> (&u)[width], Vec<T> (&k)[width]) {
        for (int i = 0; i < width; ++i) {
            const Vec<T> t = u[i] / scale;
            const Vec<T> base = larger<T>(splat<T>(1) - t * t * t, Vec<T>{});
            k[i] = base * base * base;
        }
    }
};

// cos(pi/2 sqrt(u / scale)), 0 beyond the scale: a power series in u / scale.
struct CosineValues {
    static constexpr int terms = 12;  // of the series; the first one left out is below 1e-19
    struct Coefficients {
        double of[terms];
    };
    static constexpr Coefficients coefficients() {
        constexpr double quarter_turn_squared = 2.4674011002723396547;  // (pi / 2)^2
        Coefficients c{};
        c.of[0] = 1;
        for (int n = 1; n < terms; ++n) c.of[n] = -c.of[n - 1] * quarter_turn_squared / ((2 * n - 1) * (2 * n));
        return c;
    }

    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel&, T scale, T, const Vec<T> (&u)[width], Vec<T> (&k)[width]) {
        constexpr Coefficients c = coefficients();
        constexpr int used = sizeof(T) == 4 ? 8 : terms;
        Vec<T> t[width];
        for (int i = 0; i < width; ++i) {
            t[i] = u[i] / scale;
            k[i] = splat<T>(static_cast<T>(c.of[used - 1]));
        }
        for (int n = used - 2; n >= 0; --n)
            for (int i = 0; i < width; ++i) k[i] = multiply_add<T>(k[i], t[i], splat<T>(static_cast<T>(c.of[n])));
        for (int i = 0; i < width; ++i) k[i] = t[i] < T(1) ? larger<T>(k[i], Vec<T>{}) : Vec<T>{};
    }
};

// 4 q / (1 + q)^2 with q = 2^(scale u), divided by the same at the reference. With q = e q_0 for the q_0 of the
// reference this is e ((1 + q_0) / (1 + e q_0))^2, in which nothing underflows before e does.
struct LogisticValues {
    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel& kernel, T scale, T reference, const Vec<T> (&u)[width],
                                     Vec<T> (&k)[width]) {
        ExponentialValues::values<T, width>(kernel, scale, reference, u, k);
        const T at_reference = static_cast<T>(__builtin_exp2(static_cast<double>(scale * reference)));
        for (int i = 0; i < width; ++i) {
            const Vec<T> ratio = (1 + at_reference) / (k[i] * at_reference + T(1));
            k[i] *= ratio * ratio;
        }
    }
};

// With t = sqrt(u) / scale: exp(-t^2 / 2) up to epsilon and exp(-t / sqrt(2)) beyond.
struct GaussianExponentialValues {
    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel& kernel, T scale, T reference, const Vec<T> (&u)[width],
                                     Vec<T> (&k)[width]) {
        static_assert(width % exp_width == 0);
        constexpr T near_scale = static_cast<T>(-0.72134752044448170368);  // -log2(e) / 2
        constexpr T far_scale = static_cast<T>(-1.0201394465967894961);    // -log2(e) / sqrt(2)
        const T epsilon = static_cast<T>(kernel.epsilon);
        const T root = static_cast<T>(__builtin_sqrt(reference)) / scale;
        const T base = root <= epsilon ? root * root * near_scale : root * far_scale;
        for (int i = 0; i < width; ++i) {
            const Vec<T> r = square_root<T>(u[i]) / scale;
            k[i] = (r <= epsilon ? r * r * near_scale : r * far_scale) - base;
        }
        for (int i = 0; i < width; i += exp_width) exp2_clipped<T>(k + i);
    }
};

// (u + constant)^degree
struct PolynomialValues {
    template <class T, int width>
    static PARZEN_INLINE void values(const parzen::Kernel& kernel, T, T, const Vec<T> (&u)[width], Vec<T> (&k)[width]) {
        const T constant = static_cast<T>(kernel.constant);
        for (int i = 0; i < width; ++i) k[i] = integer_power<T>(u[i] + constant, kernel.degree);
    }
};

#else

struct ExponentialValues;
struct RationalValues;
struct UniformValues;
template <int power>
struct TruncatedPowerValues;
struct TricubeValues;
struct CosineValues;
struct LogisticValues;
struct GaussianExponentialValues;
struct PolynomialValues;

#endif

// ---- formulas -------------------------------------------------------------------------------------

struct NoParameters {
    static constexpr int parameter_count = 0;
    static bool accepts(const double*) { return true; }
    static void set(parzen::Kernel&, const double*) {}
};

struct NotFactored {
    static double log_value(const parzen::Kernel&, double, double) { return 0; }
};

// exp(-u / 2h^2)
struct Gaussian : NoParameters {
    using Values = ExponentialValues;
    static double scale(double h) { return -log2_e / (2 * h * h); }
    static double log_value(const parzen::Kernel&, double u, double h) { return -u / (2 * h * h); }
};

// exp(-u / h)
struct Laplacian : NoParameters {
    using Values = ExponentialValues;
    static double scale(double h) { return -log2_e / h; }
    static double log_value(const parzen::Kernel&, double u, double h) { return -u / h; }
};

// (1 + u / h^2)^(-power): the Cauchy kernel and the inverse quadratic
struct Rational {
    using Values = RationalValues;
    static constexpr int parameter_count = 1;
    static bool accepts(const double* p) { return p[0] > 0 && p[0] <= 1e6 && 2 * p[0] == std::floor(2 * p[0]); }
    static void set(parzen::Kernel& kernel, const double* p) { kernel.power = p[0]; }
    static double scale(double h) { return h * h; }
    static double log_value(const parzen::Kernel& kernel, double u, double h) {
        return -kernel.power * std::log1p(u / (h * h));
    }
};

// 1 for u <= h^2
struct Uniform : NoParameters, NotFactored {
    using Values = UniformValues;
    static double scale(double h) { return h * h; }
};

// 1 - u / h, not below 0
struct Triangular : NoParameters, NotFactored {
    using Values = TruncatedPowerValues<1>;
    static double scale(double h) { return h; }
};

// (1 - u / h^2)^power, not below 0
template <int power>
struct TruncatedPower : NoParameters, NotFactored {
    using Values = TruncatedPowerValues<power>;
    static double scale(double h) { return h * h; }
};
using Epanechnikov = TruncatedPower<1>;
using Biweight = TruncatedPower<2>;
using Triweight = TruncatedPower<3>;

// (1 - (u / h)^3)^3, not below 0
struct Tricube : NoParameters, NotFactored {
    using Values = TricubeValues;
    static double scale(double h) { return h; }
};

// cos(pi/2 sqrt(u) / h) up to h
struct Cosine : NoParameters, NotFactored {
    using Values = CosineValues;
    static double scale(double h) { return h * h; }
};

// 4 / (e^t + 2 + e^-t), t = u / h
struct Logistic : NoParameters {
    using Values = LogisticValues;
    static double scale(double h) { return -log2_e / h; }
    static double log_value(const parzen::Kernel&, double u, double h) {
        constexpr double log_4 = 1.3862943611198906188;
        return log_4 - u / h - 2 * std::log1p(std::exp(-u / h));
    }
};

// exp(-u / 2h^2) up to a distance of epsilon h, exp(-sqrt(u / 2) / h) beyond
struct GaussianExponential {
    using Values = GaussianExponentialValues;
    static constexpr int parameter_count = 1;
    static bool accepts(const double* p) { return p[0] >= 0; }
    static void set(parzen::Kernel& kernel, const double* p) { kernel.epsilon = p[0]; }
    static double scale(double h) { return h; }
    static double log_value(const parzen::Kernel& kernel, double u, double h) {
        const double t = std::sqrt(u) / h;
        return t <= kernel.epsilon ? -0.5 * t * t : -t / std::sqrt(2.0);
    }
};

// (u + constant)^degree, without a bandwidth
struct Polynomial : NotFactored {
    using Values = PolynomialValues;
    static constexpr int parameter_count = 2;
    static bool accepts(const double* p) {
        return std::isfinite(p[0]) && p[1] >= 0 && p[1] <= 1e9 && p[1] == std::floor(p[1]);
    }
    static void set(parzen::Kernel& kernel, const double* p) {
        kernel.constant = p[0];
        kernel.degree = static_cast<int>(p[1]);
    }
    static double scale(double h) { return h * h; }
};

// Calls function.template operator()<Formula>() with the formula of a kernel known at run time.
template <class Function>
auto with_formula(parzen::Profile profile, Function function) {
    switch (profile) {
#define PARZEN_CASE(name, formula, measure, tail, tree, sorted) \
    case parzen::Profile::name:                                 \
        return function.template operator()<formula>();
        PARZEN_KERNELS(PARZEN_CASE)
#undef PARZEN_CASE
    }
    __builtin_unreachable();
}

}  // namespace
