// Log-sums over points with gaps: written out, for every instruction set and segments that fill no vector.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "parzen/gaps.hpp"
#include "problem.hpp"

namespace {

using problem::normal;

constexpr std::size_t d = 3, n_queries = 19, n_labels = 3, n_bandwidths = 2;

// Three labels, the last without points; the first has segments of 1, 40 and 7 points, the second of 50.
struct Problem {
    bool absolute;
    std::vector<std::uint64_t> segments = {0, 1, 41, 48, 98}, labels = {0, 3, 4, 4};
    std::vector<std::uint8_t> present = {1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0};
    std::vector<double> lacking = {0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1};
    std::vector<double> points = normal<double>(d * 98, 1), log_weights = normal<double>(98, 2);
    std::vector<double> queries = normal<double>(n_queries * d, 3), rates = {0.5, 300.0};
    std::vector<double> marginals = normal<double>(n_queries * n_labels * n_bandwidths * d, 4);
    std::vector<double> own_log_weight = normal<double>(n_queries, 5);
    std::vector<std::int64_t> own = std::vector<std::int64_t>(n_queries, -1);

    explicit Problem(bool l1) : absolute(l1) {
        queries[4] = queries[6] = std::numeric_limits<double>::quiet_NaN();
        for (std::size_t i = 0; i < n_queries; i += 2) own[i] = static_cast<std::int64_t>(5 * i);
        own_log_weight[2] = -std::numeric_limits<double>::infinity();
    }

    long double written_out(std::size_t i, std::size_t c, std::size_t b) const {
        const std::size_t n = log_weights.size(), place = (i * n_labels + c) * n_bandwidths + b;
        long double sum = 0;
        for (std::size_t s = labels[c]; s < labels[c + 1]; ++s) {
            for (std::size_t j = segments[s]; j < segments[s + 1]; ++j) {
                const bool is_own = own[i] == static_cast<std::int64_t>(j);
                long double term = is_own ? own_log_weight[i] : log_weights[j];
                for (std::size_t l = 0; l < d; ++l) {
                    const long double gap = static_cast<long double>(queries[i * d + l]) - points[l * n + j];
                    if (lacking[s * d + l] != 0) term += marginals[place * d + l];
                    if (present[s * d + l] != 0 && !std::isnan(queries[i * d + l]))
                        term -= rates[b] * (absolute ? std::abs(gap) : gap * gap);
                }
                sum += std::exp(term);
            }
        }
        return std::log(sum);
    }

    std::vector<double> sums(int threads) const {
        std::vector<double> out(n_queries * n_labels * n_bandwidths);
        parzen::Control control(threads);
        parzen::gapped_log_sums({log_weights.size(), d, d, segments.size() - 1, n_labels, points.data(),
                                 log_weights.data(), segments.data(), labels.data(), present.data(), lacking.data()},
                                {n_queries, n_bandwidths, queries.data(), marginals.data(), rates.data(), own.data(),
                                 own_log_weight.data(), absolute},
                                out.data(), control);
        return out;
    }
};

}  // namespace

TEST(sums_over_points_with_gaps_are_those_written_out) {
    problem::for_each_instruction_set([] {
        for (const bool absolute : {false, true}) {
            const Problem p(absolute);
            const std::vector<double> found = p.sums(1);
            for (std::size_t i = 0; i < n_queries; ++i) {
                for (std::size_t c = 0; c < n_labels; ++c) {
                    for (std::size_t b = 0; b < n_bandwidths; ++b) {
                        const long double expected = p.written_out(i, c, b);
                        const double value = found[(i * n_labels + c) * n_bandwidths + b];
                        CHECK(value == expected || std::abs(value - expected) <= 1e-12L * (1 + std::abs(expected)));
                    }
                }
            }
        }
    });
}

TEST(threads_do_not_change_a_sum_over_points_with_gaps) { CHECK(Problem(false).sums(3) == Problem(false).sums(1)); }
