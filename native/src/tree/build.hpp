// The tree of one column: points sorted into leaves, nodes in blocks of eight siblings.
#pragma once

#include <cstdint>
#include <vector>

#include "parzen/tree.hpp"
#include "sums/packing.hpp"
#include "tree/loops.hpp"

namespace parzen {

class Tree {
   public:
    struct Leaf {
        std::size_t first;  // chunk
        int chunks;
    };

    // Where a point of the input is kept.
    struct Place {
        std::int32_t leaf;
        int slot;  // in the leaf
    };

    Tree(const ColumnInput& input, int dimension, const Kernel& kernel, Control& control);

    bool empty() const { return blocks_ == 0; }
    const double* block(std::int32_t i) const { return numbers_.data() + static_cast<std::size_t>(i) * shape_.size(); }
    // A child is a block (not negative) or the complement of a leaf's number.
    const std::int32_t* children(std::int32_t block) const { return children_.data() + block * fanout; }
    int count(std::int32_t block) const { return counts_[block]; }
    const Leaf& leaf(std::int32_t i) const { return leaves_[i]; }
    Place place(std::size_t point) const;
    // The block of a child; -1 for the root.
    std::int32_t parent(std::int32_t child) const { return child >= 0 ? parents_[child] : leaf_parents_[~child]; }
    const double* leaf_points(const Leaf& leaf) const {
        return points_.data() + leaf.first * static_cast<std::size_t>(shape_.dimension * chunk);
    }
    const double* leaf_weights(const Leaf& leaf) const { return weights_.data() + leaf.first * chunk; }
    const BlockShape& shape() const { return shape_; }
    const Kernel& kernel() const { return kernel_; }
    double bandwidth() const { return bandwidth_; }
    std::size_t points() const { return n_; }
    std::int32_t blocks() const { return blocks_; }
    std::int32_t leaves() const { return static_cast<std::int32_t>(leaves_.size()); }
    const Aligned<double>& all_weights() const { return weights_; }

   private:
    struct Node;
    class Builder;

    BlockShape shape_;
    Kernel kernel_;
    double bandwidth_;
    std::size_t n_;
    std::int32_t blocks_ = 0;
    Aligned<double> numbers_;  // [blocks][shape.size()]
    std::vector<std::int32_t> children_;
    std::vector<int> counts_;
    std::vector<Leaf> leaves_;  // in the order of their chunks
    std::vector<std::int32_t> parents_, leaf_parents_;
    std::vector<std::uint32_t> slots_;  // [n] of the input, counted over all chunks
    Aligned<double> points_;            // [chunks][dimension][chunk]
    Aligned<double> weights_;           // [chunks][chunk] zero in the padding
};

}  // namespace parzen
