// The sample is cut into pieces. A pair of pieces (I, J) adds to the rows of I and to the rows of
// J, so two pairs that share a piece must not run at once. A round-robin tournament gives rounds
// in which every piece plays once: within a round the games are independent, and each row sees its
// contributions in the order of the rounds, whatever the number of threads.
#include "symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rows.hpp"

namespace parzen {

namespace {

constexpr std::size_t most_pieces = 160;
constexpr std::size_t piece_rows = 192;
constexpr std::size_t sums_in_cache = 20480;  // bytes of point-side sums that stay in the first-level cache

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

template <class T>
class Game {
   public:
    Game(const Packed<T>& packed, std::vector<double>& sums)
        : packed_(packed),
          input_(packed.input),
          sums_(sums),
          width_(static_cast<std::size_t>(input_.columns) * input_.n_bandwidths) {}

    void play(const Piece<T>& rows, const Piece<T>& points, bool both, const Control& control) {
        const std::size_t b = static_cast<std::size_t>(input_.n_bandwidths);
        const int panel = packed_.ops.panel;
        const std::size_t per_point = rows.segment->columns.size() * b * sizeof(T);
        const int most = std::clamp(static_cast<int>(sums_in_cache / per_point) / panel * panel, 4 * panel, 20 * panel);
        QueryBlock<T> block(packed_, rows.end - rows.begin, most);
        block.take(rows.segment->index.data() + rows.begin, rows.end - rows.begin);
        block.enter(*points.segment);
        row_weights_ = Aligned<T>(rows.segment->columns.size() * tile_rows);
        row_sums_ = Aligned<T>(tile_rows * points.segment->columns.size() * b * packed_.ops.lanes);
        point_sums_ = Aligned<T>(rows.segment->columns.size() * b * most);
        part_.resize(points.segment->columns.size() * b);
        for (const Run& run : make_runs(points.begin, points.end, most, panel)) {
            if (control.stopped()) return;
            block.begin_run(run);
            for (std::size_t group = 0; group < block.groups(); ++group) {
                block.measure(group);
                if (both) {
                    add_both(rows, points, run, block, group, most);
                } else {
                    add_rows(rows, points, run, block, group);
                }
            }
            if (both) flush_points(rows, points, run, most);
        }
    }

   private:
    double* out(const Piece<T>& piece, std::size_t offset, int column) {
        return sums_.data() + piece.segment->index[offset] * width_ +
               static_cast<std::size_t>(column) * input_.n_bandwidths;
    }

    void add_both(const Piece<T>& rows, const Piece<T>& points, const Run& run, QueryBlock<T>& block,
                  std::size_t group, int most) {
        const Segment<T>& a = *rows.segment;
        const Segment<T>& z = *points.segment;
        const int bandwidths = input_.n_bandwidths;
        for (std::size_t c = 0; c < a.columns.size(); ++c) {
            for (int r = 0; r < tile_rows; ++r) {
                const std::size_t row = group * tile_rows + r;
                row_weights_[c * tile_rows + r] =
                    row < block.rows() ? a.weights[c * a.padded + rows.begin + row] : T(0);
            }
        }
        packed_.ops.accumulate_pairs(
            packed_.plan.view,
            {block.u(0), block.stride(), run.padded, z.weights.data() + run.begin,
             static_cast<std::ptrdiff_t>(z.padded), static_cast<int>(z.columns.size()), row_weights_.data(),
             static_cast<int>(a.columns.size()), row_sums_.data(), point_sums_.data(), most});
        const T* from = row_sums_.data();
        for (int r = 0; r < tile_rows; ++r) {
            const std::size_t row = group * tile_rows + r;
            for (int column : z.columns) {
                for (int b = 0; b < bandwidths; ++b, from += packed_.ops.lanes) {
                    if (row < block.rows()) out(rows, rows.begin + row, column)[b] += packed_.ops.add_lanes(from);
                }
            }
        }
        std::fill(row_sums_.data(), row_sums_.data() + row_sums_.size(), T(0));
    }

    void add_rows(const Piece<T>& rows, const Piece<T>& points, const Run& run, QueryBlock<T>& block,
                  std::size_t group) {
        const Segment<T>& z = *points.segment;
        for (int r = 0; r < tile_rows; ++r) {
            const std::size_t row = group * tile_rows + r;
            if (row >= block.rows()) return;
            std::fill(part_.begin(), part_.end(), 0.0);
            packed_.ops.accumulate(packed_.plan.view,
                                   {block.u(r), run.padded, T(0), z.weights.data() + run.begin,
                                    static_cast<std::ptrdiff_t>(z.padded), static_cast<int>(z.columns.size()), 1,
                                    part_.data(), row_sums_.data()});
            const double* from = part_.data();
            for (int column : z.columns) {
                double* to = out(rows, rows.begin + row, column);
                for (int b = 0; b < input_.n_bandwidths; ++b) to[b] += *from++;
            }
        }
    }

    void flush_points(const Piece<T>& rows, const Piece<T>& points, const Run& run, int most) {
        const std::size_t bandwidths = static_cast<std::size_t>(input_.n_bandwidths);
        for (std::size_t c = 0; c < rows.segment->columns.size(); ++c) {
            for (int j = 0; j < run.points; ++j) {
                double* to = out(points, run.begin + j, rows.segment->columns[c]);
                for (std::size_t b = 0; b < bandwidths; ++b)
                    to[b] += static_cast<double>(point_sums_[(c * bandwidths + b) * most + j]);
            }
        }
        std::fill(point_sums_.data(), point_sums_.data() + point_sums_.size(), T(0));
    }

    const Packed<T>& packed_;
    const SumsInput<T>& input_;
    std::vector<double>& sums_;
    std::size_t width_;
    Aligned<T> row_weights_, row_sums_, point_sums_;
    std::vector<double> part_;
};

// Game `index` of round `round` among an even number of players: the circle method.
std::pair<std::size_t, std::size_t> opponents(std::size_t players, std::size_t round, std::size_t index) {
    const std::size_t others = players - 1;
    if (index == 0) return {others, round};
    return {(round + index) % others, (round + others - index) % others};
}

}  // namespace

template <class T>
bool symmetric_pays(const Packed<T>& packed) {
    std::size_t visited = 0;
    for (const Segment<T>& s : packed.segments) visited += s.index.size();
    return packed.input.depth == 1 && packed.segments.size() <= most_pieces / 4 && packed.widest <= 8 &&
           visited == packed.input.n_points && visited > 2 * piece_rows;
}

template <class T>
void symmetric_sums(const Packed<T>& packed, double work, T* sums, Control& control) {
    const SumsInput<T>& input = packed.input;
    const std::size_t width = static_cast<std::size_t>(input.columns) * input.n_bandwidths;
    std::vector<double> total(input.n_queries * width);
    const std::vector<Piece<T>> pieces = make_pieces(packed);
    const std::size_t players = pieces.size() + pieces.size() % 2;
    // Round 0 plays every piece against itself.
    parallel_rounds(
        control, work, players, [&](std::size_t round) { return round == 0 ? pieces.size() : players / 2; },
        [&](std::size_t round, std::size_t index) {
            auto [i, j] = round == 0 ? std::pair(index, index) : opponents(players, round - 1, index);
            if (i >= pieces.size() || j >= pieces.size()) return;
            if (i > j) std::swap(i, j);
            Game<T>(packed, total).play(pieces[i], pieces[j], i != j, control);
        });
    for (std::size_t i = 0; i < input.n_queries; ++i) {
        for (int c = 0; c < input.columns; ++c) {
            for (int b = 0; b < input.n_bandwidths; ++b) {
                const std::size_t at = i * width + static_cast<std::size_t>(c) * input.n_bandwidths + b;
                sums[at] = static_cast<T>(total[at] * std::exp(input.log_normalizers[b]));
            }
        }
    }
}

template bool symmetric_pays<float>(const Packed<float>&);
template bool symmetric_pays<double>(const Packed<double>&);
template void symmetric_sums<float>(const Packed<float>&, double, float*, Control&);
template void symmetric_sums<double>(const Packed<double>&, double, double*, Control&);

}  // namespace parzen
