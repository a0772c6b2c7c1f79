// Log-sums of product kernels over points with gaps, for every label and bandwidth in one pass over the pairs.
//
//   t_j = log w_j + sum_{l that the query has and point j lacks} m_l - rate u_j,      out = log sum_j exp(t_j)
//
// u_j is the distance in the coordinates that both have: the sum of squares, or of absolute values. m_l stands for the
// factor of a column that the point lacks; it belongs to the query, the label and the bandwidth. Points with the same
// label and the same gaps lie together in a segment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parzen/parallel.hpp"

namespace parzen {

struct GappedPoints {
    std::size_t rows, coordinates, columns, segments, labels;
    const double* values;                 // [coordinates][rows]; anything where they are missing
    const double* log_weights;            // [rows]
    const std::uint64_t* segment_starts;  // [segments + 1] first rows
    const std::uint64_t* label_starts;    // [labels + 1] first segments
    const std::uint8_t* present;          // [segments][coordinates] 1 where the points have the coordinate
    const double* lacking;                // [segments][columns] 1 where they lack the column, else 0
};

struct GappedQueries {
    std::size_t rows, bandwidths;
    const double* values;          // [rows][coordinates]; NaN where they are missing
    const double* marginals;       // [rows][labels][bandwidths][columns]: m, 0 where the query lacks the column
    const double* rates;           // [bandwidths]
    const std::int64_t* own;       // [rows] the point that a query is, or -1
    const double* own_log_weight;  // [rows] the logarithm of what is left of its weight, maybe minus infinity
    bool absolute;                 // distances are sums of absolute values
};

// out [queries.rows][labels][bandwidths]; minus infinity for a label without terms.
void gapped_log_sums(const GappedPoints& points, const GappedQueries& queries, double* out, Control& control);

}  // namespace parzen
