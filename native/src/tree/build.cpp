#include "tree/build.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace parzen {

namespace {

// Most points of a leaf, in small and in large trees. The bounds of a node take as long as some fifty pairs, and
// longer where the node has to come from memory: more leaves than this do not pay.
constexpr std::size_t small_leaf = 4 * chunk, large_leaf = 32 * chunk, enough_leaves = 256;
constexpr std::size_t part_size = 1024;       // points of a partial sum
constexpr int largest_moment_dimension = 24;  // with more features second moments cost more than they save

}  // namespace

struct Tree::Node {  // of the binary tree that the blocks are made of
    std::size_t begin, end;
    std::int32_t left = -1, right = -1;
    double weight = 0;
};

class Tree::Builder {
   public:
    Builder(Tree& tree, const ColumnInput& input, Control& control)
        : tree_(tree),
          input_(input),
          control_(control),
          d_(static_cast<std::size_t>(tree.shape_.dimension)),
          leaf_size_(std::clamp(input.n / enough_leaves, small_leaf, large_leaf)),
          order_(input.n),
          keys_(input.n) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    void run() {
        split(0, input_.n);
        if (control_.poll()) throw Interrupted();
        rows_.resize(input_.n * d_);
        for (std::size_t i = 0; i < input_.n; ++i)
            std::copy_n(input_.points + order_[i] * d_, d_, rows_.data() + i * d_);
        weigh(0);
        collapse();
        fill_leaves();
        tree_.numbers_ = Aligned<double>(static_cast<std::size_t>(tree_.blocks_) * tree_.shape_.size());
        parallel_for(control_, static_cast<double>(input_.n * d_ * d_), static_cast<std::size_t>(tree_.blocks_),
                     [&](std::size_t block) {
                         for (std::size_t c = 0; c < members_[block].size(); ++c)
                             describe(nodes_[members_[block][c]], block, c);
                     });
    }

   private:
    double weight(std::size_t place) const { return input_.weights ? input_.weights[order_[place]] : 1.0; }

    // Halves the points along the widest side of their box; sizes are whole chunks where possible.
    std::int32_t split(std::size_t begin, std::size_t end) {
        const auto self = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back({begin, end});
        if (end - begin <= leaf_size_) return self;
        const std::size_t axis = widest(begin, end);
        for (std::size_t i = begin; i < end; ++i) keys_[i] = {input_.points[order_[i] * d_ + axis], order_[i]};
        const std::size_t chunks = (end - begin + chunk - 1) / chunk;
        const std::size_t middle = begin + chunks / 2 * chunk;
        std::nth_element(keys_.begin() + static_cast<std::ptrdiff_t>(begin),
                         keys_.begin() + static_cast<std::ptrdiff_t>(middle),
                         keys_.begin() + static_cast<std::ptrdiff_t>(end));
        for (std::size_t i = begin; i < end; ++i) order_[i] = keys_[i].second;
        const std::int32_t left = split(begin, middle);
        const std::int32_t right = split(middle, end);
        nodes_[self].left = left;
        nodes_[self].right = right;
        return self;
    }

    std::size_t widest(std::size_t begin, std::size_t end) const {
        std::vector<double> low(input_.points + order_[begin] * d_, input_.points + order_[begin] * d_ + d_), high(low);
        for (std::size_t i = begin; i < end; ++i) {
            const double* p = input_.points + order_[i] * d_;
            for (std::size_t k = 0; k < d_; ++k) {
                low[k] = std::min(low[k], p[k]);
                high[k] = std::max(high[k], p[k]);
            }
        }
        std::size_t best = 0;
        for (std::size_t k = 1; k < d_; ++k) {
            if (high[k] - low[k] > high[best] - low[best]) best = k;
        }
        return best;
    }

    // Weights from the leaves up: the error grows with the depth, not with the number of points.
    double weigh(std::int32_t i) {
        Node& node = nodes_[i];
        if (node.left >= 0) return node.weight = weigh(node.left) + weigh(node.right);
        for (std::size_t p = node.begin; p < node.end; ++p) node.weight += weight(p);
        return node.weight;
    }

    int depth(std::int32_t i) const {
        const Node& node = nodes_[i];
        return node.left < 0 ? 0 : 1 + std::max(depth(node.left), depth(node.right));
    }

    // Three levels of the binary tree make a block. The root's block has the levels that are left over: most blocks
    // are at the bottom, and there they should be full. Blocks are numbered breadth first; `todo` has the node at the
    // top of a block, and the block and place among its children that refer to it.
    void collapse() {
        const int first = (depth(0) + 2) % 3 + 1;
        std::vector<std::pair<std::int32_t, std::pair<std::int32_t, int>>> todo{{0, {-1, 0}}};
        for (std::size_t next = 0; next < todo.size(); ++next) {
            const auto [node, parent] = todo[next];
            const std::int32_t block = tree_.blocks_++;
            if (parent.first >= 0) tree_.children_[parent.first * fanout + parent.second] = block;
            std::vector<std::int32_t> members{node};
            for (int level = 0; level < (block == 0 ? first : 3); ++level) {
                std::vector<std::int32_t> below;
                for (std::int32_t m : members) {
                    if (nodes_[m].left < 0) {
                        below.push_back(m);
                    } else {
                        below.push_back(nodes_[m].left);
                        below.push_back(nodes_[m].right);
                    }
                }
                members = std::move(below);
            }
            tree_.parents_.push_back(parent.first);
            tree_.children_.resize(tree_.children_.size() + fanout, 0);
            tree_.counts_.push_back(static_cast<int>(members.size()));
            for (std::size_t c = 0; c < members.size(); ++c) {
                if (nodes_[members[c]].left < 0) {
                    tree_.children_[block * fanout + c] = ~static_cast<std::int32_t>(tree_.leaves_.size());
                    leaf_nodes_.push_back(members[c]);
                    tree_.leaves_.push_back({0, 0});
                    tree_.leaf_parents_.push_back(block);
                } else {
                    todo.push_back({members[c], {block, static_cast<int>(c)}});
                }
            }
            members_.push_back(std::move(members));
        }
    }

    void fill_leaves() {
        std::size_t chunks = 0;
        for (std::size_t i = 0; i < leaf_nodes_.size(); ++i) {
            const Node& node = nodes_[leaf_nodes_[i]];
            const int own = static_cast<int>((node.end - node.begin + chunk - 1) / chunk);
            tree_.leaves_[i] = {chunks, own};
            chunks += static_cast<std::size_t>(own);
        }
        tree_.points_ = Aligned<double>(chunks * d_ * chunk);
        tree_.weights_ = Aligned<double>(chunks * chunk);
        tree_.slots_.resize(input_.n);
        for (std::size_t i = 0; i < leaf_nodes_.size(); ++i) {
            const Node& node = nodes_[leaf_nodes_[i]];
            const Leaf& leaf = tree_.leaves_[i];
            for (std::size_t j = 0; j < static_cast<std::size_t>(leaf.chunks) * chunk; ++j) {
                const std::size_t c = leaf.first + j / chunk, lane = j % chunk;
                const bool real = node.begin + j < node.end;
                const std::size_t place = real ? node.begin + j : node.begin;  // a copy of weight 0
                for (std::size_t k = 0; k < d_; ++k) tree_.points_[(c * d_ + k) * chunk + lane] = rows_[place * d_ + k];
                tree_.weights_[c * chunk + lane] = real ? weight(place) : 0.0;
                if (real) tree_.slots_[order_[place]] = static_cast<std::uint32_t>(c * chunk + lane);
            }
        }
    }

    // Box, mean and moments of one child of a block.
    void describe(const Node& node, std::size_t block, std::size_t c) {
        const BlockShape& shape = tree_.shape_;
        double* out = tree_.numbers_.data() + block * static_cast<std::size_t>(shape.size()) + c;
        const int d = shape.dimension;
        std::vector<double> low(rows_.data() + node.begin * d_, rows_.data() + node.begin * d_ + d_), high(low),
            mean(d_);
        std::vector<double> part(d_);
        for_parts(node, [&](std::size_t begin, std::size_t end) {
            std::fill(part.begin(), part.end(), 0.0);
            for (std::size_t i = begin; i < end; ++i) {
                const double* p = rows_.data() + i * d_;
                const double share = node.weight > 0 ? weight(i) / node.weight : 0;
                for (std::size_t k = 0; k < d_; ++k) {
                    low[k] = std::min(low[k], p[k]);
                    high[k] = std::max(high[k], p[k]);
                    part[k] += share * p[k];
                }
            }
            for (std::size_t k = 0; k < d_; ++k) mean[k] += part[k];
        });
        for (std::size_t k = 0; k < d_; ++k) mean[k] = std::clamp(mean[k], low[k], high[k]);
        double spread = 0, radius = 0;
        std::vector<double> offset(d_);
        for_parts(node, [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            std::fill(part.begin(), part.end(), 0.0);
            for (std::size_t i = begin; i < end; ++i) {
                const double* p = rows_.data() + i * d_;
                const double share = node.weight > 0 ? weight(i) / node.weight : 0;
                double square = 0;
                for (std::size_t k = 0; k < d_; ++k) {
                    const double z = p[k] - mean[k];
                    part[k] += share * z;
                    square += z * z;
                }
                sum += share * square;
                radius = std::max(radius, square);
            }
            spread += sum;
            for (std::size_t k = 0; k < d_; ++k) offset[k] += part[k];
        });
        // How far the stored mean is from the true one: the mean of y - m, and the rounding of its sums.
        const double terms = static_cast<double>(std::min<std::size_t>(node.end - node.begin, part_size) +
                                                 (node.end - node.begin) / part_size + 4);
        double drift = terms * 2.3e-16 * std::sqrt(spread);
        for (std::size_t k = 0; k < d_; ++k) drift += std::abs(offset[k]);
        for (int k = 0; k < d; ++k) {
            out[shape.low(k) * fanout] = low[k];
            out[shape.high(k) * fanout] = high[k];
            out[shape.mean(k) * fanout] = mean[k];
        }
        out[shape.weight() * fanout] = node.weight;
        out[shape.spread() * fanout] = spread;
        out[shape.drift() * fanout] = drift;
        out[shape.radius() * fanout] = std::sqrt(radius) * (1 + 1e-14);
        if (shape.moments) moments(node, mean.data(), spread, out);
    }

    void moments(const Node& node, const double* mean, double spread, double* out) {
        const BlockShape& shape = tree_.shape_;
        const int d = shape.dimension, size = shape.rows - shape.quartic();
        std::vector<double> total(size), part(size), z(d_);
        for_parts(node, [&](std::size_t begin, std::size_t end) {
            std::fill(part.begin(), part.end(), 0.0);
            for (std::size_t i = begin; i < end; ++i) {
                const double* p = rows_.data() + i * d_;
                const double share = node.weight > 0 ? weight(i) / node.weight : 0;
                double square = 0;
                for (int k = 0; k < d; ++k) {
                    z[k] = p[k] - mean[k];
                    square += z[k] * z[k];
                }
                const double excess = square - spread;
                part[0] += share * excess * excess;
                double* covariance = part.data() + 1 + d;
                for (int k = 0; k < d; ++k) {
                    part[1 + k] += share * excess * z[k];
                    const double scaled = share * z[k];
                    for (int l = 0; l <= k; ++l) *covariance++ += scaled * z[l];
                }
            }
            for (int i = 0; i < size; ++i) total[i] += part[i];
        });
        for (int i = 0; i < size; ++i) out[(shape.quartic() + i) * fanout] = total[i];
    }

    // Long sums in parts, so that their error stays small.
    template <class Use>
    static void for_parts(const Node& node, Use use) {
        for (std::size_t i = node.begin; i < node.end; i += part_size) use(i, std::min(node.end, i + part_size));
    }

    Tree& tree_;
    const ColumnInput& input_;
    Control& control_;
    std::size_t d_, leaf_size_;
    std::vector<std::size_t> order_;
    std::vector<std::pair<double, std::size_t>> keys_;
    std::vector<double> rows_;  // the points in the order of the tree
    std::vector<Node> nodes_;
    std::vector<std::int32_t> leaf_nodes_;
    std::vector<std::vector<std::int32_t>> members_;  // [blocks]
};

Tree::Tree(const ColumnInput& input, int dimension, const Kernel& kernel, Control& control)
    : shape_(dimension, dimension <= largest_moment_dimension && kernel.profile != Profile::laplacian &&
                            kernel.profile != Profile::uniform),
      kernel_(kernel),
      bandwidth_(input.bandwidth),
      n_(input.n) {
    if (n_ > 0) Builder(*this, input, control).run();
}

Tree::Place Tree::place(std::size_t point) const {
    const std::size_t slot = slots_[point];
    const auto after = std::upper_bound(leaves_.begin(), leaves_.end(), slot / chunk,
                                        [](std::size_t at, const Leaf& leaf) { return at < leaf.first; });
    const auto leaf = static_cast<std::int32_t>(after - leaves_.begin() - 1);
    return {leaf, static_cast<int>(slot - leaves_[leaf].first * chunk)};
}

}  // namespace parzen
