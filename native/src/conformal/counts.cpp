#include <algorithm>
#include <vector>

#include "conformal/loops.hpp"
#include "core/loop_tables.hpp"
#include "metric/loops.hpp"
#include "parzen/conformal.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(ConformalLoops, conformal);

namespace {

// Points whose distances are kept at a time, so that they stay in the first-level cache.
constexpr std::size_t points_per_run = 40 * conformal_lanes;
// A multiple of metric_rows.
constexpr std::size_t queries_per_task = 64;
// Judges whether threads pay.
constexpr double nanoseconds_per_pair = 3.0;

// The least multiple of conformal_lanes that holds n points.
std::size_t padded(std::size_t n) { return (n + conformal_lanes - 1) / conformal_lanes * conformal_lanes; }

// A copy with zeros behind it: points beyond n have weight 0 and count for nothing.
std::vector<double> padded_copy(const double* values, std::size_t n) {
    std::vector<double> out(padded(n) + metric_lanes);
    std::copy(values, values + n, out.begin());
    return out;
}

}  // namespace

void conformal_counts(const ConformalSample& sample, const double* queries, const double* levels, std::size_t m,
                      double* counts, Control& control) {
    const std::size_t d = static_cast<std::size_t>(sample.dimension), stride = padded(sample.n) + metric_lanes;
    std::vector<double> points(d * stride);
    for (std::size_t i = 0; i < sample.n; ++i)
        for (std::size_t l = 0; l < d; ++l) points[l * stride + i] = sample.points[i * d + l];
    const std::vector<double> factors = padded_copy(sample.factors, sample.n);
    const std::vector<double> shifts = padded_copy(sample.shifts, sample.n);
    const std::vector<double> slopes = padded_copy(sample.slopes, sample.n);
    const std::vector<double> weights = padded_copy(sample.weights, sample.n);
    const bool absolute = measure_of(sample.kernel.profile) == Measure::l1_distance;
    const double scale = bandwidth_scale(sample.kernel, sample.bandwidth);
    const MetricLoops<double>& distances = metric_loops<double>();
    const ConformalLoops& loops = PARZEN_LOOPS_IN_USE(conformal);

    const auto count_group = [&](std::size_t first, std::size_t rows) {
        // Points that each query of the group may count: the first ones, as the points are sorted by reach.
        std::size_t candidates[metric_rows] = {}, most = 0;
        std::vector<double> group(d * metric_rows), u(metric_rows * (points_per_run + metric_lanes));
        for (std::size_t r = 0; r < rows; ++r) {
            const double least = -levels[first + r];
            const auto is_in_reach = [least](double reach, double) { return reach >= least; };
            candidates[r] = static_cast<std::size_t>(
                std::lower_bound(sample.reach, sample.reach + sample.n, 0.0, is_in_reach) - sample.reach);
            most = std::max(most, candidates[r]);
            counts[first + r] = 0;
            for (std::size_t l = 0; l < d; ++l) group[l * metric_rows + r] = queries[(first + r) * d + l];
        }
        for (std::size_t begin = 0; begin < most; begin += points_per_run) {
            const std::size_t count = padded(std::min(points_per_run, most - begin));
            distances.distances(absolute, points.data() + begin, stride, sample.dimension, group.data(), count,
                                u.data(), points_per_run + metric_lanes);
            const ConformalRows part{factors.data() + begin, shifts.data() + begin, slopes.data() + begin,
                                     weights.data() + begin};
            for (std::size_t r = 0; r < rows; ++r)
                if (candidates[r] > begin)
                    counts[first + r] +=
                        loops.count(sample.kernel, scale, u.data() + r * (points_per_run + metric_lanes), part, count,
                                    levels[first + r]);
        }
    };
    const double work = nanoseconds_per_pair * static_cast<double>(m) * static_cast<double>(sample.n);
    parallel_for(control, work, (m + queries_per_task - 1) / queries_per_task, [&](std::size_t task) {
        const std::size_t end = std::min(m, (task + 1) * queries_per_task);
        for (std::size_t q = task * queries_per_task; q < end && !control.stopped(); q += metric_rows)
            count_group(q, std::min<std::size_t>(metric_rows, end - q));
    });
}

}  // namespace parzen
