// The inner loops of the metric's likelihood, compiled once per instruction set.
//
// Coordinates of the points are [dimension][stride], padded so that every count is a multiple of
// `metric_lanes`; four queries are taken together, [dimension][metric_rows].
#pragma once

#include <cstddef>

namespace parzen {

inline constexpr std::size_t metric_lanes = 16;
inline constexpr int metric_rows = 4;

template <class T>
struct MetricLoops {
    // u[row][j] = sum_l |dx_l|, or of squares.
    void (*distances)(bool absolute, const T* points, std::size_t stride, int dimension, const T* queries,
                      std::size_t count, T* u, std::size_t ldu);
    T (*smallest)(const T* u, std::size_t count);
    // values[j] = weights[j] exp(slope (reference - u[j])); returns their sum.
    double (*exponentials)(const T* u, const T* weights, std::size_t count, T slope, T reference, T* values);
    // values *= factor; returns sum_j values[j] u[j] afterwards.
    double (*scale_values)(T* values, const T* u, std::size_t count, T factor);
    // moments[l] += sum_row sum_j values[row][j] |dx_l|, or of squares.
    void (*moments)(bool absolute, const T* points, std::size_t stride, int dimension, const T* queries,
                    std::size_t count, const T* values, std::size_t ld, double* moments);
};

template <class T>
const MetricLoops<T>& metric_loops();

}  // namespace parzen
