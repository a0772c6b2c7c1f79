// Values of the ANOVA kernel: one kernel per column, their sum and the sum of their products in pairs.
//
//   k_l(x, y) = exponential_l exp(-|x_l - y_l|) + equality_l [x_l = y_l] - a_l(x) - b_l(y)
//   out       = (S1 + pairs (S1^2 - S2)) scale,      S1 = sum_l k_l,  S2 = sum_l k_l^2
//
// S1^2 - S2 is twice the sum of k_l k_m over the pairs of columns l < m.
//
// a and b centre the kernels. One pass over the pairs serves all columns; nothing of size n x m x d is stored.
#pragma once

#include <cstddef>

#include "parzen/parallel.hpp"

namespace parzen {

struct AnovaForm {
    std::size_t columns;
    const double* exponentials;  // [columns] weights of exp(-|x - y|)
    const double* equalities;    // [columns] weights of [x = y]
    double pairs;                // weight of the products of two columns
    double scale;
};

struct AnovaRows {
    const double* values;   // [rows][columns]
    const double* centres;  // [rows][columns]: a of queries, b of points
    std::size_t rows;
};

// out [queries.rows][points.rows].
void anova_values(const AnovaForm& form, const AnovaRows& queries, const AnovaRows& points, double* out,
                  Control& control);

}  // namespace parzen
