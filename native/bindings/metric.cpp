// The likelihood of a metric.
#include "parzen/metric.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "python.hpp"

namespace {

template <class T>
double metric_loss(In<T, 2> queries, In<T, 2> points, bool absolute, In<std::uint64_t, 1> starts, In<T, 1> weights,
                   In<int, 1> labels, std::optional<In<std::int64_t, 1>> own, In<T, 1> left, In<double, 2> log_sizes,
                   In<double, 2> base, In<double, 1> shares, In<double, 1> parameters, Out<double, 1> gradient,
                   std::optional<Out<double, 2>> log_means, int threads) {
    const std::size_t m = queries.shape(0), n = points.shape(0), d = points.shape(1);
    require(n > 0 && d > 0 && d <= largest_count, "points must have rows, and columns that are not too many");
    require(queries.shape(1) == d, "queries and points must have the same number of columns");
    require_class_starts(starts, n);
    const std::size_t k = starts.shape(0) - 1;
    require(weights.shape(0) == n, "weights must have one entry per point");
    require(labels.shape(0) == m && left.shape(0) == m && shares.shape(0) == m && (!own || own->shape(0) == m),
            "labels, own, left and shares must have one entry per query");
    const auto is_class = [&](int label) { return label >= 0 && static_cast<std::size_t>(label) < k; };
    require(std::all_of(labels.data(), labels.data() + m, is_class), "labels must be classes");
    const auto is_point = [&](std::int64_t i) { return i >= -1 && i < static_cast<std::int64_t>(n); };
    require(!own || std::all_of(own->data(), own->data() + m, is_point), "own must be points or -1");
    require(log_sizes.shape(0) == m && log_sizes.shape(1) == k, "log_sizes must have shape (queries, classes)");
    require(base.shape(0) == m && base.shape(1) == k, "base must have shape (queries, classes)");
    require(parameters.shape(0) == d + 2 * k + 1, "parameters must be d weights, k slopes, k offsets, temperature");
    require(gradient.shape(0) == d + 2 * k + 1, "gradient must have one entry per parameter");
    require(!log_means || (log_means->shape(0) == m && log_means->shape(1) == k),
            "log_means must have shape (queries, classes)");
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
void bind(nb::module_& m) {
    m.def("metric_loss", &metric_loss<T>, "queries"_a.noconvert(), "points"_a.noconvert(), "absolute"_a,
          "starts"_a.noconvert(), "weights"_a.noconvert(), "labels"_a.noconvert(), "own"_a.noconvert().none(),
          "left"_a.noconvert(), "log_sizes"_a.noconvert(), "base"_a.noconvert(), "shares"_a.noconvert(),
          "parameters"_a.noconvert(), "gradient"_a.noconvert(), "log_means"_a.noconvert().none(), "threads"_a,
          "Return the negative leave-one-out conditional log-likelihood of a metric, and write its gradient.\n\n"
          "queries: (m, d); points: (n, d), sorted by class; starts: (k + 1,), the first point of every class;\n"
          "weights: (n,); labels: (m,), the classes of the queries; own: (m,), the point that each query is, or -1;\n"
          "left: (m,), the weight that this point keeps; log_sizes, base: (m, k); shares: (m,). parameters and\n"
          "gradient: (d + 2k + 1,), the weights of the coordinates, slopes and offsets of the classes, and the\n"
          "temperature; the gradient of weights and slopes is in their logarithms. log_means: (m, k), written\n"
          "unless None.");
}

}  // namespace

void bind_metric(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
