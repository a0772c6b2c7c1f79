// Programmes over simplexes: optimality conditions, feasibility, and rows under every instruction set.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "parzen/simplex_qp.hpp"
#include "parzen/tile.hpp"

namespace {

struct Problem {
    std::size_t n;
    int dimension = 3;
    std::vector<double> points, linear, weights;
    std::vector<std::size_t> starts;
    std::vector<double> bandwidths{0.7, 0.5, 0.5, 0.3}, coupling{0.25, -0.5, -0.5, 1.0};
    double objective = 0, gap = 0, floors[2] = {};
    std::int64_t iterations = 0;

    explicit Problem(std::size_t size)
        : n(size), points(3 * size), linear(size), weights(size), starts{0, size / 3, size} {
        std::mt19937_64 random(1);
        std::normal_distribution<double> normal;
        for (double& x : points) x = normal(random);
        for (double& c : linear) c = std::abs(normal(random));
    }

    parzen::GramInput gram(std::size_t budget) const {
        parzen::GramInput input;
        input.n = n;
        input.dimension = dimension;
        input.points = points.data();
        input.classes = 2;
        input.starts = starts.data();
        input.bandwidths = bandwidths.data();
        input.budget = budget;
        return input;
    }

    void solve(double tolerance, std::size_t budget = 1 << 28) {
        const double factor = 0.05;
        parzen::SimplexBatch batch;
        batch.linear = linear.data();
        batch.factors = &factor;
        batch.coupling = coupling.data();
        batch.tolerance = tolerance;
        batch.max_iterations = 1000000;
        batch.weights = weights.data();
        batch.objectives = &objective;
        batch.gaps = &gap;
        batch.iterations = &iterations;
        batch.floors = floors;
        parzen::Gram rows(gram(budget));
        parzen::SimplexProgress progress;
        parzen::Control control(2);
        parzen::solve_simplex(rows, batch, progress, control);
    }
};

}  // namespace

TEST(the_solution_is_feasible_and_optimal) {
    for (std::size_t n : {3, 50, 700}) {
        Problem problem(n);
        problem.solve(1e-9);
        CHECK(problem.gap <= 1e-9);
        for (int c = 0; c < 2; ++c) {
            double sum = 0;
            for (std::size_t i = problem.starts[c]; i < problem.starts[c + 1]; ++i) {
                CHECK(problem.weights[i] >= 0);
                sum += problem.weights[i];
            }
            CHECK(std::abs(sum - 1) <= 1e-14);
        }
    }
}

TEST(a_cache_of_few_rows_gives_the_same_bits) {
    Problem roomy(300), narrow(300);
    roomy.solve(1e-8);
    narrow.solve(1e-8, 5 * 300 * sizeof(double));
    CHECK(roomy.weights == narrow.weights);
}

TEST(rows_agree_between_instruction_sets) {
    const Problem problem(101);
    const parzen::Gram gram(problem.gram(0));
    std::vector<double> expected(problem.n), row(problem.n);
    for (std::size_t i = 0; i < problem.n; ++i) {
        const int c = i < problem.starts[1] ? 0 : 1;
        double square = 0;
        for (int k = 0; k < 3; ++k) square += std::pow(problem.points[3 * i + k] - problem.points[k], 2);
        const double h = problem.bandwidths[c];
        expected[i] = std::exp(-square / (2 * h * h));
    }
    int count = 0;
    const parzen::InstructionSet* sets = parzen::instruction_sets(&count);
    for (int s = 0; s < count; ++s) {
        if (!sets[s].supported() || !parzen::choose_instruction_set(sets[s].name)) continue;
        gram.compute(0, row.data());
        for (std::size_t i = 0; i < problem.n; ++i) CHECK(std::abs(row[i] - expected[i]) <= 1e-14 * (1 + expected[i]));
    }
    parzen::choose_instruction_set("");
}
