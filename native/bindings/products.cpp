// Products of a matrix with few vectors, and Gaussian values of scalar products.
#include "parzen/few_products.hpp"
#include "parzen/gram.hpp"
#include "python.hpp"

namespace {

// A matrix whose rows are contiguous, though perhaps not adjacent.
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
parzen::Matrix<T> as_matrix(const Rows<T>& rows) {
    require(rows.stride(1) == 1 || rows.shape(1) <= 1, "every row of the matrix must be contiguous");
    require(rows.stride(0) >= 0, "the rows of the matrix must be in order");
    return {rows.data(), rows.shape(0), rows.shape(1), static_cast<std::size_t>(rows.stride(0))};
}

template <class T, bool transposed>
void few_products(In<double, 2> vectors, Rows<T> matrix, Out<double, 2> out) {
    require(vectors.shape(1) == matrix.shape(transposed ? 1 : 0), "the vectors must be as long as the matrix");
    require(out.shape(0) == vectors.shape(0) && out.shape(1) == matrix.shape(transposed ? 0 : 1),
            "out must have the shape of the product");
    const parzen::Matrix<T> m = as_matrix(matrix);
    const auto multiply = transposed ? parzen::few_transposed_products<T> : parzen::few_products<T>;
    const nb::gil_scoped_release release;
    multiply(vectors.data(), vectors.shape(0), m, out.data());
}

template <class T>
void bind(nb::module_& m) {
    m.def("few_products", &few_products<T, false>, "left"_a.noconvert(), "matrix"_a.noconvert(), "out"_a.noconvert(),
          "Write left @ matrix to `out`, summed in double precision.\n\n"
          "left: (count, rows); matrix: (rows, columns), rows contiguous; out: (count, columns).");
    m.def("few_transposed_products", &few_products<T, true>, "right"_a.noconvert(), "matrix"_a.noconvert(),
          "out"_a.noconvert(),
          "Write right @ matrix.T to `out`, summed in double precision.\n\n"
          "right: (count, columns); matrix: (rows, columns), rows contiguous; out: (count, rows).");
}

void gaussian_of_products(Out<double, 2> values, In<double, 1> a, In<double, 1> b) {
    require(a.shape(0) == values.shape(0) && b.shape(0) == values.shape(1),
            "a must have one entry per row and b one per column");
    const nb::gil_scoped_release release;
    parzen::gaussian_of_products(values.data(), values.shape(0), values.shape(1), a.data(), b.data());
}

}  // namespace

void bind_products(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def("gaussian_of_products", &gaussian_of_products, "values"_a.noconvert(), "a"_a.noconvert(), "b"_a.noconvert(),
          "Replace values[i, j] by exp(min(values[i, j] - a[i] - b[j], 0)).\n\n"
          "values: (n, m), scalar products of points in units of the bandwidth; a: (n,) and b: (m,), half of the\n"
          "squared norms of these points.");
}
