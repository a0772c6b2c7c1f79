#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/loop_tables.hpp"
#include "metric/loops.hpp"
#include "parzen/metric.hpp"
#include "parzen/tile.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(MetricLoops<float>, metric_float);
PARZEN_DECLARE_LOOPS(MetricLoops<double>, metric_double);

template <>
const MetricLoops<float>& metric_loops<float>() {
    return PARZEN_LOOPS_IN_USE(metric_float);
}

template <>
const MetricLoops<double>& metric_loops<double>() {
    return PARZEN_LOOPS_IN_USE(metric_double);
}

namespace {

constexpr std::size_t groups_per_task = 4;
constexpr double negligible = 1e-12;  // relative residual below which a row adds nothing to the gradient
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Points times the roots of their weights, coordinate by coordinate, each class padded with points
// of weight zero that are infinitely far away.
template <class T>
class ScaledPoints {
   public:
    ScaledPoints(const MetricSample<T>& sample, const double* weights)
        : scale(sample.dimension), begins(sample.classes + 1) {
        const auto d = static_cast<std::size_t>(sample.dimension);
        for (std::size_t l = 0; l < d; ++l)
            scale[l] = static_cast<T>(sample.absolute ? weights[l] : std::sqrt(weights[l]));
        for (int c = 0; c < sample.classes; ++c) {
            const std::size_t size = sample.starts[c + 1] - sample.starts[c];
            begins[c + 1] = begins[c] + (size + metric_lanes - 1) / metric_lanes * metric_lanes;
        }
        stride = begins[sample.classes];
        points.assign(d * stride, T(0));
        masses.assign(stride, T(0));
        for (int c = 0; c < sample.classes; ++c) {
            for (std::size_t j = sample.starts[c]; j < sample.starts[c + 1]; ++j) {
                const std::size_t place = begins[c] + j - sample.starts[c];
                masses[place] = sample.weights[j];
                for (std::size_t l = 0; l < d; ++l) points[l * stride + place] = sample.points[j * d + l] * scale[l];
            }
        }
    }

    std::vector<T> scale, points, masses;
    std::vector<std::size_t> begins;
    std::size_t stride = 0;
};

// What a task adds up: the loss, then the gradient in log w, log slope, b and tau.
struct Sums {
    explicit Sums(int dimension, int classes) : values(1 + dimension + 2 * classes + 1), d(dimension), k(classes) {}
    double& loss() { return values[0]; }
    double* weights() { return values.data() + 1; }
    double* slopes() { return values.data() + 1 + d; }
    double* offsets() { return values.data() + 1 + d + k; }
    double& temperature() { return values.back(); }

    std::vector<double> values;
    int d, k;
};

template <class T>
class Worker {
   public:
    Worker(const MetricSample<T>& sample, const MetricParameters& parameters, const ScaledPoints<T>& packed)
        : sample_(sample),
          parameters_(parameters),
          packed_(packed),
          loops_(metric_loops<T>()),
          half_(sample.absolute ? 1.0 : 0.5),
          u_(metric_rows * packed.stride),
          values_(metric_rows * packed.stride),
          queries_(static_cast<std::size_t>(sample.dimension) * metric_rows),
          moments_(static_cast<std::size_t>(sample.dimension)),
          totals_(static_cast<std::size_t>(sample.classes)),
          logs_(totals_.size()),
          residuals_(totals_.size()) {}

    // Rows first .. first + count - 1, at most metric_rows of them.
    void add(std::size_t first, int count, Sums& sums, double* log_means) {
        gather(first, count);
        loops_.distances(sample_.absolute, packed_.points.data(), packed_.stride, sample_.dimension, queries_.data(),
                         packed_.stride, u_.data(), packed_.stride);
        bool has_gradient = false;
        for (int r = 0; r < metric_rows; ++r) {
            T* values = values_.data() + static_cast<std::size_t>(r) * packed_.stride;
            if (r < count && row(first + static_cast<std::size_t>(r), r, sums, log_means)) {
                has_gradient = true;
            } else {
                std::fill_n(values, packed_.stride, T(0));
            }
        }
        if (!has_gradient) return;
        std::fill(moments_.begin(), moments_.end(), 0.0);
        loops_.moments(sample_.absolute, packed_.points.data(), packed_.stride, sample_.dimension, queries_.data(),
                       packed_.stride, values_.data(), packed_.stride, moments_.data());
        for (int l = 0; l < sample_.dimension; ++l) sums.weights()[l] += moments_[static_cast<std::size_t>(l)];
    }

   private:
    void gather(std::size_t first, int count) {
        const auto d = static_cast<std::size_t>(sample_.dimension);
        for (std::size_t l = 0; l < d; ++l)
            for (int r = 0; r < metric_rows; ++r) {
                const std::size_t i = first + static_cast<std::size_t>(std::min(r, count - 1));
                queries_[l * metric_rows + static_cast<std::size_t>(r)] = sample_.queries[i * d + l] * packed_.scale[l];
            }
    }

    // The row's loss and residuals; its values become the factors of its distances in the gradient. False: all are 0.
    bool row(std::size_t i, int r, Sums& sums, double* log_means) {
        const int classes = sample_.classes;
        T* u = u_.data() + static_cast<std::size_t>(r) * packed_.stride;
        T* values = values_.data() + static_cast<std::size_t>(r) * packed_.stride;
        const Own own_point = leave_out(i, u);
        double largest = minus_infinity;
        for (int c = 0; c < classes; ++c) {
            logs_[c] = class_log(i, c, u, values);
            residuals_[c] = score(i, c);
            largest = std::max(largest, residuals_[c]);
        }
        if (log_means != nullptr) std::copy(logs_.begin(), logs_.end(), log_means + i * totals_.size());
        double total = 0;
        const int y = sample_.labels[i];
        const double own = residuals_[y];
        for (double& s : residuals_) total += std::exp(s - largest);
        const double share = sample_.shares[i];
        sums.loss() += share * (largest + std::log(total) - own);
        double strongest = 0;
        for (int c = 0; c < classes; ++c) {
            const double residual = share * ((c == y ? 1.0 : 0.0) - std::exp(residuals_[c] - largest) / total);
            residuals_[c] = residual;
            strongest = std::max(strongest, std::abs(residual));
            sums.offsets()[c] -= residual;
            if (logs_[c] > minus_infinity) sums.temperature() -= residual * logs_[c];
        }
        if (!(strongest > negligible * share)) return false;
        for (int c = 0; c < classes; ++c) class_gradient(c, u, values, sums);
        if (own_point.c >= 0)  // it lies at distance zero after all
            sums.slopes()[own_point.c] -= static_cast<double>(values[own_point.place]) * u[own_point.place];
        return true;
    }

    struct Own {
        int c;  // -1: the query is no point, or left out entirely
        std::size_t place;
    };

    // The own point keeps the weight `left`: it is moved to the u at which its kernel times its weight is `left`.
    Own leave_out(std::size_t i, T* u) const {
        for (int c = 0; c < sample_.classes; ++c) {
            const std::size_t size = sample_.starts[c + 1] - sample_.starts[c];
            std::fill(u + packed_.begins[c] + size, u + packed_.begins[c + 1], vanishing_u);
        }
        if (sample_.own == nullptr || sample_.own[i] < 0) return {-1, 0};
        const auto j = static_cast<std::size_t>(sample_.own[i]);
        int c = 0;
        while (sample_.starts[c + 1] <= j) ++c;
        const std::size_t place = packed_.begins[c] + j - sample_.starts[c];
        const T left = sample_.left[i];
        u[place] = left > 0 ? static_cast<T>(std::log(static_cast<double>(sample_.weights[j]) / left) / slope(c))
                            : vanishing_u;
        return {left > 0 ? c : -1, place};
    }

    double class_log(std::size_t i, int c, const T* u, T* values) {
        const double log_size = sample_.log_sizes[i * totals_.size() + static_cast<std::size_t>(c)];
        const std::size_t begin = packed_.begins[c], count = packed_.begins[c + 1] - begin;
        if (!(log_size > minus_infinity) || count == 0) {
            totals_[c] = 0;
            return minus_infinity;
        }
        const T nearest = loops_.smallest(u + begin, count);
        totals_[c] = loops_.exponentials(u + begin, packed_.masses.data() + begin, count, static_cast<T>(slope(c)),
                                         nearest, values + begin);
        return std::log(totals_[c]) - slope(c) * nearest - log_size;
    }

    double score(std::size_t i, int c) const {
        if (!(logs_[c] > minus_infinity)) return minus_infinity;
        return sample_.base[i * totals_.size() + static_cast<std::size_t>(c)] + parameters_.offsets[c] +
               parameters_.temperature * logs_[c];
    }

    void class_gradient(int c, const T* u, T* values, Sums& sums) {
        const std::size_t begin = packed_.begins[c], count = packed_.begins[c + 1] - begin;
        if (!(totals_[c] > 0)) {
            std::fill_n(values + begin, count, T(0));
            return;
        }
        const double factor = residuals_[c] * parameters_.temperature * slope(c) / totals_[c];
        // Where the value is zero u is large but finite (vanishing_u), so that their product is zero and not NaN.
        sums.slopes()[c] += loops_.scale_values(values + begin, u + begin, count, static_cast<T>(factor));
    }

    double slope(int c) const { return parameters_.slopes[c] * half_; }

    static constexpr T vanishing_u = sizeof(T) == 4 ? T(1e30) : T(1e200);
    const MetricSample<T>& sample_;
    const MetricParameters& parameters_;
    const ScaledPoints<T>& packed_;
    const MetricLoops<T>& loops_;
    double half_;
    std::vector<T> u_, values_, queries_;
    std::vector<double> moments_, totals_, logs_, residuals_;
};

}  // namespace

template <class T>
double metric_loss(const MetricSample<T>& sample, const MetricParameters& parameters, MetricGradient& gradient,
                   double* log_means, Control& control) {
    const ScaledPoints<T> packed(sample, parameters.weights);
    const std::size_t rows = groups_per_task * metric_rows, tasks = (sample.m + rows - 1) / rows;
    std::vector<Sums> parts(tasks, Sums(sample.dimension, sample.classes));
    const double work = static_cast<double>(sample.m) * static_cast<double>(packed.stride) * (2.0 + sample.dimension);
    parallel_for(control, 0.15 * work, tasks, [&](std::size_t task) {
        Worker<T> worker(sample, parameters, packed);
        const std::size_t end = std::min(sample.m, (task + 1) * rows);
        for (std::size_t i = task * rows; i < end && !control.stopped(); i += metric_rows)
            worker.add(i, static_cast<int>(std::min<std::size_t>(metric_rows, end - i)), parts[task], log_means);
    });
    Sums total(sample.dimension, sample.classes);
    for (Sums& part : parts)
        for (std::size_t v = 0; v < total.values.size(); ++v) total.values[v] += part.values[v];
    std::copy_n(total.weights(), sample.dimension, gradient.log_weights);
    std::copy_n(total.slopes(), sample.classes, gradient.log_slopes);
    std::copy_n(total.offsets(), sample.classes, gradient.offsets);
    gradient.temperature = total.temperature();
    return total.loss();
}

template double metric_loss(const MetricSample<float>&, const MetricParameters&, MetricGradient&, double*, Control&);
template double metric_loss(const MetricSample<double>&, const MetricParameters&, MetricGradient&, double*, Control&);

}  // namespace parzen
