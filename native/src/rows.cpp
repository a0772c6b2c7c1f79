#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parzen {

std::vector<Run> make_runs(std::size_t begin, std::size_t end, int points, int panel) {
    std::vector<Run> runs;
    for (std::size_t at = begin; at < end; at += static_cast<std::size_t>(points)) {
        const int count = static_cast<int>(std::min<std::size_t>(end - at, static_cast<std::size_t>(points)));
        runs.push_back({at, count, (count + panel - 1) / panel * panel});
    }
    return runs;
}

template <class T>
QueryBlock<T>::QueryBlock(const Packed<T>& packed, std::size_t most_rows, int most_points)
    : packed_(packed), most_points_(most_points) {
    const std::size_t padded = (most_rows + tile_rows - 1) / tile_rows * tile_rows;
    const std::size_t dimension = static_cast<std::size_t>(packed.input.dimension);
    direct_ = Aligned<T>(padded * dimension);
    if (packed.dot.use) {
        doubled_ = Aligned<T>(padded * dimension);
        raw_ = Aligned<T>(static_cast<std::size_t>(most_points) * dimension);
    }
    norms_ = Aligned<T>(padded);
    u_ = Aligned<T>(static_cast<std::size_t>(tile_rows) * most_points);
    rows_.resize(padded);
    own_.resize(padded);
}

template <class T>
void QueryBlock<T>::take(const std::size_t* index, std::size_t count) {
    count_ = count;
    const SumsInput<T>& in = packed_.input;
    for (std::size_t i = 0; i < groups() * tile_rows; ++i) {
        rows_[i] = index[std::min(i, count - 1)];
        const T* x = in.queries + rows_[i] * static_cast<std::size_t>(in.dimension);
        const std::size_t at = i / tile_rows * tile_rows * in.dimension + i % tile_rows;
        double norm = 0;
        for (int k = 0; k < in.dimension; ++k) {
            const std::size_t place = at + static_cast<std::size_t>(k) * tile_rows;
            direct_[place] = x[k];
            if (!packed_.dot.use) continue;
            const T centred = static_cast<T>(static_cast<double>(x[k]) - packed_.centre[k]);
            doubled_[place] = -2 * centred;
            norm += static_cast<double>(centred) * centred;
        }
        norms_[i] = static_cast<T>(norm);
    }
}

template <class T>
void QueryBlock<T>::enter(const Segment<T>& segment) {
    segment_ = &segment;
    std::fill(own_.begin(), own_.end(), -1);
    if (!packed_.input.exclude_self) return;
    for (std::size_t i = 0; i < groups() * tile_rows; ++i) {
        const auto place = std::lower_bound(segment.index.begin(), segment.index.end(), rows_[i]);
        if (place != segment.index.end() && *place == rows_[i]) own_[i] = place - segment.index.begin();
    }
}

template <class T>
void QueryBlock<T>::begin_run(const Run& run) {
    run_ = run;
    raw_filled_ = false;
    if (!packed_.dot.use) return;
    const T* norms = segment_->norms.data() + run.begin;
    run_norm_ = *std::max_element(norms, norms + run.points);
}

template <class T>
const T* QueryBlock<T>::raw_run() {
    if (!raw_filled_) {
        pack_points<T>(packed_.input.points, segment_->index.data() + run_.begin,
                       static_cast<std::size_t>(run_.points), packed_.input.dimension,
                       packed_.ops.panel, nullptr, raw_.data());
        raw_filled_ = true;
    }
    return raw_.data();
}

template <class T>
void QueryBlock<T>::compute(std::size_t group, Form form) {
    const int d = packed_.input.dimension;
    const std::size_t at = group * tile_rows;
    const bool dot = form == Form::dot;
    const T* points = packed_.dot.use && !dot ? raw_run() : segment_->points.data() + run_.begin * d;
    packed_.ops.distances(form, (dot ? doubled_ : direct_).data() + at * d, norms_.data() + at, points,
                          segment_->norms.data() + run_.begin, run_.padded / packed_.ops.panel, d,
                          u_.data(), most_points_);
    for (int r = 0; r < tile_rows; ++r) {
        T* row = u(r);
        std::fill(row + run_.points, row + run_.padded, std::numeric_limits<T>::infinity());
        const std::ptrdiff_t own = own_[at + r] - static_cast<std::ptrdiff_t>(run_.begin);
        if (own_[at + r] >= 0 && own >= 0 && own < run_.points) row[own] = std::numeric_limits<T>::infinity();
    }
}

template <class T>
bool QueryBlock<T>::trusted(std::size_t group) const {
    for (int r = 0; r < tile_rows; ++r) {
        const double norms = run_norm_ + static_cast<double>(norms_[group * tile_rows + r]);
        if (!packed_.dot.trusted(norms, static_cast<double>(nearest_[r]))) return false;
    }
    return true;
}

template <class T>
void QueryBlock<T>::measure(std::size_t group) {
    const auto find_nearest = [this] {
        for (int r = 0; r < tile_rows; ++r) nearest_[r] = packed_.ops.minimum(u(r), run_.padded);
    };
    compute(group, packed_.dot.use ? Form::dot : packed_.form);
    find_nearest();
    if (packed_.dot.use && !trusted(group)) {
        compute(group, Form::difference);
        find_nearest();
    }
    if (needs_root(packed_.input.kernel.profile)) {
        for (int r = 0; r < tile_rows; ++r) {
            packed_.ops.root(u(r), run_.padded);
            nearest_[r] = std::sqrt(nearest_[r]);
        }
    }
}

template class QueryBlock<float>;
template class QueryBlock<double>;

}  // namespace parzen
