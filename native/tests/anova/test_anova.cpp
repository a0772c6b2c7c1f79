// Values of the ANOVA kernel: written out, for every instruction set, and for numbers of points that fill no tile.
#include <cmath>
#include <cstddef>
#include <vector>

#include "check.hpp"
#include "parzen/anova.hpp"
#include "problem.hpp"

namespace {

using problem::normal;

constexpr std::size_t columns = 4, n_queries = 70;  // more queries than one task takes

// Columns of numbers, of levels, of both, and one that counts for nothing.
const std::vector<double> exponentials = {0.8, 0.0, 0.4, 0.0}, equalities = {0.0, 1.0, 0.6, 0.0};
const parzen::AnovaForm form{columns, exponentials.data(), equalities.data(), 0.3, 1.7};

// Standard normal numbers; those of the columns with levels are rounded, so that some are equal.
std::vector<double> values_of(std::size_t rows, unsigned seed) {
    std::vector<double> values = normal<double>(rows * columns, seed);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (equalities[i % columns] != 0) values[i] = std::round(values[i]);
    return values;
}

long double written_out(const double* x, const double* a, const double* y, const double* b) {
    long double kernels[columns], sum = 0, pairs = 0;
    for (std::size_t l = 0; l < columns; ++l) {
        const long double near = std::exp(-std::abs(static_cast<long double>(x[l]) - y[l]));
        kernels[l] = exponentials[l] * near + (x[l] == y[l] ? equalities[l] : 0) - a[l] - b[l];
        sum += kernels[l];
        for (std::size_t k = 0; k < l; ++k) pairs += 2 * kernels[k] * kernels[l];
    }
    return (sum + form.pairs * pairs) * form.scale;
}

struct Problem {
    std::size_t n_points;
    std::vector<double> queries = values_of(n_queries, 1), points = values_of(n_points, 2);
    std::vector<double> query_centres = normal<double>(n_queries * columns, 3);
    std::vector<double> point_centres = normal<double>(n_points * columns, 4);

    std::vector<double> values(int threads) const {
        std::vector<double> out(n_queries * n_points);
        parzen::Control control(threads);
        parzen::anova_values(form, {queries.data(), query_centres.data(), n_queries},
                             {points.data(), point_centres.data(), n_points}, out.data(), control);
        return out;
    }
};

}  // namespace

TEST(values_of_the_anova_kernel_are_those_written_out) {
    problem::for_each_instruction_set([] {
        for (const std::size_t n_points : {1, 23, 24, 61}) {
            const Problem p{n_points};
            const std::vector<double> values = p.values(1);
            for (std::size_t i = 0; i < n_queries; ++i) {
                for (std::size_t j = 0; j < n_points; ++j) {
                    const std::size_t q = i * columns, y = j * columns;
                    const long double expected =
                        written_out(&p.queries[q], &p.query_centres[q], &p.points[y], &p.point_centres[y]);
                    CHECK(std::abs(values[i * n_points + j] - expected) <= 1e-13L * (1 + std::abs(expected)));
                }
            }
        }
    });
}

TEST(threads_do_not_change_a_value) {
    const Problem p{1500};  // so many that threads are used
    CHECK(p.values(3) == p.values(1));
}
