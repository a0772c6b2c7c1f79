// Products with few vectors: written out, for every instruction set, for both precisions of the
// matrix, and for heights and widths that fill no group of rows and no vector.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "parzen/few_products.hpp"
#include "problem.hpp"

namespace {

using problem::normal;

// sum_l vector[l] matrix[l * step]
template <class T>
double written_out(const double* vector, const T* matrix, std::size_t count, std::size_t step) {
    long double sum = 0;
    for (std::size_t l = 0; l < count; ++l) sum += static_cast<long double>(vector[l]) * matrix[l * step];
    return static_cast<double>(sum);
}

template <class T>
void check_products(std::size_t count, std::size_t rows, std::size_t columns, std::size_t stride) {
    const std::vector<T> values = normal<T>(rows * stride, 1);
    const std::vector<double> left = normal<double>(count * rows, 2), right = normal<double>(count * columns, 3);
    const parzen::Matrix<T> matrix{values.data(), rows, columns, stride};
    std::vector<double> below(count * columns, 1.0), beside(count * rows, 1.0);
    parzen::few_products(left.data(), count, matrix, below.data());
    parzen::few_transposed_products(right.data(), count, matrix, beside.data());
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t j = 0; j < columns; ++j) {
            const double expected = written_out(left.data() + k * rows, values.data() + j, rows, stride);
            CHECK(std::abs(below[k * columns + j] - expected) <= 1e-13);
        }
        for (std::size_t i = 0; i < rows; ++i) {
            const double expected = written_out(right.data() + k * columns, values.data() + i * stride, columns, 1);
            CHECK(std::abs(beside[k * rows + i] - expected) <= 1e-13);
        }
    }
}

}  // namespace

TEST(products_with_few_vectors_are_those_written_out) {
    problem::for_each_instruction_set([] {
        for (const std::size_t count : {1, 2, 3}) {
            for (const std::size_t rows : {0, 3, 4, 18}) {
                for (const std::size_t columns : {0, 1, 8, 29}) {
                    check_products<float>(count, rows, columns, columns);
                    check_products<double>(count, rows, columns, columns + 3);
                }
            }
        }
    });
}
