#include "tree/loops.hpp"

#include "core/loop_tables.hpp"
#include "core/vector.hpp"

namespace {

using parzen::BlockShape;
using parzen::chunk;
using parzen::fanout;
using parzen::LeafSums;
using parzen::Profile;
using parzen::TreeKernel;
using parzen::TreeLoops;

using V = Vec<double>;
constexpr int L = lanes<double>;
constexpr int N = fanout / L;  // vectors of a row of a block
constexpr double epsilon = 2.220446049250313e-16;
constexpr double infinity = __builtin_inf();
constexpr double weight_error = 4e-14;  // relative rounding of a node's weight and of a kernel value
constexpr double moment_error = 1e-12;  // rounding of the moments, relative to the sum of their terms
constexpr double highest = 500;         // larger exponents of 2 are treated as infinite

constexpr bool is_l1(Profile p) { return p == Profile::laplacian; }

// Values at `count` vectors of u, relative to the value at the reference. Exponents above 1000 give
// nonsense unless they are cut; the number of vectors is a multiple of exp_width.
template <Profile profile, bool cut, int count>
PARZEN_INLINE void values(const TreeKernel& kernel, V (&u)[count]) {
    static_assert(count % exp_width == 0);
    if constexpr (parzen::is_exponential(profile)) {
        const double reference =
            profile == Profile::radial_laplacian ? __builtin_sqrt(kernel.reference) : kernel.reference;
        for (int i = 0; i < count; ++i) {
            if constexpr (profile == Profile::radial_laplacian) u[i] = square_root<double>(u[i]);
            u[i] = (u[i] - reference) * kernel.scale;
            if constexpr (cut) u[i] = smaller<double>(u[i], splat<double>(highest));
        }
        for (int i = 0; i < count; i += exp_width) exp2_clipped<double>(u + i);
    } else if constexpr (profile == Profile::rational) {
        const int twice = static_cast<int>(2 * kernel.kernel.power);
        for (int i = 0; i < count; ++i) {
            const V ratio = (kernel.scale + kernel.reference) / (u[i] + kernel.scale);
            u[i] = integer_power<double>(ratio, twice / 2);
            if (twice % 2) u[i] *= square_root<double>(ratio);
        }
    } else if constexpr (profile == Profile::uniform) {
        using I = Traits<double>::I;
        for (int i = 0; i < count; ++i) u[i] = (V)((I)splat<double>(1) & (I)(u[i] <= kernel.scale));
    } else if constexpr (profile == Profile::triangular) {
        for (int i = 0; i < count; ++i)
            u[i] = larger<double>(splat<double>(1) - square_root<double>(u[i] / kernel.scale), V{});
    } else {
        static_assert(profile == Profile::epanechnikov);
        for (int i = 0; i < count; ++i) u[i] = larger<double>(splat<double>(1) - u[i] / kernel.scale, V{});
    }
}

// Bounds on the range, the mean and the variance of u over a node.
struct Range {
    V low[N], high[N];                    // the range, rounded outward
    V mean_low[N], mean_high[N];          // the mean, rounded outward
    V variance_low[N], variance_high[N];  // the variance, rounded outward
};

// L1 distances: a coordinate's mean distance is known where x lies outside of the box. Inside, |x - y| is convex
// in y: its mean is at least |x - m| (Jensen), and at most its chord over the box, at m.
PARZEN_INLINE void l1_range(const BlockShape& shape, const double* block, const TreeKernel& kernel, const double* x,
                            Range& range) {
    V low[N]{}, high[N]{}, mean_low[N]{}, mean_high[N]{}, slack[N]{};
    for (int k = 0; k < shape.dimension; ++k) {
        const V at = splat<double>(x[k]);
        for (int i = 0; i < N; ++i) {
            const V a = load<double>(block + shape.low(k) * fanout + i * L);
            const V b = load<double>(block + shape.high(k) * fanout + i * L);
            const V m = load<double>(block + shape.mean(k) * fanout + i * L);
            const V below = a - at, above = at - b;
            low[i] += larger<double>(larger<double>(below, above), V{});
            high[i] += larger<double>(at - a, b - at);
            mean_low[i] += absolute<double>(at - m);
            const V width = b - a;
            const V chord = ((b - m) * absolute<double>(at - a) + (m - a) * absolute<double>(b - at)) /
                            larger<double>(width, splat<double>(1e-300));
            mean_high[i] += width > V{} ? chord : absolute<double>(at - m);
        }
    }
    for (int i = 0; i < N; ++i) {
        slack[i] = (high[i] + kernel.reference) * ((2 * shape.dimension + 16) * epsilon) +
                   load<double>(block + shape.drift() * fanout + i * L) * shape.dimension;
        range.low[i] = larger<double>(low[i] - slack[i], V{});
        range.high[i] = high[i] + slack[i];
        range.mean_low[i] = larger<double>(mean_low[i] - slack[i], range.low[i]);
        range.mean_high[i] = smaller<double>(mean_high[i] + slack[i], range.high[i]);
        range.variance_low[i] = V{};
        range.variance_high[i] = splat<double>(infinity);
    }
}

PARZEN_INLINE void squared_range(const BlockShape& shape, const double* block, const TreeKernel& kernel,
                                 const double* x, Range& range) {
    V low[N]{}, high[N]{}, distance[N]{}, quadratic[N]{}, linear[N]{};
    const int d = shape.dimension;
    for (int k = 0; k < d; ++k) {
        const V at = splat<double>(x[k]);
        for (int i = 0; i < N; ++i) {
            const V below = load<double>(block + shape.low(k) * fanout + i * L) - at;
            const V above = at - load<double>(block + shape.high(k) * fanout + i * L);
            const V near = larger<double>(larger<double>(below, above), V{});
            const V far = larger<double>(-below, -above);
            low[i] += near * near;
            high[i] += far * far;
        }
    }
    for (int i = 0; i < N; ++i) {
        const double* mean = block + shape.mean(0) * fanout + i * L;
        const double* cubic = block + shape.cubic(0) * fanout + i * L;
        const double* covariance = block + shape.covariance(0, 0) * fanout + i * L;
        for (int k = 0; k < d; ++k) {
            const V z = x[k] - load<double>(mean + k * fanout);
            distance[i] += z * z;
            if (!shape.moments) continue;
            linear[i] += z * load<double>(cubic + k * fanout);
            V row{};
            for (int l = 0; l < k; ++l, covariance += fanout)
                row += load<double>(covariance) * (x[l] - load<double>(mean + l * fanout));
            quadratic[i] += z * (2 * row + load<double>(covariance) * z);
            covariance += fanout;
        }
    }
    for (int i = 0; i < N; ++i) {
        const V spread = load<double>(block + shape.spread() * fanout + i * L);
        const V drift = load<double>(block + shape.drift() * fanout + i * L);
        const V mean = distance[i] + spread;
        // The ball around the mean may lie farther off, or reach less far, than the box.
        const V radius = load<double>(block + shape.radius() * fanout + i * L),
                centre = square_root<double>(distance[i]);
        const V gap = larger<double>(centre - radius, V{}), reach = centre + radius;
        low[i] = larger<double>(low[i], gap * gap * (1 - 16 * epsilon));
        high[i] = smaller<double>(high[i], reach * reach * (1 + 16 * epsilon));
        const double relative = (2 * d + 16) * epsilon;
        const V error = (mean + kernel.reference) * relative + spread * moment_error +
                        2 * square_root<double>(mean) * drift + drift * drift;
        // The mean may be off by `error`. The kernel decreases in u: a distribution whose mean is moved down to
        // mean_low has a larger kernel mean, so the upper bound holds; one moved up, by at most twice the
        // error beyond `high`, has a smaller one, so the lower bound holds.
        range.mean_low[i] = mean - error;
        range.mean_high[i] = mean + error;
        range.low[i] = larger<double>(low[i] - (low[i] + kernel.reference) * relative, V{});
        range.high[i] = high[i] + (high[i] + kernel.reference) * relative + 2 * error;
        range.mean_low[i] = larger<double>(range.mean_low[i], range.low[i]);
        range.mean_high[i] = smaller<double>(range.mean_high[i], range.high[i]);
        if (shape.moments) {
            const V quartic = load<double>(block + shape.quartic() * fanout + i * L);
            const V variance = 4 * (quadratic[i] - linear[i]) + quartic;
            // The variance about a mean that is off by `error` is larger by error^2.
            const V variance_error =
                (4 * (absolute<double>(quadratic[i]) + absolute<double>(linear[i])) + quartic + mean * spread) *
                    (2 * moment_error) +
                error * error;
            range.variance_low[i] = larger<double>(variance - variance_error, V{});
            range.variance_high[i] = larger<double>(variance + variance_error, V{});
        } else {
            range.variance_low[i] = V{};
            range.variance_high[i] = splat<double>(infinity);
        }
    }
}

template <Profile profile>
void bounds_of(const BlockShape& shape, const double* block, const TreeKernel& kernel, const double* x, double* lower,
               double* upper) {
    Range range;
    if constexpr (is_l1(profile)) {
        l1_range(shape, block, kernel, x, range);
    } else {
        squared_range(shape, block, kernel, x, range);
    }
    constexpr V zero{};
    const V tiny = splat<double>(1e-300), floor = splat<double>(1e-150), one = splat<double>(1.0);
    // `tiny` and `floor` keep quotients finite where the mean lies at an end of the range.
    constexpr int wanted = 4 * N, count = (wanted + exp_width - 1) / exp_width * exp_width;
    V u[count], low_share[N], high_share[N], beyond[N];
    for (int i = 0; i < N; ++i) {
        V least = range.variance_low[i], most = range.variance_high[i];
        if constexpr (parzen::is_compact(profile)) {
            least = range.high[i] > kernel.scale ? zero : least;
            most = range.high[i] > kernel.scale ? splat<double>(infinity) : most;
        }
        // The largest kernel mean: one atom at `low`, the other where mean and variance are met, at
        // mean + variance / rise, rise = mean - low; the one at `low` has the share variance / (rise^2 + variance).
        // No variance exceeds that of two atoms at both ends of the range.
        const V rise = larger<double>(range.mean_low[i] - range.low[i], floor);
        const V fall = larger<double>(range.high[i] - range.mean_low[i], zero);
        most = smaller<double>(most, rise * fall);
        low_share[i] = smaller<double>(most / (rise * rise + most + tiny), one);
        u[i] = range.low[i];
        u[N + i] = smaller<double>(range.mean_low[i] + most / rise, range.high[i]);
        // The least kernel mean: one atom at `high`, the other at mean - variance / (high - mean).
        const V rest = larger<double>(range.high[i] - range.mean_high[i], floor);
        least = smaller<double>(least, rest * larger<double>(range.mean_high[i] - range.low[i], zero));
        high_share[i] = least / (rest * rest + least + tiny);
        u[2 * N + i] = range.high[i];
        u[3 * N + i] = larger<double>(range.mean_high[i] - least / rest, range.low[i]);
        beyond[i] = V{};
        if constexpr (parzen::is_exponential(profile)) {
            // So much nearer than the reference that the value would overflow: no upper bound, the node is opened.
            const double reference =
                profile == Profile::radial_laplacian ? __builtin_sqrt(kernel.reference) : kernel.reference;
            const V at = profile == Profile::radial_laplacian ? square_root<double>(range.low[i]) : range.low[i];
            beyond[i] = (at - reference) * kernel.scale >= highest ? splat<double>(infinity) : zero;
        }
    }
    for (int i = wanted; i < count; ++i) u[i] = zero;
    if constexpr (profile == Profile::uniform) {
        for (int i = 0; i < N; ++i) {
            u[N + i] = u[i];
            u[3 * N + i] = u[2 * N + i];
        }
    }
    values<profile, true, count>(kernel, u);
    for (int i = 0; i < N; ++i) {
        const V weight = load<double>(block + shape.weight() * fanout + i * L);
        const V high = low_share[i] * u[i] + (one - low_share[i]) * u[N + i];
        const V low = high_share[i] * u[2 * N + i] + (one - high_share[i]) * u[3 * N + i];
        const V top = weight * high * (1 + weight_error) + (weight > zero ? beyond[i] : zero);
        store<double>(upper + i * L, top);
        store<double>(lower + i * L, smaller<double>(weight * low * (1 - weight_error), top));
    }
}

// Vectors of a chunk that go through the loops together: enough to hide the latency of their sums.
constexpr int group = chunk / L < 2 * exp_width ? chunk / L : 2 * exp_width;
static_assert(group % exp_width == 0 && chunk % (group * L) == 0);

template <bool l1>
PARZEN_INLINE void distances_of(int d, const double* points, const double* x, V (&u)[group]) {
    for (int i = 0; i < group; ++i) u[i] = V{};
    for (int k = 0; k < d; ++k) {
        const V at = splat<double>(x[k]);
        for (int i = 0; i < group; ++i) {
            const V z = at - load<double>(points + k * chunk + i * L);
            u[i] += l1 ? absolute<double>(z) : z * z;
        }
    }
}

template <Profile profile>
LeafSums leaf_of(int d, const double* points, const double* weights, int chunks, const TreeKernel& kernel,
                 const double* x) {
    constexpr bool compact = parzen::is_compact(profile);
    const double relative = (2 * d + 16) * epsilon;
    V sum{}, low{}, high{};
    V nearest = splat<double>(infinity);
    for (int c = 0; c < chunks; ++c, points += d * chunk) {
        for (int j = 0; j < chunk; j += group * L, weights += group * L) {
            V u[group];
            distances_of<is_l1(profile)>(d, points + j, x, u);
            if constexpr (compact) {
                V below[group], above[group];
                for (int i = 0; i < group; ++i) {
                    below[i] = u[i] * (1 - relative);
                    above[i] = u[i] * (1 + relative);
                }
                values<profile, false, group>(kernel, below);
                values<profile, false, group>(kernel, above);
                for (int i = 0; i < group; ++i) {
                    const V w = load<double>(weights + i * L);
                    high += w * below[i];
                    low += w * above[i];
                }
            } else {
                for (int i = 0; i < group; ++i) nearest = smaller<double>(nearest, u[i]);
            }
            values<profile, false, group>(kernel, u);
            for (int i = 0; i < group; ++i) sum += load<double>(weights + i * L) * u[i];
        }
    }
    const double value = add<double>(sum);
    const double addition = 8 * epsilon * chunks;  // a lane takes at most 12 terms of a chunk
    if constexpr (compact)
        return {value, add<double>(low) * (1 - weight_error - addition),
                add<double>(high) * (1 + weight_error + addition), 0};
    // A term is off, relatively, by the rounding of its exponent of 2, which is `relative` times the exponent's size.
    // Terms below 2^-60 of the leaf's largest do not matter, so no exponent counts that is more than 60 beyond that of
    // the nearest point.
    const double u = lowest_lane<double>(nearest);
    double exponent = 0;
    if constexpr (parzen::is_exponential(profile)) {
        constexpr bool root = profile == Profile::radial_laplacian;
        exponent = -kernel.scale * (root ? __builtin_sqrt(u) + __builtin_sqrt(kernel.reference) : u + kernel.reference);
    }
    const double error = epsilon * 64 + addition + relative * (exponent + 60);
    return {value, error < 1 ? value * (1 - error) : 0, value * (1 + error), u};
}

template <Profile profile>
double nearest_of(int d, const double* points, int chunks, const double* x) {
    V nearest = splat<double>(infinity);
    for (int c = 0; c < chunks; ++c, points += d * chunk) {
        for (int j = 0; j < chunk; j += group * L) {
            V u[group];
            distances_of<is_l1(profile)>(d, points + j, x, u);
            for (int i = 0; i < group; ++i) nearest = smaller<double>(nearest, u[i]);
        }
    }
    return lowest_lane<double>(nearest);
}

// Calls function.template operator()<profile>() for the profile known at run time, which the table says has bounds.
template <class Function>
PARZEN_INLINE auto with_profile(Profile profile, Function function) {
    switch (profile) {
#define PARZEN_CASE(name, formula, measure, tail, tree, sorted)                   \
    case Profile::name:                                                           \
        if constexpr (tree) return function.template operator()<Profile::name>(); \
        break;
        PARZEN_KERNELS(PARZEN_CASE)
#undef PARZEN_CASE
    }
    __builtin_unreachable();
}

void bounds(const BlockShape& shape, const double* block, const TreeKernel& kernel, const double* x, double* lower,
            double* upper) {
    with_profile(kernel.kernel.profile, [&]<Profile p>() { bounds_of<p>(shape, block, kernel, x, lower, upper); });
}

void means(const BlockShape& shape, const double* block, const TreeKernel& kernel, const double* x, double* u) {
    V sum[N]{};
    const bool l1 = is_l1(kernel.kernel.profile);
    for (int k = 0; k < shape.dimension; ++k) {
        for (int i = 0; i < N; ++i) {
            const V z = x[k] - load<double>(block + shape.mean(k) * fanout + i * L);
            sum[i] += l1 ? absolute<double>(z) : z * z;
        }
    }
    for (int i = 0; i < N; ++i) store<double>(u + i * L, sum[i]);
}

LeafSums leaf(int d, const double* points, const double* weights, int chunks, const TreeKernel& kernel,
              const double* x) {
    return with_profile(kernel.kernel.profile,
                        [&]<Profile p>() { return leaf_of<p>(d, points, weights, chunks, kernel, x); });
}

double nearest(int d, const double* points, int chunks, const TreeKernel& kernel, const double* x) {
    return is_l1(kernel.kernel.profile) ? nearest_of<Profile::laplacian>(d, points, chunks, x)
                                        : nearest_of<Profile::gaussian>(d, points, chunks, x);
}

const TreeLoops loops{bounds, means, leaf, nearest};

}  // namespace

namespace parzen {

extern const TreeLoops* const PARZEN_OF_ISA(tree_loops) = &loops;

}  // namespace parzen
