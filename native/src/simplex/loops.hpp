// The inner loops of the simplex programme, compiled once per instruction set.
#pragma once

#include <cstddef>

#include "parzen/gram.hpp"

namespace parzen {

inline constexpr std::size_t simplex_lanes = 8;  // segments are padded to multiples of this

// The smallest gradient of a segment, and the largest among positive weights; -1: there is none.
struct Extremes {
    double low_value, high_value;
    int low, high;
};

struct SimplexLoops {
    // u[j] = measure of the pair (x, point j) for j in [begin, end); points are [dimension][stride].
    void (*measure)(const double* points, std::size_t stride, int dimension, const double* x, std::size_t begin,
                    std::size_t end, double* u);
    void (*gaussian)(double* u, std::size_t count, double bandwidth);
    // u[j] = exp(min(u[j] - (shift + shifts[j]), 0))
    void (*exponentials)(double* u, std::size_t count, double shift, const double* shifts);
    void (*rational)(double* u, std::size_t count, double bandwidth, double power);
    void (*product_laplacian)(const double* points, std::size_t stride, int dimension, const double* x,
                              std::size_t begin, std::size_t end, double bandwidth, double* values);
    void (*add)(double* sum, const double* row, double factor, std::size_t count);
    // The following take padded segments: gradient +infinity and weight 0 in the padding.
    Extremes (*extremes)(const double* gradient, const double* weights, int count);
    // gradient += step (first - second), then its extremes.
    Extremes (*update)(double* gradient, const double* first, const double* second, double step, const double* weights,
                       int count);
    // The weight whose exchange with `i` promises the largest descent: from it (towards i), or,
    // `grow`, to it (away from i). Returns -1 when none promises any; *gain is the promise.
    int (*partner)(bool grow, const double* gradient, const double* weights, const double* diagonal, const double* row,
                   double own_gradient, double own_diagonal, int count, double* gain);
};

const SimplexLoops& simplex_loops();

}  // namespace parzen
