// Distances of a few queries to a run of packed points, by whichever form keeps the digits.
#pragma once

#include <vector>

#include "sums/packing.hpp"

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
    // `queries`: [rows][dimension]. `nearest` asks for the smallest u of each row; it costs a little.
    QueryBlock(const Packed<T>& packed, const T* queries, std::size_t most_rows, int most_points, bool nearest);

    // Takes rows index[0..count), which increase: the last group is filled up with copies of the last row.
    void take(const std::size_t* index, std::size_t count);
    void enter(const Segment<T>& segment);  // looks up each row's own place in the segment
    void begin_run(const Run& run);

    // Distances of a batch of groups to the current run; fills u() and, if asked for, nearest().
    // Padding, a row's own point and rows beyond the last are given a u of value 0.
    void measure(std::size_t first_group, std::size_t groups);

    // Whether a run can be summed without storing its distances: no point has to be taken out of it,
    // and the form of the distances is not in doubt.
    bool sums_directly() const;
    // Whether no value of the run is so small that it needs a reference.
    bool in_range() const;
    // One value per row, rows beyond the last included, in units of the value at the row's reference.
    // False: some value is too large for that, and the run has to be summed otherwise.
    bool sum(const T* reference, const T* weights, double* out);

    std::size_t rows() const { return count_; }
    std::size_t groups() const { return (count_ + tile_rows - 1) / tile_rows; }
    std::size_t batch() const { return batch_; }  // most groups to measure at once
    // By row of the measured batch:
    T* u(std::size_t row) { return u_.data() + row * static_cast<std::size_t>(most_points_); }
    int stride() const { return most_points_; }
    T nearest(std::size_t row) const { return nearest_[row]; }

   private:
    struct Queries {
        Aligned<T> values;  // [group][dimension][tile_rows]
        bool filled = false;
    };

    const T* queries(Queries& queries, const double* centre, T factor);
    DistanceTask<T> task(std::size_t first_group, std::size_t groups, Form form, T* u, T* nearest);
    void compute(std::size_t first_group, std::size_t groups, Form form, T* u, T* nearest);
    bool trusted(std::size_t group, const T* nearest) const;
    bool doubtful(std::size_t first_group, std::size_t groups) const;
    bool by_exponents() const { return !exponents_.empty() && !doubtful(0, groups()); }
    bool sum_exponents(const T* reference, const T* weights, double* out);
    const T* uncentred_run();

    const Packed<T>& packed_;
    const T* all_queries_;
    int most_points_;
    std::size_t batch_;
    bool wants_nearest_;
    double largest_exponent_;
    T absent_;  // a u of value 0
    std::size_t count_ = 0;
    std::vector<std::size_t> rows_;
    std::vector<std::ptrdiff_t> own_;  // offset of the row's own point in the segment, or -1
    Queries direct_;                   // as given
    Queries doubled_;                  // -2 (x - centre)
    Queries scaled_;                   // the same, times the exponent of 2 per unit u
    Aligned<T> norms_;
    Aligned<T> u_;
    Aligned<T> uncentred_;  // the current run, not centred; filled on demand
    bool uncentred_filled_ = false;
    const Segment<T>* segment_ = nullptr;
    Run run_{};
    std::vector<T> exponents_;                // of the rows' norms and references
    double run_norm_ = 0, largest_norm_ = 0;  // of the run's points and of the rows
    std::vector<T> nearest_;
};

// Cuts [0, segment size) into runs of at most `points` (a whole number of panels).
std::vector<Run> make_runs(std::size_t begin, std::size_t end, int points, int panel);

}  // namespace parzen
