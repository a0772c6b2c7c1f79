// Kernel sums and decisions by trees.
#include "parzen/tree.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel.hpp"
#include "python.hpp"

namespace {

using Places = In<std::int64_t, 1>;

void check_column(const In<double, 2>& points, const std::optional<In<double, 1>>& weights, double bandwidth) {
    const std::size_t n = points.shape(0);
    require(n <= largest_tree, "a column has too many points");
    require_finite(points.data(), n * points.shape(1), "points must be finite");
    require(bandwidth > 0 && std::isfinite(bandwidth), "bandwidths must be positive and finite");
    if (!weights) return;
    require(weights->shape(0) == n, "weights must have one entry per point");
    const auto valid = [](double w) { return w >= 0 && std::isfinite(w); };
    require(std::all_of(weights->data(), weights->data() + n, valid), "weights must be finite and not negative");
}

std::unique_ptr<parzen::Forest> make_forest(const std::vector<In<double, 2>>& points,
                                            const std::vector<std::optional<In<double, 1>>>& weights,
                                            const std::vector<double>& bandwidths, const std::string& kernel,
                                            const std::vector<double>& parameters, int threads) {
    require(!points.empty() && points.size() <= largest_count, "a forest has at least one column, and not too many");
    require(weights.size() == points.size(), "weights must have one entry per column");
    require(bandwidths.size() == points.size(), "bandwidths must have one entry per column");
    const std::size_t d = points[0].shape(1);
    require(d > 0 && d <= largest_count, "points must have at least one column, and not too many");
    const parzen::Kernel known = kernel_named(kernel, parameters);
    require(parzen::row_of(known.profile).tree, "the tree has no bounds for this kernel");
    std::vector<parzen::ColumnInput> columns;
    for (std::size_t j = 0; j < points.size(); ++j) {
        require(points[j].shape(1) == d, "all columns must have points of the same width");
        check_column(points[j], weights[j], bandwidths[j]);
        columns.push_back(
            {points[j].data(), points[j].shape(0), weights[j] ? weights[j]->data() : nullptr, bandwidths[j]});
    }
    std::unique_ptr<parzen::Forest> forest;
    without_lock(threads, [&](parzen::Control& control) {
        forest = std::make_unique<parzen::Forest>(columns, static_cast<int>(d), known, control);
    });
    return forest;
}

// The queries of every column, or of all columns together.
std::vector<const double*> checked_queries(const parzen::Forest& forest, const std::vector<In<double, 2>>& queries) {
    require(queries.size() == 1 || queries.size() == forest.columns(), "queries must be one array, or one per column");
    std::vector<const double*> data;
    for (const In<double, 2>& x : queries) {
        require(x.shape(1) == static_cast<std::size_t>(forest.dimension()), "queries must be as wide as the points");
        require(x.shape(0) == queries[0].shape(0), "all columns must have the same number of queries");
        require_finite(x.data(), x.shape(0) * x.shape(1), "queries must be finite");
        data.push_back(x.data());
    }
    return data;
}

std::vector<const std::int64_t*> checked_places(const parzen::Forest& forest, const std::vector<Places>& own,
                                                std::size_t queries) {
    require(own.empty() || own.size() == forest.columns(), "own must be empty or have one array per column");
    std::vector<const std::int64_t*> places;
    for (std::size_t j = 0; j < own.size(); ++j) {
        require(own[j].shape(0) == queries, "own must have one entry per query");
        const auto points = static_cast<std::int64_t>(forest.points(j));
        const auto valid = [&](std::int64_t i) { return i >= -1 && i < points; };
        require(std::all_of(own[j].data(), own[j].data() + queries, valid), "own must be points of the column or -1");
        places.push_back(own[j].data());
    }
    return places;
}

nb::tuple as_tuple(const parzen::TreeWork& work) {
    return nb::make_tuple(work.pairs, work.nodes, work.quick_pairs, work.quick_nodes);
}

nb::tuple sums(const parzen::Forest& forest, const std::vector<In<double, 2>>& queries, double rtol,
               Out<double, 2> values, Out<double, 2> levels, int threads, const std::vector<Places>& own) {
    const std::vector<const double*> x = checked_queries(forest, queries);
    const std::size_t n = queries[0].shape(0);
    for (const Out<double, 2>& out : {values, levels})
        require(out.shape(0) == n && out.shape(1) == forest.columns(), "values and levels must be (queries, columns)");
    const std::vector<const std::int64_t*> places = checked_places(forest, own, n);
    require(rtol > 0 && rtol < 1, "rtol must be a relative error between 0 and 1");
    parzen::TreeWork work;
    pass_without_lock(threads, [&](parzen::Control& control) {
        work = forest.sums(x, n, rtol, values.data(), levels.data(), control, places);
    });
    return as_tuple(work);
}

nb::tuple decide(const parzen::Forest& forest, const std::vector<In<double, 2>>& queries,
                 std::optional<In<double, 2>> costs, bool constant, double exponent, In<double, 1> log_shift,
                 std::optional<double> reject, std::optional<double> novelty, double margin,
                 Out<std::int32_t, 1> labels, int threads) {
    const std::vector<const double*> x = checked_queries(forest, queries);
    const std::size_t columns = forest.columns() + (constant ? 1 : 0);
    require(!costs || (costs->shape(0) == columns && costs->shape(1) > 0 && costs->shape(1) <= largest_count),
            "costs must have one row per column, and at least one option");
    require(costs || !constant, "a constant column needs costs");
    require(log_shift.shape(0) == forest.columns(), "log_shift must have one entry per column");
    require(labels.shape(0) == queries[0].shape(0), "labels must have one entry per query");
    require(exponent > 0 && exponent <= 1e6, "exponent must be positive and at most 1e6");
    require(margin >= 0 && margin < 1, "margin must be a relative difference below 1");
    const auto is_shift = [](double shift) { return shift < std::numeric_limits<double>::infinity(); };
    require(std::all_of(log_shift.data(), log_shift.data() + log_shift.shape(0), is_shift),
            "log_shift must be numbers below infinity");
    if (costs) require_finite(costs->data(), costs->shape(0) * costs->shape(1), "costs must be finite");
    require(!reject || std::isfinite(*reject), "reject must be finite");
    require(!novelty || !std::isnan(*novelty), "novelty must be a number");
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
    return as_tuple(work);
}

}  // namespace

void bind_tree(nb::module_& m) {
    nb::class_<parzen::Forest>(m, "Forest", "One kd-tree for each column of kernel sums.")
        .def("sums", &sums, "queries"_a, "rtol"_a, "values"_a.noconvert(), "levels"_a.noconvert(), "threads"_a,
             "own"_a = std::vector<Places>(),
             "Write values * exp(levels), both (q, columns), within `rtol` of the sums in units of the peak.\n\n"
             "queries: a list of one array (q, d), or of one per column. own: a list of one array (q,) per column,\n"
             "the point that each query leaves out, -1 for none. Returns the work: pairs and nodes in double\n"
             "precision, then pairs and nodes in single precision.")
        .def("decide", &decide, "queries"_a, "costs"_a.noconvert().none(), "constant"_a, "exponent"_a,
             "log_shift"_a.noconvert(), "reject"_a.none(), "novelty"_a.none(), "margin"_a, "labels"_a.noconvert(),
             "threads"_a,
             "Write the option of smallest expected cost for every query to `labels`, (q,), or a negative code.\n\n"
             "Columns are A_j = S_j^exponent exp(log_shift_j), log_shift: (columns,); costs: (columns, options), with\n"
             "one more row for the constant 1 if `constant`; None takes the largest A_j. Codes: -1 undecided within\n"
             "`margin`, -2 ambiguous (every cost above `reject`), -3 novel (log sum below `novelty`), -4 out of\n"
             "reach of every kernel. Returns the work as `sums` does.");
    m.def("make_forest", &make_forest, "points"_a, "weights"_a, "bandwidths"_a, "kernel"_a, "parameters"_a, "threads"_a,
          "Build the trees of some columns: points[j] is (n_j, d), weights[j] (n_j,) not negative or None.\n\n"
          "`kernel` is one of kernel_names(\"tree\").");
}
