// Quadratic programmes over simplices.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>

#include "parzen/simplex_qp.hpp"
#include "python.hpp"

namespace {

// Looks for an interruption and calls `report`, unless it is None, with the iterations so far and the gap.
std::function<bool()> watch(const parzen::SimplexProgress& progress, const nb::object& report) {
    return [&progress, &report] {
        const nb::gil_scoped_acquire lock;
        // May be asked again before all workers have stopped: then the exception is set already.
        if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0) return true;
        if (report.is_none()) return false;
        PyObject* result = PyObject_CallFunction(report.ptr(), "Ld", static_cast<long long>(progress.iterations.load()),
                                                 progress.gap.load());
        Py_XDECREF(result);
        return result == nullptr;
    };
}

// Rows of the kernel matrix from a Python function: rows(i) returns row i.
std::function<void(std::size_t, double*)> rows_from(const nb::object& rows, std::size_t n) {
    return [&rows, n](std::size_t i, double* row) {
        const nb::gil_scoped_acquire lock;
        const auto values = nb::cast<In<double, 1>>(rows(i));
        require(values.shape(0) == n, "evaluate must return rows with one entry per point");
        std::copy(values.data(), values.data() + n, row);
    };
}

parzen::GramShape shape_named(const std::string& name) {
    if (name == "rational") return parzen::GramShape::rational;
    if (name == "product_laplacian") return parzen::GramShape::product_laplacian;
    require(name == "gaussian", "shape must be 'gaussian', 'rational' or 'product_laplacian'");
    return parzen::GramShape::gaussian;
}

template <class Array>
bool has_shape(const Array& array, std::initializer_list<std::size_t> shape) {
    std::size_t axis = 0;
    for (std::size_t length : shape)
        if (array.shape(axis++) != length) return false;
    return true;
}

void simplex_qp(std::optional<In<double, 2>> points, std::optional<In<double, 2>> matrix, const nb::object& evaluate,
                const std::string& shape, double power, In<std::uint64_t, 1> starts, In<double, 2> bandwidths,
                std::size_t budget, In<double, 2> linear, In<double, 1> factors,
                std::optional<In<unsigned char, 2>> active, In<double, 3> coupling, std::optional<In<double, 2>> rates,
                double tolerance, std::int64_t max_iterations, Out<double, 3> weights, Out<double, 2> objectives,
                Out<double, 2> gaps, Out<std::int64_t, 2> iterations, Out<double, 3> floors, int threads,
                const nb::object& report) {
    const std::size_t chains = linear.shape(0), n = linear.shape(1), steps = factors.shape(0);
    require(n > 0 && chains > 0 && steps > 0, "linear and factors must not be empty");
    require_class_starts(starts, n);
    const std::size_t classes = starts.shape(0) - 1;
    for (std::size_t c = 0; c < classes; ++c)
        require(starts.data()[c] < starts.data()[c + 1], "every class must have a point");
    require(points.has_value() + matrix.has_value() + !evaluate.is_none() == 1,
            "give exactly one of points, matrix and evaluate");
    require(!points || (points->shape(0) == n && points->shape(1) <= largest_count), "points must have n rows");
    require(!matrix || has_shape(*matrix, {n, n}), "matrix must have shape (n, n)");
    require(has_shape(bandwidths, {classes, classes}), "bandwidths must have shape (classes, classes)");
    require(has_shape(coupling, {chains, classes, classes}), "coupling must have shape (chains, classes, classes)");
    require(!active || has_shape(*active, {chains, n}), "active must have shape (chains, n)");
    require(!rates || has_shape(*rates, {chains, classes}), "rates must have shape (chains, classes)");
    require(has_shape(weights, {chains, steps, n}), "weights must have shape (chains, steps, n)");
    require(has_shape(objectives, {chains, steps}), "objectives must have shape (chains, steps)");
    require(has_shape(gaps, {chains, steps}), "gaps must have shape (chains, steps)");
    require(has_shape(iterations, {chains, steps}), "iterations must have shape (chains, steps)");
    require(has_shape(floors, {chains, steps, classes}), "floors must have shape (chains, steps, classes)");
    require(power > 0 && power <= 1e6, "power must be positive and at most 1e6");
    parzen::GramInput gram;
    gram.n = n;
    gram.dimension = points ? static_cast<int>(points->shape(1)) : 0;
    gram.points = points ? points->data() : nullptr;
    gram.matrix = matrix ? matrix->data() : nullptr;
    if (!evaluate.is_none()) gram.evaluate = rows_from(evaluate, n);
    gram.shape = shape_named(shape);
    gram.power = power;
    gram.classes = static_cast<int>(classes);
    gram.starts = reinterpret_cast<const std::size_t*>(starts.data());
    gram.bandwidths = bandwidths.data();
    gram.budget = budget;
    const parzen::SimplexBatch batch{chains,
                                     steps,
                                     linear.data(),
                                     factors.data(),
                                     active ? active->data() : nullptr,
                                     coupling.data(),
                                     rates ? rates->data() : nullptr,
                                     tolerance,
                                     max_iterations,
                                     weights.data(),
                                     objectives.data(),
                                     gaps.data(),
                                     iterations.data(),
                                     floors.data()};
    parzen::SimplexProgress progress;
    without_lock(
        threads,
        [&](parzen::Control& control) {
            parzen::Gram rows(gram);
            parzen::solve_simplex(rows, batch, progress, control);
        },
        watch(progress, report));
}

}  // namespace

void bind_simplex(nb::module_& m) {
    m.def(
        "simplex_qp", &simplex_qp, "points"_a.noconvert().none(), "matrix"_a.noconvert().none(), "evaluate"_a.none(),
        "shape"_a, "power"_a, "starts"_a.noconvert(), "bandwidths"_a.noconvert(), "budget"_a, "linear"_a.noconvert(),
        "factors"_a.noconvert(), "active"_a.noconvert().none(), "coupling"_a.noconvert(), "rates"_a.noconvert().none(),
        "tolerance"_a, "max_iterations"_a, "weights"_a.noconvert(), "objectives"_a.noconvert(), "gaps"_a.noconvert(),
        "iterations"_a.noconvert(), "floors"_a.noconvert(), "threads"_a, "report"_a.none(),
        "Minimise 1/2 a'Qa - factor c'a over one simplex per class, for several chains and factors.\n\n"
        "The kernel matrix comes from points (n, d), sorted by class; from matrix (n, n); or from evaluate(i), row i\n"
        "of it. starts: (classes + 1,), the first point of every class; bandwidths: (classes, classes); linear:\n"
        "(chains, n), the c; factors: (steps,); active: (chains, n), 0 for points that take no part; coupling:\n"
        "(chains, classes, classes), Q_ij = coupling[class i, class j] K_ij; rates: (chains, classes), None if every\n"
        "class sums to one. Written: weights (chains, steps, n), whose step 0 holds the start; objectives, gaps and\n"
        "iterations (chains, steps); floors (chains, steps, classes), the smallest gradients. `budget` is the\n"
        "memory for rows in bytes. report(iterations, gap) is called now and then.");
}
