#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/quick.hpp"

namespace parzen {

namespace {

constexpr double largest_extent = 1e6;    // extent of the points, in units of the kernel
constexpr double double_rounding = 1e-9;  // rounding of a query minus a centre, in these units
constexpr double log2_e = 1.4426950408889634074;

double factor_of(double h) { return std::sqrt(log2_e / 2) / h; }

float below(double x) {
    const float y = static_cast<float>(x);
    return y > x ? std::nextafter(y, -std::numeric_limits<float>::infinity()) : y;
}

float above(double x) {
    const float y = static_cast<float>(x);
    return y < x ? std::nextafter(y, std::numeric_limits<float>::infinity()) : y;
}

}  // namespace

bool QuickTree::serves(const Tree& tree) {
    if (tree.empty()) return true;
    const BlockShape& shape = tree.shape();
    double extent = 0;
    for (int k = 0; k < shape.dimension; ++k) {
        const double* low = tree.block(0) + shape.low(k) * fanout;
        const double* high = tree.block(0) + shape.high(k) * fanout;
        const int count = tree.count(0);
        extent = std::max(extent, *std::max_element(high, high + count) - *std::min_element(low, low + count));
    }
    return tree.kernel().profile == Profile::gaussian &&
           extent * factor_of(tree.bandwidth()) * std::sqrt(shape.dimension) < largest_extent;
}

QuickTree::QuickTree(const Tree& tree, Control& control)
    : tree_(tree), d_(static_cast<std::size_t>(tree.shape().dimension)), factor_(factor_of(tree.bandwidth())) {
    if (tree.empty()) return;
    const Aligned<double>& weights = tree.all_weights();
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0) largest_log_weight_ = std::max(largest_log_weight_, std::abs(std::log2(weights[i])));
    const auto blocks = static_cast<std::size_t>(tree.blocks()), leaves = static_cast<std::size_t>(tree.leaves());
    numbers_ = Aligned<float>(blocks * static_cast<std::size_t>(shape().size()));
    points_ = Aligned<float>(weights.size() * (d_ + 1));
    block_centres_.resize(blocks * d_);
    leaf_centres_.resize(leaves * d_);
    radii_.resize(leaves);
    origin_.resize(d_);
    for (std::size_t k = 0; k < d_; ++k) origin_[k] = tree.block(0)[shape().mean(static_cast<int>(k)) * fanout];
    const double work = static_cast<double>(weights.size() * d_);
    parallel_for(control, work, blocks, [&](std::size_t i) { convert_block(static_cast<std::int32_t>(i)); });
    parallel_for(control, 4 * work, leaves, [&](std::size_t i) { convert_leaf(static_cast<std::int32_t>(i)); });
}

void QuickTree::to_units(const double* x, double* out) const {
    for (std::size_t k = 0; k < d_; ++k) out[k] = factor_ * (x[k] - origin_[k]);
}

void QuickTree::convert_block(std::int32_t block) {
    const BlockShape& s = shape();
    const double* from = tree_.block(block);
    float* to = numbers_.data() + static_cast<std::size_t>(block) * static_cast<std::size_t>(s.size());
    const int d = s.dimension, count = tree_.count(block);
    double* in_units = block_centres_.data() + static_cast<std::size_t>(block) * d_;
    std::vector<double> centre(d_);
    for (int k = 0; k < d; ++k) {
        for (int c = 0; c < count; ++c) centre[k] += from[s.mean(k) * fanout + c] / count;
        in_units[k] = factor_ * (centre[k] - origin_[k]);
    }
    const double f = factor_, f2 = f * f;
    for (int c = 0; c < count; ++c) {
        const double* a = from + c;
        float* b = to + c;
        double away = 0;
        for (int k = 0; k < d; ++k) {
            const double mean = f * (a[s.mean(k) * fanout] - centre[k]);
            away += mean * mean;
            b[s.mean(k) * fanout] = static_cast<float>(mean);
            b[s.low(k) * fanout] = below(f * (a[s.low(k) * fanout] - centre[k]));
            b[s.high(k) * fanout] = above(f * (a[s.high(k) * fanout] - centre[k]));
        }
        const double radius = f * a[s.radius() * fanout];
        b[s.weight() * fanout] = static_cast<float>(a[s.weight() * fanout]);
        b[s.spread() * fanout] = static_cast<float>(f2 * a[s.spread() * fanout]);
        b[s.drift() * fanout] =
            above(f * a[s.drift() * fanout] + 4 * quick_epsilon * (std::sqrt(away) + radius) + double_rounding);
        b[s.radius() * fanout] = above(radius * (1 + 1e-12));
        if (!s.moments) continue;
        b[s.quartic() * fanout] = static_cast<float>(f2 * f2 * a[s.quartic() * fanout]);
        for (int k = 0; k < d; ++k) {
            b[s.cubic(k) * fanout] = static_cast<float>(f * f2 * a[s.cubic(k) * fanout]);
            for (int l = 0; l <= k; ++l)
                b[s.covariance(k, l) * fanout] = static_cast<float>(f2 * a[s.covariance(k, l) * fanout]);
        }
    }
}

void QuickTree::convert_leaf(std::int32_t number) {
    const Tree::Leaf& leaf = tree_.leaf(number);
    const double* from = tree_.leaf_points(leaf);
    const double* weights = tree_.leaf_weights(leaf);
    float* to = points_.data() + leaf.first * (d_ + 1) * chunk;
    std::vector<double> centre(d_);
    const int count = leaf.chunks * chunk;
    for (std::size_t k = 0; k < d_; ++k) {
        double low = from[k * chunk], high = low;
        for (int i = 0; i < count; ++i) {
            const double y = from[(static_cast<std::size_t>(i / chunk) * d_ + k) * chunk + i % chunk];
            low = std::min(low, y);
            high = std::max(high, y);
        }
        centre[k] = low / 2 + high / 2;
        leaf_centres_[static_cast<std::size_t>(number) * d_ + k] = factor_ * (centre[k] - origin_[k]);
    }
    double radius = 0;
    for (int i = 0; i < count; ++i) {
        const auto c = static_cast<std::size_t>(i / chunk), lane = static_cast<std::size_t>(i % chunk);
        double norm = 0;
        for (std::size_t k = 0; k < d_; ++k) {
            const auto y = static_cast<float>(factor_ * (from[(c * d_ + k) * chunk + lane] - centre[k]));
            to[(c * (d_ + 1) + k) * chunk + lane] = y;
            norm += static_cast<double>(y) * y;
        }
        radius = std::max(radius, norm);
        const double w = weights[i];
        to[(c * (d_ + 1) + d_) * chunk + lane] =
            w > 0 ? static_cast<float>(std::log2(w) - norm) : -std::numeric_limits<float>::infinity();
    }
    radii_[number] = above(std::sqrt(radius));
}

}  // namespace parzen
