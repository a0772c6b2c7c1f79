"""Leave-one-out predictions, for classifiers whose densities are sums over the training rows.

Leaving one out takes min(w_i, 1) from the frequency w_i of row i, from its class density and from
the observed priors alike. The bandwidth is that of all rows.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen._core import Array, Floats, Ints
from parzen.classifiers.base.decision import log_normalised, probabilities
from parzen.classifiers.base.density_classifier import DensityClassifier


class LeaveOneOutClassifier(DensityClassifier):
    """A density classifier that defines `_leave_one_out_log_densities`."""

    @property
    def loo_predictions_(self) -> Array:
        """Labels of the training rows (of positive weight), each predicted without itself.

        One pass over the pairs at the chosen bandwidth, computed anew at each access.
        """
        check_is_fitted(self)
        log_priors = self._leave_one_out_log_priors()
        joint = self.decision_.joint_with(self._leave_one_out_log_densities(), log_priors)
        posterior = probabilities(log_normalised(joint, log_priors))
        return np.asarray(self.classes_[self.decision_.choose(posterior)])


def take_own_from_means(
    log_means: Floats, codes: Ints, weights: Floats | None, counts: Floats
) -> Floats:
    """Means over n_c of sums without the row become means over n_c - min(w_i, 1)."""
    removed = 1.0 if weights is None else np.minimum(weights, 1.0)
    rest = counts[codes] - removed
    rows, some = np.arange(len(codes)), rest > 0
    log_ratio = np.log(counts[codes[some]]) - np.log(rest[some])
    log_means[rows[some], codes[some]] += log_ratio
    log_means[rows[~some], codes[~some]] = -np.inf
    return log_means
