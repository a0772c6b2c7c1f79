// Triangular factors by Householder's reflections. No product A'A is formed, which would square the condition:
//
//     R'R = A'A,      T'T = R'R + D^2 for a diagonal D
//
// Columns lie in strips as wide as a few vectors. A strip's reflections are found while it is in the
// nearest cache, and then applied to every strip to its right, on several threads. Sums of squares
// are not protected from overflow: elements are at most about the root of the largest number.
#pragma once

#include <cstddef>

#include "parzen/parallel.hpp"

namespace parzen {

// R [n][n] of the matrix `rows` [m][n], in single or double precision; nothing below its diagonal is
// written.
template <class T>
void triangle_of(const double* rows, std::size_t m, std::size_t n, T* triangle, Control& control);

// T in the place of R, its upper triangle; what lies below the diagonal is neither read nor written.
template <class T>
void join_diagonal(const T* diagonal, std::size_t n, T* triangle, Control& control);

}  // namespace parzen
