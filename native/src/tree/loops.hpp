// The inner loops of the tree, compiled once per instruction set: bounds on the kernel sums of
// eight nodes at once, and the sums of a leaf.
//
// A node stores its box, its weight W, its mean m, and moments of d = y - m: V = E|d|^2,
// C = E dd', T = E d(|d|^2 - V), Q = E(|d|^2 - V)^2. They give, for a query x and z = x - m, mean and
// variance of s = |x - y|^2 over the node,
//
//   mean = |z|^2 + V,      variance = 4 z'Cz - 4 z'T + Q,
//
// and its range [a, b] follows from the box. The derivatives of a kernel k(s) alternate in sign, so
// the extreme means of k over all distributions with these moments have two atoms (Chebyshev,
// Markov): the least has one at b, the largest one at a. Compact kernels are only convex where the
// box crosses their edge: there the variance is not used.
#pragma once

#include "parzen/kernel.hpp"

namespace parzen {

inline constexpr int fanout = 8;  // children of a node, evaluated together
inline constexpr int chunk = 24;  // points of a leaf are kept in [dimension][chunk]

// Where the numbers of a block of eight nodes are: rows of eight.
struct BlockShape {
    explicit BlockShape(int d, bool with_moments)
        : dimension(d), moments(with_moments), rows(3 * d + 4 + (with_moments ? d * (d + 1) / 2 + d + 1 : 0)) {}
    int low(int k) const { return k; }
    int high(int k) const { return dimension + k; }
    int mean(int k) const { return 2 * dimension + k; }
    int weight() const { return 3 * dimension; }
    int spread() const { return 3 * dimension + 1; }  // V
    int drift() const { return 3 * dimension + 2; }   // bound on the error of the stored mean
    int radius() const { return 3 * dimension + 3; }  // of the ball around the mean
    int quartic() const { return 3 * dimension + 4; }
    int cubic(int k) const { return 3 * dimension + 5 + k; }
    int covariance(int k, int l) const { return 4 * dimension + 5 + k * (k + 1) / 2 + l; }  // l <= k
    int size() const { return rows * fanout; }

    int dimension;
    bool moments;
    int rows;
};

// A kernel and what is factored out of it: values are relative to that at `reference`.
struct TreeKernel {
    Kernel kernel;
    double scale = 0;      // exponent of 2 per unit u; or h^2
    double reference = 0;  // u
};

struct LeafSums {
    double value, lower, upper;
    double nearest;  // the smallest u; 0 for compact kernels
};

struct TreeLoops {
    // Bounds on the sums of the eight nodes of a block, rounded outward.
    void (*bounds)(const BlockShape& shape, const double* block, const TreeKernel& kernel, const double* x,
                   double* lower, double* upper);
    // u of the children's means.
    void (*means)(const BlockShape& shape, const double* block, const TreeKernel& kernel, const double* x, double* u);
    LeafSums (*leaf)(int dimension, const double* points, const double* weights, int chunks, const TreeKernel& kernel,
                     const double* x);
    // The smallest u of a leaf.
    double (*nearest)(int dimension, const double* points, int chunks, const TreeKernel& kernel, const double* x);
};

const TreeLoops& tree_loops();

}  // namespace parzen
