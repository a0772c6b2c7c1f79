// When a query needs no more refinement: its sums are within the tolerance, or its label is certain.
#pragma once

#include <cstdint>
#include <vector>

#include "parzen/tree.hpp"

namespace parzen {

// What is known of a column's sum, in units of exp(level).
struct Total {
    double value = 0, lower = 0, upper = 0;
    double open = 0;  // what the bounds of nodes not yet looked into leave open
    double level = 0;
    int count = 0;  // of terms
};

// A criterion sees the totals of every round, says whether to stop, and if not, how much the columns'
// gaps matter, and which gap (times that) is too wide for certain.
class WithinTolerance {
   public:
    WithinTolerance(double rtol, std::size_t columns) : rtol_(rtol), importance_(columns) {}
    bool done(const std::vector<Total>& totals);
    const std::vector<double>& importance() const { return importance_; }
    double too_wide() const { return too_wide_; }

   private:
    double rtol_;
    std::vector<double> importance_;  // 0: the column is done
    double too_wide_ = 0;
};

class CertainLabel {
   public:
    CertainLabel(const Rule& rule, std::size_t columns);
    bool done(const std::vector<Total>& totals);
    const std::vector<double>& importance() const { return importance_; }
    double too_wide() const;
    std::int32_t label() const { return label_; }

   private:
    void bound_columns(const std::vector<Total>& totals);
    std::int32_t decide() const;
    int is_novel() const;      // 1 yes, 0 no, -1 not certain
    int is_ambiguous() const;  // likewise
    std::int32_t cheapest() const;
    double cost(std::size_t j, int k) const;
    // Bounds on sum_j coefficient(j) A_j; `doubt` is what rounding may add to or take from them.
    template <class Coefficient>
    void bound_form(Coefficient coefficient, double& low, double& high, double& doubt) const;

    const Rule* rule_;
    std::size_t columns_;                // with the constant
    std::vector<double> lower_, upper_;  // of A_j / exp(scale_)
    std::vector<double> importance_;
    double scale_ = 0;
    double margin_ = 0;
    std::int32_t label_ = undecided;
};

}  // namespace parzen
