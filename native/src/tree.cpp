#include "parzen/tree.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "parzen/tile.hpp"
#include "tree_build.hpp"
#include "tree_rule.hpp"

namespace parzen {

extern const TreeLoops* const tree_loops_baseline;
#ifdef PARZEN_X86
extern const TreeLoops* const tree_loops_avx2;
extern const TreeLoops* const tree_loops_avx512;
#endif

const TreeLoops& tree_loops() {
#ifdef PARZEN_X86
    if (std::strcmp(instruction_set(), "avx512") == 0) return *tree_loops_avx512;
    if (std::strcmp(instruction_set(), "avx2") == 0) return *tree_loops_avx2;
#endif
    return *tree_loops_baseline;
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double log2_e = 1.4426950408889634074;
constexpr double share = 1.0 / 16;    // of the widest bounds: what is looked into in one round
constexpr double much_nearer = 200;   // exponents of 2 that a reference may be off
constexpr double negligible = 1e-14;  // of the total: bounds that no longer matter
constexpr double largest = std::numeric_limits<double>::max();

double scale_of(const Kernel& kernel, double h) {
    switch (kernel.profile) {
        case Profile::gaussian:
            return -log2_e / (2 * h * h);
        case Profile::laplacian:
        case Profile::radial_laplacian:
            return -log2_e / h;
        default:
            return h * h;
    }
}

// A node that has not been looked into.
struct Open {
    double lower, upper;
    std::int32_t child;
    std::int32_t column;

    double gap() const { return upper - lower; }
};

// The queries along a space-filling curve, so that neighbours find each other's nodes in cache.
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

// One thread's work on one query after the other.
class Search {
   public:
    explicit Search(const std::vector<std::unique_ptr<Tree>>& trees)
        : trees_(trees), loops_(tree_loops()), kernels_(trees.size()), leaves_(trees.size()), totals_(trees.size()) {}

    const TreeWork& work() const { return work_; }
    const std::vector<Total>& totals() const { return totals_; }

    // Refines the bounds at x, given per column or once for all, until the criterion is done.
    template <class Criterion>
    void run(const std::vector<const double*>& x, Criterion& criterion) {
        x_ = &x;
        for (std::size_t j = 0; j < trees_.size(); ++j) set_reference(j, first_reference(j));
        while (!refine(criterion)) {
        }
    }

   private:
    const double* x(std::size_t j) const { return x_->size() > 1 ? (*x_)[j] : (*x_)[0]; }

    double log_value(const Tree& tree, double u) const {
        if (tree.empty() || !can_factor(tree.kernel().profile)) return 0;
        return log_profile(tree.kernel(), needs_root(tree.kernel().profile) ? std::sqrt(u) : u, tree.bandwidth());
    }

    void set_reference(std::size_t j, double u) {
        const Tree& tree = *trees_[j];
        kernels_[j] = {tree.kernel(), scale_of(tree.kernel(), tree.bandwidth()), u};
        leaves_[j].level = log_value(tree, u);
    }

    // The nearest point of the leaf whose means are nearest all the way down.
    double first_reference(std::size_t j) {
        const Tree& tree = *trees_[j];
        if (tree.empty() || !can_factor(tree.kernel().profile)) return 0;
        kernels_[j].kernel = tree.kernel();
        std::int32_t at = 0;
        do {
            double u[fanout];
            loops_.means(tree.shape(), tree.block(at), kernels_[j], x(j), u);
            at = tree.children(at)[std::min_element(u, u + tree.count(at)) - u];
        } while (at >= 0);
        const Tree::Leaf& leaf = tree.leaf(~at);
        return loops_.nearest(tree.shape().dimension, tree.leaf_points(leaf), leaf.chunks, kernels_[j], x(j));
    }

    // Rounds from the roots on; false when a point turned up that is much nearer than the reference.
    template <class Criterion>
    bool refine(Criterion& criterion) {
        open_.clear();
        for (std::size_t j = 0; j < trees_.size(); ++j) {
            leaves_[j] = {0, 0, 0, 0, leaves_[j].level, 0};
            if (!trees_[j]->empty()) expand(j, 0);
        }
        for (;;) {
            add_up();
            if (criterion.done(totals_)) return true;
            const double* importance = criterion.importance().data();
            double widest = 0, least = 0;
            for (const Open& node : open_) widest = std::max(widest, importance[node.column] * node.gap());
            for (std::size_t j = 0; j < totals_.size(); ++j) least += importance[j] * totals_[j].upper;
            // What is left open does not matter any more: rounding is what cannot be decided.
            if (widest < infinity && !(widest > negligible * least / static_cast<double>(open_.size() + 1)))
                return true;
            const double threshold = std::min({widest * share, criterion.too_wide(), largest});
            if (!look_into(importance, threshold)) return false;
        }
    }

    void expand(std::size_t j, std::int32_t block) {
        const Tree& tree = *trees_[j];
        double lower[fanout], upper[fanout];
        loops_.bounds(tree.shape(), tree.block(block), kernels_[j], x(j), lower, upper);
        const int count = tree.count(block);
        const std::int32_t* children = tree.children(block);
        for (int c = 0; c < count; ++c) {
            if (upper[c] > 0) open_.push_back({lower[c], upper[c], children[c], static_cast<std::int32_t>(j)});
        }
        work_.nodes += static_cast<std::uint64_t>(count);
    }

    bool look_into(const double* importance, double threshold) {
        const std::size_t before = open_.size();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < before; ++i) {
            const Open node = open_[i];
            if (!(importance[node.column] * node.gap() >= threshold)) {
                open_[kept++] = node;
            } else if (node.child >= 0) {
                expand(static_cast<std::size_t>(node.column), node.child);
            } else if (!add_leaf(static_cast<std::size_t>(node.column), ~node.child)) {
                return false;
            }
        }
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(kept),
                    open_.begin() + static_cast<std::ptrdiff_t>(before));
        return true;
    }

    bool add_leaf(std::size_t j, std::int32_t number) {
        const Tree& tree = *trees_[j];
        const Tree::Leaf& leaf = tree.leaf(number);
        const LeafSums sums = loops_.leaf(tree.shape().dimension, tree.leaf_points(leaf), tree.leaf_weights(leaf),
                                          leaf.chunks, kernels_[j], x(j));
        work_.pairs += static_cast<std::uint64_t>(leaf.chunks) * chunk;
        if (is_exponential(tree.kernel().profile) && sums.nearest < kernels_[j].reference &&
            log_value(tree, sums.nearest) - leaves_[j].level > much_nearer) {
            set_reference(j, sums.nearest);
            return false;
        }
        Total& total = leaves_[j];
        total.value += sums.value;
        total.lower += sums.lower;
        total.upper += sums.upper;
        ++total.count;
        return true;
    }

    // Totals of every column, summed afresh and rounded outward by the number of terms.
    void add_up() {
        totals_ = leaves_;
        for (const Open& node : open_) {
            Total& total = totals_[node.column];
            total.lower += node.lower;
            total.upper += node.upper;
            total.open += node.gap();
            ++total.count;
        }
        for (std::size_t j = 0; j < totals_.size(); ++j) {
            Total& total = totals_[j];
            total.value += 0.5 * ((total.lower - leaves_[j].lower) + (total.upper - leaves_[j].upper));
            const double error = epsilon * static_cast<double>(total.count);
            total.lower *= 1 - error;
            total.upper *= 1 + error;
        }
    }

    const std::vector<std::unique_ptr<Tree>>& trees_;
    const TreeLoops& loops_;
    const std::vector<const double*>* x_ = nullptr;
    std::vector<TreeKernel> kernels_;
    std::vector<Open> open_;
    std::vector<Total> leaves_;  // of the leaves that were summed
    std::vector<Total> totals_;
    TreeWork work_;
};

constexpr std::size_t queries_per_task = 16;

// Runs `use(search, x, i)` for every query i, neighbours one after the other.
template <class Use>
TreeWork for_each_query(const std::vector<std::unique_ptr<Tree>>& trees, const std::vector<const double*>& queries,
                        std::size_t n, int dimension, Control& control, Use use) {
    std::atomic<std::uint64_t> pairs{0}, nodes{0};
    const std::vector<std::size_t> order = near_order(queries[0], n, dimension);
    const std::size_t tasks = (n + queries_per_task - 1) / queries_per_task;
    parallel_for(control, 1e5 * static_cast<double>(n), tasks, [&](std::size_t task) {
        Search search(trees);
        std::vector<const double*> x(queries.size());
        for (std::size_t i = task * queries_per_task; i < std::min(n, (task + 1) * queries_per_task); ++i) {
            if (control.stopped()) return;
            for (std::size_t j = 0; j < x.size(); ++j)
                x[j] = queries[j] + order[i] * static_cast<std::size_t>(dimension);
            use(search, x, order[i]);
        }
        pairs += search.work().pairs;
        nodes += search.work().nodes;
    });
    return {pairs.load(), nodes.load()};
}

}  // namespace

Forest::Forest(const std::vector<ColumnInput>& columns, int dimension, const Kernel& kernel, Control& control)
    : dimension_(dimension) {
    for (const ColumnInput& column : columns)
        trees_.push_back(std::make_unique<Tree>(column, dimension, kernel, control));
}

Forest::~Forest() = default;

TreeWork Forest::sums(const std::vector<const double*>& queries, std::size_t n, double rtol, double* values,
                      double* levels, Control& control) const {
    return for_each_query(trees_, queries, n, dimension_, control,
                          [&](Search& search, const std::vector<const double*>& x, std::size_t i) {
                              WithinTolerance criterion(rtol, trees_.size());
                              search.run(x, criterion);
                              for (std::size_t j = 0; j < trees_.size(); ++j) {
                                  values[i * trees_.size() + j] = search.totals()[j].value;
                                  levels[i * trees_.size() + j] = search.totals()[j].level;
                              }
                          });
}

TreeWork Forest::decide(const std::vector<const double*>& queries, std::size_t n, const Rule& rule,
                        std::int32_t* labels, Control& control) const {
    return for_each_query(trees_, queries, n, dimension_, control,
                          [&](Search& search, const std::vector<const double*>& x, std::size_t i) {
                              CertainLabel criterion(rule, trees_.size());
                              search.run(x, criterion);
                              labels[i] = criterion.label();
                          });
}

}  // namespace parzen
