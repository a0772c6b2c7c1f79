// The sample is cut into pieces. A pair of pieces (I, J) adds to the rows of I and to the rows of
// J, so two pairs that share a piece must not run at once. A round-robin schedule gives rounds in which
// every piece is in one pair: within a round the pairs are independent, and each row receives its
// contributions in the order of the rounds, whatever the number of threads.
#include "sums/symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#ifdef PARZEN_X86
#include <pmmintrin.h>
#endif

#include "sums/rows.hpp"

namespace parzen {

namespace {

constexpr std::size_t most_pieces = 160;
constexpr std::size_t piece_rows = 768;          // least rows of a piece
constexpr std::size_t most_block_rows = 384;     // rows whose sums are kept lane by lane
constexpr std::size_t alone_rows = 48;           // up to here the pairs within a piece are summed row by row, both ways
constexpr std::size_t point_sums_bytes = 20480;  // sums of points that stay in the first-level cache
constexpr std::size_t row_sums_bytes = 655360;   // sums of rows that stay in the second-level cache

// While this lives, results below the smallest normal number are zero: so are those that begin a chain
// of squarings, and a processor may take long over numbers that are neither normal nor zero.
class FlushTiny {
#ifdef PARZEN_X86
   public:
    explicit FlushTiny(bool wanted) : before_(_mm_getcsr()) {
        if (wanted) _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    }
    ~FlushTiny() { _mm_setcsr(before_); }
    FlushTiny(const FlushTiny&) = delete;
    FlushTiny& operator=(const FlushTiny&) = delete;

   private:
    unsigned before_;
#else
   public:
    explicit FlushTiny(bool) {}
#endif
};

template <class T>
struct Piece {
    const Segment<T>* segment;
    std::size_t begin, end;
};

template <class T>
std::vector<Piece<T>> make_pieces(const Packed<T>& packed) {
    std::size_t total = 0;
    for (const Segment<T>& s : packed.segments) total += s.index.size();
    const std::size_t panel = static_cast<std::size_t>(packed.ops.panel);
    const std::size_t wanted = std::max(piece_rows, total / 128);
    const std::size_t rows = (wanted + panel - 1) / panel * panel;
    std::vector<Piece<T>> pieces;
    for (const Segment<T>& s : packed.segments) {
        for (std::size_t at = 0; at < s.index.size(); at += rows)
            pieces.push_back({&s, at, std::min(at + rows, s.index.size())});
    }
    return pieces;
}

// One pair of pieces. The sums of a run of points stay in the first-level cache while all rows pass
// over them; the sums of the rows are kept lane by lane in the second, and added up at the end.
template <class T>
class PiecePair {
   public:
    PiecePair(const Packed<T>& packed, std::vector<double>& total, const Piece<T>& rows, const Piece<T>& points)
        : packed_(packed),
          total_(total),
          rows_(rows),
          points_(points),
          row_columns_(rows.segment->columns.size()),
          point_columns_(points.segment->columns.size()),
          steps_(static_cast<std::size_t>(packed.input.n_bandwidths)),
          lanes_(static_cast<std::size_t>(packed.ops.lanes)) {
        const std::size_t panel = static_cast<std::size_t>(packed.ops.panel);
        const std::size_t points_in_cache = point_sums_bytes / (row_columns_ * steps_ * sizeof(T));
        run_points_ = static_cast<int>(std::clamp(points_in_cache / panel, std::size_t{4}, std::size_t{20}) * panel);
        const std::size_t row_bytes = point_columns_ * steps_ * lanes_ * sizeof(T);
        block_rows_ =
            std::clamp(row_sums_bytes / row_bytes / tile_rows, std::size_t{8}, most_block_rows / tile_rows) * tile_rows;
        // Most pairs within a piece are small, and allocating buffers takes time.
        block_rows_ = std::min(block_rows_, (rows.end - rows.begin + tile_rows - 1) / tile_rows * tile_rows);
    }

    // Every pair once, for the sums of both; or, of a piece with itself, for the sums of its rows.
    void sum(bool both, const Control& control) {
        // Not with weights, which may be tiny themselves.
        const FlushTiny flush(rows_.segment->ones && points_.segment->ones &&
                              is_exponential(packed_.input.kernel.profile));
        QueryBlock<T> block(packed_, packed_.input.queries, block_rows_, run_points_, false);
        if (both) {
            row_sums_ = Aligned<T>(block_rows_ * point_columns_ * steps_ * lanes_);
            point_sums_ = Aligned<T>(row_columns_ * steps_ * run_points_);
        } else {
            row_sums_ = Aligned<T>(point_columns_ * steps_ * lanes_);
        }
        for (std::size_t first = rows_.begin; first < rows_.end; first += block_rows_) {
            block.take(rows_.segment->index.data() + first, std::min(block_rows_, rows_.end - first));
            block.enter(*points_.segment);
            for (const Run& run : make_runs(points_.begin, points_.end, run_points_, packed_.ops.panel)) {
                if (control.stopped()) return;
                block.begin_run(run);
                for (std::size_t group = 0; group < block.groups(); group += block.batch()) {
                    const std::size_t groups = std::min(block.batch(), block.groups() - group);
                    block.measure(group, groups);
                    if (both) {
                        for (std::size_t g = 0; g < groups; ++g) add_both(run, block, first, group + g, g);
                    } else {
                        add_rows(run, block, first + group * tile_rows, group * tile_rows);
                    }
                }
                if (both) flush_points(run);
            }
            if (both) flush_rows(first, block.rows(), first + block_rows_ < rows_.end);
        }
    }

   private:
    double* total(const Piece<T>& piece, std::size_t offset, int column) {
        return total_.data() + (piece.segment->index[offset] * packed_.input.columns + column) * steps_;
    }

    // Group `group` of the block that starts at row `first`; its distances are group `at` of the batch.
    void add_both(const Run& run, QueryBlock<T>& block, std::size_t first, std::size_t group, std::size_t at) {
        const Segment<T>& row_segment = *rows_.segment;
        const Segment<T>& point_segment = *points_.segment;
        const bool ones = row_segment.ones && point_segment.ones;
        row_weights_.assign(ones ? 0 : row_columns_ * tile_rows, T(0));
        for (std::size_t c = 0; !ones && c < row_columns_; ++c) {
            for (std::size_t r = 0; r < tile_rows && group * tile_rows + r < block.rows(); ++r)
                row_weights_[c * tile_rows + r] =
                    row_segment.weights[c * row_segment.padded + first + group * tile_rows + r];
        }
        packed_.ops.accumulate_pairs(
            packed_.plan.view,
            {block.u(at * tile_rows), block.stride(), run.padded,
             ones ? nullptr : point_segment.weights.data() + run.begin,
             static_cast<std::ptrdiff_t>(point_segment.padded), static_cast<int>(point_columns_), row_weights_.data(),
             static_cast<int>(row_columns_), row_sums_.data() + group * tile_rows * point_columns_ * steps_ * lanes_,
             point_sums_.data(), run_points_});
    }

    // The measured batch, whose first row is `row` of the segment and `at` of the block.
    void add_rows(const Run& run, QueryBlock<T>& block, std::size_t row, std::size_t at) {
        const Segment<T>& point_segment = *points_.segment;
        const std::size_t rows = std::min(block.batch() * tile_rows, block.rows() - at);
        const std::size_t size = point_columns_ * steps_;
        const T nothing_factored[most_groups * tile_rows] = {};
        part_.assign(rows * size, 0.0);
        packed_.ops.accumulate(packed_.plan.view,
                               {block.u(0), block.stride(), static_cast<int>(rows), run.padded, nothing_factored,
                                point_segment.ones ? nullptr : point_segment.weights.data() + run.begin,
                                static_cast<std::ptrdiff_t>(point_segment.padded), static_cast<int>(point_columns_), 1,
                                part_.data(), row_sums_.data()});
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < point_columns_; ++c) {
                double* to = total(rows_, row + r, point_segment.columns[c]);
                for (std::size_t s = 0; s < steps_; ++s) to[s] += part_[r * size + c * steps_ + s];
            }
        }
    }

    void flush_rows(std::size_t first, std::size_t rows, bool more) {
        const T* from = row_sums_.data();
        for (std::size_t r = 0; r < rows; ++r) {
            for (int column : points_.segment->columns) {
                packed_.ops.add_lanes(from, static_cast<int>(steps_), total(rows_, first + r, column));
                from += steps_ * lanes_;
            }
        }
        if (more) std::fill(row_sums_.data(), row_sums_.data() + row_sums_.size(), T(0));
    }

    void flush_points(const Run& run) {
        for (std::size_t c = 0; c < row_columns_; ++c) {
            const T* from = point_sums_.data() + c * steps_ * run_points_;
            for (int j = 0; j < run.points; ++j) {
                double* to = total(points_, run.begin + j, rows_.segment->columns[c]);
                for (std::size_t s = 0; s < steps_; ++s) to[s] += static_cast<double>(from[s * run_points_ + j]);
            }
        }
        std::fill(point_sums_.data(), point_sums_.data() + point_sums_.size(), T(0));
    }

    const Packed<T>& packed_;
    std::vector<double>& total_;  // [row][columns][steps]
    const Piece<T>& rows_;
    const Piece<T>& points_;
    std::size_t row_columns_, point_columns_;  // of the rows' and the points' segments
    std::size_t steps_, lanes_;
    int run_points_;
    std::size_t block_rows_;
    std::vector<T> row_weights_;
    Aligned<T> row_sums_, point_sums_;
    std::vector<double> part_;
};

// The pairs within a piece: its halves against each other, then the pairs within each half.
template <class T>
void sum_within(const Packed<T>& packed, std::vector<double>& total, const Piece<T>& piece, const Control& control) {
    const std::size_t rows = piece.end - piece.begin;
    if (rows <= alone_rows) return PiecePair<T>(packed, total, piece, piece).sum(false, control);
    const std::size_t panel = static_cast<std::size_t>(packed.ops.panel);
    Piece<T> first = piece, second = piece;
    first.end = second.begin = piece.begin + (rows / 2 + panel - 1) / panel * panel;
    PiecePair<T>(packed, total, first, second).sum(true, control);
    sum_within(packed, total, first, control);
    sum_within(packed, total, second, control);
}

// Pair `index` of round `round` among an even number of pieces: the circle method.
std::pair<std::size_t, std::size_t> pair_of_round(std::size_t slots, std::size_t round, std::size_t index) {
    const std::size_t others = slots - 1;
    if (index == 0) return {others, round};
    return {(round + index) % others, (round + others - index) % others};
}

}  // namespace

template <class T>
bool symmetric_pays(const Packed<T>& packed) {
    std::size_t visited = 0;
    for (const Segment<T>& s : packed.segments) visited += s.index.size();
    return packed.input.depth == 1 && !packed.input.factors && packed.segments.size() <= most_pieces / 4 &&
           packed.widest <= 8 && visited == packed.input.n_points && visited > 8 * alone_rows;
}

template <class T>
void symmetric_sums(const Packed<T>& packed, double work, T* sums, Control& control) {
    const SumsInput<T>& input = packed.input;
    const std::size_t width = static_cast<std::size_t>(input.columns) * input.n_bandwidths;
    std::vector<double> total(input.n_queries * width);
    const std::vector<Piece<T>> pieces = make_pieces(packed);
    const std::size_t slots = pieces.size() + pieces.size() % 2;
    // Round 0 sums the pairs within every piece.
    parallel_rounds(
        control, work, slots, [&](std::size_t round) { return round == 0 ? pieces.size() : slots / 2; },
        [&](std::size_t round, std::size_t index) {
            auto [i, j] = round == 0 ? std::pair(index, index) : pair_of_round(slots, round - 1, index);
            if (i >= pieces.size() || j >= pieces.size()) return;
            if (i == j) return sum_within(packed, total, pieces[i], control);
            if (i > j) std::swap(i, j);
            PiecePair<T>(packed, total, pieces[i], pieces[j]).sum(true, control);
        });
    std::vector<double> roots;  // the whole normaliser may underflow
    for (int b : packed.plan.order) roots.push_back(std::exp(input.log_normalizers[b] / 2));
    for (std::size_t at = 0; at < total.size(); at += roots.size()) {
        for (std::size_t step = 0; step < roots.size(); ++step)
            sums[at + packed.plan.order[step]] = static_cast<T>(total[at + step] * roots[step] * roots[step]);
    }
}

template bool symmetric_pays<float>(const Packed<float>&);
template bool symmetric_pays<double>(const Packed<double>&);
template void symmetric_sums<float>(const Packed<float>&, double, float*, Control&);
template void symmetric_sums<double>(const Packed<double>&, double, double*, Control&);

}  // namespace parzen
