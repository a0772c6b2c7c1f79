#include "tree/quick_loops.hpp"

// Eight nodes are one vector at most.
#if PARZEN_VECTOR_BYTES > 32
#undef PARZEN_VECTOR_BYTES
#define PARZEN_VECTOR_BYTES 32
#endif
#include "core/loop_tables.hpp"
#include "core/vector.hpp"

namespace {

using parzen::BlockShape;
using parzen::chunk;
using parzen::fanout;
using parzen::quick_highest;
using parzen::quick_rows;

using V = Vec<float>;
constexpr int L = lanes<float>;
constexpr int N = fanout / L;  // vectors of a row of a block
constexpr float epsilon = static_cast<float>(parzen::quick_epsilon);
constexpr float infinity = __builtin_inff();
constexpr float final_error = 64 * epsilon;  // relative rounding of weights, shares and kernel values

struct Range {
    V low, high;                    // of the squared distance, rounded outward
    V mean_low, mean_high;          // likewise
    V variance_low, variance_high;  // likewise
};

// Bounds on the squared distances to a node: their range from its box, their mean and their variance.
PARZEN_INLINE Range range_of(const BlockShape& shape, const float* block, const float* x, float reference) {
    const int d = shape.dimension;
    V low{}, high{}, distance{}, quadratic{}, linear{};
    for (int k = 0; k < d; ++k) {
        const V at = splat<float>(x[k]);
        const V below = load<float>(block + shape.low(k) * fanout) - at;
        const V above = at - load<float>(block + shape.high(k) * fanout);
        const V near = larger<float>(larger<float>(below, above), V{});
        const V far = larger<float>(-below, -above);
        low += near * near;
        high += far * far;
    }
    const float* mean_row = block + shape.mean(0) * fanout;
    const float* cubic = block + shape.cubic(0) * fanout;
    const float* covariance = block + shape.covariance(0, 0) * fanout;
    for (int k = 0; k < d; ++k) {
        const V z = x[k] - load<float>(mean_row + k * fanout);
        distance += z * z;
        if (!shape.moments) continue;
        linear += z * load<float>(cubic + k * fanout);
        V row{};
        for (int l = 0; l < k; ++l, covariance += fanout)
            row += load<float>(covariance) * (x[l] - load<float>(mean_row + l * fanout));
        quadratic += z * (2 * row + load<float>(covariance) * z);
        covariance += fanout;
    }
    const V spread = load<float>(block + shape.spread() * fanout), drift = load<float>(block + shape.drift() * fanout);
    const V radius = load<float>(block + shape.radius() * fanout);
    const V mean = distance + spread, centre = square_root<float>(distance), root = centre + radius;
    const V gap = larger<float>(centre - radius, V{});
    const float relative = static_cast<float>(2 * d + 16) * epsilon;
    // The query, the box and the mean are off by `drift` and by their own rounding. A distance r that is off by
    // `drift` has a square that is off by (2 r + drift) drift at most.
    const V error = (mean + reference) * relative + (2 * root + drift) * drift;
    low = larger<float>(low, gap * gap);
    high = smaller<float>(high, root * root);
    Range range;
    range.low = larger<float>(low - error, V{});
    range.high = high + high * relative + 2 * error;
    range.mean_low = larger<float>(mean - error, range.low);
    range.mean_high = smaller<float>(mean + error, range.high);
    range.variance_low = V{};
    range.variance_high = splat<float>(infinity);
    if (shape.moments) {
        const float moment_error = static_cast<float>(d * (d + 1) / 2 + 2 * d + 16) * epsilon;
        const V quartic = load<float>(block + shape.quartic() * fanout);
        const V variance = 4 * (quadratic - linear) + quartic;
        // A z that is off by `drift` changes z'Cz by (2 |z| + drift) drift V at most; the variance about a mean
        // that is off by `error` is larger by error^2.
        const V variance_error =
            (4 * (absolute<float>(quadratic) + absolute<float>(linear)) + quartic + 4 * mean * spread) * moment_error +
            8 * drift * spread * (root + drift) + error * error;
        range.variance_low = larger<float>(variance - variance_error, V{});
        range.variance_high = larger<float>(variance + variance_error, V{});
    }
    return range;
}

// The extreme means of the kernel have two atoms, one of them at an end of the range: see bounds_of in loops.cpp.
// Factors (1 -+ 4 epsilon) round the place of the other atom outward.
PARZEN_INLINE void bounds_of(const BlockShape& shape, const float* block, const float* x, float reference, float* lower,
                             float* upper) {
    const Range range = range_of(shape, block, x, reference);
    constexpr V zero{};
    const V tiny = splat<float>(1e-37f), floor = splat<float>(1e-18f), one = splat<float>(1.0f);
    const V rise = larger<float>(range.mean_low - range.low, floor);
    const V fall = larger<float>(range.high - range.mean_low, zero);
    const V most = smaller<float>(range.variance_high, rise * fall);
    const V low_share = smaller<float>(most / (rise * rise + most + tiny), one);
    const V rest = larger<float>(range.high - range.mean_high, floor);
    const V least = smaller<float>(range.variance_low, rest * larger<float>(range.mean_high - range.low, zero));
    const V high_share = least / (rest * rest + least + tiny);
    V u[4] = {range.low, smaller<float>((range.mean_low + most / rise) * (1 - 4 * epsilon), range.high), range.high,
              larger<float>((range.mean_high - least / rest) * (1 + 4 * epsilon), range.low)};
    const V beyond = reference - range.low >= quick_highest ? splat<float>(infinity) : zero;
    for (V& t : u) t = smaller<float>(reference - t, splat<float>(quick_highest));
    exp2_clipped<float, 4>(u);
    const V weight = load<float>(block + shape.weight() * fanout);
    const V high = low_share * u[0] + (one - low_share) * u[1];
    const V low = high_share * u[2] + (one - high_share) * u[3];
    const V top = weight * high * (1 + final_error) + (weight > zero ? beyond : zero);
    store<float>(upper, top);
    store<float>(lower, smaller<float>(weight * low * (1 - final_error), top));
}

void bounds(const BlockShape& shape, const float* block, int count, const float* queries, const float* references,
            float* lower, float* upper) {
    for (int q = 0; q < count; ++q) {
        for (int i = 0; i < fanout; i += L)
            bounds_of(shape, block + i, queries + q * shape.dimension, references[q], lower + q * fanout + i,
                      upper + q * fanout + i);
    }
}

void means(const BlockShape& shape, const float* block, const float* query, float* u) {
    for (int i = 0; i < fanout; i += L) {
        V sum{};
        for (int k = 0; k < shape.dimension; ++k) {
            const V z = query[k] - load<float>(block + shape.mean(k) * fanout + i);
            sum += z * z;
        }
        store<float>(u + i, sum);
    }
}

constexpr int width = exp_width;  // vectors of points side by side
static_assert(chunk % (width * L) == 0);

void leaf(int d, const float* points, int chunks, const float* queries, const float* constants, float* sums) {
    V sum[quick_rows]{};
    for (int c = 0; c < chunks; ++c, points += (d + 1) * chunk) {
        for (int j = 0; j < chunk; j += width * L) {
            V t[quick_rows][width];
            for (int i = 0; i < width; ++i) {
                const V own = load<float>(points + d * chunk + j + i * L);
                for (int q = 0; q < quick_rows; ++q) t[q][i] = own + constants[q];
            }
            for (int k = 0; k < d; ++k) {
                V y[width];
                for (int i = 0; i < width; ++i) y[i] = load<float>(points + k * chunk + j + i * L);
                for (int q = 0; q < quick_rows; ++q) {
                    const V x = splat<float>(queries[k * quick_rows + q]);
                    for (int i = 0; i < width; ++i) t[q][i] += x * y[i];
                }
            }
            for (int q = 0; q < quick_rows; ++q) {
                exp2_clipped<float>(t[q]);
                for (int i = 0; i < width; ++i) sum[q] += t[q][i];
            }
        }
    }
    for (int q = 0; q < quick_rows; ++q) sums[q] = static_cast<float>(add<float>(sum[q]));
}

float highest(int d, const float* points, int chunks, const float* query, float constant) {
    V most = splat<float>(-infinity);
    for (int c = 0; c < chunks; ++c, points += (d + 1) * chunk) {
        for (int j = 0; j < chunk; j += L) {
            V t = load<float>(points + d * chunk + j) + constant;
            for (int k = 0; k < d; ++k) t += query[k] * load<float>(points + k * chunk + j);
            most = larger<float>(most, t);
        }
    }
    float result = most[0];
    for (int i = 1; i < L; ++i) result = most[i] > result ? most[i] : result;
    return result;
}

const parzen::QuickLoops loops{bounds, means, leaf, highest};

}  // namespace

namespace parzen {

extern const QuickLoops* const PARZEN_OF_ISA(quick_loops) = &loops;

}  // namespace parzen
