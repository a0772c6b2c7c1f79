// Compiled once per instruction set (PARZEN_ISA, PARZEN_VECTOR_BYTES); everything but the tables at
// the foot is private to the translation unit.
#include "products/loops.hpp"

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "core/loop_tables.hpp"
#include "core/vector.hpp"

namespace {

using parzen::FewProductsLoops;
using parzen::Matrix;

constexpr std::size_t width = lanes<double>;
template <int count>
constexpr int group = 8 / count;  // rows that are taken together, so that all sums fit registers

// As many elements as fit a vector of doubles. GCC before 14 would convert floats in halves.
PARZEN_INLINE Vec<double> widened(const double* p) { return load<double>(p); }
PARZEN_INLINE Vec<double> widened(const float* p) {
#if defined(__AVX512F__) && PARZEN_VECTOR_BYTES == 64
    return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p));  // GCC warns of the one without a mask
#elif defined(__AVX__) && PARZEN_VECTOR_BYTES == 32
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    typedef float Half __attribute__((vector_size(bytes / 2), aligned(sizeof(float))));
    return __builtin_convertvector(*reinterpret_cast<const Half*>(p), Vec<double>);
#endif
}

// out[k] += sum_r left[k][r] matrix[first + r], r < height; left is that of the first row. A group of rows
// is added at once, so that `out` is read and written once for all of them.
template <class T, int count, int height>
PARZEN_INLINE void add_rows(const double* left, const Matrix<T>& matrix, std::size_t first, double* out) {
    const T* rows = matrix.values + first * matrix.stride;
    const std::size_t columns = matrix.columns;
    Vec<double> factors[count][height];
    for (int k = 0; k < count; ++k)
        for (int r = 0; r < height; ++r) factors[k][r] = splat<double>(left[k * matrix.rows + r]);
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
        Vec<double> sums[count];
        for (int k = 0; k < count; ++k) sums[k] = load<double>(out + k * columns + j);
        for (int r = 0; r < height; ++r) {
            const Vec<double> values = widened(rows + r * matrix.stride + j);
            for (int k = 0; k < count; ++k) sums[k] = multiply_add<double>(factors[k][r], values, sums[k]);
        }
        for (int k = 0; k < count; ++k) store<double>(out + k * columns + j, sums[k]);
    }
    for (; j < columns; ++j)
        for (int k = 0; k < count; ++k)
            for (int r = 0; r < height; ++r)
                out[k * columns + j] += left[k * matrix.rows + r] * rows[r * matrix.stride + j];
}

template <class T, int count>
void left_products(const double* left, const Matrix<T>& matrix, double* out) {
    for (std::size_t j = 0; j < count * matrix.columns; ++j) out[j] = 0;
    std::size_t i = 0;
    for (; i + group<count> <= matrix.rows; i += group<count>)
        add_rows<T, count, group<count>>(left + i, matrix, i, out);
    for (; i < matrix.rows; ++i) add_rows<T, count, 1>(left + i, matrix, i, out);
}

// out[k][r] = sum_j right[k][j] matrix[first + r][j], r < height; out is that of the first row. The sums of a group
// of rows do not wait for each other, which hides the latency of the additions.
template <class T, int count, int height>
PARZEN_INLINE void dot_rows(const double* right, const Matrix<T>& matrix, std::size_t first, double* out) {
    const T* rows = matrix.values + first * matrix.stride;
    const std::size_t columns = matrix.columns;
    Vec<double> sums[count][height] = {};
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
        for (int r = 0; r < height; ++r) {
            const Vec<double> values = widened(rows + r * matrix.stride + j);
            for (int k = 0; k < count; ++k)
                sums[k][r] = multiply_add<double>(load<double>(right + k * columns + j), values, sums[k][r]);
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int r = 0; r < height; ++r) {
            double sum = add<double>(sums[k][r]);
            for (std::size_t l = j; l < columns; ++l) sum += right[k * columns + l] * rows[r * matrix.stride + l];
            out[k * matrix.rows + r] = sum;
        }
    }
}

template <class T, int count>
void right_products(const double* right, const Matrix<T>& matrix, double* out) {
    std::size_t i = 0;
    for (; i + group<count> <= matrix.rows; i += group<count>)
        dot_rows<T, count, group<count>>(right, matrix, i, out + i);
    for (; i < matrix.rows; ++i) dot_rows<T, count, 1>(right, matrix, i, out + i);
}

template <class T>
constexpr FewProductsLoops<T> table{{left_products<T, 1>, left_products<T, 2>},
                                    {right_products<T, 1>, right_products<T, 2>}};

}  // namespace

namespace parzen {

extern const FewProductsLoops<double>* const PARZEN_OF_ISA(few_products_double);
extern const FewProductsLoops<float>* const PARZEN_OF_ISA(few_products_float);
const FewProductsLoops<double>* const PARZEN_OF_ISA(few_products_double) = &table<double>;
const FewProductsLoops<float>* const PARZEN_OF_ISA(few_products_float) = &table<float>;

}  // namespace parzen
