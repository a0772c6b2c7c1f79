// When a query needs no more refinement: its sums are within the tolerance, or its label is certain.
#pragma once

#include <cstdint>
#include <vector>

#include "parzen/tree.hpp"

namespace parzen {

// A column's sum and bounds on it, in units of exp(level).
struct Total {
    double value = 0, lower = 0, upper = 0;
    double pending_gap = 0;  // sum of upper - lower over nodes that have not been opened
    double level = 0;
    int count = 0;  // of terms
};

// A criterion is given the totals of every round. It says whether to stop and, if not, the importance of
// each column: a gap in a column counts times its importance, and nodes beyond too_wide() are opened.
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
    // Bounds on sum_j coefficient(j) A_j; `rounding` is by how much rounding may change them.
    template <class Coefficient>
    void bound_form(Coefficient coefficient, double& low, double& high, double& rounding) const;

    const Rule* rule_;
    std::size_t columns_;                // with the constant
    std::vector<double> lower_, upper_;  // of A_j / exp(scale_)
    std::vector<double> importance_;
    double scale_ = 0;
    double margin_ = 0;
    std::int32_t label_ = undecided;
};

}  // namespace parzen
