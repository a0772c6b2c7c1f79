// The metric's likelihood: a written-out sum, finite differences, threads and instruction sets.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "parzen/metric.hpp"
#include "parzen/tile.hpp"

namespace {

template <class T>
struct Problem {
    int d = 5, classes = 3;
    std::size_t n = 83;
    bool absolute;
    std::vector<T> points, weights;
    std::vector<T> left;  // of the weight of each point, when one of its copies is left out
    std::vector<std::size_t> starts{0, 30, 31, 83};
    std::vector<int> labels;
    std::vector<std::int64_t> own;
    std::vector<double> log_sizes, base, shares;
    std::vector<double> theta;  // weights, slopes, offsets, temperature

    explicit Problem(bool with_absolute) : absolute(with_absolute) {
        std::mt19937_64 random(3);
        std::normal_distribution<double> normal;
        for (std::size_t i = 0; i < n * d; ++i) points.push_back(static_cast<T>(normal(random)));
        for (std::size_t i = 0; i < n; ++i) {
            const int c = i < 30 ? 0 : i < 31 ? 1 : 2;
            weights.push_back(static_cast<T>(i % 4 == 0 ? 3 : 1));
            left.push_back(weights.back() - 1);
            labels.push_back(c);
            own.push_back(static_cast<std::int64_t>(i));
            shares.push_back(1.0 / 83);
            for (int k = 0; k < classes; ++k) {
                // Without its only point class 1 is empty, so the loss of that point leaves the class out.
                log_sizes.push_back(k == 1 && c == 1 ? -std::numeric_limits<double>::infinity() : std::log(20.0 + k));
                base.push_back(0.1 * k);
            }
        }
        labels[30] = 0;
        for (int l = 0; l < d; ++l) theta.push_back(0.3 + 0.1 * l);
        for (int k = 0; k < classes; ++k) theta.push_back(1.0 + 0.2 * k);
        for (int k = 0; k < classes; ++k) theta.push_back(0.05 * k);
        theta.push_back(0.7);
    }

    double loss(const std::vector<double>& t, std::vector<double>& gradient, int threads) const {
        const parzen::MetricSample<T> sample{points.data(),
                                             n,
                                             points.data(),
                                             n,
                                             d,
                                             absolute,
                                             starts.data(),
                                             classes,
                                             weights.data(),
                                             labels.data(),
                                             own.data(),
                                             left.data(),
                                             log_sizes.data(),
                                             base.data(),
                                             shares.data()};
        const parzen::MetricParameters parameters{t.data(), t.data() + d, t.data() + d + classes, t.back()};
        gradient.assign(t.size(), 0.0);
        parzen::MetricGradient slopes{gradient.data(), gradient.data() + d, gradient.data() + d + classes, 0.0};
        parzen::Control control(threads);
        const double value = parzen::metric_loss<T>(sample, parameters, slopes, nullptr, control);
        gradient.back() = slopes.temperature;
        return value;
    }

    double written_out(const std::vector<double>& t) const {
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<double> scores;
            for (int c = 0; c < classes; ++c) {
                double sum = 0;
                for (std::size_t j = starts[c]; j < starts[c + 1]; ++j) {
                    double D = 0;
                    for (int l = 0; l < d; ++l) {
                        const double dx = std::abs(static_cast<double>(points[i * d + l]) - points[j * d + l]);
                        D += t[l] * (absolute ? dx : 0.5 * dx * dx);
                    }
                    sum += (i == j ? left[i] : weights[j]) * std::exp(-t[d + c] * D);
                }
                const double size = log_sizes[i * classes + c];
                if (!std::isinf(size))
                    scores.push_back(base[i * classes + c] + t[d + classes + c] + t.back() * (std::log(sum) - size));
                else
                    scores.push_back(size);
            }
            double normalizer = 0;
            for (double s : scores) normalizer += std::exp(s);
            total -= shares[i] * (scores[labels[i]] - std::log(normalizer));
        }
        return total;
    }
};

}  // namespace

TEST(the_loss_is_the_sum_written_out) {
    for (bool absolute : {false, true}) {
        std::vector<double> gradient;
        const Problem<double> full(absolute);
        const double expected = full.written_out(full.theta);
        CHECK(std::abs(full.loss(full.theta, gradient, 1) - expected) <= 1e-12 * expected);
        const Problem<float> single(absolute);
        CHECK(std::abs(single.loss(single.theta, gradient, 1) - expected) <= 1e-5 * expected);
    }
}

TEST(the_gradient_is_that_of_finite_differences) {
    for (bool absolute : {false, true}) {
        const Problem<double> problem(absolute);
        std::vector<double> gradient, unused;
        problem.loss(problem.theta, gradient, 1);
        for (std::size_t p = 0; p < problem.theta.size(); ++p) {
            const double step = 1e-5;
            std::vector<double> up = problem.theta, down = problem.theta;
            // Weights and slopes by their logarithms, the others as they are.
            const bool logarithmic = p < static_cast<std::size_t>(problem.d + problem.classes);
            up[p] = logarithmic ? up[p] * std::exp(step) : up[p] + step;
            down[p] = logarithmic ? down[p] * std::exp(-step) : down[p] - step;
            const double slope = (problem.loss(up, unused, 1) - problem.loss(down, unused, 1)) / (2 * step);
            CHECK(std::abs(gradient[p] - slope) <= 1e-8);
        }
    }
}

TEST(threads_change_no_bit) {
    const Problem<double> problem(true);
    std::vector<double> one, three;
    CHECK(problem.loss(problem.theta, one, 1) == problem.loss(problem.theta, three, 3));
    CHECK(one == three);
}

TEST(instruction_sets_agree) {
    int count = 0;
    const parzen::InstructionSet* sets = parzen::instruction_sets(&count);
    for (int s = 0; s < count; ++s) {
        if (!sets[s].supported() || !parzen::choose_instruction_set(sets[s].name)) continue;
        for (bool absolute : {false, true}) {
            const Problem<double> problem(absolute);
            std::vector<double> gradient;
            const double expected = problem.written_out(problem.theta);
            CHECK(std::abs(problem.loss(problem.theta, gradient, 1) - expected) <= 1e-12 * expected);
        }
    }
    parzen::choose_instruction_set("");
}
