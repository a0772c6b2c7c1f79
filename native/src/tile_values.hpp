// Values of the kernels, a few vectors at a time, and the chain of squarings along bandwidths. Only
// tile.cpp and what it includes use this: everything is private to one instruction set.
#pragma once

#include "parzen/tile.hpp"
#include "vector.hpp"

namespace {

using parzen::BandwidthPlan;
using parzen::Profile;

// The values of `width` vectors, relative to the value at `reference`.
template <class T, Profile profile, int width>
PARZEN_INLINE void evaluate(const parzen::Kernel& kernel, T scale, T reference, const Vec<T> (&u)[width],
                            Vec<T> (&k)[width]) {
    static_assert(width % exp_width == 0);
    if constexpr (parzen::is_exponential(profile)) {
        // The difference first: far from all points the two products would cancel to nothing but error.
        for (int i = 0; i < width; ++i) k[i] = (u[i] - reference) * scale;
        for (int i = 0; i < width; i += exp_width) exp2_clipped<T>(k + i);
    } else if constexpr (profile == Profile::gaussian_exponential) {
        constexpr T near_scale = static_cast<T>(-0.72134752044448170368);  // -log2(e) / 2
        constexpr T far_scale = static_cast<T>(-1.0201394465967894961);    // -log2(e) / sqrt(2)
        const T epsilon = static_cast<T>(kernel.epsilon);
        const T root = static_cast<T>(__builtin_sqrt(reference)) / scale;  // scale is h
        const T base = root <= epsilon ? root * root * near_scale : root * far_scale;
        for (int i = 0; i < width; ++i) {
            const Vec<T> r = square_root<T>(u[i]) / scale;
            k[i] = (r <= epsilon ? r * r * near_scale : r * far_scale) - base;
        }
        for (int i = 0; i < width; i += exp_width) exp2_clipped<T>(k + i);
    } else if constexpr (profile == Profile::rational) {
        const int twice = static_cast<int>(2 * kernel.power);
        for (int i = 0; i < width; ++i) {
            const Vec<T> ratio = (scale + reference) / (u[i] + scale);
            k[i] = integer_power<T>(ratio, twice / 2);
            if (twice % 2) k[i] *= square_root<T>(ratio);
        }
    } else if constexpr (profile == Profile::uniform) {
        using I = typename Traits<T>::I;
        for (int i = 0; i < width; ++i) k[i] = (Vec<T>)((I)splat<T>(1) & (I)(u[i] <= scale));
    } else if constexpr (profile == Profile::triangular || profile == Profile::epanechnikov) {
        for (int i = 0; i < width; ++i) k[i] = larger<T>(splat<T>(1) - u[i] / scale, Vec<T>{});
    } else {
        const T constant = static_cast<T>(kernel.constant);
        for (int i = 0; i < width; ++i) k[i] = integer_power<T>(u[i] + constant, kernel.degree);
    }
}

// Runs `use(values, step)` for every step of the plan, squaring along its chains.
template <class T, Profile profile, int width, class Use>
PARZEN_INLINE void for_each_step(const BandwidthPlan<T>& plan, T reference, const Vec<T> (&u)[width], Use use) {
    int step = 0;
    for (int chain = 0; chain < plan.chains; ++chain) {
        Vec<T> k[width];
        evaluate<T, profile, width>(plan.kernel, plan.scale[chain], reference, u, k);
        for (const int end = step + plan.lengths[chain];;) {
            use(k, step);
            if (++step == end) break;
            for (int i = 0; i < width; ++i) k[i] *= k[i];
        }
    }
}

// What the weights look like. Ones are summed without a multiplication, which is what limits the loops.
enum class Weights { ones, column, columns };

// sum + weight . k over `width` vectors; the terms are added first, to keep the chain of sums short.
template <class T, Weights kind, int width>
PARZEN_INLINE Vec<T> add_weighted(Vec<T> sum, const Vec<T>* k, const T* weights) {
    constexpr int L = lanes<T>;
    Vec<T> part = kind == Weights::ones ? k[0] : k[0] * load<T>(weights);
    for (int i = 1; i < width; ++i) {
        part = kind == Weights::ones ? part + k[i] : multiply_add<T>(load<T>(weights + i * L), k[i], part);
    }
    return sum + part;
}

}  // namespace
