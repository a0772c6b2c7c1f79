#include "parzen/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/loop_tables.hpp"
#include "gaps/loops.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(GapLoops, gaps);

namespace {

constexpr std::size_t queries_per_task = 16;
constexpr double nanoseconds_per_term = 3.0;  // to judge whether threads pay

}  // namespace

void gapped_log_sums(const GappedPoints& points, const GappedQueries& queries, double* out, Control& control) {
    const GapLoops& loops = PARZEN_LOOPS_IN_USE(gaps);
    const std::size_t tasks = (queries.rows + queries_per_task - 1) / queries_per_task;
    const double pairs = static_cast<double>(queries.rows) * static_cast<double>(points.rows);
    const double work = nanoseconds_per_term * pairs * static_cast<double>(queries.bandwidths);
    parallel_for(control, work, tasks, [&](std::size_t task) {
        std::vector<double> distances(points.rows), terms(points.rows);
        const std::size_t end = std::min((task + 1) * queries_per_task, queries.rows);
        for (std::size_t i = task * queries_per_task; i < end && !control.stopped(); ++i) {
            loops.distances(points, queries.values + i * points.coordinates, queries.absolute, distances.data());
            for (std::size_t c = 0; c < points.labels; ++c) {
                const std::size_t first = points.segment_starts[points.label_starts[c]];
                const std::size_t last = points.segment_starts[points.label_starts[c + 1]];
                const std::int64_t own = queries.own[i];
                const bool holds_own = own >= 0 && std::size_t(own) >= first && std::size_t(own) < last;
                for (std::size_t b = 0; b < queries.bandwidths; ++b) {
                    const std::size_t place = (i * points.labels + c) * queries.bandwidths + b;
                    loops.terms(points, c, distances.data(), queries.marginals + place * points.columns,
                                queries.rates[b], terms.data());
                    if (holds_own) terms[own] += queries.own_log_weight[i] - points.log_weights[own];
                    const Largest found = loops.sum(terms.data() + first, last - first);
                    out[place] = found.sum > 0 ? found.term + std::log(found.sum) : found.term;
                }
            }
        }
    });
}

}  // namespace parzen
