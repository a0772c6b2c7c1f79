// Sums and decisions by bounds on far groups of points, over one kd-tree per column.
//
// A column is a set of points with non-negative weights, a kernel, and a bandwidth of its own:
//
//   S_j(x) = sum_i w_i k(x, y_i) / k(0)
//
// A query starts with the roots' children and opens the nodes whose bounds are widest: it replaces a node by
// its children, a leaf by its sum, until the sum is within its tolerance or the label is certain. The totals are summed
// afresh in every round, so that nothing cancels, and all bounds are rounded outward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "parzen/kernel.hpp"
#include "parzen/parallel.hpp"

namespace parzen {

struct ColumnInput {
    const double* points = nullptr;   // [n][dimension]
    std::size_t n = 0;                // 0: the column is zero everywhere
    const double* weights = nullptr;  // [n] not negative; null: ones
    double bandwidth = 1;
};

// How to decide between `options` from the columns A_j = S_j^exponent exp(log_shift_j).
struct Rule {
    int options = 0;
    const double* costs = nullptr;  // [columns][options] the smallest sum_j costs[j][k] A_j wins; null: largest A_k
    bool constant = false;          // one more column in the costs, the constant 1
    double exponent = 1;
    const double* log_shift = nullptr;  // [columns]
    double reject = 0;                  // ambiguous: every sum_j (costs[j][k] - reject) A_j is positive
    double novelty = 0;                 // novel: log sum_j A_j is smaller
    double margin = 1e-10;              // relative: closer options are left undecided; it grows far from the points
    bool rejects = false;
    bool has_novelty = false;
};

inline constexpr std::int32_t undecided = -1;  // within rounding
inline constexpr std::int32_t ambiguous = -2;
inline constexpr std::int32_t novel = -3;
inline constexpr std::int32_t nowhere = -4;  // no kernel reaches the query

// Work done: pairs in leaves, and nodes whose bounds were computed; `quick` counts single precision.
struct TreeWork {
    std::uint64_t pairs = 0;
    std::uint64_t nodes = 0;
    std::uint64_t quick_pairs = 0;
    std::uint64_t quick_nodes = 0;
};

class QuickTree;
class Tree;

class Forest {
   public:
    Forest(const std::vector<ColumnInput>& columns, int dimension, const Kernel& kernel, Control& control);
    ~Forest();
    Forest(const Forest&) = delete;
    Forest& operator=(const Forest&) = delete;

    std::size_t columns() const { return trees_.size(); }
    int dimension() const { return dimension_; }
    std::size_t points(std::size_t column) const;

    // Sums of every column within `rtol`, as value * exp(level). queries: one array [n][dimension] per
    // column, or one for all. values, levels: [n][columns]. own: per column the point that each query is
    // and that is left out, -1 for none; or nothing.
    TreeWork sums(const std::vector<const double*>& queries, std::size_t n, double rtol, double* values, double* levels,
                  Control& control, const std::vector<const std::int64_t*>& own = {}) const;
    TreeWork decide(const std::vector<const double*>& queries, std::size_t n, const Rule& rule, std::int32_t* labels,
                    Control& control) const;

   private:
    void prepare_quick(Control& control) const;

    std::vector<std::unique_ptr<Tree>> trees_;
    int dimension_;
    bool quick_served_ = false;
    mutable std::mutex quick_lock_;
    mutable std::vector<std::unique_ptr<QuickTree>> quick_;  // built when labels are first asked for
};

}  // namespace parzen
