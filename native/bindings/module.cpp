// The one file that knows Python: checks shapes, lets go of the interpreter lock, and looks for
// Ctrl-C while the core works.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "parzen/few_products.hpp"
#include "parzen/metric.hpp"
#include "parzen/reflections.hpp"
#include "parzen/simplex_qp.hpp"
#include "parzen/sorted.hpp"
#include "parzen/sums.hpp"
#include "parzen/tile.hpp"
#include "parzen/tree.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T, int dimensions>
using In = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int dimensions>
using Out = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

void require(bool condition, const char* what) {
    if (!condition) throw nb::value_error(what);
}

bool interrupted() {
    const nb::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
}

// Looks for Ctrl-C and tells whoever listens in parzen._core.progress how far the pass is.
bool interrupted_or_told(const parzen::Control& control) {
    const nb::gil_scoped_acquire lock;
    if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0) return true;
    PyObject* listeners = PyImport_ImportModule("parzen._core.progress");
    PyObject* result = listeners == nullptr ? nullptr : PyObject_CallMethod(listeners, "tell", "d", control.share());
    Py_XDECREF(result);
    Py_XDECREF(listeners);
    return result == nullptr;
}

// Watches a solver: looks for Ctrl-C and tells `report`, unless it is None, how far the work is.
std::function<bool()> watch(const parzen::SimplexProgress& progress, const nb::object& report) {
    return [&progress, &report] {
        const nb::gil_scoped_acquire lock;
        // Asked again before the workers have stopped: the exception is set already.
        if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0) return true;
        if (report.is_none()) return false;
        PyObject* result = PyObject_CallFunction(report.ptr(), "Ld", static_cast<long long>(progress.iterations.load()),
                                                 progress.gap.load());
        Py_XDECREF(result);
        return result == nullptr;
    };
}

// Runs `work(control)` without the interpreter lock; an interruption surfaces as KeyboardInterrupt.
template <class Work>
void without_lock(int threads, Work work, std::function<bool()> poll = interrupted) {
    parzen::Control control(threads, std::move(poll));
    try {
        const nb::gil_scoped_release release;
        work(control);
    } catch (const parzen::Interrupted&) {
        throw nb::python_error();  // the handler's exception is already set
    }
}

// The same for one pass over pairs, whose listeners hear how far it is.
template <class Work>
void pass_without_lock(int threads, Work work) {
    const parzen::Control* pass = nullptr;
    without_lock(
        threads,
        [&](parzen::Control& control) {
            pass = &control;
            work(control);
        },
        [&] { return interrupted_or_told(*pass); });
}

parzen::Kernel make_kernel(const std::string& name, const std::vector<double>& parameters) {
    using parzen::Profile;
    const auto parameter = [&](std::size_t i) {
        require(i < parameters.size(), "the kernel profile lacks a parameter");
        return parameters[i];
    };
    parzen::Kernel kernel;
    if (name == "gaussian") {
        kernel.profile = Profile::gaussian;
    } else if (name == "laplacian") {
        kernel.profile = Profile::laplacian;
    } else if (name == "radial_laplacian") {
        kernel.profile = Profile::radial_laplacian;
    } else if (name == "rational") {
        kernel.profile = Profile::rational;
        kernel.power = parameter(0);
    } else if (name == "uniform") {
        kernel.profile = Profile::uniform;
    } else if (name == "triangular") {
        kernel.profile = Profile::triangular;
    } else if (name == "epanechnikov") {
        kernel.profile = Profile::epanechnikov;
    } else if (name == "gaussian_exponential") {
        kernel.profile = Profile::gaussian_exponential;
        kernel.epsilon = parameter(0);
    } else if (name == "polynomial") {
        kernel.profile = Profile::polynomial;
        kernel.constant = parameter(0);
        kernel.degree = static_cast<int>(parameter(1));
    } else {
        throw nb::value_error("unknown kernel profile");
    }
    return kernel;
}

// `strategy` is one of the functions that compute kernel sums; they take the same arguments.
template <class T, auto strategy>
void kernel_sums(In<T, 2> queries, In<T, 2> points, std::optional<In<T, 3>> weights, std::optional<In<int, 1>> labels,
                 const std::string& kernel, const std::vector<double>& parameters, In<double, 1> bandwidths,
                 In<double, 1> log_normalizers, const std::string& mode, bool same, bool exclude_self, Out<T, 3> out,
                 std::optional<Out<T, 2>> log_scale, int threads) {
    const std::size_t q = queries.shape(0), n = points.shape(0), d = points.shape(1);
    const std::size_t columns = out.shape(1), b = bandwidths.shape(0);
    require(n > 0 && d > 0 && b > 0 && columns > 0, "empty points, bandwidths or columns");
    require(queries.shape(1) == d, "queries and points differ in width");
    require(log_normalizers.shape(0) == b, "one log-normaliser per bandwidth");
    require(out.shape(0) == q && out.shape(2) == b, "the output has the wrong shape");
    require(!same || q == n, "the same sample has one size");
    require(!exclude_self || same, "exclude_self needs queries that are the points");
    std::size_t depth = 1;
    if (weights) {
        depth = weights->shape(2);
        require(weights->shape(0) == n && weights->shape(1) == (labels ? 1 : columns), "weights have the wrong shape");
        require(depth == 1 || depth == b, "weights are per bandwidth or for all");
    }
    require(weights || labels || columns == 1, "several columns need weights or labels");
    if (labels) {
        require(labels->shape(0) == n, "one label per point");
        for (std::size_t j = 0; j < n; ++j) {
            const int label = labels->data()[j];
            require(label >= 0 && static_cast<std::size_t>(label) < columns, "a label is out of range");
        }
    }
    parzen::Mode how;
    if (mode == "plain") {
        how = parzen::Mode::plain;
    } else if (mode == "log") {
        how = parzen::Mode::log;
    } else {
        how = parzen::Mode::scaled;
        require(log_scale && log_scale->shape(0) == q && log_scale->shape(1) == b, "log_scale has the wrong shape");
    }
    const parzen::SumsInput<T> input{queries.data(),
                                     q,
                                     points.data(),
                                     n,
                                     static_cast<int>(d),
                                     weights ? weights->data() : nullptr,
                                     labels ? labels->data() : nullptr,
                                     static_cast<int>(columns),
                                     static_cast<int>(depth),
                                     make_kernel(kernel, parameters),
                                     bandwidths.data(),
                                     log_normalizers.data(),
                                     static_cast<int>(b),
                                     same,
                                     exclude_self};
    T* scale = how == parzen::Mode::scaled ? log_scale->data() : nullptr;
    pass_without_lock(threads, [&](parzen::Control& control) { strategy(input, how, out.data(), scale, control); });
}

template <class T, auto strategy>
void bind_sums(nb::module_& m, const char* name) {
    m.def(name, &kernel_sums<T, strategy>, "queries"_a.noconvert(), "points"_a.noconvert(),
          "weights"_a.noconvert().none(), "labels"_a.noconvert().none(), "kernel"_a, "parameters"_a,
          "bandwidths"_a.noconvert(), "log_normalizers"_a.noconvert(), "mode"_a, "same"_a, "exclude_self"_a,
          "out"_a.noconvert(), "log_scale"_a.noconvert().none(), "threads"_a);
}

// Rows of a matrix from a function of Python's: rows(i) gives row i.
std::function<void(std::size_t, double*)> evaluate_by(const nb::object& rows, std::size_t n) {
    return [&rows, n](std::size_t i, double* row) {
        const nb::gil_scoped_acquire lock;
        const auto values = nb::cast<In<double, 1>>(rows(i));
        require(values.shape(0) == n, "a row has the wrong length");
        std::copy(values.data(), values.data() + n, row);
    };
}

// Programmes over one sample: see simplex_qp.hpp for the arrays.
void simplex_qp(std::optional<In<double, 2>> points, std::optional<In<double, 2>> matrix, const nb::object& evaluate,
                const std::string& shape, double power, In<std::uint64_t, 1> starts, In<double, 2> bandwidths,
                std::size_t budget, In<double, 2> linear, In<double, 1> factors,
                std::optional<In<unsigned char, 2>> active, In<double, 3> coupling, std::optional<In<double, 2>> rates,
                double tolerance, std::int64_t max_iterations, Out<double, 3> weights, Out<double, 2> objectives,
                Out<double, 2> gaps, Out<std::int64_t, 2> iterations, Out<double, 3> floors, int threads,
                const nb::object& report) {
    static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
    const std::size_t chains = linear.shape(0), n = linear.shape(1), steps = factors.shape(0);
    const std::size_t classes = starts.shape(0) - 1;
    require(points.has_value() + matrix.has_value() + !evaluate.is_none() == 1, "give the points or the matrix");
    require(!points || points->shape(0) == n, "one row per point");
    require(!matrix || (matrix->shape(0) == n && matrix->shape(1) == n), "one row and column per point");
    require(n > 0 && chains > 0 && steps > 0 && starts.shape(0) > 1, "nothing to solve");
    require(starts.data()[0] == 0 && starts.data()[classes] == n, "the classes must cover the points");
    for (std::size_t c = 0; c < classes; ++c) require(starts.data()[c] < starts.data()[c + 1], "an empty class");
    require(bandwidths.shape(0) == classes && bandwidths.shape(1) == classes, "one bandwidth per pair of classes");
    require(coupling.shape(0) == chains && coupling.shape(1) == classes && coupling.shape(2) == classes, "coupling");
    require(!active || (active->shape(0) == chains && active->shape(1) == n), "active has the wrong shape");
    require(!rates || (rates->shape(0) == chains && rates->shape(1) == classes), "rates have the wrong shape");
    require(weights.shape(0) == chains && weights.shape(1) == steps && weights.shape(2) == n, "weights");
    require(objectives.shape(0) == chains && objectives.shape(1) == steps, "objectives");
    require(gaps.shape(0) == chains && gaps.shape(1) == steps, "gaps");
    require(iterations.shape(0) == chains && iterations.shape(1) == steps, "iterations");
    require(floors.shape(0) == chains && floors.shape(1) == steps && floors.shape(2) == classes, "floors");
    parzen::GramInput gram;
    gram.n = n;
    gram.dimension = points ? static_cast<int>(points->shape(1)) : 0;
    gram.points = points ? points->data() : nullptr;
    gram.matrix = matrix ? matrix->data() : nullptr;
    if (!evaluate.is_none()) gram.evaluate = evaluate_by(evaluate, n);
    if (shape == "rational") {
        gram.shape = parzen::GramShape::rational;
    } else if (shape == "product_laplacian") {
        gram.shape = parzen::GramShape::product_laplacian;
    } else {
        require(shape == "gaussian", "unknown shape");
    }
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

// The metric's likelihood: see metric.hpp for the arrays. Gradients are written in place.
template <class T>
double metric_loss(In<T, 2> queries, In<T, 2> points, bool absolute, In<std::uint64_t, 1> starts, In<T, 1> weights,
                   In<int, 1> labels, std::optional<In<std::int64_t, 1>> own, In<T, 1> left, In<double, 2> log_sizes,
                   In<double, 2> base, In<double, 1> shares, In<double, 1> parameters, Out<double, 1> gradient,
                   std::optional<Out<double, 2>> log_means, int threads) {
    const std::size_t m = queries.shape(0), n = points.shape(0), d = points.shape(1), k = starts.shape(0) - 1;
    require(n > 0 && d > 0 && queries.shape(1) == d && starts.shape(0) > 1, "queries and points differ in width");
    require(starts.data()[0] == 0 && starts.data()[k] == n && weights.shape(0) == n, "one class and weight per point");
    for (std::size_t c = 0; c < k; ++c) require(starts.data()[c] <= starts.data()[c + 1], "starts must ascend");
    require(labels.shape(0) == m && left.shape(0) == m && shares.shape(0) == m, "one entry per query");
    for (std::size_t i = 0; i < m; ++i) {
        require(labels.data()[i] >= 0 && static_cast<std::size_t>(labels.data()[i]) < k, "a label is out of range");
        require(!own || (own->data()[i] >= -1 && own->data()[i] < static_cast<std::int64_t>(n)), "own is no point");
    }
    require(!own || own->shape(0) == m, "one place per query");
    require(log_sizes.shape(0) == m && log_sizes.shape(1) == k, "log_sizes has the wrong shape");
    require(base.shape(0) == m && base.shape(1) == k, "base has the wrong shape");
    require(parameters.shape(0) == d + 2 * k + 1 && gradient.shape(0) == d + 2 * k + 1,
            "weights, slopes, offsets, tau");
    require(!log_means || (log_means->shape(0) == m && log_means->shape(1) == k), "log_means has the wrong shape");
    const parzen::MetricSample<T> sample{queries.data(),
                                         m,
                                         points.data(),
                                         n,
                                         static_cast<int>(d),
                                         absolute,
                                         reinterpret_cast<const std::size_t*>(starts.data()),
                                         static_cast<int>(k),
                                         weights.data(),
                                         labels.data(),
                                         own ? own->data() : nullptr,
                                         left.data(),
                                         log_sizes.data(),
                                         base.data(),
                                         shares.data()};
    const double* p = parameters.data();
    const parzen::MetricParameters values{p, p + d, p + d + k, p[d + 2 * k]};
    double* g = gradient.data();
    parzen::MetricGradient slopes{g, g + d, g + d + k, 0.0};
    double loss = 0;
    without_lock(threads, [&](parzen::Control& control) {
        loss = parzen::metric_loss<T>(sample, values, slopes, log_means ? log_means->data() : nullptr, control);
    });
    g[d + 2 * k] = slopes.temperature;
    return loss;
}

template <class T>
void bind_metric(nb::module_& m) {
    m.def("metric_loss", &metric_loss<T>, "queries"_a.noconvert(), "points"_a.noconvert(), "absolute"_a,
          "starts"_a.noconvert(), "weights"_a.noconvert(), "labels"_a.noconvert(), "own"_a.noconvert().none(),
          "left"_a.noconvert(), "log_sizes"_a.noconvert(), "base"_a.noconvert(), "shares"_a.noconvert(),
          "parameters"_a.noconvert(), "gradient"_a.noconvert(), "log_means"_a.noconvert().none(), "threads"_a);
}

// Trees over the columns' points, and the queries in the columns' spaces: see tree.hpp.
std::unique_ptr<parzen::Forest> make_forest(const std::vector<In<double, 2>>& points,
                                            const std::vector<std::optional<In<double, 1>>>& weights,
                                            const std::vector<double>& bandwidths, const std::string& kernel,
                                            const std::vector<double>& parameters, int threads) {
    require(!points.empty() && weights.size() == points.size() && bandwidths.size() == points.size(), "columns");
    std::vector<parzen::ColumnInput> columns;
    for (std::size_t j = 0; j < points.size(); ++j) {
        require(points[j].shape(1) == points[0].shape(1) && points[j].shape(1) > 0, "columns differ in width");
        require(!weights[j] || weights[j]->shape(0) == points[j].shape(0), "one weight per point");
        columns.push_back(
            {points[j].data(), points[j].shape(0), weights[j] ? weights[j]->data() : nullptr, bandwidths[j]});
    }
    std::unique_ptr<parzen::Forest> forest;
    without_lock(threads, [&](parzen::Control& control) {
        forest = std::make_unique<parzen::Forest>(columns, static_cast<int>(points[0].shape(1)),
                                                  make_kernel(kernel, parameters), control);
    });
    return forest;
}

std::vector<const double*> columns_of(const parzen::Forest& forest, const std::vector<In<double, 2>>& queries) {
    require(queries.size() == 1 || queries.size() == forest.columns(), "queries for one or for all columns");
    std::vector<const double*> data;
    for (const In<double, 2>& x : queries) {
        require(x.shape(1) == static_cast<std::size_t>(forest.dimension()), "queries and points differ in width");
        require(x.shape(0) == queries[0].shape(0), "queries differ in number");
        data.push_back(x.data());
    }
    return data;
}

nb::tuple tree_sums(const parzen::Forest& forest, const std::vector<In<double, 2>>& queries, double rtol,
                    Out<double, 2> values, Out<double, 2> levels, int threads,
                    const std::vector<In<std::int64_t, 1>>& own) {
    const std::vector<const double*> x = columns_of(forest, queries);
    const std::size_t n = queries[0].shape(0);
    for (const Out<double, 2>& out : {values, levels})
        require(out.shape(0) == n && out.shape(1) == forest.columns(), "the output's shape");
    require(own.empty() || own.size() == forest.columns(), "own points for all columns");
    std::vector<const std::int64_t*> left_out;
    for (std::size_t j = 0; j < own.size(); ++j) {
        require(own[j].shape(0) == n, "one own point per query");
        const auto points = static_cast<std::int64_t>(forest.points(j));
        require(std::all_of(own[j].data(), own[j].data() + n, [&](std::int64_t i) { return i < points; }),
                "own points");
        left_out.push_back(own[j].data());
    }
    parzen::TreeWork work;
    pass_without_lock(threads, [&](parzen::Control& control) {
        work = forest.sums(x, n, rtol, values.data(), levels.data(), control, left_out);
    });
    return nb::make_tuple(work.pairs, work.nodes, work.quick_pairs, work.quick_nodes);
}

nb::tuple tree_decide(const parzen::Forest& forest, const std::vector<In<double, 2>>& queries,
                      std::optional<In<double, 2>> costs, bool constant, double exponent, In<double, 1> log_shift,
                      std::optional<double> reject, std::optional<double> novelty, double margin,
                      Out<std::int32_t, 1> labels, int threads) {
    const std::vector<const double*> x = columns_of(forest, queries);
    const std::size_t columns = forest.columns() + (constant ? 1 : 0);
    require(!costs || (costs->shape(0) == columns && costs->shape(1) > 0), "costs have the wrong shape");
    require(costs || !constant, "a constant needs costs");
    require(log_shift.shape(0) == forest.columns(), "one shift per column");
    require(labels.shape(0) == queries[0].shape(0), "one label per query");
    parzen::Rule rule;
    rule.options = static_cast<int>(costs ? costs->shape(1) : columns);
    rule.costs = costs ? costs->data() : nullptr;
    rule.constant = constant;
    rule.exponent = exponent;
    rule.log_shift = log_shift.data();
    rule.rejects = reject.has_value();
    rule.reject = reject.value_or(0);
    rule.has_novelty = novelty.has_value();
    rule.novelty = novelty.value_or(0);
    rule.margin = margin;
    parzen::TreeWork work;
    pass_without_lock(threads, [&](parzen::Control& control) {
        work = forest.decide(x, queries[0].shape(0), rule, labels.data(), control);
    });
    return nb::make_tuple(work.pairs, work.nodes, work.quick_pairs, work.quick_nodes);
}

template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
parzen::Matrix<T> as_matrix(const Rows<T>& rows) {
    require(rows.stride(1) == 1 || rows.shape(1) <= 1, "every row of the matrix must be contiguous");
    require(rows.stride(0) >= 0, "the rows of the matrix must be in order");
    return {rows.data(), rows.shape(0), rows.shape(1), static_cast<std::size_t>(rows.stride(0))};
}

// vectors @ matrix, or vectors @ matrix'.
template <class T, bool transposed>
void few_products(In<double, 2> vectors, Rows<T> matrix, Out<double, 2> out) {
    require(vectors.shape(1) == matrix.shape(transposed ? 1 : 0), "the factors do not fit");
    require(out.shape(0) == vectors.shape(0) && out.shape(1) == matrix.shape(transposed ? 0 : 1), "the output's shape");
    const parzen::Matrix<T> m = as_matrix(matrix);
    const auto multiply = transposed ? parzen::few_transposed_products<T> : parzen::few_products<T>;
    const nb::gil_scoped_release release;
    multiply(vectors.data(), vectors.shape(0), m, out.data());
}

template <class T>
void bind_few_products(nb::module_& m) {
    m.def("few_products", &few_products<T, false>, "left"_a.noconvert(), "matrix"_a.noconvert(), "out"_a.noconvert());
    m.def("few_transposed_products", &few_products<T, true>, "right"_a.noconvert(), "matrix"_a.noconvert(),
          "out"_a.noconvert());
}

template <class T>
void triangle_of(In<double, 2> rows, Out<T, 2> triangle, int threads) {
    const std::size_t n = rows.shape(1);
    require(triangle.shape(0) == n && triangle.shape(1) == n, "the triangle has the width of the rows");
    without_lock(threads, [&](parzen::Control& control) {
        parzen::triangle_of(rows.data(), rows.shape(0), n, triangle.data(), control);
    });
}

template <class T>
void join_diagonal(In<T, 1> diagonal, Out<T, 2> triangle, int threads) {
    const std::size_t n = diagonal.shape(0);
    require(triangle.shape(0) == n && triangle.shape(1) == n, "one element per column");
    without_lock(threads, [&](parzen::Control& control) {
        parzen::join_diagonal(diagonal.data(), n, triangle.data(), control);
    });
}

template <class T>
void bind_reflections(nb::module_& m) {
    m.def("triangle_of", &triangle_of<T>, "rows"_a.noconvert(), "triangle"_a.noconvert(), "threads"_a);
    m.def("join_diagonal", &join_diagonal<T>, "diagonal"_a.noconvert(), "triangle"_a.noconvert(), "threads"_a);
}

void gaussian_of_products(Out<double, 2> values, In<double, 1> a, In<double, 1> b) {
    require(a.shape(0) == values.shape(0) && b.shape(0) == values.shape(1), "one shift per row and per column");
    const nb::gil_scoped_release release;
    parzen::gaussian_of_products(values.data(), values.shape(0), values.shape(1), a.data(), b.data());
}

template <class T>
void bind_limits(nb::module_& m, const char* peak, const char* exponentials) {
    m.def(peak, [](std::ptrdiff_t count) { return parzen::tile_ops<T>().peak_multiply_add(count); }, "count"_a);
    m.def(
        exponentials,
        [](In<T, 1> u, T scale, int repeats) {
            T sum = 0;
            for (int i = 0; i < repeats; ++i)
                sum += parzen::tile_ops<T>().sum_exponentials(u.data(), static_cast<int>(u.shape(0)), scale);
            return sum;
        },
        "u"_a, "scale"_a, "repeats"_a);
}

}  // namespace

NB_MODULE(_native, m) {
    m.attr("build_type") = PARZEN_BUILD_TYPE;
    m.attr("compiler") = PARZEN_COMPILER;
    bind_sums<float, &parzen::kernel_sums<float>>(m, "kernel_sums");
    bind_sums<double, &parzen::kernel_sums<double>>(m, "kernel_sums");
    bind_sums<float, &parzen::sorted_sums<float>>(m, "sorted_sums");
    bind_sums<double, &parzen::sorted_sums<double>>(m, "sorted_sums");
    bind_metric<float>(m);
    bind_metric<double>(m);
    bind_limits<float>(m, "peak_multiply_add_float32", "sum_exponentials_float32");
    bind_limits<double>(m, "peak_multiply_add_float64", "sum_exponentials_float64");
    m.def("simplex_qp", &simplex_qp, "points"_a.noconvert().none(), "matrix"_a.noconvert().none(), "evaluate"_a.none(),
          "shape"_a, "power"_a, "starts"_a.noconvert(), "bandwidths"_a.noconvert(), "budget"_a, "linear"_a.noconvert(),
          "factors"_a.noconvert(), "active"_a.noconvert().none(), "coupling"_a.noconvert(),
          "rates"_a.noconvert().none(), "tolerance"_a, "max_iterations"_a, "weights"_a.noconvert(),
          "objectives"_a.noconvert(), "gaps"_a.noconvert(), "iterations"_a.noconvert(), "floors"_a.noconvert(),
          "threads"_a, "report"_a.none());
    nb::class_<parzen::Forest>(m, "Forest")
        .def("sums", &tree_sums, "queries"_a, "rtol"_a, "values"_a.noconvert(), "levels"_a.noconvert(), "threads"_a,
             "own"_a = std::vector<In<std::int64_t, 1>>())
        .def("decide", &tree_decide, "queries"_a, "costs"_a.noconvert().none(), "constant"_a, "exponent"_a,
             "log_shift"_a.noconvert(), "reject"_a.none(), "novelty"_a.none(), "margin"_a, "labels"_a.noconvert(),
             "threads"_a);
    m.def("make_forest", &make_forest, "points"_a, "weights"_a, "bandwidths"_a, "kernel"_a, "parameters"_a,
          "threads"_a);
    bind_few_products<float>(m);
    bind_few_products<double>(m);
    bind_reflections<float>(m);
    bind_reflections<double>(m);
    m.def("gaussian_of_products", &gaussian_of_products, "values"_a.noconvert(), "a"_a.noconvert(), "b"_a.noconvert());
    m.def("lanes_float64", [] { return parzen::tile_ops<double>().lanes; });
    m.def("instruction_set", [] { return std::string(parzen::instruction_set()); });
    m.def("instruction_sets", [] {
        int count = 0;
        const parzen::InstructionSet* sets = parzen::instruction_sets(&count);
        nb::list result;
        for (int i = 0; i < count; ++i) result.append(nb::make_tuple(sets[i].name, sets[i].supported()));
        return result;
    });
    m.def(
        "choose_instruction_set", [](const std::string& name) { return parzen::choose_instruction_set(name.c_str()); },
        "name"_a);
}
