// The inner loops of products with few vectors, compiled once per instruction set.
#pragma once

#include "parzen/few_products.hpp"

namespace parzen {

template <class T>
struct FewProductsLoops {
    using Product = void (*)(const double* vectors, const Matrix<T>& matrix, double* out);
    Product left[2], right[2];  // with one vector, with two
};

}  // namespace parzen
