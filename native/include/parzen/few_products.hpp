// Products of a large matrix with few vectors, summed in double precision.
//
// They cost what it takes to read the matrix: it is read once for every two vectors, and may be
// given in single precision, which halves its size.
#pragma once

#include <cstddef>

namespace parzen {

template <class T>
struct Matrix {
    const T* values;  // [rows][stride], of which the first columns count
    std::size_t rows, columns, stride;
};

// out = left matrix for vectors left [count][rows].
template <class T>
void few_products(const double* left, std::size_t count, const Matrix<T>& matrix, double* out);

// out = right matrix' for vectors right [count][columns].
template <class T>
void few_transposed_products(const double* right, std::size_t count, const Matrix<T>& matrix, double* out);

}  // namespace parzen
