#include "sums/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parzen {

namespace {

// Up to this dimension a run's coordinates stay in the first-level cache, together with streamed_bytes of
// distances. Beyond it, each panel is read once for a whole batch of groups.
constexpr int most_streamed_dimension = 8;
constexpr std::size_t streamed_bytes = 8192;
constexpr std::size_t largest_batch = 8;

template <class T>
std::size_t groups_of_batch(int dimension, int points) {
    if (dimension > most_streamed_dimension) return largest_batch;
    const std::size_t group_bytes = tile_rows * sizeof(T) * static_cast<std::size_t>(points);
    return std::clamp(streamed_bytes / group_bytes, std::size_t{1}, largest_batch);
}

// Exponents between minus this and this are in range: a sum of them neither overflows nor loses
// anything to a term that was flushed to zero elsewhere. Weights far from 1 leave less room.
template <class T>
double largest_exponent(int weight_bits) {
    return sizeof(T) == 4 ? std::min(80, 100 - weight_bits) : std::min(900, 960 - weight_bits);
}

}  // namespace

std::vector<Run> make_runs(std::size_t begin, std::size_t end, int points, int panel) {
    std::vector<Run> runs;
    for (std::size_t at = begin; at < end; at += static_cast<std::size_t>(points)) {
        const int count = static_cast<int>(std::min<std::size_t>(end - at, static_cast<std::size_t>(points)));
        runs.push_back({at, count, (count + panel - 1) / panel * panel});
    }
    return runs;
}

template <class T>
QueryBlock<T>::QueryBlock(const Packed<T>& packed, const T* queries, std::size_t most_rows, int most_points,
                          bool nearest)
    : packed_(packed),
      all_queries_(queries),
      most_points_(most_points),
      batch_(
          std::min(groups_of_batch<T>(packed.input.dimension, most_points), (most_rows + tile_rows - 1) / tile_rows)),
      wants_nearest_(nearest),
      largest_exponent_(largest_exponent<T>(packed.weight_bits)),
      absent_(packed.form == Form::inner ? static_cast<T>(-packed.input.kernel.constant)
                                         : std::numeric_limits<T>::infinity()) {
    const std::size_t padded = (most_rows + tile_rows - 1) / tile_rows * tile_rows;
    norms_ = Aligned<T>(padded);
    nearest_.resize(batch_ * tile_rows);
    rows_.resize(padded);
    own_.resize(padded);
    if (packed.dot.use && one_gaussian(packed.input)) exponents_.resize(padded);
}

template <class T>
void QueryBlock<T>::take(const std::size_t* index, std::size_t count) {
    count_ = count;
    direct_.filled = doubled_.filled = scaled_.filled = false;
    for (std::size_t i = 0; i < groups() * tile_rows; ++i) rows_[i] = index[std::min(i, count - 1)];
    largest_norm_ = 0;
    const SumsInput<T>& in = packed_.input;
    for (std::size_t i = 0; packed_.dot.use && i < groups() * tile_rows; ++i) {
        const T* x = all_queries_ + rows_[i] * static_cast<std::size_t>(in.dimension);
        double norm = 0;
        for (int k = 0; k < in.dimension; ++k) {
            const T centred = static_cast<T>(static_cast<double>(x[k]) - packed_.centre[k]);
            norm += static_cast<double>(centred) * centred;
        }
        norms_[i] = static_cast<T>(norm);
        largest_norm_ = std::max(largest_norm_, norm);
    }
}

// Buffers are made and filled when they are needed: of the forms of the queries mostly one is.
template <class T>
const T* QueryBlock<T>::queries(Queries& queries, const double* centre, T factor) {
    if (queries.filled) return queries.values.data();
    const std::size_t dimension = static_cast<std::size_t>(packed_.input.dimension);
    if (queries.values.empty()) queries.values = Aligned<T>(rows_.size() * dimension);
    for (std::size_t i = 0; i < groups() * tile_rows; ++i) {
        const T* x = all_queries_ + rows_[i] * dimension;
        T* out = queries.values.data() + i / tile_rows * tile_rows * dimension + i % tile_rows;
        for (std::size_t k = 0; k < dimension; ++k, out += tile_rows)
            *out = centre ? factor * static_cast<T>(static_cast<double>(x[k]) - centre[k]) : x[k];
    }
    queries.filled = true;
    return queries.values.data();
}

template <class T>
void QueryBlock<T>::enter(const Segment<T>& segment) {
    segment_ = &segment;
    std::fill(own_.begin(), own_.end(), -1);
    if (!packed_.input.exclude_self) return;
    auto place = std::lower_bound(segment.index.begin(), segment.index.end(), rows_[0]);
    for (std::size_t i = 0; i < groups() * tile_rows; ++i) {  // the rows increase, as the index does
        while (place != segment.index.end() && *place < rows_[i]) ++place;
        if (place != segment.index.end() && *place == rows_[i]) own_[i] = place - segment.index.begin();
    }
}

template <class T>
void QueryBlock<T>::begin_run(const Run& run) {
    run_ = run;
    uncentred_filled_ = false;
    if (!packed_.dot.use) return;
    const int panel = packed_.ops.panel;
    const T* norms = segment_->largest_norms.data() + run.begin / panel;
    run_norm_ = *std::max_element(norms, norms + run.padded / panel);
}

template <class T>
const T* QueryBlock<T>::uncentred_run() {
    if (packed_.dot.exponents_only) return segment_->uncentred.data() + run_.begin * packed_.input.dimension;
    if (uncentred_.empty()) uncentred_ = Aligned<T>(static_cast<std::size_t>(most_points_) * packed_.input.dimension);
    if (!uncentred_filled_) {
        pack_points<T>(packed_.input.points, segment_->index.data() + run_.begin, static_cast<std::size_t>(run_.points),
                       packed_.input.dimension, packed_.ops.panel, nullptr, uncentred_.data());
        uncentred_filled_ = true;
    }
    return uncentred_.data();
}

template <class T>
DistanceTask<T> QueryBlock<T>::task(std::size_t first_group, std::size_t groups, Form form, T* u, T* nearest) {
    const int d = packed_.input.dimension;
    const std::size_t at = first_group * tile_rows;
    const bool dot = form == Form::dot;
    const T* points = packed_.dot.use && !dot ? uncentred_run() : segment_->points.data() + run_.begin * d;
    return {form,
            (dot ? queries(doubled_, packed_.centre.data(), T(-2)) : queries(direct_, nullptr, T(1))) + at * d,
            norms_.data() + at,
            points,
            segment_->norms.data() + run_.begin,
            static_cast<int>(groups),
            run_.padded / packed_.ops.panel,
            d,
            u,
            most_points_,
            nearest};
}

template <class T>
void QueryBlock<T>::compute(std::size_t first_group, std::size_t groups, Form form, T* u, T* nearest) {
    const std::size_t at = first_group * tile_rows;
    packed_.ops.distances(task(first_group, groups, form, u, nearest));
    for (std::size_t r = 0; r < groups * tile_rows; ++r) {
        T* row = u + r * static_cast<std::size_t>(most_points_);
        if (at + r >= count_) std::fill(row, row + run_.points, absent_);
        std::fill(row + run_.points, row + run_.padded, absent_);
        const std::ptrdiff_t own = own_[at + r] - static_cast<std::ptrdiff_t>(run_.begin);
        const bool holds_own = own_[at + r] >= 0 && own >= 0 && own < run_.points;
        if (holds_own) row[own] = absent_;
        // The nearest point that the tiles found may be one of those that were just taken out.
        if (nearest && (holds_own || run_.padded > run_.points)) nearest[r] = packed_.ops.minimum(row, run_.padded);
    }
}

// Whether the dot form keeps enough digits for a group: by the norms alone, or by the nearest points too.
template <class T>
bool QueryBlock<T>::trusted(std::size_t group, const T* nearest) const {
    for (int r = 0; r < tile_rows; ++r) {
        const double norms = run_norm_ + static_cast<double>(norms_[group * tile_rows + r]);
        if (!packed_.dot.trusted(norms, nearest ? static_cast<double>(nearest[r]) : 0.0)) return false;
    }
    return true;
}

template <class T>
bool QueryBlock<T>::doubtful(std::size_t first_group, std::size_t groups) const {
    for (std::size_t g = 0; packed_.dot.use && g < groups; ++g) {
        if (!trusted(first_group + g, nullptr)) return true;
    }
    return false;
}

template <class T>
bool QueryBlock<T>::sums_directly() const {
    const auto begin = static_cast<std::ptrdiff_t>(run_.begin);
    const auto in_run = [&](std::ptrdiff_t own) { return own >= begin && own < begin + run_.points; };
    return !packed_.input.factors && run_.points == run_.padded && std::none_of(own_.begin(), own_.end(), in_run) &&
           (packed_.dot.exponents_only || !doubtful(0, groups()));
}

template <class T>
bool QueryBlock<T>::in_range() const {
    // No pair is farther apart than the lengths of both, from the centre, added up.
    const double reach = std::sqrt(run_norm_) + std::sqrt(largest_norm_);
    return by_exponents() && -packed_.plan.scale[0] * reach * reach <= largest_exponent_;
}

template <class T>
bool QueryBlock<T>::sum(const T* reference, const T* weights, double* out) {
    if (by_exponents()) return sum_exponents(reference, weights, out);
    const T scale = packed_.plan.scale[0];
    T nearest[most_groups * tile_rows];
    packed_.ops.sum_directly(task(0, groups(), packed_.form, nullptr, wants_nearest_ ? nearest : nullptr),
                             {scale, reference, weights, out});
    for (std::size_t i = 0; wants_nearest_ && i < count_; ++i) {
        if ((nearest[i] - reference[i]) * scale > largest_exponent_) return false;
    }
    return true;
}

template <class T>
bool QueryBlock<T>::sum_exponents(const T* reference, const T* weights, double* out) {
    const T scale = packed_.plan.scale[0];
    // The exponent of a pair, scale (|x|^2 - reference) + scale |y|^2 - 2 scale x.y: a number of the row, one of the
    // point, and a scalar product of scaled rows with the points.
    bool safe = in_range();
    for (std::size_t i = 0; i < groups() * tile_rows; ++i) {
        const T factored = reference[std::min(i, count_ - 1)];
        exponents_[i] = scale * (norms_[i] - factored);
        safe = safe && -scale * factored <= largest_exponent_;
    }
    const bool wants_highest = wants_nearest_ && !safe;
    T highest[most_groups * tile_rows];
    packed_.ops.sum_exponents({queries(scaled_, packed_.centre.data(), -2 * scale), exponents_.data(),
                               segment_->points.data() + run_.begin * packed_.input.dimension,
                               segment_->exponents.data() + run_.begin, static_cast<int>(groups()),
                               run_.padded / packed_.ops.panel, packed_.input.dimension, weights, safe, out,
                               wants_highest ? highest : nullptr});
    const auto too_high = [this](T exponent) { return exponent > largest_exponent_; };
    return !wants_highest || std::none_of(highest, highest + count_, too_high);
}

template <class T>
void QueryBlock<T>::measure(std::size_t first_group, std::size_t groups) {
    if (u_.empty()) u_ = Aligned<T>(batch_ * tile_rows * most_points_);
    if (!packed_.dot.use || packed_.dot.exponents_only) {
        compute(first_group, groups, packed_.form, u(0), wants_nearest_ ? nearest_.data() : nullptr);
    } else {
        const bool doubt = doubtful(first_group, groups);
        compute(first_group, groups, Form::dot, u(0), wants_nearest_ || doubt ? nearest_.data() : nullptr);
        for (std::size_t g = 0; doubt && g < groups; ++g) {
            T* nearest = nearest_.data() + g * tile_rows;
            if (!trusted(first_group + g, nearest))
                compute(first_group + g, 1, Form::difference, u(g * tile_rows), nearest);
        }
    }
    for (std::size_t r = 0; packed_.input.factors && r < groups * tile_rows; ++r) {
        packed_.ops.multiply(u(r), segment_->narrowing.data() + run_.begin, run_.padded);
        if (wants_nearest_) nearest_[r] = packed_.ops.minimum(u(r), run_.padded);
    }
    if (!needs_root(packed_.input.kernel.profile)) return;
    for (std::size_t r = 0; r < groups * tile_rows; ++r) {
        packed_.ops.root(u(r), run_.padded);
        nearest_[r] = std::sqrt(nearest_[r]);
    }
}

template class QueryBlock<float>;
template class QueryBlock<double>;

}  // namespace parzen
