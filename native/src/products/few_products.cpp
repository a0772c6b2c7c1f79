#include "parzen/few_products.hpp"

#include "core/loop_tables.hpp"
#include "products/loops.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(FewProductsLoops<float>, few_products_float);
PARZEN_DECLARE_LOOPS(FewProductsLoops<double>, few_products_double);

namespace {

const FewProductsLoops<float>& loops_for(const Matrix<float>&) { return PARZEN_LOOPS_IN_USE(few_products_float); }
const FewProductsLoops<double>& loops_for(const Matrix<double>&) { return PARZEN_LOOPS_IN_USE(few_products_double); }

}  // namespace

// The loops take one vector, [0], or two at a time, [1], so that the matrix is read half as often.
template <class T>
void few_products(const double* left, std::size_t count, const Matrix<T>& matrix, double* out) {
    for (std::size_t k = 0; k < count; k += 2)
        loops_for(matrix).left[k + 1 < count](left + k * matrix.rows, matrix, out + k * matrix.columns);
}

template <class T>
void few_transposed_products(const double* right, std::size_t count, const Matrix<T>& matrix, double* out) {
    for (std::size_t k = 0; k < count; k += 2)
        loops_for(matrix).right[k + 1 < count](right + k * matrix.columns, matrix, out + k * matrix.rows);
}

template void few_products(const double*, std::size_t, const Matrix<float>&, double*);
template void few_products(const double*, std::size_t, const Matrix<double>&, double*);
template void few_transposed_products(const double*, std::size_t, const Matrix<float>&, double*);
template void few_transposed_products(const double*, std::size_t, const Matrix<double>&, double*);

}  // namespace parzen
