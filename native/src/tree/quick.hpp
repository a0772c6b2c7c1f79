// Labels of Gaussian sums in single precision: most queries are decided by bounds far wider than its
// rounding, with half of the memory traffic and twice as many numbers in a vector. What it cannot
// decide is left undecided, for the search in double precision.
#pragma once

#include <memory>
#include <vector>

#include "tree/build.hpp"
#include "tree/quick_loops.hpp"

namespace parzen {

// A tree in single precision. Lengths are multiplied so that a kernel is 2^-|x - y|^2, and every
// block and leaf counts from a centre of its own: what is rounded off is relative to its size.
class QuickTree {
   public:
    QuickTree(const Tree& tree, Control& control);

    // Whether the kernel is Gaussian and the numbers fit into single precision.
    static bool serves(const Tree& tree);

    bool empty() const { return tree_.empty(); }
    std::size_t points() const { return tree_.points(); }
    const BlockShape& shape() const { return tree_.shape(); }
    std::int32_t blocks() const { return tree_.blocks(); }
    std::int32_t leaves() const { return tree_.leaves(); }
    const float* block(std::int32_t i) const { return numbers_.data() + static_cast<std::size_t>(i) * shape().size(); }
    int count(std::int32_t block) const { return tree_.count(block); }
    const std::int32_t* children(std::int32_t block) const { return tree_.children(block); }
    const float* leaf_points(std::int32_t i) const { return points_.data() + tree_.leaf(i).first * (d_ + 1) * chunk; }
    int leaf_chunks(std::int32_t i) const { return tree_.leaf(i).chunks; }
    float leaf_radius(std::int32_t i) const { return radii_[i]; }
    const double* block_centre(std::int32_t i) const {
        return block_centres_.data() + static_cast<std::size_t>(i) * d_;
    }
    const double* leaf_centre(std::int32_t i) const { return leaf_centres_.data() + static_cast<std::size_t>(i) * d_; }
    double largest_log_weight() const { return largest_log_weight_; }  // in magnitude, base 2
    // A query in the units of the tree, from its origin.
    void to_units(const double* x, double* out) const;

   private:
    void convert_block(std::int32_t block);
    void convert_leaf(std::int32_t leaf);

    const Tree& tree_;
    std::size_t d_;
    double factor_;
    double largest_log_weight_ = 0;
    std::vector<double> origin_;
    Aligned<float> numbers_;             // [blocks][shape.size()]
    Aligned<float> points_;              // [chunks][dimension + 1][chunk]
    std::vector<float> radii_;           // [leaves]
    std::vector<double> block_centres_;  // [blocks][dimension]
    std::vector<double> leaf_centres_;   // [leaves][dimension]
};

// Decides what it can of the queries of `order`; the rest is left undecided.
TreeWork quick_decide(const std::vector<std::unique_ptr<QuickTree>>& trees, const std::vector<const double*>& queries,
                      const std::vector<std::size_t>& order, const Rule& rule, std::int32_t* labels, Control& control);

}  // namespace parzen
