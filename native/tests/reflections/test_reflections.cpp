// Triangular factors: their squares are those of what they stand for, written out, for every
// instruction set, both precisions, and sizes that fill no strip.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "parzen/reflections.hpp"
#include "problem.hpp"

namespace {

using problem::normal;

constexpr std::size_t sizes[] = {1, 5, 16, 37, 100};

// Column i times column j of a matrix of n columns; of a triangle the part above the diagonal.
template <class T>
long double product(const std::vector<T>& matrix, std::size_t n, std::size_t i, std::size_t j, bool triangle) {
    const std::size_t rows = triangle ? std::min(i, j) + 1 : matrix.size() / n;
    long double sum = 0;
    for (std::size_t l = 0; l < rows; ++l) sum += static_cast<long double>(matrix[l * n + i]) * matrix[l * n + j];
    return sum;
}

template <class T>
bool close(long double a, long double b, long double size) {
    return std::abs(a - b) <= 10 * std::numeric_limits<T>::epsilon() * size;
}

template <class T>
std::vector<T> triangle_of(const std::vector<double>& rows, std::size_t n, int threads = 1) {
    std::vector<T> triangle(n * n, T{7});
    parzen::Control control(threads);
    parzen::triangle_of(rows.data(), rows.size() / n, n, triangle.data(), control);
    return triangle;
}

template <class T>
std::vector<T> with_diagonal(std::vector<T> triangle, const std::vector<T>& diagonal, int threads = 1) {
    parzen::Control control(threads);
    parzen::join_diagonal(diagonal.data(), diagonal.size(), triangle.data(), control);
    return triangle;
}

template <class T>
void check_triangle(const std::vector<double>& rows, std::size_t n) {
    const std::vector<T> triangle = triangle_of<T>(rows, n);
    const auto size = static_cast<long double>(rows.size() / n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (j < i) CHECK(triangle[i * n + j] == T{7});
            CHECK(close<T>(product(triangle, n, i, j, true), product(rows, n, i, j, false), size));
        }
    }
}

// Diagonals of very different sizes, as they are near the end of a method from the interior.
template <class T>
std::vector<T> diagonal_of(std::size_t n) {
    std::vector<T> diagonal = normal<T>(n, 3);
    for (std::size_t i = 0; i < n; i += 3) diagonal[i] *= T{1000};
    for (std::size_t i = 1; i < n; i += 4) diagonal[i] = 0;
    return diagonal;
}

template <class T>
void check_diagonal(std::size_t n) {
    const std::vector<T> triangle = normal<T>(n * n, 2), diagonal = diagonal_of<T>(n);
    const std::vector<T> joined = with_diagonal(triangle, diagonal);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (j < i) CHECK(joined[i * n + j] == triangle[i * n + j]);
            const long double own = i == j ? static_cast<long double>(diagonal[i]) * diagonal[i] : 0;
            const long double expected = product(triangle, n, i, j, true) + own;
            const auto larger = [&](std::size_t c) { return static_cast<long double>(n) + std::abs(diagonal[c]); };
            CHECK(close<T>(product(joined, n, i, j, true), expected, larger(i) * larger(j)));
        }
    }
}

template <class T>
void check_threads() {
    constexpr std::size_t n = 800;  // so many that threads are used
    const std::vector<double> rows = normal<double>(n * n, 4);
    const std::vector<T> alone = triangle_of<T>(rows, n), diagonal = diagonal_of<T>(n);
    CHECK(triangle_of<T>(rows, n, 3) == alone);
    CHECK(with_diagonal(alone, diagonal, 3) == with_diagonal(alone, diagonal));
}

template <class T>
void check_dependent_columns() {
    constexpr std::size_t n = 20;
    std::vector<double> rows = normal<double>(30 * n, 5);
    for (std::size_t i = 0; i < 30; ++i) {
        rows[i * n] = 0;
        rows[i * n + 7] = rows[i * n + 3];
    }
    check_triangle<T>(rows, n);
    check_triangle<T>(std::vector<double>(4 * n), n);
}

}  // namespace

TEST(the_triangle_of_some_rows_has_their_products) {
    problem::for_each_instruction_set([] {
        for (const std::size_t n : sizes) {
            for (const std::size_t m : {std::size_t{1}, n / 2 + 1, n, 2 * n + 3}) {
                check_triangle<float>(normal<double>(m * n, 1), n);
                check_triangle<double>(normal<double>(m * n, 1), n);
            }
        }
    });
}

TEST(columns_that_depend_on_others_leave_zeros) {
    problem::for_each_instruction_set([] {
        check_dependent_columns<float>();
        check_dependent_columns<double>();
    });
}

TEST(a_diagonal_joins_a_triangle) {
    problem::for_each_instruction_set([] {
        for (const std::size_t n : sizes) {
            check_diagonal<float>(n);
            check_diagonal<double>(n);
        }
    });
}

TEST(threads_do_not_change_a_triangle) {
    check_threads<float>();
    check_threads<double>();
}
