// Compiled once per instruction set (PARZEN_ISA, PARZEN_VECTOR_BYTES); everything but the table at
// the foot is private to the translation unit.
#include "simplex/loops.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/loop_tables.hpp"

namespace parzen {

namespace {

constexpr std::size_t lanes = PARZEN_VECTOR_BYTES / sizeof(double);
typedef double Vec __attribute__((vector_size(PARZEN_VECTOR_BYTES)));
typedef std::int64_t Int __attribute__((vector_size(PARZEN_VECTOR_BYTES)));
constexpr double infinity = std::numeric_limits<double>::infinity();

inline Vec load(const double* p) {
    Vec v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
inline void store(double* p, Vec v) { std::memcpy(p, &v, sizeof v); }
inline Vec all(double x) { return Vec{} + x; }

// exp(x) for x <= 0 within an ulp or two: 2^k by the exponent field, the rest by a polynomial.
inline Vec exponential(Vec x) {
    const Vec smallest = all(-708.0);
    const Int vanishes = x < smallest;
    x = vanishes ? smallest : x;
    const Vec magic = all(6755399441055744.0);  // 1.5 2^52: adding it rounds to an integer
    const Vec shifted = x * 1.4426950408889634 + magic;
    const Vec k = shifted - magic;
    // ln 2 in two parts: the first has so few bits that its product with k is exact.
    const Vec r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    Vec p = all(1.0 / 6227020800.0);
    constexpr double inverse_factorials[] = {1.0 / 479001600.0,
                                             1.0 / 39916800.0,
                                             1.0 / 3628800.0,
                                             1.0 / 362880.0,
                                             1.0 / 40320.0,
                                             1.0 / 5040.0,
                                             1.0 / 720.0,
                                             1.0 / 120.0,
                                             1.0 / 24.0,
                                             1.0 / 6.0,
                                             0.5,
                                             1.0,
                                             1.0};
    for (double coefficient : inverse_factorials) p = p * r + coefficient;
    // The low bits of `shifted` are k; with the bias they are the exponent field of 2^k.
    Int bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    Vec scale;
    std::memcpy(&scale, &bits, sizeof scale);
    return vanishes ? Vec{} : p * scale;
}

// Calls body(j) for full vectors; the tail of a row is done through a padded copy.
template <class Body>
inline void map(double* u, std::size_t count, Body body) {
    std::size_t j = 0;
    for (; j + lanes <= count; j += lanes) store(u + j, body(load(u + j)));
    if (j < count) {
        double tail[lanes] = {};
        std::memcpy(tail, u + j, (count - j) * sizeof(double));
        store(tail, body(load(tail)));
        std::memcpy(u + j, tail, (count - j) * sizeof(double));
    }
}

void measure(const double* points, std::size_t stride, int dimension, const double* x, std::size_t begin,
             std::size_t end, double* u) {
    constexpr std::size_t block = 4 * lanes;
    std::size_t j = begin;
    for (; j + block <= end; j += block) {
        Vec s0{}, s1{}, s2{}, s3{};
        const double* p = points + j;
        for (int k = 0; k < dimension; ++k, p += stride) {
            const Vec c = all(x[k]);
            const Vec d0 = load(p) - c, d1 = load(p + lanes) - c, d2 = load(p + 2 * lanes) - c,
                      d3 = load(p + 3 * lanes) - c;
            s0 += d0 * d0;
            s1 += d1 * d1;
            s2 += d2 * d2;
            s3 += d3 * d3;
        }
        store(u + j - begin, s0);
        store(u + j - begin + lanes, s1);
        store(u + j - begin + 2 * lanes, s2);
        store(u + j - begin + 3 * lanes, s3);
    }
    for (; j < end; ++j) {
        double sum = 0;
        for (int k = 0; k < dimension; ++k) {
            const double difference = points[k * stride + j] - x[k];
            sum += difference * difference;
        }
        u[j - begin] = sum;
    }
}

void gaussian(double* u, std::size_t count, double bandwidth) {
    const double factor = -0.5 / bandwidth / bandwidth;
    map(u, count, [factor](Vec r) { return exponential(r * factor); });
}

void exponentials(double* u, std::size_t count, double shift, const double* shifts) {
    const auto value = [shift](Vec x, Vec own) {
        const Vec exponent = x - (shift + own);
        return exponential(exponent < 0.0 ? exponent : Vec{});
    };
    std::size_t j = 0;
    for (; j + lanes <= count; j += lanes) store(u + j, value(load(u + j), load(shifts + j)));
    if (j < count) {
        double tail[lanes] = {}, own[lanes] = {};
        std::memcpy(tail, u + j, (count - j) * sizeof(double));
        std::memcpy(own, shifts + j, (count - j) * sizeof(double));
        store(tail, value(load(tail), load(own)));
        std::memcpy(u + j, tail, (count - j) * sizeof(double));
    }
}

void rational(double* u, std::size_t count, double bandwidth, double power) {
    const double factor = 1.0 / bandwidth / bandwidth;
    const int twice = static_cast<int>(std::lround(2 * power));
    map(u, count, [factor, twice](Vec r) {
        Vec base = 1.0 / (1.0 + r * factor);
        Vec result = all(1.0);
        if (twice % 2 != 0) {
            for (std::size_t l = 0; l < lanes; ++l) result[l] = std::sqrt(base[l]);
        }
        for (int exponent = twice / 2; exponent > 0; exponent /= 2) {
            if (exponent % 2 != 0) result *= base;
            base *= base;
        }
        return result;
    });
}

// Eight factors (1 + t) are multiplied before their common exponential joins them, so that neither
// overflows: a product of such groups is at most one. t is cut off at 1e30, whose eighth power is in range.
void product_laplacian(const double* points, std::size_t stride, int dimension, const double* x, std::size_t begin,
                       std::size_t end, double bandwidth, double* values) {
    constexpr int group = 8;
    const double inverse = 1.0 / bandwidth;
    const Vec largest = all(1e30);
    for (std::size_t j = begin; j < end; j += lanes) {
        const std::size_t width = end - j < lanes ? end - j : lanes;
        Vec value = all(1.0);
        for (int k = 0; k < dimension; k += group) {
            Vec product = all(1.0), sum{};
            for (int l = k; l < dimension && l < k + group; ++l) {
                Vec p{};
                std::memcpy(&p, points + l * stride + j, width * sizeof(double));
                Vec t = (p - x[l]) * inverse;
                t = t < 0.0 ? -t : t;
                t = t < largest ? t : largest;
                product *= 1.0 + t;
                sum += t;
            }
            value *= product * exponential(-sum);
        }
        std::memcpy(values + j - begin, &value, width * sizeof(double));
    }
}

void add(double* sum, const double* row, double factor, std::size_t count) {
    std::size_t j = 0;
    const Vec f = all(factor);
    for (; j + lanes <= count; j += lanes) store(sum + j, load(sum + j) + f * load(row + j));
    for (; j < count; ++j) sum[j] += factor * row[j];
}

struct ExtremesScan {
    Vec low = all(infinity), high = all(-infinity);
    Int low_at = Int{} - 1, high_at = Int{} - 1, at;

    ExtremesScan() {
        for (std::size_t l = 0; l < lanes; ++l) at[l] = static_cast<std::int64_t>(l);
    }
    inline void take(Vec g, Vec a) {
        const Int lower = g < low;
        low = lower ? g : low;
        low_at = lower ? at : low_at;
        const Int higher = (g > high) & (a > 0.0);
        high = higher ? g : high;
        high_at = higher ? at : high_at;
        at += static_cast<std::int64_t>(lanes);
    }
    // Lanes are joined in a fixed order; of equal values the first counts.
    Extremes result() const {
        Extremes e{infinity, -infinity, -1, -1};
        for (std::size_t l = 0; l < lanes; ++l) {
            if (low_at[l] >= 0 && (low[l] < e.low_value || (low[l] == e.low_value && low_at[l] < e.low))) {
                e.low_value = low[l];
                e.low = static_cast<int>(low_at[l]);
            }
            if (high_at[l] >= 0 && (high[l] > e.high_value || (high[l] == e.high_value && high_at[l] < e.high))) {
                e.high_value = high[l];
                e.high = static_cast<int>(high_at[l]);
            }
        }
        return e;
    }
};

Extremes extremes(const double* gradient, const double* weights, int count) {
    ExtremesScan scan;
    for (int j = 0; j < count; j += static_cast<int>(lanes)) scan.take(load(gradient + j), load(weights + j));
    return scan.result();
}

Extremes update(double* gradient, const double* first, const double* second, double step, const double* weights,
                int count) {
    ExtremesScan scan;
    const Vec s = all(step);
    for (int j = 0; j < count; j += static_cast<int>(lanes)) {
        const Vec g = load(gradient + j) + s * (load(first + j) - load(second + j));
        store(gradient + j, g);
        scan.take(g, load(weights + j));
    }
    return scan.result();
}

template <bool grow>
int best_partner(const double* gradient, const double* weights, const double* diagonal, const double* row,
                 double own_gradient, double own_diagonal, int count, double* gain) {
    Vec best{};
    Int best_at = Int{} - 1, at;
    for (std::size_t l = 0; l < lanes; ++l) at[l] = static_cast<std::int64_t>(l);
    // Between two points at the same place the curvature is zero up to rounding, and the descent has no bound.
    const Vec floor = all(1e-14 * own_diagonal + std::numeric_limits<double>::min());
    for (int j = 0; j < count; j += static_cast<int>(lanes)) {
        const Vec g = load(gradient + j);
        const Vec difference = grow ? own_gradient - g : g - own_gradient;
        Vec curvature = own_diagonal + load(diagonal + j) - 2.0 * load(row + j);
        curvature = curvature > floor ? curvature : floor;
        Int allowed = difference > 0.0;
        if (!grow) allowed &= load(weights + j) > 0.0;
        // Twice the descent of the step difference / curvature, were there no bounds.
        const Vec promise = difference * difference / curvature;
        const Int better = allowed & (promise > best);
        best = better ? promise : best;
        best_at = better ? at : best_at;
        at += static_cast<std::int64_t>(lanes);
    }
    int found = -1;
    *gain = 0;
    for (std::size_t l = 0; l < lanes; ++l) {
        if (best_at[l] >= 0 && (best[l] > *gain || (best[l] == *gain && best_at[l] < found))) {
            *gain = best[l];
            found = static_cast<int>(best_at[l]);
        }
    }
    return found;
}

int partner(bool grow, const double* gradient, const double* weights, const double* diagonal, const double* row,
            double own_gradient, double own_diagonal, int count, double* gain) {
    return grow ? best_partner<true>(gradient, weights, diagonal, row, own_gradient, own_diagonal, count, gain)
                : best_partner<false>(gradient, weights, diagonal, row, own_gradient, own_diagonal, count, gain);
}

const SimplexLoops loops{measure, gaussian, exponentials, rational, product_laplacian, add, extremes, update, partner};

}  // namespace

extern const SimplexLoops* const PARZEN_OF_ISA(simplex_loops);
const SimplexLoops* const PARZEN_OF_ISA(simplex_loops) = &loops;

}  // namespace parzen
