// Kernel sums over all pairs, and by sorting.
#include "parzen/sums.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>

#include "kernel.hpp"
#include "parzen/sorted.hpp"
#include "python.hpp"

namespace {

constexpr const char* sums_documentation =
    "Write sums[i, c, b] = sum_j weights[j, c, b] k_b(x_i, y_j) to `out`.\n\n"
    "queries: (q, d); points: (n, d); weights: (n, columns, 1 or bandwidths), None for ones; labels: (n,), the\n"
    "one column that each point adds to, and then weights have one column; bandwidths, log_normalizers: (b,);\n"
    "out: (q, columns, b). `kernel` is one of kernel_names(). `mode` is \"plain\"; \"log\" for the logarithms of\n"
    "the sums, or \"scaled\", which factors the largest kernel value out of every row and bandwidth and\n"
    "writes its logarithm to `log_scale`, (q, b). `same` says that queries and points are one sample in the\n"
    "same order, and `exclude_self` leaves out the pairs (i, i). Kernel j is wider by factors[j], at the same height.";

parzen::Mode mode_named(const std::string& name) {
    if (name == "plain") return parzen::Mode::plain;
    if (name == "log") return parzen::Mode::log;
    require(name == "scaled", "mode must be 'plain', 'log' or 'scaled'");
    return parzen::Mode::scaled;
}

// `strategy` is one of the functions that compute kernel sums; they take the same arguments.
template <class T, auto strategy, bool sorts>
void kernel_sums(In<T, 2> queries, In<T, 2> points, std::optional<In<T, 3>> weights, std::optional<In<int, 1>> labels,
                 const std::string& kernel, const std::vector<double>& parameters, In<double, 1> bandwidths,
                 In<double, 1> log_normalizers, const std::string& mode, bool same, bool exclude_self, Out<T, 3> out,
                 std::optional<Out<T, 2>> log_scale, int threads, std::optional<In<T, 1>> factors) {
    const std::size_t q = queries.shape(0), n = points.shape(0), d = points.shape(1);
    const std::size_t columns = out.shape(1), b = bandwidths.shape(0);
    require(n > 0 && d > 0 && b > 0 && columns > 0, "points, bandwidths and columns must not be empty");
    require(d <= largest_count, "points have too many columns");
    require(b <= largest_count && columns <= largest_count && columns * b <= 16 * largest_count,
            "there are too many columns and bandwidths");
    require(queries.shape(1) == d, "queries and points must have the same number of columns");
    require(log_normalizers.shape(0) == b, "log_normalizers must have one entry per bandwidth");
    require(std::all_of(bandwidths.data(), bandwidths.data() + b, [](double h) { return h > 0; }),
            "bandwidths must be positive");
    require(out.shape(0) == q && out.shape(2) == b, "out must have shape (queries, columns, bandwidths)");
    require(!same || q == n, "a sample and itself have the same number of rows");
    require(!exclude_self || q == n, "exclude_self needs as many queries as points");
    std::size_t depth = 1;
    if (weights) {
        depth = weights->shape(2);
        require(weights->shape(0) == n && weights->shape(1) == (labels ? 1 : columns),
                "weights must have shape (points, columns, 1 or bandwidths), with one column if there are labels");
        require(depth == 1 || depth == b, "weights must have one level, or one per bandwidth");
    }
    require(weights || labels || columns == 1, "several columns need weights or labels");
    if (labels) {
        require(labels->shape(0) == n, "labels must have one entry per point");
        const auto in_range = [&](int label) { return label >= 0 && static_cast<std::size_t>(label) < columns; };
        require(std::all_of(labels->data(), labels->data() + n, in_range), "labels must be columns of out");
    }
    if (factors) {
        require(factors->shape(0) == n, "factors must have one entry per point");
        require(std::all_of(factors->data(), factors->data() + n, [](T f) { return f > 0; }),
                "factors must be positive");
    }
    const parzen::Mode how = mode_named(mode);
    const bool scaled = how == parzen::Mode::scaled;
    require(!scaled || (log_scale && log_scale->shape(0) == q && log_scale->shape(1) == b),
            "log_scale must have shape (queries, bandwidths)");
    const parzen::Kernel known = kernel_named(kernel, parameters);
    require(!factors || parzen::measure_of(known.profile) != parzen::Measure::inner_product,
            "inner products take no factors");
    if constexpr (sorts) {
        require(!factors && (same || !exclude_self), "sums by sorting leave out a point itself, and take no factors");
        require(d == 1 && parzen::row_of(known.profile).sorted, "this kernel has no sums by sorting in this dimension");
        require_finite(points.data(), n, "points must be finite");
        require_finite(queries.data(), q, "queries must be finite");
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
                                     known,
                                     bandwidths.data(),
                                     log_normalizers.data(),
                                     static_cast<int>(b),
                                     same,
                                     exclude_self,
                                     factors ? factors->data() : nullptr};
    T* scale = scaled ? log_scale->data() : nullptr;
    pass_without_lock(threads, [&](parzen::Control& control) { strategy(input, how, out.data(), scale, control); });
}

template <class T, auto strategy, bool sorts>
void bind_strategy(nb::module_& m, const char* name) {
    m.def(name, &kernel_sums<T, strategy, sorts>, "queries"_a.noconvert(), "points"_a.noconvert(),
          "weights"_a.noconvert().none(), "labels"_a.noconvert().none(), "kernel"_a, "parameters"_a,
          "bandwidths"_a.noconvert(), "log_normalizers"_a.noconvert(), "mode"_a, "same"_a, "exclude_self"_a,
          "out"_a.noconvert(), "log_scale"_a.noconvert().none(), "threads"_a,
          "factors"_a.noconvert().none() = nb::none(), sums_documentation);
}

std::vector<std::string> kernel_names(const std::string& strategy) {
    require(strategy == "dense" || strategy == "tree" || strategy == "sorted",
            "strategy must be 'dense', 'tree' or 'sorted'");
    std::vector<std::string> names;
    for (const parzen::KernelRow& row : parzen::kernel_rows) {
        if (strategy == "dense" || (strategy == "tree" ? row.tree : row.sorted)) names.emplace_back(row.name);
    }
    return names;
}

}  // namespace

void bind_sums(nb::module_& m) {
    m.def("kernel_names", &kernel_names, "strategy"_a = "dense",
          "Return the kernels that a strategy of the core knows: \"dense\" (all of them), \"tree\" or \"sorted\".");
    bind_strategy<float, &parzen::kernel_sums<float>, false>(m, "kernel_sums");
    bind_strategy<double, &parzen::kernel_sums<double>, false>(m, "kernel_sums");
    bind_strategy<float, &parzen::sorted_sums<float>, true>(m, "sorted_sums");
    bind_strategy<double, &parzen::sorted_sums<double>, true>(m, "sorted_sums");
}
