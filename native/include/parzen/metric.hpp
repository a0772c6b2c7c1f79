// The leave-one-out conditional likelihood of a kernel rule as a function of its metric.
//
//   score_c(x_i) = base_ic + b_c + tau log( 1/size_ic sum_{j in c} w_j exp(-slope_c D(x_i, x_j)) )
//   D = sum_l w_l |dx_l|  or  1/2 sum_l w_l dx_l^2,      F = -sum_i share_i log softmax(score(x_i))_{y_i}
//
// One pass gives F and its gradient in log w, log slope, b and tau; the pairs are never stored.
// The result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parzen/parallel.hpp"

namespace parzen {

// Points are sorted by class: those of class c are starts[c] .. starts[c + 1] - 1.
template <class T>
struct MetricSample {
    const T* queries;  // [m][dimension]
    std::size_t m;
    const T* points;  // [n][dimension]
    std::size_t n;
    int dimension;
    bool absolute;  // |dx| in place of dx^2 / 2
    const std::size_t* starts;
    int classes;
    const T* weights;         // [n] positive
    const int* labels;        // [m] class of each query
    const std::int64_t* own;  // [m] the query's place among the points; null: it is none of them
    const T* left;            // [m] weight that its own point keeps; 0 leaves it out
    const double* log_sizes;  // [m][classes] -infinity: the class is absent for this query
    const double* base;       // [m][classes]
    const double* shares;     // [m]
};

struct MetricParameters {
    const double* weights;  // [dimension]
    const double* slopes;   // [classes]
    const double* offsets;  // [classes]
    double temperature;
};

struct MetricGradient {
    double* log_weights;  // [dimension]
    double* log_slopes;   // [classes]
    double* offsets;      // [classes]
    double temperature;
};

// Returns F; `log_means`, unless null, receives the logarithms [m][classes] that tau multiplies.
template <class T>
double metric_loss(const MetricSample<T>& sample, const MetricParameters& parameters, MetricGradient& gradient,
                   double* log_means, Control& control);

}  // namespace parzen
