// Quadratic programmes over one simplex per class (Kim & Scott 2010, eq. 7 and section 5.2),
//
//   minimise 1/2 a'Qa - c'a,   Q_ij = coupling[g_i][g_j] K_ij,   a >= 0,
//   sum of class g's weights = 1,   or, relaxed,   1 - rates[g] t   with a common t >= 0.
//
// Sequential minimal optimisation: the pair that promises the largest descent exchanges weight.
// It works on a set of at most a few hundred points, the support and the worst violators, whose
// part of Q is copied into the cache; only then is the gradient of all points brought up to date.
// A class's gap, sum_i a_i (G_i - min G), is measured against its own scale max|G| + max|c|.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "parzen/gram.hpp"
#include "parzen/parallel.hpp"

namespace parzen {

// Several programmes over one sample: `chains` are independent (folds), the `steps` of a chain
// differ by the factor of their linear term only and each starts where the last one ended.
struct SimplexBatch {
    std::size_t chains = 1;
    std::size_t steps = 1;
    const double* linear = nullptr;         // [chains][n]
    const double* factors = nullptr;        // [steps] c = factor * linear
    const unsigned char* active = nullptr;  // [chains][n] points that take part; null: all
    const double* coupling = nullptr;       // [chains][classes][classes]
    const double* rates = nullptr;          // [chains][classes]; null: every class sums to one
    double tolerance = 1e-6;
    std::int64_t max_iterations = 0;  // per programme

    double* weights = nullptr;           // [chains][steps][n]; step 0 holds the start (zeros: none)
    double* objectives = nullptr;        // [chains][steps]
    double* gaps = nullptr;              // [chains][steps] relative, the worst of the classes
    std::int64_t* iterations = nullptr;  // [chains][steps]
    double* floors = nullptr;            // [chains][steps][classes] the smallest gradient
};

// What a watcher on another thread may read while the work goes on.
struct SimplexProgress {
    std::atomic<std::int64_t> iterations{0};
    std::atomic<double> gap{0.0};
};

void solve_simplex(Gram& gram, const SimplexBatch& batch, SimplexProgress& progress, Control& control);

}  // namespace parzen
