#include "sums/packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>

namespace parzen {

namespace {

constexpr int largest_direct_dimension = 4;  // up to here differences cost no more than dot products

// More patterns than this and sorting the points by them no longer pays.
std::size_t most_patterns(std::size_t columns) { return std::max<std::size_t>(64, 4 * columns); }

template <class T>
std::string pattern_of(const T* row, std::size_t count) {
    std::string bits((count + 7) / 8, '\0');
    for (std::size_t i = 0; i < count; ++i) {
        if (row[i] != T(0)) bits[i / 8] = static_cast<char>(bits[i / 8] | (1 << (i % 8)));
    }
    return bits;
}

// Groups the points by which weights are not zero; false when there are too many groups.
template <class T>
bool group_by_pattern(const SumsInput<T>& in, std::vector<Segment<T>>& segments) {
    const std::size_t width = static_cast<std::size_t>(in.columns) * in.depth;
    std::unordered_map<std::string, std::size_t> known;
    for (std::size_t j = 0; j < in.n_points; ++j) {
        const T* row = in.weights + j * width;
        const std::string pattern = pattern_of(row, width);
        const auto [place, fresh] = known.try_emplace(pattern, segments.size());
        if (fresh) {
            if (segments.size() > most_patterns(in.columns)) return false;
            segments.emplace_back();
            for (int c = 0; c < in.columns; ++c) {
                const T* first = row + static_cast<std::size_t>(c) * in.depth;
                if (std::any_of(first, first + in.depth, [](T w) { return w != T(0); }))
                    segments.back().columns.push_back(c);
            }
        }
        segments[place->second].index.push_back(j);
    }
    std::erase_if(segments, [](const Segment<T>& s) { return s.columns.empty(); });
    return true;
}

// One segment per column: a point is visited once for each column that it feeds.
template <class T>
void group_by_column(const SumsInput<T>& in, std::vector<Segment<T>>& segments) {
    for (int c = 0; c < in.columns; ++c) {
        Segment<T> segment;
        segment.columns = {c};
        for (std::size_t j = 0; j < in.n_points; ++j) {
            const T* first = in.weights + (j * in.columns + c) * in.depth;
            if (std::any_of(first, first + in.depth, [](T w) { return w != T(0); })) segment.index.push_back(j);
        }
        if (!segment.index.empty()) segments.push_back(std::move(segment));
    }
}

// One segment per label, without a dense matrix of weights: there may be thousands of classes.
template <class T>
void group_by_label(const SumsInput<T>& in, std::vector<Segment<T>>& segments) {
    segments.resize(static_cast<std::size_t>(in.columns));
    for (int c = 0; c < in.columns; ++c) segments[c].columns = {c};
    for (std::size_t j = 0; j < in.n_points; ++j) {
        const T* first = in.weights ? in.weights + j * in.depth : nullptr;
        if (!first || std::any_of(first, first + in.depth, [](T w) { return w != T(0); }))
            segments[in.labels[j]].index.push_back(j);
    }
    std::erase_if(segments, [](const Segment<T>& s) { return s.index.empty(); });
}

template <class T>
Segment<T> one_segment(const SumsInput<T>& in) {
    Segment<T> segment;
    segment.index.resize(in.n_points);
    std::iota(segment.index.begin(), segment.index.end(), std::size_t{0});
    segment.columns.resize(static_cast<std::size_t>(in.columns));
    std::iota(segment.columns.begin(), segment.columns.end(), 0);
    return segment;
}

template <class T>
void pack_weights(const SumsInput<T>& in, const std::vector<int>& order, Segment<T>& segment) {
    const std::size_t depth = static_cast<std::size_t>(in.depth);
    segment.weights = Aligned<T>(segment.columns.size() * depth * segment.padded);
    for (std::size_t c = 0; c < segment.columns.size(); ++c) {
        for (std::size_t step = 0; step < depth; ++step) {
            const std::size_t b = depth > 1 ? static_cast<std::size_t>(order[step]) : 0;
            T* out = segment.weights.data() + (c * depth + step) * segment.padded;
            for (std::size_t j = 0; j < segment.index.size(); ++j) {
                const std::size_t row =
                    in.labels ? segment.index[j] : segment.index[j] * in.columns + segment.columns[c];
                out[j] = in.weights ? in.weights[row * depth + b] : T(1);
            }
        }
    }
    const T* first = segment.weights.data();
    segment.ones = segment.columns.size() == 1 && depth == 1 &&
                   std::all_of(first, first + segment.index.size(), [](T w) { return w == T(1); });
}

// Logarithms are summed in units of the value at the segment's nearest point. Where that point has weight 0 at one
// of several bandwidths, the terms that count there may all be too small for a number in these units.
template <class T>
void find_least_reliable(const SumsInput<T>& in, Segment<T>& segment) {
    if (in.depth == 1 || !can_factor(in.kernel.profile)) return;
    using limits = std::numeric_limits<T>;
    // The exponentials are flushed to zero below twice the smallest normal number.
    constexpr double smallest_value = 2.0 * static_cast<double>(limits::min());
    const std::size_t points = segment.index.size(),
                      levels = segment.columns.size() * static_cast<std::size_t>(in.depth);
    // Each point may have lost a value below the smallest: together less than epsilon of a sum above this.
    const double precise = static_cast<double>(points) / static_cast<double>(limits::epsilon());
    std::vector<double> least(levels);
    for (std::size_t level = 0; level < levels; ++level) {
        const T* w = segment.weights.data() + level * segment.padded;
        const double largest = static_cast<double>(*std::max_element(w, w + points));
        if (largest > 0 && std::any_of(w, w + points, [](T x) { return x == T(0); }))
            least[level] = precise * smallest_value * std::max(largest, 1.0);
    }
    if (std::any_of(least.begin(), least.end(), [](double x) { return x > 0; }))
        segment.least_reliable = std::move(least);
}

Form form_of(const Kernel& kernel) {
    switch (measure_of(kernel.profile)) {
        case Measure::l1_distance:
            return Form::absolute;
        case Measure::inner_product:
            return Form::inner;
        case Measure::squared_distance:
        case Measure::distance:
            break;
    }
    return Form::difference;
}

template <class T>
DotRule dot_rule(const SumsInput<T>& in) {
    DotRule rule;
    rule.exponents_only = in.dimension <= largest_direct_dimension;
    if (form_of(in.kernel) != Form::difference || (rule.exponents_only && !one_gaussian(in))) return rule;
    constexpr bool single = sizeof(T) == 4;
    rule.use = true;
    // Unit roundoff times the growth of the error of a sum of d products; terms of either sign partly cancel.
    rule.error_factor = (single ? 6e-8 : 1.1e-16) * (2 + 0.5 * std::sqrt(in.dimension));
    rule.tolerance = single ? 5e-6 : 2e-13;
    if (in.kernel.profile == Profile::gaussian) {
        double h = *std::min_element(in.bandwidths, in.bandwidths + in.n_bandwidths);
        if (in.factors) h *= static_cast<double>(*std::min_element(in.factors, in.factors + in.n_points));
        rule.floor = 2 * h * h;
    }
    return rule;
}

// The mean of each column, rounded to a power of two about its spread: near enough to save the
// digits of an offset, and data on a grid (counts, pixels, codes) stay on it, so that their dot
// products are exact and equal distances stay equal.
template <class T>
std::vector<double> centre_of(const SumsInput<T>& in) {
    const std::size_t dimension = static_cast<std::size_t>(in.dimension);
    std::vector<double> centre(dimension), low(in.points, in.points + dimension), high(low);
    double *sum = centre.data(), *least = low.data(), *most = high.data();
    for (std::size_t j = 0; j < in.n_points; ++j) {
        const T* x = in.points + j * dimension;
        for (std::size_t k = 0; k < dimension; ++k) {
            const double value = x[k];
            sum[k] += value;
            least[k] = value < least[k] ? value : least[k];
            most[k] = value > most[k] ? value : most[k];
        }
    }
    for (double& mean : centre) mean /= static_cast<double>(in.n_points);
    for (std::size_t k = 0; k < dimension; ++k) {
        if (!(high[k] > low[k])) {
            centre[k] = low[k];
            continue;
        }
        const double step = std::exp2(std::floor(std::log2(high[k] - low[k])) - 3);
        centre[k] = std::round(centre[k] / step) * step;
    }
    return centre;
}

template <class T>
std::vector<Segment<T>> make_segments(const SumsInput<T>& in, Mode mode, const std::vector<int>& order, int panel) {
    std::vector<Segment<T>> segments;
    if (in.labels) {
        group_by_label(in, segments);
    } else if (!in.weights) {
        segments.push_back(one_segment(in));
    } else if (!group_by_pattern(in, segments)) {
        segments.clear();
        // Logarithms need each column's own nearest point; the other modes share one per row.
        if (mode == Mode::log) {
            group_by_column(in, segments);
        } else {
            segments.push_back(one_segment(in));
        }
    }
    for (Segment<T>& segment : segments) {
        segment.padded = (segment.index.size() + panel - 1) / panel * panel;
        pack_weights(in, order, segment);
        if (mode == Mode::log) find_least_reliable(in, segment);
    }
    return segments;
}

template <class T>
Plan<T> make_plan(const SumsInput<T>& in) {
    const std::size_t count = static_cast<std::size_t>(in.n_bandwidths);
    std::vector<double> scale(count);
    for (std::size_t b = 0; b < count; ++b) scale[b] = bandwidth_scale(in.kernel, in.bandwidths[b]);

    Plan<T> plan;
    // An exponential kernel is 2^(scale u): at twice the scale it is the square, so one exponential serves a chain of
    // scales that double. They are negative, so descending means from wide to narrow. Every squaring doubles the
    // relative error, so chains are cut short.
    constexpr int longest_chain = sizeof(T) == 4 ? 4 : 12;
    std::vector<int> sorted(count);
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return scale[a] > scale[b]; });
    std::vector<bool> taken(count);
    for (std::size_t s = 0; s < count; ++s) {
        if (taken[s]) continue;
        taken[s] = true;
        plan.order.push_back(sorted[s]);
        plan.lengths.push_back(1);
        plan.scale.push_back(static_cast<T>(scale[sorted[s]]));
        if (!is_exponential(in.kernel.profile)) continue;
        double current = scale[sorted[s]];
        for (int link = 0; link < longest_chain; ++link) {
            const double wanted = 2 * current;
            std::size_t next = std::lower_bound(sorted.begin(), sorted.end(), wanted * (1 - 1e-14),
                                                [&](int b, double v) { return scale[b] > v; }) -
                               sorted.begin();
            while (next < count && taken[next]) ++next;
            if (next == count || std::abs(scale[sorted[next]] - wanted) > -1e-14 * wanted) break;
            taken[next] = true;
            plan.order.push_back(sorted[next]);
            ++plan.lengths.back();
            current = scale[sorted[next]];
        }
    }
    plan.view = {in.kernel, in.n_bandwidths, static_cast<int>(plan.lengths.size()), plan.lengths.data(),
                 plan.scale.data()};
    return plan;
}

template <class T>
int largest_exponent_of(const Aligned<T>& weights) {
    int most = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0) most = std::max(most, std::abs(std::ilogb(weights[i])));
    return most;
}

}  // namespace

// Coordinate by coordinate within a panel, so that one load takes the same coordinate of several points; the padding of
// the last panel is not written.
template <class T>
void pack_points(const T* points, const std::size_t* index, std::size_t count, int dimension, int panel,
                 const double* centre, T* packed) {
    const std::size_t width = static_cast<std::size_t>(panel);
    const std::size_t d = static_cast<std::size_t>(dimension);
    std::vector<const T*> rows(width);
    for (std::size_t first = 0; first < count; first += width, packed += width * d) {
        const std::size_t present = std::min(width, count - first);
        for (std::size_t i = 0; i < present; ++i) rows[i] = points + index[first + i] * d;
        for (std::size_t k = 0; k < d; ++k) {
            T* out = packed + k * width;
            for (std::size_t i = 0; i < present; ++i)
                out[i] = centre ? static_cast<T>(static_cast<double>(rows[i][k]) - centre[k]) : rows[i][k];
        }
    }
}

template <class T>
Packed<T>::Packed(const SumsInput<T>& in, Mode mode)
    : input(in),
      ops(tile_ops<T>()),
      form(form_of(in.kernel)),
      dot(dot_rule(in)),
      plan(make_plan(in)),
      segments(make_segments(in, mode, plan.order, ops.panel)),
      widest(0) {
    if (dot.use) centre = centre_of(in);
    for (Segment<T>& s : segments) {
        widest = std::max(widest, s.columns.size());
        if (mode == Mode::log && !s.ones) weight_bits = std::max(weight_bits, largest_exponent_of(s.weights));
        pack(s);
    }
}

template <class T>
void Packed<T>::pack(Segment<T>& s) const {
    const std::size_t size = s.padded * static_cast<std::size_t>(input.dimension);
    const auto copy = [&](const double* from) {
        Aligned<T> points(size);
        pack_points(input.points, s.index.data(), s.index.size(), input.dimension, ops.panel, from, points.data());
        return points;
    };
    s.points = copy(dot.use ? centre.data() : nullptr);
    if (input.factors) {
        s.narrowing = Aligned<T>(s.padded);
        for (std::size_t j = 0; j < s.padded; ++j) {
            const double factor = j < s.index.size() ? static_cast<double>(input.factors[s.index[j]]) : 1.0;
            s.narrowing[j] = static_cast<T>(1 / (form == Form::difference ? factor * factor : factor));
        }
    }
    if (!dot.use) return;
    if (dot.exponents_only) s.uncentred = copy(nullptr);
    s.norms = Aligned<T>(s.padded);
    if (one_gaussian(input)) s.exponents = Aligned<T>(s.padded);
    const std::size_t panel = static_cast<std::size_t>(ops.panel);
    s.largest_norms.resize(s.padded / panel);
    std::vector<double> norms(panel);
    for (std::size_t first = 0; first < s.index.size(); first += panel) {
        const T* x = s.points.data() + first * input.dimension;
        std::fill(norms.begin(), norms.end(), 0.0);
        for (int k = 0; k < input.dimension; ++k, x += panel) {
            for (std::size_t i = 0; i < panel; ++i) norms[i] += static_cast<double>(x[i]) * x[i];
        }
        for (std::size_t i = 0; i < panel; ++i) {
            s.norms[first + i] = static_cast<T>(norms[i]);
            if (!s.exponents.empty()) s.exponents[first + i] = static_cast<T>(norms[i] * plan.scale[0]);
        }
        s.largest_norms[first / panel] = static_cast<T>(*std::max_element(norms.begin(), norms.end()));
    }
}

template struct Packed<float>;
template struct Packed<double>;
template void pack_points<float>(const float*, const std::size_t*, std::size_t, int, int, const double*, float*);
template void pack_points<double>(const double*, const std::size_t*, std::size_t, int, int, const double*, double*);

}  // namespace parzen
