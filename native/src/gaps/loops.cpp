// Compiled once per instruction set (PARZEN_ISA, PARZEN_VECTOR_BYTES); everything but the table at
// the foot is private to the translation unit.
#include "gaps/loops.hpp"

#include "core/loop_tables.hpp"
#include "core/vector.hpp"

namespace {

using parzen::GappedPoints;

using V = Vec<double>;
constexpr int width = exp_width;
constexpr std::size_t step = lanes<double>, together = width * step;  // terms of one vector, of one exponential
constexpr double log2_e = 1.4426950408889634074, minus_infinity = -__builtin_inf();

void distances(const GappedPoints& points, const double* query, bool absolute, double* out) {
    for (std::size_t s = 0; s < points.segments; ++s) {
        const std::size_t begin = points.segment_starts[s], end = points.segment_starts[s + 1];
        for (std::size_t j = begin; j < end; ++j) out[j] = 0;
        for (std::size_t l = 0; l < points.coordinates; ++l) {
            const double x = query[l];
            if (points.present[s * points.coordinates + l] == 0 || x != x) continue;
            const double* y = points.values + l * points.rows;
            if (absolute)
                for (std::size_t j = begin; j < end; ++j) out[j] += __builtin_fabs(x - y[j]);
            else
                for (std::size_t j = begin; j < end; ++j) out[j] += (x - y[j]) * (x - y[j]);
        }
    }
}

void terms(const GappedPoints& points, std::size_t label, const double* distances, const double* marginals, double rate,
           double* out) {
    for (std::size_t s = points.label_starts[label]; s < points.label_starts[label + 1]; ++s) {
        double shift = 0;
        for (std::size_t l = 0; l < points.columns; ++l) shift += points.lacking[s * points.columns + l] * marginals[l];
        for (std::size_t j = points.segment_starts[s]; j < points.segment_starts[s + 1]; ++j)
            out[j] = points.log_weights[j] + shift - rate * distances[j];
    }
}

parzen::Largest sum(const double* terms, std::size_t count) {
    const std::size_t whole = count - count % together;
    V top[width], total[width] = {};
    for (int i = 0; i < width; ++i) top[i] = splat<double>(minus_infinity);
    for (std::size_t j = 0; j < whole; j += together)
        for (int i = 0; i < width; ++i) top[i] = larger<double>(top[i], load<double>(terms + j + i * step));
    double largest = minus_infinity;
    for (int i = 0; i < width; ++i)
        for (std::size_t k = 0; k < step; ++k) largest = top[i][k] > largest ? top[i][k] : largest;
    double rest[together];
    for (std::size_t j = 0; j < together; ++j) rest[j] = whole + j < count ? terms[whole + j] : minus_infinity;
    for (const double term : rest) largest = term > largest ? term : largest;
    if (largest == minus_infinity) return {largest, 0};
    for (std::size_t j = 0; j <= whole; j += together) {
        const double* from = j < whole ? terms + j : rest;
        V t[width];
        for (int i = 0; i < width; ++i) t[i] = (load<double>(from + i * step) - largest) * log2_e;
        exp2_clipped<double>(t);
        for (int i = 0; i < width; ++i) total[i] += t[i];
    }
    double sum = 0;
    for (int i = 0; i < width; ++i) sum += add<double>(total[i]);
    return {largest, sum};
}

constexpr parzen::GapLoops table{distances, terms, sum};

}  // namespace

namespace parzen {

extern const GapLoops* const PARZEN_OF_ISA(gaps);
const GapLoops* const PARZEN_OF_ISA(gaps) = &table;

}  // namespace parzen
