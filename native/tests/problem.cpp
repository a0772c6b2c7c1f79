#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "check.hpp"
#include "parzen/sorted.hpp"

namespace problem {

using parzen::Kernel;
using parzen::Mode;
using parzen::Profile;

namespace {

constexpr long double infinity = std::numeric_limits<long double>::infinity();

}  // namespace

// Written without the core's formulas, and without a default: a kernel that is missing here does not compile.
long double log_kernel(const Kernel& kernel, long double m, long double h) {
    const long double r = std::sqrt(m) / h;
    switch (kernel.profile) {
        case Profile::gaussian:
            return -r * r / 2;
        case Profile::laplacian:
            return -m / h;
        case Profile::radial_laplacian:
            return -r;
        case Profile::rational:
            return -kernel.power * std::log1p(r * r);
        case Profile::uniform:
            return r <= 1 ? 0 : -infinity;
        case Profile::triangular:
            return r < 1 ? std::log1p(-r) : -infinity;
        case Profile::epanechnikov:
            return r < 1 ? std::log1p(-r * r) : -infinity;
        case Profile::biweight:
            return r < 1 ? 2 * std::log1p(-r * r) : -infinity;
        case Profile::triweight:
            return r < 1 ? 3 * std::log1p(-r * r) : -infinity;
        case Profile::tricube:
            return r < 1 ? 3 * std::log1p(-r * r * r) : -infinity;
        case Profile::cosine:
            return r < 1 ? std::log(std::cos(r * std::acos(0.0L))) : -infinity;
        case Profile::logistic:
            return r < 100 ? -2 * std::log(std::cosh(r / 2)) : std::log(4.0L) - r;
        case Profile::gaussian_exponential:
            return r <= kernel.epsilon ? -r * r / 2 : -r / std::sqrt(2.0L);
        case Profile::polynomial:
            break;
    }
    return -infinity;
}

namespace {

template <class T>
long double measure(Profile profile, const T* x, const T* y, int dimension) {
    long double sum = 0;
    for (int k = 0; k < dimension; ++k) {
        const long double a = x[k], b = y[k];
        switch (parzen::measure_of(profile)) {
            case parzen::Measure::inner_product:
                sum += a * b;
                break;
            case parzen::Measure::l1_distance:
                sum += std::abs(a - b);
                break;
            case parzen::Measure::distance:
            case parzen::Measure::squared_distance:
                sum += (a - b) * (a - b);
        }
    }
    return sum;
}

// Sums of one row at one bandwidth in units of exp(scale): the row's largest kernel value, or the
// kernel's peak where there is no tail to lose.
struct Row {
    long double scale = 0;
    std::vector<long double> sums;       // by column
    std::vector<long double> magnitude;  // what errors are measured against: the sum of |w| k
    std::vector<long double> logs;       // log of each column's sum, its own largest value factored out
};

template <class T>
Row reference_row(const Problem<T>& p, std::size_t i, std::size_t b) {
    const bool inner = p.kernel.profile == Profile::polynomial;
    std::vector<long double> value(p.n_points);  // a logarithm, or the value itself for `inner`
    std::vector<bool> skipped(p.n_points);
    Row row;
    row.scale = -infinity;
    for (std::size_t j = 0; j < p.n_points; ++j) {
        skipped[j] = p.exclude_self && i == j;
        const long double m = measure(p.kernel.profile, p.queries.data() + i * p.dimension,
                                      p.points.data() + j * p.dimension, p.dimension);
        const long double h = p.bandwidths[b] * (p.factors.empty() ? 1.0L : static_cast<long double>(p.factors[j]));
        value[j] = inner ? std::pow(m + p.kernel.constant, p.kernel.degree) : log_kernel(p.kernel, m, h);
        bool used = false;
        for (int c = 0; c < p.columns; ++c) used = used || p.weight(j, c, b) != 0;
        if (used && !skipped[j]) row.scale = std::max(row.scale, value[j]);
    }
    const bool compact = parzen::is_compact(p.kernel.profile);
    if (!parzen::can_factor(p.kernel.profile) || row.scale == -infinity) row.scale = 0;
    for (int c = 0; c < p.columns; ++c) {
        long double largest = -infinity, sum = 0, magnitude = 0, own = 0;
        for (std::size_t j = 0; j < p.n_points; ++j) {
            if (!skipped[j] && p.weight(j, c, b) != 0) largest = std::max(largest, value[j]);
        }
        for (std::size_t j = 0; j < p.n_points; ++j) {
            const long double w = p.weight(j, c, b);
            if (skipped[j] || w == 0) continue;
            const long double k = inner ? value[j] : std::exp(value[j] - row.scale);
            sum += w * k;
            // Near the edge of a compact kernel 1 - u / h^2 cancels: errors are relative to the peak.
            magnitude += std::abs(w) * (compact && k > 0 ? 1 : std::abs(k));
            if (largest > -infinity) own += w * std::exp(value[j] - largest);
        }
        row.sums.push_back(sum);
        row.magnitude.push_back(magnitude);
        row.logs.push_back(own > 0 ? std::log(own) + largest : -infinity);
    }
    return row;
}

template <class T>
constexpr long double tolerance = sizeof(T) == 4 ? 1e-5L : 1e-12L;

template <class T>
void check_plain(const Row& row, int c, long double normalizer, T got) {
    // Below this a value has no full mantissa left, or has been flushed to zero.
    const long double tiny = 4096 * static_cast<long double>(std::numeric_limits<T>::min());
    const long double unit = std::exp(normalizer + row.scale);
    const long double allowed = tolerance<T> * (1 + std::abs(row.scale));  // the exponent is rounded, too
    CHECK(std::abs(got - unit * row.sums[c]) <= allowed * unit * row.magnitude[c] + tiny * std::exp(normalizer));
}

template <class T>
void check_log(const Row& row, int c, long double normalizer, T got) {
    const long double wanted = row.logs[c] + normalizer;
    const long double lost = row.scale == 0 && row.sums[c] > 0 ? row.magnitude[c] / row.sums[c] : 1;
    if (wanted == -infinity) {
        CHECK(got == -std::numeric_limits<T>::infinity());
    } else {
        CHECK(std::abs(got - wanted) <= tolerance<T> * (lost + std::abs(wanted)));
    }
}

template <class T>
void check_scaled(const Row& row, int c, long double normalizer, T got, T scale) {
    const long double wanted = row.scale + normalizer;
    const long double allowed = tolerance<T> * (1 + std::abs(row.scale));
    CHECK(std::abs(scale - wanted) <= allowed + tolerance<T> * std::abs(normalizer));
    CHECK(std::abs(got - row.sums[c]) <= allowed * (1 + row.magnitude[c]));
}

}  // namespace

template <class T>
parzen::SumsInput<T> Problem<T>::input() const {
    return {same ? points.data() : queries.data(),
            n_queries,
            points.data(),
            n_points,
            dimension,
            weights.empty() ? nullptr : weights.data(),
            labels.empty() ? nullptr : labels.data(),
            columns,
            depth,
            kernel,
            bandwidths.data(),
            log_normalizers.data(),
            static_cast<int>(bandwidths.size()),
            same,
            exclude_self,
            factors.empty() ? nullptr : factors.data()};
}

template <class T>
long double Problem<T>::weight(std::size_t j, int column, std::size_t b) const {
    const std::size_t level = depth > 1 ? b : 0;
    if (!labels.empty()) {
        if (labels[j] != column) return 0;
        return weights.empty() ? 1 : weights[j * depth + level];
    }
    return weights.empty() ? 1 : weights[(j * columns + column) * depth + level];
}

template <class T>
Problem<T> make(std::size_t n_queries, std::size_t n_points, int dimension, Kernel kernel, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Problem<T> p;
    p.n_queries = n_queries;
    p.n_points = n_points;
    p.dimension = dimension;
    p.kernel = kernel;
    p.queries.resize(n_queries * dimension);
    p.points.resize(n_points * dimension);
    for (T& x : p.queries) x = static_cast<T>(normal(random));
    for (T& x : p.points) x = static_cast<T>(normal(random));
    const double typical = std::sqrt(static_cast<double>(dimension));
    p.bandwidths = {0.7 * typical, 0.31 * typical, 0.7 * typical * std::sqrt(0.5), 0.35 * typical, 1.4 * typical};
    for (std::size_t b = 0; b < p.bandwidths.size(); ++b)
        p.log_normalizers.push_back(0.3 * static_cast<double>(b) - 0.5);
    return p;
}

template <class T>
Problem<T> make_same(std::size_t n, int dimension, Kernel kernel, unsigned seed) {
    Problem<T> p = make<T>(n, n, dimension, kernel, seed);
    p.queries = p.points;
    p.same = true;
    return p;
}

template <class T>
void add_columns(Problem<T>& p, int columns, int depth, bool is_signed) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(is_signed ? -1.0 : 0.1, 1.0);
    p.columns = columns;
    p.depth = depth;
    p.labels.clear();
    p.weights.resize(p.n_points * columns * depth);
    for (std::size_t i = 0; i < p.weights.size(); ++i) {
        const std::size_t point = i / (columns * depth), column = i / depth % columns;
        p.weights[i] = (point / 3 + column) % 3 == 0 ? T(0) : static_cast<T>(uniform(random));
    }
}

template <class T>
void add_labels(Problem<T>& p, int columns, bool weighted) {
    p.columns = columns;
    p.depth = 1;
    p.weights.clear();
    p.labels.resize(p.n_points);
    for (std::size_t j = 0; j < p.n_points; ++j) p.labels[j] = static_cast<int>(j * j % columns);
    if (!weighted) return;
    for (std::size_t j = 0; j < p.n_points; ++j) p.weights.push_back(static_cast<T>(j % 5));
}

template <class T>
Sums<T> solve(const Problem<T>& p, Mode mode, int threads) {
    Sums<T> sums;
    sums.values.resize(p.n_queries * p.width());
    if (mode == Mode::scaled) sums.log_scale.resize(p.n_queries * p.bandwidths.size());
    parzen::Control control(threads);
    const auto strategy = p.sorted ? parzen::sorted_sums<T> : parzen::kernel_sums<T>;
    strategy(p.input(), mode, sums.values.data(), mode == Mode::scaled ? sums.log_scale.data() : nullptr, control);
    return sums;
}

template <class T>
void check_against_reference(const Problem<T>& p, Mode mode) {
    const std::size_t bandwidths = p.bandwidths.size();
    const Sums<T> sums = solve(p, mode);
    const std::string about = std::string(parzen::instruction_set()) + " " + name(p.kernel.profile) + " " + name(mode) +
                              (sizeof(T) == 4 ? " float32" : " float64") + " d=" + std::to_string(p.dimension) +
                              " columns=" + std::to_string(p.columns);
    for (std::size_t i = 0; i < p.n_queries; ++i) {
        for (std::size_t b = 0; b < bandwidths; ++b) {
            check::subject() = about + " row=" + std::to_string(i) + " bandwidth=" + std::to_string(b);
            const Row row = reference_row(p, i, b);
            const long double normalizer = p.log_normalizers[b];
            for (int c = 0; c < p.columns; ++c) {
                const T got = sums.values[(i * p.columns + c) * bandwidths + b];
                if (mode == Mode::plain) check_plain<T>(row, c, normalizer, got);
                if (mode == Mode::log) check_log<T>(row, c, normalizer, got);
                if (mode == Mode::scaled) check_scaled<T>(row, c, normalizer, got, sums.log_scale[i * bandwidths + b]);
            }
        }
    }
}

std::vector<Kernel> kernels(int dimension) {
    std::vector<Kernel> all;
    for (int i = 0; i < parzen::kernel_count; ++i) {
        Kernel kernel{.profile = static_cast<Profile>(i), .power = 0.5 * (dimension + 1), .epsilon = std::sqrt(2.0)};
        all.push_back(kernel);
        if (kernel.profile == Profile::rational) all.push_back({.profile = Profile::rational, .power = 1.0});
        if (kernel.profile == Profile::polynomial)
            all.push_back({.profile = Profile::polynomial, .constant = 1.0, .degree = 3});
    }
    return all;
}

std::string name(Profile profile) { return parzen::row_of(profile).name; }

std::string name(Mode mode) { return mode == Mode::plain ? "plain" : mode == Mode::log ? "log" : "scaled"; }

std::vector<Mode> modes(const Kernel& kernel) {
    if (kernel.profile == Profile::polynomial) return {Mode::plain, Mode::scaled};
    return {Mode::plain, Mode::log, Mode::scaled};
}

void for_each_instruction_set(const std::function<void()>& body) {
    int count = 0;
    const parzen::InstructionSet* sets = parzen::instruction_sets(&count);
    for (int s = 0; s < count; ++s) {
        if (!sets[s].supported()) {
            std::printf("  skipped: this processor has no %s\n", sets[s].name);
            continue;
        }
        check::subject() = sets[s].name;
        const bool chosen = parzen::choose_instruction_set(sets[s].name);
        CHECK(chosen);
        if (chosen) body();
    }
    parzen::choose_instruction_set("");
}

#define PARZEN_INSTANTIATE(T)                                                     \
    template struct Problem<T>;                                                   \
    template Problem<T> make<T>(std::size_t, std::size_t, int, Kernel, unsigned); \
    template Problem<T> make_same<T>(std::size_t, int, Kernel, unsigned);         \
    template void add_columns<T>(Problem<T>&, int, int, bool);                    \
    template void add_labels<T>(Problem<T>&, int, bool);                          \
    template Sums<T> solve<T>(const Problem<T>&, Mode, int);                      \
    template void check_against_reference<T>(const Problem<T>&, Mode);
PARZEN_INSTANTIATE(float)
PARZEN_INSTANTIATE(double)
#undef PARZEN_INSTANTIATE

}  // namespace problem
