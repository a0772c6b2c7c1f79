#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/loop_tables.hpp"
#include "parzen/tile.hpp"
#include "parzen/tree.hpp"
#include "tree/build.hpp"
#include "tree/quick.hpp"
#include "tree/rule.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(TreeLoops, tree_loops);

const TreeLoops& tree_loops() { return PARZEN_LOOPS_IN_USE(tree_loops); }

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double opened_share = 1.0 / 16;   // a round opens nodes whose bounds are this share of the widest
constexpr double much_nearer = 200;         // a query restarts at a kernel above exp(200) times the reference's
constexpr double negligible = 1e-14;        // bounds that add up to less than this share of the total are rounding
constexpr std::size_t largest_group = 256;  // queries of one task
constexpr double largest = std::numeric_limits<double>::max();
constexpr std::int32_t no_child = std::numeric_limits<std::int32_t>::min();  // the number of neither block nor leaf

// The number that the loops of the tree take in place of the bandwidth.
double scale_of(const Kernel& kernel, double h) {
    return is_exponential(kernel.profile) ? bandwidth_scale(kernel, h) : h * h;
}

// A node that has not been opened: its bounds stand in for its sum.
struct Pending {
    double lower, upper;
    std::int32_t child;
    std::int32_t column;

    double gap() const { return upper - lower; }
};

// The queries along Morton's space-filling curve, which interleaves the bits of the coordinates, so that
// neighbours find each other's nodes in cache.
std::vector<std::size_t> near_order(const double* queries, std::size_t n, int dimension) {
    const std::size_t d = static_cast<std::size_t>(dimension), used = std::min<std::size_t>(d, 8);
    const int bits = static_cast<int>(60 / used);
    std::vector<std::pair<std::uint64_t, std::size_t>> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = {0, i};
    std::vector<double> low(used, infinity), high(used, -infinity);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < used; ++k) {
            low[k] = std::min(low[k], queries[i * d + k]);
            high[k] = std::max(high[k], queries[i * d + k]);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < used; ++k) {
            const double width = high[k] / 2 - low[k] / 2;  // halved: it may not overflow
            const double at = width > 0 ? (queries[i * d + k] / 2 - low[k] / 2) / width : 0;
            const auto cell = static_cast<std::uint64_t>(at * (std::exp2(bits) - 1));
            for (int b = 0; b < bits; ++b) keys[i].first |= (cell >> b & 1) << (static_cast<std::size_t>(b) * used + k);
        }
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = keys[i].second;
    return order;
}

// The state of one query.
template <class Criterion>
struct Query {
    std::vector<const double*> x;   // per column, or one for all
    std::vector<std::int64_t> own;  // per column the point to leave out, or -1; or nothing
    Criterion criterion;
    std::vector<TreeKernel> kernels;
    std::vector<Pending> pending;
    std::vector<Total> leaves;  // of the leaves that were summed
    std::vector<Total> totals;
    bool done = false;
    bool restart = false;  // a point turned up that is much nearer than the reference

    const double* at(std::size_t column) const { return x.size() > 1 ? x[column] : x[0]; }
    bool leaves_out(std::size_t column) const { return !own.empty() && own[column] >= 0; }
};

// A query that opens a node in this round.
struct Request {
    std::uint64_t place;  // column and node: the order in which they are served
    std::uint32_t query;
};

// One thread's work on a group of neighbouring queries. In a round every query requests the nodes that
// it opens next; they are served node by node, while the node's numbers are in cache.
template <class Criterion>
class Group {
   public:
    Group(const std::vector<std::unique_ptr<Tree>>& trees, const Criterion& criterion, std::size_t size)
        : trees_(trees), loops_(tree_loops()) {
        const std::size_t columns = trees.size();
        queries_.resize(size, {{},
                               {},
                               criterion,
                               std::vector<TreeKernel>(columns),
                               {},
                               std::vector<Total>(columns),
                               std::vector<Total>(columns)});
    }

    const TreeWork& work() const { return work_; }
    Query<Criterion>& query(std::size_t i) { return queries_[i]; }

    // Refines the bounds of the first `count` queries until their criteria are done.
    void run(std::size_t count, const Control& control) {
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < trees_.size(); ++j)
                set_reference(queries_[i], j, nearest_in_leaf(queries_[i], j));
            start(queries_[i]);
        }
        for (bool active = true; active && !control.stopped();) {
            active = false;
            requests_.clear();
            for (std::size_t i = 0; i < count; ++i) {
                if (!queries_[i].done) request_nodes(i);
                active = active || !queries_[i].done;
            }
            serve();
        }
    }

   private:
    // The logarithm of the kernel at u, which is factored out of the sums.
    double level_at(const Tree& tree, double u) const {
        if (tree.empty() || !can_factor(tree.kernel().profile)) return 0;
        return log_value(tree.kernel(), needs_root(tree.kernel().profile) ? std::sqrt(u) : u, tree.bandwidth());
    }

    void set_reference(Query<Criterion>& query, std::size_t j, double u) {
        const Tree& tree = *trees_[j];
        query.kernels[j] = {tree.kernel(), scale_of(tree.kernel(), tree.bandwidth()), u};
        query.leaves[j].level = level_at(tree, u);
    }

    // The nearest point of the leaf whose means are nearest all the way down.
    double nearest_in_leaf(Query<Criterion>& query, std::size_t j) {
        const Tree& tree = *trees_[j];
        if (tree.empty() || !can_factor(tree.kernel().profile)) return 0;
        query.kernels[j].kernel = tree.kernel();
        std::int32_t at = 0;
        do {
            double u[fanout];
            loops_.means(tree.shape(), tree.block(at), query.kernels[j], query.at(j), u);
            at = tree.children(at)[std::min_element(u, u + tree.count(at)) - u];
        } while (at >= 0);
        const Tree::Leaf& leaf = tree.leaf(~at);
        const double* points = tree.leaf_points(leaf);
        if (query.leaves_out(j)) {
            if (tree.points() == 1) return 0;
            const Tree::Place own = tree.place(static_cast<std::size_t>(query.own[j]));
            if (own.leaf == ~at) points = copy_without(tree, own);
        }
        return loops_.nearest(tree.shape().dimension, points, leaf.chunks, query.kernels[j], query.at(j));
    }

    // A copy of a leaf in which the point that is left out, and the padding, are another point of weight 0.
    const double* copy_without(const Tree& tree, Tree::Place own) {
        const Tree::Leaf& leaf = tree.leaf(own.leaf);
        const int d = tree.shape().dimension, slots = leaf.chunks * chunk, other = own.slot == 0 ? 1 : 0;
        points_.assign(tree.leaf_points(leaf), tree.leaf_points(leaf) + slots * d);
        weights_.assign(tree.leaf_weights(leaf), tree.leaf_weights(leaf) + slots);
        weights_[own.slot] = 0;
        for (int i = 0; i < slots; ++i) {
            if (weights_[i] > 0) continue;
            for (int k = 0; k < d; ++k) points_[(i / chunk * d + k) * chunk + i % chunk] = points_[k * chunk + other];
        }
        return points_.data();
    }

    // Begins anew, with the bounds of the roots' children.
    void start(Query<Criterion>& query) {
        query.done = query.restart = false;
        query.pending.clear();
        for (std::size_t j = 0; j < trees_.size(); ++j) {
            query.leaves[j] = {0, 0, 0, 0, query.leaves[j].level, 0};
            if (trees_[j]->empty()) continue;
            if (query.leaves_out(j)) {
                start_without(query, j);
            } else {
                expand(query, j, 0);
            }
        }
    }

    // Starts without the point that is left out: from the siblings of all nodes on the path from its leaf to
    // the root, and from the other points of the leaf. Nothing is subtracted.
    void start_without(Query<Criterion>& query, std::size_t j) {
        const Tree& tree = *trees_[j];
        if (tree.points() == 1) return;
        const Tree::Place own = tree.place(static_cast<std::size_t>(query.own[j]));
        std::int32_t below = ~own.leaf;
        for (std::int32_t block = tree.parent(below); block >= 0; block = tree.parent(below)) {
            expand(query, j, block, below);
            below = block;
        }
        const double* points = copy_without(tree, own);
        add_leaf(query, j, own.leaf, points, weights_.data());
    }

    // One round of a query: its totals, whether they suffice, and if not which nodes to open.
    void request_nodes(std::size_t i) {
        Query<Criterion>& query = queries_[i];
        if (query.restart) start(query);
        add_up(query);
        query.done = query.criterion.done(query.totals);
        if (query.done) return;
        const double* importance = query.criterion.importance().data();
        double widest = 0, total = 0;
        for (const Pending& node : query.pending) widest = std::max(widest, importance[node.column] * node.gap());
        for (std::size_t j = 0; j < trees_.size(); ++j) total += importance[j] * query.totals[j].upper;
        // Bounds as narrow as rounding decide nothing: the query stays undecided.
        const double negligible_gap = negligible * total / static_cast<double>(query.pending.size() + 1);
        query.done = widest < infinity && !(widest > negligible_gap);
        if (query.done) return;
        // Bounds without an end are opened as well: `largest` keeps the threshold finite.
        const double threshold = std::min({widest * opened_share, query.criterion.too_wide(), largest});
        std::size_t kept = 0;
        for (const Pending& node : query.pending) {
            if (importance[node.column] * node.gap() >= threshold) {
                requests_.push_back({place(node), static_cast<std::uint32_t>(i)});
            } else {
                query.pending[kept++] = node;
            }
        }
        query.pending.resize(kept);
    }

    static std::uint64_t place(const Pending& node) {
        return static_cast<std::uint64_t>(node.column) << 32 | static_cast<std::uint32_t>(node.child);
    }

    void serve() {
        std::sort(requests_.begin(), requests_.end(), [](const Request& a, const Request& b) {
            return a.place != b.place ? a.place < b.place : a.query < b.query;
        });
        for (const Request& request : requests_) {
            Query<Criterion>& query = queries_[request.query];
            const auto column = static_cast<std::size_t>(request.place >> 32);
            const auto child = static_cast<std::int32_t>(static_cast<std::uint32_t>(request.place));
            if (query.restart) continue;
            if (child >= 0) {
                expand(query, column, child);
            } else {
                const Tree::Leaf& leaf = trees_[column]->leaf(~child);
                add_leaf(query, column, ~child, trees_[column]->leaf_points(leaf), trees_[column]->leaf_weights(leaf));
            }
        }
    }

    void expand(Query<Criterion>& query, std::size_t j, std::int32_t block, std::int32_t skipped = no_child) {
        const Tree& tree = *trees_[j];
        double lower[fanout], upper[fanout];
        loops_.bounds(tree.shape(), tree.block(block), query.kernels[j], query.at(j), lower, upper);
        const int count = tree.count(block);
        const std::int32_t* children = tree.children(block);
        for (int c = 0; c < count; ++c) {
            if (upper[c] > 0 && children[c] != skipped)
                query.pending.push_back({lower[c], upper[c], children[c], static_cast<std::int32_t>(j)});
        }
        work_.nodes += static_cast<std::uint64_t>(count);
    }

    void add_leaf(Query<Criterion>& query, std::size_t j, std::int32_t number, const double* points,
                  const double* weights) {
        const Tree& tree = *trees_[j];
        const Tree::Leaf& leaf = tree.leaf(number);
        const LeafSums sums =
            loops_.leaf(tree.shape().dimension, points, weights, leaf.chunks, query.kernels[j], query.at(j));
        work_.pairs += static_cast<std::uint64_t>(leaf.chunks) * chunk;
        Total& total = query.leaves[j];
        if (is_exponential(tree.kernel().profile) && sums.nearest < query.kernels[j].reference &&
            level_at(tree, sums.nearest) - total.level > much_nearer) {
            set_reference(query, j, sums.nearest);
            query.restart = true;
            return;
        }
        total.value += sums.value;
        total.lower += sums.lower;
        total.upper += sums.upper;
        ++total.count;
    }

    // Totals of every column, summed afresh and rounded outward by the number of terms. The value takes a node
    // that has not been opened at the middle of its bounds.
    static void add_up(Query<Criterion>& query) {
        query.totals = query.leaves;
        for (const Pending& node : query.pending) {
            Total& total = query.totals[node.column];
            total.lower += node.lower;
            total.upper += node.upper;
            total.pending_gap += node.gap();
            ++total.count;
        }
        for (std::size_t j = 0; j < query.totals.size(); ++j) {
            Total& total = query.totals[j];
            const Total& leaves = query.leaves[j];
            total.value += 0.5 * ((total.lower - leaves.lower) + (total.upper - leaves.upper));
            const double error = epsilon * static_cast<double>(total.count);
            total.lower *= 1 - error;
            total.upper *= 1 + error;
        }
    }

    const std::vector<std::unique_ptr<Tree>>& trees_;
    const TreeLoops& loops_;
    std::vector<Query<Criterion>> queries_;
    std::vector<Request> requests_;
    std::vector<double> points_, weights_;  // of a leaf without one of its points
    TreeWork work_;
};

// Searches for every query; `keep(query, i)` takes the results of query i.
template <class Criterion, class Keep>
TreeWork search(const std::vector<std::unique_ptr<Tree>>& trees, const std::vector<const double*>& queries,
                const std::vector<std::size_t>& order, int dimension, const Criterion& criterion, Control& control,
                Keep keep, const std::vector<const std::int64_t*>& own = {}) {
    std::atomic<std::uint64_t> pairs{0}, nodes{0};
    const std::size_t n = order.size();
    const std::size_t size = std::clamp<std::size_t>(n / 4, 1, largest_group);
    parallel_for(control, 1e5 * static_cast<double>(n), (n + size - 1) / size, [&](std::size_t task) {
        Group<Criterion> group(trees, criterion, size);
        const std::size_t first = task * size, count = std::min(size, n - first);
        for (std::size_t i = 0; i < count; ++i) {
            for (const double* all : queries)
                group.query(i).x.push_back(all + order[first + i] * static_cast<std::size_t>(dimension));
            for (const std::int64_t* all : own) group.query(i).own.push_back(all[order[first + i]]);
        }
        group.run(count, control);
        if (control.stopped()) return;
        for (std::size_t i = 0; i < count; ++i) keep(group.query(i), order[first + i]);
        pairs += group.work().pairs;
        nodes += group.work().nodes;
    });
    TreeWork work;
    work.pairs = pairs.load();
    work.nodes = nodes.load();
    return work;
}

}  // namespace

Forest::Forest(const std::vector<ColumnInput>& columns, int dimension, const Kernel& kernel, Control& control)
    : dimension_(dimension) {
    if (!row_of(kernel.profile).tree) throw std::invalid_argument("the tree has no bounds for this kernel");
    for (const ColumnInput& column : columns)
        trees_.push_back(std::make_unique<Tree>(column, dimension, kernel, control));
    quick_served_ =
        std::all_of(trees_.begin(), trees_.end(), [](const auto& tree) { return QuickTree::serves(*tree); });
}

Forest::~Forest() = default;

std::size_t Forest::points(std::size_t column) const { return trees_[column]->points(); }

TreeWork Forest::sums(const std::vector<const double*>& queries, std::size_t n, double rtol, double* values,
                      double* levels, Control& control, const std::vector<const std::int64_t*>& own) const {
    const std::size_t columns = trees_.size();
    const auto keep = [&](const Query<WithinTolerance>& query, std::size_t i) {
        for (std::size_t j = 0; j < columns; ++j) {
            values[i * columns + j] = query.totals[j].value;
            levels[i * columns + j] = query.totals[j].level;
        }
    };
    return search(trees_, queries, near_order(queries[0], n, dimension_), dimension_, WithinTolerance(rtol, columns),
                  control, keep, own);
}

TreeWork Forest::decide(const std::vector<const double*>& queries, std::size_t n, const Rule& rule,
                        std::int32_t* labels, Control& control) const {
    std::vector<std::size_t> order = near_order(queries[0], n, dimension_);
    TreeWork work;
    if (quick_served_) {
        prepare_quick(control);
        work = quick_decide(quick_, queries, order, rule, labels, control);
        std::erase_if(order, [&](std::size_t i) { return labels[i] != undecided; });
    }
    const TreeWork rest =
        search(trees_, queries, order, dimension_, CertainLabel(rule, trees_.size()), control,
               [&](const Query<CertainLabel>& query, std::size_t i) { labels[i] = query.criterion.label(); });
    work.pairs = rest.pairs;
    work.nodes = rest.nodes;
    return work;
}

void Forest::prepare_quick(Control& control) const {
    const std::lock_guard<std::mutex> lock(quick_lock_);
    if (!quick_.empty()) return;
    std::vector<std::unique_ptr<QuickTree>> quick;
    for (const auto& tree : trees_) quick.push_back(std::make_unique<QuickTree>(*tree, control));
    quick_ = std::move(quick);
}

}  // namespace parzen
