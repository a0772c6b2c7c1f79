// The inner loops, compiled once per instruction set behind one table of functions.
//
// A tile is `tile_rows` queries against points that were packed into panels: panel p holds `panel`
// points, coordinate by coordinate ([dimension][panel]), so that one vector load fetches the same
// coordinate of several points. Two steps, both in cache:
//
//   distances   u[row][point]                 one fused multiply-add per coordinate
//   accumulate  sums[column][step] += w k(u)  one exponential per pair (see BandwidthPlan)
//
// A point that is not to count (padding, a row's own) is given a u of value 0: it adds nothing.
#pragma once

#include <cstddef>

#include "parzen/kernel.hpp"

namespace parzen {

// How the measure is computed: by differences, by |x|^2 + |y|^2 - 2xy, as a sum of |dx|, or as x.y.
enum class Form { difference, dot, absolute, inner };

inline constexpr int tile_rows = 4;
inline constexpr int most_groups = 24;  // groups of tile_rows rows that share one pass over the points

// The order in which the bandwidths of one call are evaluated. For exponential kernels a
// bandwidth whose exponent is twice that of its predecessor is had by squaring: a geometric grid
// with h^2 ratio 2^(1/p) needs p exponentials per pair, the rest are multiplications. The steps
// (bandwidths in the order of evaluation) are cut into chains: the first value of a chain is
// evaluated, each later one is the square of the one before.
template <class T>
struct BandwidthPlan {
    Kernel kernel;
    int steps = 0;  // number of bandwidths
    int chains = 0;
    const int* lengths = nullptr;  // [chains] number of steps
    const T* scale = nullptr;      // [chains] of the first step: exponent of 2 per unit u, or h, or h^2
};

// Distances of groups of tile_rows queries to panels of points.
template <class T>
struct DistanceTask {
    Form form;
    const T* queries;      // [groups][dimension][tile_rows]; times -2 for the dot form
    const T* query_norms;  // [groups][tile_rows], dot form only
    const T* points;       // [panels][dimension][panel]
    const T* point_norms;  // [panels][panel], dot form only
    int groups;            // at most most_groups
    int panels;
    int dimension;
    T* u;  // [groups * tile_rows][ldu]
    int ldu;
    T* nearest;  // [groups * tile_rows] the smallest u of each row; null: not wanted
};

// Sums of `rows` rows: column c at step s is out[row][c * steps + s], in double precision.
// Weights of point j: weights[(c * depth + (depth > 1 ? s : 0)) * stride + j].
template <class T>
struct RowTask {
    const T* u;  // [rows][ldu]
    int ldu;
    int rows;
    int points;          // a multiple of `panel`
    const T* reference;  // [rows] u of the value factored out, 0 for none; infinity: skip the row
    const T* weights;    // null: one column of ones
    std::ptrdiff_t stride;
    int columns;
    int depth;  // 1, or the number of steps
    double* out;
    T* scratch;  // [columns * steps * lanes], zero on entry and on exit
};

// Sums of an exponential kernel at one bandwidth for one column, without storing distances.
template <class T>
struct DirectTask {
    T scale;             // exponent of 2 per unit u
    const T* reference;  // [groups * tile_rows] finite
    const T* weights;    // [panels][panel]; null: ones
    double* out;         // [groups * tile_rows] overwritten
};

// Sums of a Gaussian kernel at one bandwidth for one column, where the dot form keeps enough digits:
// the exponent of 2 of a pair is query_exponents + point_exponents + query . point.
template <class T>
struct ExponentTask {
    const T* queries;          // [groups][dimension][tile_rows], scaled
    const T* query_exponents;  // [groups][tile_rows]
    const T* points;           // [panels][dimension][panel]
    const T* point_exponents;  // [panels][panel]
    int groups;                // at most most_groups
    int panels;
    int dimension;
    const T* weights;  // [panels][panel]; null: ones
    bool in_range;     // no exponent is near the ends of the range of T
    double* out;       // [groups * tile_rows] overwritten
    T* highest;        // [groups * tile_rows] the largest exponent of each row; null: not wanted
};

// A group of `tile_rows` rows against points that are rows themselves: every value serves both.
template <class T>
struct PairTask {
    const T* u;  // [tile_rows][ldu]
    int ldu;
    int points;              // a multiple of `panel`
    const T* point_weights;  // [point_columns][stride]; null: one column of ones on both sides
    std::ptrdiff_t stride;
    int point_columns;
    const T* row_weights;  // [row_columns][tile_rows]
    int row_columns;
    T* row_sums;    // [tile_rows][point_columns][steps][lanes]
    T* point_sums;  // [row_columns][steps][point_sums_stride]
    std::ptrdiff_t point_sums_stride;
};

template <class T>
struct TileOps {
    int lanes;
    int panel;
    void (*distances)(const DistanceTask<T>& task);
    void (*root)(T* u, int count);
    T (*minimum)(const T* u, int count);
    void (*multiply)(T* u, const T* factors, int count);
    void (*accumulate)(const BandwidthPlan<T>& plan, const RowTask<T>& task);
    void (*sum_directly)(const DistanceTask<T>& task, const DirectTask<T>& direct);
    void (*sum_exponents)(const ExponentTask<T>& task);
    void (*accumulate_pairs)(const BandwidthPlan<T>& plan, const PairTask<T>& task);
    void (*add_lanes)(const T* sums, int count, double* out);  // [count][lanes], added up, to [count]
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

// Whether the set computes what the baseline does, on a small problem that uses every function.
bool passes_self_check(const InstructionSet& set);

// Chooses by name ("" for the best that passes its self-check). False: unknown or not usable here.
bool choose_instruction_set(const char* name);

}  // namespace parzen
