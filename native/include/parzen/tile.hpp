// The inner loops, compiled once per instruction set behind one table of functions.
//
// A tile is `tile_rows` queries against a run of points that were packed into panels:
// panel p holds `panel` points, coordinate by coordinate ([dimension][panel]), so that one
// vector load fetches the same coordinate of several points. Two steps, both in cache:
//
//   distances   u[row][point]                      one fused multiply-add per coordinate
//   accumulate  sums[column][bandwidth] += w k(u)  one exponential per pair (see BandwidthPlan)
//
// Points beyond the end of a run are given u = infinity (and weight 0): they add nothing.
#pragma once

#include <cstddef>

#include "parzen/profile.hpp"

namespace parzen {

inline constexpr int tile_rows = 4;

// The order in which the bandwidths of one call are evaluated. For exponential kernels a
// bandwidth whose exponent is twice that of its predecessor is had by squaring: a geometric grid
// with h^2 ratio 2^(1/p) needs p exponentials per pair, the rest are multiplications.
template <class T>
struct BandwidthPlan {
    Kernel kernel;
    int count = 0;                // number of bandwidths
    const int* order = nullptr;   // [count] index of the bandwidth evaluated at each step
    const bool* squared = nullptr;  // [count] whether the step squares the previous value
    const T* scale = nullptr;     // [count] by step: exponent of 2 per unit u, or h, or h^2
};

// Sums of one row: column c at bandwidth b is out[c * count + b], in double precision.
// Weights of point j: weights[(c * depth + (depth > 1 ? b : 0)) * stride + j].
template <class T>
struct RowTask {
    const T* u;
    int points;  // a multiple of `lanes`
    T reference;  // value factored out: u of the row's largest kernel value, 0 for none
    const T* weights;
    std::ptrdiff_t stride;
    int columns;
    int depth;  // 1, or the number of bandwidths
    double* out;
    T* scratch;  // [columns * count * lanes], zero on entry and on exit
};

// A block of `tile_rows` rows against points that are rows themselves: every value serves both.
template <class T>
struct PairTask {
    const T* u;  // [tile_rows][ldu]
    int ldu;
    int points;  // a multiple of `lanes`
    const T* point_weights;  // [point_columns][stride]
    std::ptrdiff_t stride;
    int point_columns;
    const T* row_weights;  // [row_columns][tile_rows]
    int row_columns;
    T* row_sums;    // [tile_rows][point_columns][count][lanes]
    T* point_sums;  // [row_columns][count][point_sums_stride]
    std::ptrdiff_t point_sums_stride;
};

template <class T>
struct TileOps {
    int lanes;
    int panel;
    // u[tile_rows][ldu] for `panels` panels. queries: [dimension][tile_rows] (times -2 for dot).
    void (*distances)(Form form, const T* queries, const T* query_norms, const T* points,
                      const T* point_norms, int panels, int dimension, T* u, int ldu);
    void (*root)(T* u, int count);
    T (*minimum)(const T* u, int count);
    void (*accumulate)(const BandwidthPlan<T>& plan, const RowTask<T>& task);
    void (*accumulate_pairs)(const BandwidthPlan<T>& plan, const PairTask<T>& task);
    double (*add_lanes)(const T* lanes);
    // For the benchmark's limit: `count` fused multiply-adds per lane, and exponentials summed over an array.
    T (*peak_multiply_add)(std::ptrdiff_t count);
    T (*sum_exponentials)(const T* u, int count, T scale);
};

struct InstructionSet {
    const char* name;
    bool (*supported)();
    const TileOps<float>* single;
    const TileOps<double>* full;
};

template <class T>
const TileOps<T>& tile_ops();

// The instruction set in use, the names of all that were compiled in, and whether one can run here.
const char* instruction_set();
const InstructionSet* instruction_sets(int* count);

// Chooses by name ("" for the best that passes its self-check). False: unknown or not usable here.
bool choose_instruction_set(const char* name);

}  // namespace parzen
