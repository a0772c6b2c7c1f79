// The counting pass of full conformal prediction.
//
// A query joins the sample of a class and adds its kernel value k(x, y_i) to the sum of every point of that
// class. The points whose conformity is then at most that of the query are those with
//
//   k(x, y_i) factor_i + shift_i <= exp(level(x) + slope_i)
//
// and the pass adds up their weights. The points are sorted by `reach`, from the largest on: only a point
// with reach_i >= -level can be counted, because kernel values are not negative.
#pragma once

#include <cstddef>

#include "parzen/kernel.hpp"
#include "parzen/parallel.hpp"

namespace parzen {

struct ConformalSample {
    const double* points;  // [n][dimension]
    std::size_t n;
    int dimension;
    Kernel kernel;  // a function of a distance
    double bandwidth;
    const double* factors;  // [n] not negative
    const double* shifts;   // [n]
    const double* slopes;   // [n]
    const double* reach;    // [n] descending
    const double* weights;  // [n]
};

// counts[m]: the weight of the points that are counted for every query [m][dimension] at its level [m].
void conformal_counts(const ConformalSample& sample, const double* queries, const double* levels, std::size_t m,
                      double* counts, Control& control);

}  // namespace parzen
