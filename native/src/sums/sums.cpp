#include "parzen/sums.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "sums/rows.hpp"
#include "sums/symmetric.hpp"

namespace parzen {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_rows = most_groups * tile_rows;

// Rows that share one reading of the points. With many coordinates the points come from the outer caches, so
// more rows share a reading; with few they stay in the first-level cache.
std::size_t rows_of_block(int dimension) { return dimension > 32 ? most_rows : 32; }

double add_logs(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == -infinity ? a : a + std::log1p(std::exp(b - a));
}

// Runs long enough to spread the cost of a tile, short enough that the points stay in cache; one
// Gaussian bandwidth reads them once for all rows.
template <class T>
int run_points(const Packed<T>& packed) {
    const int step = 4 * packed.ops.panel;
    const int cache = one_gaussian(packed.input) ? 786432 : 196608;
    const int by_cache = static_cast<int>(cache / (sizeof(T) * static_cast<std::size_t>(packed.input.dimension)));
    return std::clamp(by_cache / step * step, step, 2048 / static_cast<int>(sizeof(T)) / step * step);
}

// One thread's sums of a block of queries.
template <class T>
class BlockSums {
   public:
    // `rows`: most of a block. `uncertain`: [bandwidths] set where a logarithm may have lost terms.
    BlockSums(const Packed<T>& packed, const T* queries, std::size_t rows, Mode mode,
              std::vector<std::atomic<bool>>& uncertain)
        : packed_(packed),
          input_(packed.input),
          mode_(mode),
          uncertain_(uncertain),
          factored_(mode != Mode::plain && can_factor(input_.kernel.profile)),
          block_rows_(rows),
          block_(packed, queries, block_rows_, run_points(packed), factored_),
          width_(static_cast<std::size_t>(input_.columns) * input_.n_bandwidths),
          sums_(block_rows_ * width_),
          scratch_(packed.widest * input_.n_bandwidths * packed.ops.lanes),
          reference_(block_rows_) {}

    void run(std::size_t first, std::size_t count, T* sums, T* log_scale, const Control& control) {
        std::size_t index[most_rows];
        std::iota(index, index + count, first);
        block_.take(index, count);
        std::fill(sums_.begin(), sums_.end(), mode_ == Mode::log ? -infinity : 0.0);
        std::fill(reference_.begin(), reference_.end(), no_reference());
        for (const Segment<T>& segment : packed_.segments) {
            visit(segment, control);
            if (control.stopped()) return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            finish(i, sums + i * width_, log_scale ? log_scale + i * input_.n_bandwidths : nullptr);
        }
    }

   private:
    T no_reference() const { return factored_ ? std::numeric_limits<T>::infinity() : T(0); }

    void visit(const Segment<T>& segment, const Control& control) {
        block_.enter(segment);
        const std::size_t size = segment.columns.size() * input_.n_bandwidths;
        partial_.assign(block_rows_ * size, 0.0);
        if (mode_ == Mode::log) std::fill(reference_.begin(), reference_.end(), no_reference());
        for (const Run& run : make_runs(0, segment.index.size(), run_points(packed_), packed_.ops.panel)) {
            if (control.stopped()) return;
            block_.begin_run(run);
            if (add_directly(segment, run)) continue;
            for (std::size_t group = 0; group < block_.groups(); group += block_.batch()) {
                block_.measure(group, std::min(block_.batch(), block_.groups() - group));
                add_run(segment, run, group * tile_rows);
            }
        }
        for (std::size_t i = 0; i < block_.rows(); ++i) merge(segment, i);
    }

    // One exponential kernel, bandwidth and column: distances and sums in one go. Logarithms keep the
    // reference of the runs before; should a much nearer point turn up, the run is done again.
    bool add_directly(const Segment<T>& segment, const Run& run) {
        const Profile profile = input_.kernel.profile;
        if (mode_ == Mode::scaled || !is_exponential(profile) || needs_root(profile) || input_.n_bandwidths > 1 ||
            segment.columns.size() > 1 || !block_.sums_directly())
            return false;
        for (std::size_t i = 0; factored_ && i < block_.rows(); ++i) {
            if (reference_[i] < std::numeric_limits<T>::infinity()) continue;
            if (!block_.in_range()) return false;
            reference_[i] = T(0);
        }
        double sums[most_rows];
        if (!block_.sum(reference_.data(), segment.ones ? nullptr : segment.weights.data() + run.begin, sums))
            return false;
        for (std::size_t i = 0; i < block_.rows(); ++i) partial_[i] += sums[i];
        return true;
    }

    // Adds the measured batch of rows, of which `first` is the first.
    void add_run(const Segment<T>& segment, const Run& run, std::size_t first) {
        const std::size_t rows = std::min(block_.rows() - first, block_.batch() * tile_rows);
        for (std::size_t r = 0; factored_ && r < rows; ++r) {
            if (block_.nearest(r) < reference_[first + r]) factor_out(segment, first + r, block_.nearest(r));
        }
        const std::size_t size = segment.columns.size() * input_.n_bandwidths;
        packed_.ops.accumulate(
            packed_.plan.view,
            {block_.u(0), block_.stride(), static_cast<int>(rows), run.padded, reference_.data() + first,
             segment.ones ? nullptr : segment.weights.data() + run.begin, static_cast<std::ptrdiff_t>(segment.padded),
             static_cast<int>(segment.columns.size()), input_.depth, partial_.data() + first * size, scratch_.data()});
    }

    // A nearer point was found: what was summed so far is expressed in units of its value.
    void factor_out(const Segment<T>& segment, std::size_t row, T nearer) {
        const double before = static_cast<double>(reference_[row]);
        reference_[row] = nearer;
        if (before == infinity) return;
        const std::size_t bandwidths = static_cast<std::size_t>(input_.n_bandwidths);
        const std::size_t size = segment.columns.size() * bandwidths;
        for (std::size_t b = 0; b < bandwidths; ++b) {
            const double h = packed_.bandwidth(b);
            const double factor = std::exp(log_value(input_.kernel, before, h) -
                                           log_value(input_.kernel, static_cast<double>(nearer), h));
            for (std::size_t i = b; i < size; i += bandwidths) partial_[row * size + i] *= factor;
            if (mode_ == Mode::log) continue;
            for (std::size_t i = b; i < width_; i += bandwidths) sums_[row * width_ + i] *= factor;
        }
    }

    void merge(const Segment<T>& segment, std::size_t row) {
        const std::size_t bandwidths = static_cast<std::size_t>(input_.n_bandwidths);
        const double* from = partial_.data() + row * segment.columns.size() * bandwidths;
        if (!segment.least_reliable.empty()) {
            for (std::size_t i = 0; i < segment.least_reliable.size(); ++i) {
                if (from[i] < segment.least_reliable[i])
                    uncertain_[static_cast<std::size_t>(packed_.plan.order[i % bandwidths])].store(true);
            }
        }
        for (int column : segment.columns) {
            double* to = sums_.data() + row * width_ + column * bandwidths;
            for (std::size_t b = 0; b < bandwidths; ++b, ++from) {
                if (mode_ != Mode::log) {
                    to[b] += *from;
                } else if (*from > 0) {
                    to[b] = add_logs(to[b], std::log(*from) + reference_log(row, b));
                }
            }
        }
    }

    double reference_log(std::size_t row, std::size_t step) const {
        return factored_ ? log_value(input_.kernel, static_cast<double>(reference_[row]), packed_.bandwidth(step))
                         : 0.0;
    }

    // From the order of the steps to the caller's.
    void finish(std::size_t row, T* sums, T* log_scale) {
        const std::size_t bandwidths = static_cast<std::size_t>(input_.n_bandwidths);
        for (std::size_t step = 0; step < bandwidths; ++step) {
            const std::size_t b = static_cast<std::size_t>(packed_.plan.order[step]);
            const double normalizer = input_.log_normalizers[b];
            // In two halves, because the normaliser may underflow where the product does not.
            const double factor = mode_ == Mode::plain ? std::exp(normalizer / 2) : 1.0;
            const double shift = mode_ == Mode::log ? normalizer : 0.0;
            for (std::size_t c = 0; c < width_; c += bandwidths)
                sums[c + b] = static_cast<T>(sums_[row * width_ + c + step] * factor * factor + shift);
            if (log_scale) log_scale[b] = static_cast<T>(reference_log(row, step) + normalizer);
        }
    }

    const Packed<T>& packed_;
    const SumsInput<T>& input_;
    Mode mode_;
    std::vector<std::atomic<bool>>& uncertain_;
    bool factored_;
    std::size_t block_rows_;
    QueryBlock<T> block_;
    std::size_t width_;
    std::vector<double> sums_;     // [row][columns][steps], the result so far
    std::vector<double> partial_;  // [row][columns of the segment][steps]
    Aligned<T> scratch_;
    std::vector<T> reference_;  // u of the value factored out of each row
};

// Nanoseconds, about.
template <class T>
double work_of(const Packed<T>& packed, std::size_t n_queries) {
    const double pairs = static_cast<double>(n_queries) * static_cast<double>(packed.input.n_points);
    const double values = static_cast<double>(packed.widest) * packed.input.n_bandwidths;
    return pairs * (0.3 + 0.06 * packed.input.dimension + 0.5 * values);
}

// The sums at some queries, block by block.
template <class T>
void sum_blocks(const Packed<T>& packed, const T* queries, std::size_t n_queries, Mode mode,
                std::vector<std::atomic<bool>>& uncertain, T* sums, T* log_scale, Control& control) {
    const SumsInput<T>& input = packed.input;
    const std::size_t width = static_cast<std::size_t>(input.columns) * input.n_bandwidths;
    const std::size_t whole_groups = (n_queries + tile_rows - 1) / tile_rows * tile_rows;
    const std::size_t block_rows = std::min(rows_of_block(input.dimension), whole_groups);
    const std::size_t blocks = (n_queries + block_rows - 1) / block_rows;
    // A few blocks to a task, so that a thread's buffers are made seldom.
    const std::size_t per_task = std::max<std::size_t>(1, std::min<std::size_t>(16, blocks / 64));
    parallel_for(control, work_of(packed, n_queries), (blocks + per_task - 1) / per_task, [&](std::size_t task) {
        BlockSums<T> block(packed, queries, block_rows, mode, uncertain);
        for (std::size_t i = task * per_task; i < std::min(blocks, (task + 1) * per_task); ++i) {
            const std::size_t first = i * block_rows;
            block.run(first, std::min(block_rows, n_queries - first), sums + first * width,
                      log_scale ? log_scale + first * input.n_bandwidths : nullptr, control);
        }
    });
}

// The sums at one bandwidth alone: only the points that have a weight there count for the nearest one.
template <class T>
void sum_one_bandwidth(const SumsInput<T>& input, Mode mode, std::size_t b, T* sums, T* log_scale, Control& control) {
    const std::size_t depth = static_cast<std::size_t>(input.depth), bandwidths = depth;
    const std::size_t columns = static_cast<std::size_t>(input.columns);
    std::vector<T> weights(input.n_points * (input.labels ? 1 : columns)), part(input.n_queries * columns), scale;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = input.weights[i * depth + b];
    if (log_scale) scale.resize(input.n_queries);
    SumsInput<T> one = input;
    one.weights = weights.data();
    one.depth = one.n_bandwidths = 1;
    one.bandwidths += b;
    one.log_normalizers += b;
    kernel_sums(one, mode, part.data(), log_scale ? scale.data() : nullptr, control);
    for (std::size_t i = 0; i < part.size(); ++i) sums[i * bandwidths + b] = part[i];
    for (std::size_t i = 0; i < scale.size(); ++i) log_scale[i * bandwidths + b] = scale[i];
}

// Whether some point has a weight at one bandwidth and none at another. Scaled sums, which may be signed, do not
// show whether they have lost terms to such a point; all columns of a row have one scale for each bandwidth.
template <class T>
bool points_differ_by_bandwidth(const SumsInput<T>& input) {
    const std::size_t depth = static_cast<std::size_t>(input.depth);
    const std::size_t width = (input.labels ? 1 : static_cast<std::size_t>(input.columns)) * depth;
    std::vector<char> used(depth);
    for (std::size_t j = 0; depth > 1 && j < input.n_points; ++j) {
        std::fill(used.begin(), used.end(), char{0});
        for (std::size_t i = 0; i < width; ++i) used[i % depth] |= input.weights[j * width + i] != T(0);
        if (std::count(used.begin(), used.end(), used[0]) != static_cast<std::ptrdiff_t>(depth)) return true;
    }
    return false;
}

}  // namespace

template <class T>
void kernel_sums(const SumsInput<T>& input, Mode mode, T* sums, T* log_scale, Control& control) {
    if (input.n_queries == 0) return;
    const std::size_t n_bandwidths = static_cast<std::size_t>(input.n_bandwidths);
    if (mode == Mode::scaled && can_factor(input.kernel.profile) && points_differ_by_bandwidth(input)) {
        for (std::size_t b = 0; b < n_bandwidths; ++b) sum_one_bandwidth(input, mode, b, sums, log_scale, control);
        return;
    }
    const Packed<T> packed(input, mode);
    if (mode == Mode::plain && input.same && symmetric_pays(packed)) {
        symmetric_sums(packed, work_of(packed, input.n_queries) / 2, sums, control);
        return;
    }
    std::vector<std::atomic<bool>> uncertain(n_bandwidths);
    sum_blocks(packed, input.queries, input.n_queries, mode, uncertain, sums, log_scale, control);
    for (std::size_t b = 0; b < n_bandwidths; ++b)
        if (uncertain[b]) sum_one_bandwidth(input, mode, b, sums, log_scale, control);
}

template <class T>
PackedSums<T>::PackedSums(const SumsInput<T>& input, Mode mode)
    : mode_(mode), packed_(std::make_unique<const Packed<T>>(input, mode)) {}

template <class T>
PackedSums<T>::~PackedSums() = default;

template <class T>
bool PackedSums<T>::is_current() const {
    return &packed_->ops == &tile_ops<T>();
}

template <class T>
void PackedSums<T>::at(const T* queries, std::size_t n_queries, T* sums, T* log_scale, Control& control) const {
    if (n_queries == 0) return;
    std::vector<std::atomic<bool>> uncertain(1);  // nothing is, with one bandwidth
    sum_blocks(*packed_, queries, n_queries, mode_, uncertain, sums, log_scale, control);
}

template class PackedSums<float>;
template class PackedSums<double>;
template void kernel_sums<float>(const SumsInput<float>&, Mode, float*, float*, Control&);
template void kernel_sums<double>(const SumsInput<double>&, Mode, double*, double*, Control&);

}  // namespace parzen
