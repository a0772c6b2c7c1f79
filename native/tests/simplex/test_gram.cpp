// Gaussian values out of scalar products: written out, for every instruction set and for widths that
// fill no vector.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "parzen/gram.hpp"
#include "problem.hpp"

using problem::normal;

TEST(gaussian_values_of_products_are_those_written_out) {
    problem::for_each_instruction_set([] {
        for (const std::size_t columns : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
            const std::vector<double> products = normal<double>(5 * columns, 1);
            std::vector<double> a = normal<double>(5, 2), b = normal<double>(columns, 3), values = products;
            for (double& shift : a) shift = 3 * std::abs(shift);
            b[0] = 800.0;  // far away
            parzen::gaussian_of_products(values.data(), 5, columns, a.data(), b.data());
            for (std::size_t i = 0; i < 5; ++i) {
                for (std::size_t j = 0; j < columns; ++j) {
                    const long double exponent =
                        std::min(0.0L, static_cast<long double>(products[i * columns + j]) - a[i] - b[j]);
                    const double expected = j == 0 ? 0.0 : static_cast<double>(std::exp(exponent));
                    CHECK(std::abs(values[i * columns + j] - expected) <= 1e-14 * expected);
                }
            }
        }
    });
}
