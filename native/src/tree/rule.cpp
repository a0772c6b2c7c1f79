#include "tree/rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parzen {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest = 1e-300;
// Relative growth of the margin per unit of a log-sum, whose rounding grows with its size.
constexpr double margin_per_log = 0.01;

}  // namespace

bool WithinTolerance::done(const std::vector<Total>& totals) {
    bool all = true;
    too_wide_ = rtol_;  // gaps times 1 / lower are relative: a node whose own exceeds rtol has to be opened
    for (std::size_t j = 0; j < totals.size(); ++j) {
        const Total& total = totals[j];
        importance_[j] = total.pending_gap > rtol_ * total.lower ? 1 / std::max(total.lower, smallest) : 0;
        if (importance_[j] == 0) continue;
        all = false;
        if (total.upper > 2 * total.lower) {  // the bounds are too wide yet to tell which node matters
            importance_[j] = 1 / std::clamp(total.upper, smallest, 1 / smallest);
            too_wide_ = infinity;
        }
    }
    return all;
}

CertainLabel::CertainLabel(const Rule& rule, std::size_t columns)
    : rule_(&rule),
      columns_(columns + (rule.constant ? 1 : 0)),
      lower_(columns_),
      upper_(columns_),
      importance_(columns) {}

double CertainLabel::too_wide() const { return infinity; }

bool CertainLabel::done(const std::vector<Total>& totals) {
    bound_columns(totals);
    label_ = decide();
    return label_ != undecided;
}

// A_j = S_j^exponent exp(shift_j), all of them divided by the largest scale.
void CertainLabel::bound_columns(const std::vector<Total>& totals) {
    const double a = rule_->exponent;
    scale_ = rule_->constant ? 0 : -infinity;
    for (std::size_t j = 0; j < totals.size(); ++j)
        if (totals[j].upper > 0) scale_ = std::max(scale_, a * totals[j].level + rule_->log_shift[j]);
    for (std::size_t j = 0; j < totals.size(); ++j) {
        const Total& total = totals[j];
        lower_[j] = upper_[j] = importance_[j] = 0;
        if (!(total.upper > 0) || rule_->log_shift[j] == -infinity) continue;
        const double factor = std::exp(a * total.level + rule_->log_shift[j] - scale_);
        lower_[j] = factor * (a == 1 ? total.lower : std::pow(total.lower, a));
        // A factor that underflows must not make an upper bound 0, nor NaN of an infinite one.
        upper_[j] = std::max(factor, smallest) * (a == 1 ? total.upper : std::pow(total.upper, a));
        double weight = 1;
        for (int k = 0; rule_->costs && k < rule_->options; ++k)
            weight = std::max(k > 0 ? weight : 0.0, std::abs(rule_->costs[j * rule_->options + k]));
        // How fast A_j changes with the sum; for exponents other than 1 where it changes most.
        const double at = a < 1 ? total.lower : total.upper;
        importance_[j] = weight * factor * (a == 1 ? 1 : a * std::pow(std::max(at, smallest), a - 1));
        if (!(importance_[j] < 1 / smallest)) importance_[j] = 1 / smallest;
        // An infinite bound: a point may be much nearer than the reference, so the column must stay important.
        if (total.upper == infinity) importance_[j] = std::max(importance_[j], smallest);
    }
    double deepest = 0;
    for (const Total& total : totals) deepest = std::max(deepest, a * std::abs(total.level));
    margin_ = rule_->margin * (1 + margin_per_log * deepest);
    if (rule_->constant) lower_[totals.size()] = upper_[totals.size()] = std::exp(-scale_);
}

std::int32_t CertainLabel::decide() const {
    if (scale_ == -infinity) return nowhere;
    const int is_new = rule_->has_novelty ? is_novel() : 0;
    if (is_new != 0) return is_new > 0 ? novel : undecided;
    const int unclear = rule_->rejects ? is_ambiguous() : 0;
    if (unclear != 0) return unclear > 0 ? ambiguous : undecided;
    return cheapest();
}

int CertainLabel::is_novel() const {
    double low = 0, high = 0;
    for (std::size_t j = 0; j < columns_; ++j) {
        low += lower_[j];
        high += upper_[j];
    }
    const double rounding = margin_ * (1 + std::abs(rule_->novelty));
    if (std::log(low) + scale_ > rule_->novelty + rounding) return 0;
    if (std::log(high) + scale_ < rule_->novelty - rounding) return 1;
    return -1;
}

double CertainLabel::cost(std::size_t j, int k) const {
    return rule_->costs ? rule_->costs[j * static_cast<std::size_t>(rule_->options) + k]
                        : (j == static_cast<std::size_t>(k) ? 0.0 : 1.0);
}

template <class Coefficient>
void CertainLabel::bound_form(Coefficient coefficient, double& low, double& high, double& rounding) const {
    low = high = rounding = 0;
    for (std::size_t j = 0; j < columns_; ++j) {
        const double c = coefficient(j);
        if (c == 0) continue;  // a bound may be infinite
        low += c * (c > 0 ? lower_[j] : upper_[j]);
        high += c * (c > 0 ? upper_[j] : lower_[j]);
        rounding += margin_ * std::abs(c) * upper_[j];
    }
}

int CertainLabel::is_ambiguous() const {
    bool every = true;
    for (int k = 0; k < rule_->options; ++k) {
        double low, high, rounding;
        bound_form([&](std::size_t j) { return cost(j, k) - rule_->reject; }, low, high, rounding);
        if (high < -rounding) return 0;
        every = every && low > rounding;
    }
    return every ? 1 : -1;
}

std::int32_t CertainLabel::cheapest() const {
    int best = 0;
    double smallest_cost = infinity;
    if (!rule_->costs) {
        best = static_cast<int>(std::max_element(lower_.begin(), lower_.begin() + rule_->options) - lower_.begin());
        for (int k = 0; k < rule_->options; ++k)
            if (k != best && !(lower_[best] > upper_[k] * (1 + 2 * margin_))) return undecided;
        return best;
    }
    for (int k = 0; k < rule_->options; ++k) {
        double total = 0;
        for (std::size_t j = 0; j < columns_; ++j) total += cost(j, k) * (lower_[j] + upper_[j]);
        if (total < smallest_cost) {
            smallest_cost = total;
            best = k;
        }
    }
    for (int k = 0; k < rule_->options; ++k) {
        if (k == best) continue;
        double low, high, rounding;
        bound_form([&](std::size_t j) { return cost(j, k) - cost(j, best); }, low, high, rounding);
        if (!(low > rounding)) return undecided;
    }
    return best;
}

}  // namespace parzen
