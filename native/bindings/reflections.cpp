// Triangular factors.
#include "parzen/reflections.hpp"

#include "python.hpp"

namespace {

template <class T>
void triangle_of(In<double, 2> rows, Out<T, 2> triangle, int threads) {
    const std::size_t n = rows.shape(1);
    require(triangle.shape(0) == n && triangle.shape(1) == n, "triangle must be square and as wide as the rows");
    without_lock(threads, [&](parzen::Control& control) {
        parzen::triangle_of(rows.data(), rows.shape(0), n, triangle.data(), control);
    });
}

template <class T>
void join_diagonal(In<T, 1> diagonal, Out<T, 2> triangle, int threads) {
    const std::size_t n = diagonal.shape(0);
    require(triangle.shape(0) == n && triangle.shape(1) == n, "triangle must be square and as wide as the diagonal");
    without_lock(threads, [&](parzen::Control& control) {
        parzen::join_diagonal(diagonal.data(), n, triangle.data(), control);
    });
}

template <class T>
void bind(nb::module_& m) {
    m.def("triangle_of", &triangle_of<T>, "rows"_a.noconvert(), "triangle"_a.noconvert(), "threads"_a,
          "Write the upper triangular R with R'R = A'A for the matrix A = rows, (m, n), to `triangle`, (n, n).\n\n"
          "Nothing below the diagonal is written.");
    m.def(
        "join_diagonal", &join_diagonal<T>, "diagonal"_a.noconvert(), "triangle"_a.noconvert(), "threads"_a,
        "Replace the upper triangular R in `triangle`, (n, n), by T with T'T = R'R + D^2, D = diag(diagonal), (n,).\n\n"
        "Nothing below the diagonal is read or written.");
}

}  // namespace

void bind_reflections(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
