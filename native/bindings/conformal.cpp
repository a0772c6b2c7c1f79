// The counting pass of full conformal prediction.
#include "parzen/conformal.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernel.hpp"
#include "python.hpp"

namespace {

void conformal_counts(In<double, 2> queries, In<double, 1> levels, In<double, 2> points, In<double, 1> factors,
                      In<double, 1> shifts, In<double, 1> slopes, In<double, 1> reach, In<double, 1> weights,
                      const std::string& kernel, const std::vector<double>& parameters, double bandwidth,
                      Out<double, 1> counts, int threads) {
    const std::size_t m = queries.shape(0), n = points.shape(0), d = points.shape(1);
    require(d > 0 && d <= largest_count, "points must have columns, and not too many");
    require(queries.shape(1) == d, "queries and points must have the same number of columns");
    require(levels.shape(0) == m && counts.shape(0) == m, "levels and counts must have one entry per query");
    require(factors.shape(0) == n && shifts.shape(0) == n && slopes.shape(0) == n && reach.shape(0) == n &&
                weights.shape(0) == n,
            "factors, shifts, slopes, reach and weights must have one entry per point");
    require(std::is_sorted(reach.data(), reach.data() + n, std::greater<>()), "reach must be descending");
    require(std::isfinite(bandwidth) && bandwidth > 0, "bandwidth must be positive and finite");
    const parzen::Kernel found = kernel_named(kernel, parameters);
    require(parzen::measure_of(found.profile) != parzen::Measure::inner_product,
            "the kernel must be a function of a distance");
    const parzen::ConformalSample sample{points.data(),       n,
                                         static_cast<int>(d), found,
                                         bandwidth,           factors.data(),
                                         shifts.data(),       slopes.data(),
                                         reach.data(),        weights.data()};
    without_lock(threads, [&](parzen::Control& control) {
        parzen::conformal_counts(sample, queries.data(), levels.data(), m, counts.data(), control);
    });
}

}  // namespace

void bind_conformal(nb::module_& m) {
    m.def("conformal_counts", &conformal_counts, "queries"_a.noconvert(), "levels"_a.noconvert(),
          "points"_a.noconvert(), "factors"_a.noconvert(), "shifts"_a.noconvert(), "slopes"_a.noconvert(),
          "reach"_a.noconvert(), "weights"_a.noconvert(), "kernel"_a, "parameters"_a, "bandwidth"_a,
          "counts"_a.noconvert(), "threads"_a,
          "Write for every query the weight of the points with k factor + shift <= exp(level + slope).\n\n"
          "queries: (m, d); levels, counts: (m,); points: (n, d), sorted by reach, from the largest on; factors,\n"
          "shifts, slopes, reach, weights: (n,). Only points with reach >= -level are looked at.");
}
