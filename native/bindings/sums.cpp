// Kernel sums over all pairs, and by sorting.
#include "parzen/sums.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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

// What the sums are over. The arrays keep their memory alive.
template <class T>
struct Points {
    In<T, 2> points;
    std::optional<In<T, 3>> weights;
    std::optional<In<int, 1>> labels;
    parzen::Kernel kernel;
    In<double, 1> bandwidths, log_normalizers;
    std::optional<In<T, 1>> factors;
    std::size_t columns;

    // Checks everything but the queries.
    void check() const {
        const std::size_t n = points.shape(0), d = points.shape(1), b = bandwidths.shape(0);
        require(n > 0 && d > 0 && b > 0 && columns > 0, "points, bandwidths and columns must not be empty");
        require(d <= largest_count, "points have too many columns");
        require(b <= largest_count && columns <= largest_count && columns * b <= 16 * largest_count,
                "there are too many columns and bandwidths");
        require(log_normalizers.shape(0) == b, "log_normalizers must have one entry per bandwidth");
        require(std::all_of(bandwidths.data(), bandwidths.data() + b, [](double h) { return h > 0; }),
                "bandwidths must be positive");
        if (weights) {
            require(weights->shape(0) == n && weights->shape(1) == (labels ? 1 : columns),
                    "weights must have shape (points, columns, 1 or bandwidths), with one column if there are labels");
            require(depth() == 1 || depth() == b, "weights must have one level, or one per bandwidth");
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
            require(parzen::measure_of(kernel.profile) != parzen::Measure::inner_product,
                    "inner products take no factors");
        }
    }

    std::size_t depth() const { return weights ? weights->shape(2) : 1; }

    parzen::SumsInput<T> input() const {
        return {nullptr,
                0,
                points.data(),
                points.shape(0),
                static_cast<int>(points.shape(1)),
                weights ? weights->data() : nullptr,
                labels ? labels->data() : nullptr,
                static_cast<int>(columns),
                static_cast<int>(depth()),
                kernel,
                bandwidths.data(),
                log_normalizers.data(),
                static_cast<int>(bandwidths.shape(0)),
                false,
                false,
                factors ? factors->data() : nullptr};
    }
};

template <class T>
void check_queries(const Points<T>& over, parzen::Mode mode, const In<T, 2>& queries, const Out<T, 3>& out,
                   const std::optional<Out<T, 2>>& log_scale) {
    const std::size_t q = queries.shape(0), b = over.bandwidths.shape(0);
    require(queries.shape(1) == over.points.shape(1), "queries and points must have the same number of columns");
    require(out.shape(0) == q && out.shape(1) == over.columns && out.shape(2) == b,
            "out must have shape (queries, columns, bandwidths)");
    require(mode != parzen::Mode::scaled || (log_scale && log_scale->shape(0) == q && log_scale->shape(1) == b),
            "log_scale must have shape (queries, bandwidths)");
}

// `strategy` is one of the functions that compute kernel sums; they take the same arguments.
template <class T, auto strategy, bool sorts>
void kernel_sums(In<T, 2> queries, In<T, 2> points, std::optional<In<T, 3>> weights, std::optional<In<int, 1>> labels,
                 const std::string& kernel, const std::vector<double>& parameters, In<double, 1> bandwidths,
                 In<double, 1> log_normalizers, const std::string& mode, bool same, bool exclude_self, Out<T, 3> out,
                 std::optional<Out<T, 2>> log_scale, int threads, std::optional<In<T, 1>> factors) {
    const std::size_t q = queries.shape(0), n = points.shape(0), d = points.shape(1);
    const Points<T> over{points,     weights,         labels,  kernel_named(kernel, parameters),
                         bandwidths, log_normalizers, factors, out.shape(1)};
    over.check();
    const parzen::Mode how = mode_named(mode);
    check_queries(over, how, queries, out, log_scale);
    require(!same || q == n, "a sample and itself have the same number of rows");
    require(!exclude_self || q == n, "exclude_self needs as many queries as points");
    if constexpr (sorts) {
        require(!factors && (same || !exclude_self), "sums by sorting leave out a point itself, and take no factors");
        require(d == 1 && parzen::row_of(over.kernel.profile).sorted,
                "this kernel has no sums by sorting in this dimension");
        require_finite(points.data(), n, "points must be finite");
        require_finite(queries.data(), q, "queries must be finite");
    }
    parzen::SumsInput<T> input = over.input();
    input.queries = queries.data();
    input.n_queries = q;
    input.same = same;
    input.exclude_self = exclude_self;
    T* scale = how == parzen::Mode::scaled ? log_scale->data() : nullptr;
    pass_without_lock(threads, [&](parzen::Control& control) { strategy(input, how, out.data(), scale, control); });
}

// Sums over points that were packed once.
template <class T>
class Packed {
   public:
    Packed(Points<T> over, parzen::Mode mode) : over_(std::move(over)), mode_(mode), sums_(over_.input(), mode) {}

    bool at(const In<T, 2>& queries, Out<T, 3> out, std::optional<Out<T, 2>> log_scale) const {
        check_queries(over_, mode_, queries, out, log_scale);
        if (!sums_.is_current()) return false;
        T* scale = mode_ == parzen::Mode::scaled ? log_scale->data() : nullptr;
        pass_without_lock(1, [&](parzen::Control& control) {
            sums_.at(queries.data(), queries.shape(0), out.data(), scale, control);
        });
        return true;
    }

   private:
    Points<T> over_;
    parzen::Mode mode_;
    parzen::PackedSums<T> sums_;
};

template <class T>
std::unique_ptr<Packed<T>> pack(In<T, 2> points, std::optional<In<T, 3>> weights, std::optional<In<int, 1>> labels,
                                const std::string& kernel, const std::vector<double>& parameters,
                                In<double, 1> bandwidths, In<double, 1> log_normalizers, const std::string& mode,
                                std::size_t columns) {
    Points<T> over{points,     weights,         labels,       kernel_named(kernel, parameters),
                   bandwidths, log_normalizers, std::nullopt, columns};
    over.check();
    require(bandwidths.shape(0) == 1, "packed points have one bandwidth");
    return std::make_unique<Packed<T>>(std::move(over), mode_named(mode));
}

template <class T>
void bind_packed(nb::module_& m, const char* name) {
    nb::class_<Packed<T>>(m, name, "Points laid out for sums at a few queries at a time; made by `pack`.")
        .def("at", &Packed<T>::at, "queries"_a.noconvert(), "out"_a.noconvert(), "log_scale"_a.noconvert().none(),
             "Write what `kernel_sums` would, on one thread. False, and nothing written, where another instruction\n"
             "set is in use than when the points were packed.");
    m.def("pack", &pack<T>, "points"_a.noconvert(), "weights"_a.noconvert().none(), "labels"_a.noconvert().none(),
          "kernel"_a, "parameters"_a, "bandwidths"_a.noconvert(), "log_normalizers"_a.noconvert(), "mode"_a,
          "columns"_a, "Lay points out for sums at one bandwidth; the arguments are those of `kernel_sums`.");
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
    bind_packed<float>(m, "PackedFloat");
    bind_packed<double>(m, "PackedDouble");
    bind_strategy<float, &parzen::kernel_sums<float>, false>(m, "kernel_sums");
    bind_strategy<double, &parzen::kernel_sums<double>, false>(m, "kernel_sums");
    bind_strategy<float, &parzen::sorted_sums<float>, true>(m, "sorted_sums");
    bind_strategy<double, &parzen::sorted_sums<double>, true>(m, "sorted_sums");
}
