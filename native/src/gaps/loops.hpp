// The inner loops of sums over points with gaps, compiled once per instruction set.
#pragma once

#include "parzen/gaps.hpp"

namespace parzen {

struct Largest {
    double term;  // the largest logarithm
    double sum;   // of exp(logarithm - term); 0 where there is no term
};

struct GapLoops {
    // Distances of a query [coordinates] to all points.
    void (*distances)(const GappedPoints& points, const double* query, bool absolute, double* out);
    // The logarithms of the terms of a label; `terms` is as long as the points.
    void (*terms)(const GappedPoints& points, std::size_t label, const double* distances, const double* marginals,
                  double rate, double* terms);
    Largest (*sum)(const double* terms, std::size_t count);
};

}  // namespace parzen
