// The counting pass of full conformal prediction: written out, for every kernel of a distance and every
// instruction set, and for numbers of points that fill no vector.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "check.hpp"
#include "parzen/conformal.hpp"
#include "problem.hpp"

namespace {

using problem::normal;

constexpr int dimension = 3;
constexpr double bandwidth = 1.3;
constexpr std::size_t n_queries = 67;  // more than one task takes

struct Point {
    double factor, shift, slope, weight;

    // The largest -level at which the point is counted where the kernel is 0.
    double reach() const { return shift > 0 ? slope - std::log(shift) : std::numeric_limits<double>::infinity(); }
};

struct Problem {
    std::size_t n;
    std::vector<double> points = normal<double>(n * dimension, 1), queries = normal<double>(n_queries * dimension, 2);
    std::vector<double> levels = normal<double>(n_queries, 3);
    std::vector<double> factors, shifts, slopes, reach, weights;

    explicit Problem(std::size_t n_points) : n(n_points) {
        const std::vector<double> drawn = normal<double>(3 * n, 4);
        std::vector<Point> all;
        for (std::size_t i = 0; i < n; ++i)
            all.push_back({std::abs(drawn[3 * i]), drawn[3 * i + 1] + 1, drawn[3 * i + 2], 1.0 + i % 3});
        std::sort(all.begin(), all.end(), [](const Point& a, const Point& b) { return a.reach() > b.reach(); });
        for (const Point& point : all) {
            factors.push_back(point.factor);
            shifts.push_back(point.shift);
            slopes.push_back(point.slope);
            reach.push_back(point.reach());
            weights.push_back(point.weight);
        }
    }

    std::vector<double> counts(const parzen::Kernel& kernel, int threads) const {
        const parzen::ConformalSample sample{
            points.data(), n, dimension, kernel, bandwidth, factors.data(), shifts.data(), slopes.data(), reach.data(),
            weights.data()};
        std::vector<double> found(n_queries, -1.0);
        parzen::Control control(threads);
        parzen::conformal_counts(sample, queries.data(), levels.data(), n_queries, found.data(), control);
        return found;
    }

    double written_out(const parzen::Kernel& kernel, std::size_t query) const {
        const bool l1 = parzen::measure_of(kernel.profile) == parzen::Measure::l1_distance;
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            long double measure = 0;
            for (int l = 0; l < dimension; ++l) {
                const long double dx = queries[query * dimension + l] - points[i * dimension + l];
                measure += l1 ? std::abs(dx) : dx * dx;
            }
            const long double k = std::exp(problem::log_kernel(kernel, measure, bandwidth));
            if (k * factors[i] + shifts[i] <= std::exp(static_cast<long double>(levels[query]) + slopes[i]))
                total += weights[i];
        }
        return total;
    }
};

}  // namespace

TEST(counts_are_those_written_out) {
    const Problem few(13), many(1500);  // 1500 points are more than one run of distances
    problem::for_each_instruction_set([&] {
        for (const parzen::Kernel& kernel : problem::kernels(dimension)) {
            if (parzen::measure_of(kernel.profile) == parzen::Measure::inner_product) continue;
            check::subject() = problem::name(kernel.profile);
            for (const Problem* problem : {&few, &many}) {
                const std::vector<double> found = problem->counts(kernel, 1);
                for (std::size_t q = 0; q < n_queries; ++q) CHECK(found[q] == problem->written_out(kernel, q));
            }
        }
    });
}

TEST(some_points_are_counted_and_some_are_not) {
    const Problem problem(1500);
    double total = 0;
    for (const double weight : problem.weights) total += weight;
    const std::vector<double> found = problem.counts({}, 1);
    CHECK(std::all_of(found.begin(), found.end(), [&](double count) { return 0 < count && count < total; }));
}

TEST(threads_do_not_change_a_count) {
    const Problem problem(1500);  // so many that threads are used
    CHECK(problem.counts({}, 3) == problem.counts({}, 1));
}
