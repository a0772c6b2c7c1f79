// Distances of a few queries to a run of packed points, by whichever form keeps the digits.
#pragma once

#include <vector>

#include "packing.hpp"

namespace parzen {

// A run of points of one segment, small enough that it stays in cache with its distances.
struct Run {
    std::size_t begin;  // offset in the segment, a whole number of panels
    int points;         // how many, without padding
    int padded;         // how many, with padding
};

// A block of queries in groups of tile_rows, packed for the tiles, with one thread's buffers.
template <class T>
class QueryBlock {
   public:
    QueryBlock(const Packed<T>& packed, std::size_t most_rows, int most_points);

    // Takes rows index[0..count): the last group is filled up with copies of the last row.
    void take(const std::size_t* index, std::size_t count);
    void enter(const Segment<T>& segment);  // looks up each row's own place in the segment
    void begin_run(const Run& run);

    // Distances of a group to the current run: u() is filled, own and padding points at infinity.
    void measure(std::size_t group);

    std::size_t rows() const { return count_; }
    std::size_t groups() const { return (count_ + tile_rows - 1) / tile_rows; }
    T* u(int row) { return u_.data() + static_cast<std::size_t>(row) * most_points_; }
    int stride() const { return most_points_; }
    T nearest(int row) const { return nearest_[row]; }  // smallest u of the group's row

   private:
    void compute(std::size_t group, Form form);
    bool trusted(std::size_t group) const;
    const T* raw_run();

    const Packed<T>& packed_;
    int most_points_;
    std::size_t count_ = 0;
    std::vector<std::size_t> rows_;
    std::vector<std::ptrdiff_t> own_;  // offset of the row's own point in the segment, or -1
    Aligned<T> direct_;                // [group][dimension][tile_rows], as given
    Aligned<T> doubled_;               // the same, -2 (x - centre)
    Aligned<T> norms_;
    Aligned<T> u_;
    Aligned<T> raw_;  // the current run, not centred; filled on demand
    bool raw_filled_ = false;
    const Segment<T>* segment_ = nullptr;
    Run run_{};
    double run_norm_ = 0;
    T nearest_[tile_rows] = {};
};

// Cuts [0, segment size) into runs of at most `points` (a whole number of panels).
std::vector<Run> make_runs(std::size_t begin, std::size_t end, int points, int panel);

}  // namespace parzen
