"""Full conformal prediction: p-values of labels that equal those of refits, without a refit.

A conformity says how well a row fits its label, and a bag is the sample with a query that joined it
under some label. The p-value of that label is the share of the bag that conforms no better.

densities    class sums of kernels; one kernel value changes when a row joins (native)
bags         any conformities of a bag: products of densities, weighted sums
least_squares    linear systems, to which a row is joined by a rank-one update
"""

from parzen.conformal.bags import joined_log_odds, log_odds, log_odds_of_all, p_values_in_bags
from parzen.conformal.densities import FullConformal
from parzen.conformal.least_squares import LeastSquaresBag

__all__ = [
    "FullConformal",
    "LeastSquaresBag",
    "joined_log_odds",
    "log_odds",
    "log_odds_of_all",
    "p_values_in_bags",
]
