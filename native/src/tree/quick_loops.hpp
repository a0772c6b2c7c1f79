// The inner loops of the quick search, compiled once per instruction set. Gaussian kernels, single
// precision, units in which a kernel is 2^-|x - y|^2: bounds on eight nodes at once, and the sums of
// a leaf for four queries at once.
//
// The bounds are those of tree/loops.hpp. The rounding of single precision is bounded, and the bounds are
// widened by it, so they hold; they are wider by some 1e-5.
#pragma once

#include "tree/loops.hpp"

namespace parzen {

inline constexpr int quick_rows = 4;                   // queries that a leaf is summed for together
inline constexpr double quick_epsilon = 1.1920929e-7;  // twice the unit roundoff of single precision
inline constexpr float quick_highest = 90;             // larger exponents of 2 are treated as infinite

struct QuickLoops {
    // Bounds on the sums of the eight nodes of a block in units of 2^-reference. queries: [count][dimension], from
    // the block's centre. lower, upper: [count][fanout]
    void (*bounds)(const BlockShape& shape, const float* block, int count, const float* queries,
                   const float* references, float* lower, float* upper);
    // Squared distances of the children's means.
    void (*means)(const BlockShape& shape, const float* block, const float* query, float* u);
    // Sums of 2^(constant + exponent + query . point). points: [chunks][dimension + 1][chunk], the last row of a chunk
    // being the exponents; queries: [dimension][quick_rows]
    void (*leaf)(int dimension, const float* points, int chunks, const float* queries, const float* constants,
                 float* sums);
    // The largest exponent of a leaf; query: [dimension]
    float (*highest)(int dimension, const float* points, int chunks, const float* query, float constant);
};

const QuickLoops& quick_loops();

}  // namespace parzen
