// Trees: bounds that hold for every instruction set, and labels that agree with plain sums.
#include <cmath>
#include <random>

#include "check.hpp"
#include "parzen/tile.hpp"
#include "parzen/tree.hpp"
#include "problem.hpp"

using namespace problem;
using parzen::Profile;

namespace {

std::vector<double> normal(std::size_t count, unsigned seed, double shift = 0) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> draw;
    std::vector<double> x(count);
    for (double& value : x) value = draw(engine) + shift;
    return x;
}

double plain_log_sum(const parzen::Kernel& kernel, const double* x, const std::vector<double>& y, int d, double h) {
    std::vector<double> logs;
    double largest = -INFINITY;
    for (std::size_t j = 0; j < y.size(); j += static_cast<std::size_t>(d)) {
        double u = 0;
        for (int k = 0; k < d; ++k) {
            const double z = x[k] - y[j + static_cast<std::size_t>(k)];
            u += kernel.profile == Profile::laplacian ? std::abs(z) : z * z;
        }
        logs.push_back(static_cast<double>(log_kernel(kernel, u, h)));
        largest = std::max(largest, logs.back());
    }
    if (largest == -INFINITY) return -INFINITY;
    double sum = 0;
    for (double v : logs) sum += std::exp(v - largest);
    return std::log(sum) + largest;
}

std::vector<Profile> served_profiles() {
    std::vector<Profile> served;
    for (int i = 0; i < parzen::kernel_count; ++i)
        if (parzen::kernel_rows[i].tree) served.push_back(static_cast<Profile>(i));
    return served;
}

const std::vector<Profile> served = served_profiles();

}  // namespace

TEST(own_points_are_left_out) {
    for_each_instruction_set([] {
        for (Profile profile : served) {
            for (std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{97}, std::size_t{2000}}) {
                const int d = 2;
                const parzen::Kernel kernel{profile, 0.5 * (d + 1), 0, 0, 1};
                const std::vector<double> y = normal(n * d, 3);
                for (double h : {1e-3, 0.05, 6.0}) {  // the own term is all of a sum, much, or little
                    parzen::Control control(2);
                    const parzen::Forest forest({{y.data(), n, nullptr, h}}, d, kernel, control);
                    std::vector<std::int64_t> own(n);
                    for (std::size_t i = 0; i < n; ++i) own[i] = i % 7 == 6 ? -1 : static_cast<std::int64_t>(i);
                    std::vector<double> values(n), levels(n);
                    forest.sums({y.data()}, n, 1e-9, values.data(), levels.data(), control, {own.data()});
                    for (std::size_t i = 0; i < n; i += 1 + n / 50) {
                        std::vector<double> rest = y;
                        const auto at = rest.begin() + static_cast<std::ptrdiff_t>(i * d);
                        if (own[i] >= 0) rest.erase(at, at + d);
                        const double wanted = plain_log_sum(kernel, y.data() + i * d, rest, d, h);
                        if (wanted == -INFINITY) {
                            CHECK(values[i] == 0);
                        } else {
                            CHECK(std::abs(std::log(values[i]) + levels[i] - wanted) <=
                                  1.1e-9 + 1e-13 * std::abs(wanted));
                        }
                    }
                }
            }
        }
    });
}

TEST(sums_stay_within_the_tolerance) {
    for_each_instruction_set([] {
        for (Profile profile : served) {
            for (int d : {1, 3, 9}) {
                const parzen::Kernel kernel{profile, 0.5 * (d + 1), 0, 0, 1};
                const std::vector<double> y = normal(1500u * d, 1), x = normal(20u * d, 2);
                for (double h : {0.05, 0.7, 6.0}) {
                    parzen::Control control(2);
                    const parzen::Forest forest({{y.data(), 1500, nullptr, h}}, d, kernel, control);
                    for (double rtol : {1e-2, 1e-10}) {
                        double values[20], levels[20];
                        forest.sums({x.data()}, 20, rtol, values, levels, control);
                        for (int i = 0; i < 20; ++i) {
                            const double wanted = plain_log_sum(kernel, x.data() + i * d, y, d, h);
                            const double got = std::log(values[i]) + levels[i];
                            CHECK(wanted == -INFINITY ? values[i] == 0
                                                      : std::abs(std::expm1(got - wanted)) <= rtol + 1e-13);
                        }
                    }
                }
            }
        }
    });
}

TEST(labels_are_those_of_the_larger_sum) {
    for_each_instruction_set([] {
        const int d = 3;
        const std::vector<double> a = normal(1200 * d, 3), b = normal(900 * d, 4, 0.8), x = normal(200 * d, 5, 0.4);
        const parzen::Kernel kernel{Profile::gaussian, 1, 0, 0, 1};
        parzen::Control control(2);
        const parzen::Forest forest({{a.data(), 1200, nullptr, 0.3}, {b.data(), 900, nullptr, 0.5}}, d, kernel,
                                    control);
        const double shift[] = {0.0, -0.7};
        parzen::Rule rule;
        rule.options = 2;
        rule.log_shift = shift;
        std::vector<std::int32_t> labels(200);
        forest.decide({x.data()}, 200, rule, labels.data(), control);
        for (std::size_t i = 0; i < 200; ++i) {
            const double first = plain_log_sum(kernel, x.data() + i * d, a, d, 0.3);
            const double second = plain_log_sum(kernel, x.data() + i * d, b, d, 0.5) - 0.7;
            CHECK(labels[i] == (second > first ? 1 : 0));
        }
    });
}

TEST(a_tie_is_left_undecided_and_an_empty_place_is_named) {
    const std::vector<double> a = normal(600, 6), x = normal(4, 7), far{1e3, 1e3};
    parzen::Control control(1);
    const parzen::Kernel uniform{Profile::uniform, 1, 0, 0, 1}, gaussian{Profile::gaussian, 1, 0, 0, 1};
    const double shift[] = {0.0, 0.0};
    parzen::Rule rule;
    rule.options = 2;
    rule.log_shift = shift;
    std::int32_t labels[2];
    const parzen::Forest same({{a.data(), 300, nullptr, 0.5}, {a.data(), 300, nullptr, 0.5}}, 2, gaussian, control);
    same.decide({x.data()}, 2, rule, labels, control);
    CHECK(labels[0] == parzen::undecided && labels[1] == parzen::undecided);
    const parzen::Forest compact({{a.data(), 300, nullptr, 0.5}, {a.data(), 0, nullptr, 0.5}}, 2, uniform, control);
    compact.decide({far.data()}, 1, rule, labels, control);
    CHECK(labels[0] == parzen::nowhere);
}

namespace {

// Log-sum of weighted Gaussian kernels, in extended precision.
double gaussian_log_sum(const double* x, const std::vector<double>& y, const std::vector<double>& w, int d, double h) {
    std::vector<long double> logs;
    long double largest = -INFINITY, sum = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
        long double u = 0;
        for (int k = 0; k < d; ++k) {
            const long double z = static_cast<long double>(x[k]) - y[j * static_cast<std::size_t>(d) + k];
            u += z * z;
        }
        logs.push_back(std::log(static_cast<long double>(w[j])) - u / (2 * static_cast<long double>(h) * h));
        largest = std::max(largest, logs.back());
    }
    for (long double v : logs) sum += std::exp(v - largest);
    return static_cast<double>(std::log(sum) + largest);
}

// Clusters of very different widths far from the origin, with weights over ten orders of magnitude.
void clusters(std::size_t n, int d, std::vector<double>& y, std::vector<double>& w) {
    std::mt19937 engine(11);
    std::normal_distribution<double> draw;
    for (std::size_t i = 0; i < n; ++i) {
        const double centre = 1e4 + static_cast<double>(i % 7), width = std::pow(10.0, -static_cast<double>(i % 4));
        for (int k = 0; k < d; ++k) y.push_back(centre + width * draw(engine));
        w.push_back(i % 3 == 0 ? std::pow(10.0, -static_cast<double>(i % 11)) : 1.0);
    }
}

}  // namespace

// A sum against the constant 1, shifted to either side of it: whatever is decided is right, however
// close, and single precision has its share in that.
TEST(no_decision_is_wrong_however_close) {
    for_each_instruction_set([] {
        for (int d : {1, 2, 5, 10}) {
            std::vector<double> y, w;
            clusters(3000, d, y, w);
            parzen::Control control(1);
            std::uint64_t quick = 0, full = 0;
            for (double h : {0.01, 0.3, 4.0}) {
                const parzen::Forest forest({{y.data(), w.size(), w.data(), h}}, d, {}, control);
                for (std::size_t i = 0; i < 40; ++i) {
                    std::vector<double> x(y.begin() + static_cast<long>(i * 61 * d),
                                          y.begin() + static_cast<long>((i * 61 + 1) * d));
                    x[0] += h * (static_cast<double>(i % 5) - 2) * (i % 8 == 0 ? 20 : 1);
                    const double exact = gaussian_log_sum(x.data(), y, w, d, h);
                    for (double off : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}) {
                        for (int wanted : {0, 1}) {  // option 0 costs the constant, option 1 the sum
                            const double shift[] = {-exact + (wanted == 0 ? off : -off)};
                            const double costs[] = {0, 1, 1, 0};
                            parzen::Rule rule;
                            rule.options = 2;
                            rule.costs = costs;
                            rule.constant = true;
                            rule.log_shift = shift;
                            std::int32_t label;
                            const parzen::TreeWork work = forest.decide({x.data()}, 1, rule, &label, control);
                            CHECK(label == wanted || (label == parzen::undecided && off < 1e-7));
                            if (off >= 1e-3) ++(work.pairs == 0 ? quick : full);
                        }
                    }
                }
            }
            CHECK(2 * quick > full);
        }
    });
}
