"""Prediction sets: labels that contain the true one with a given probability.

A conformity says how well a row fits a label. The p-value of a label is the share of the training
rows of that label that fit it no better than the new row does; a set holds the labels whose p-value
is larger than alpha (Vovk, Gammerman & Shafer, 2005).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen._core import Array, Bools, Floats, Ints, Number, is_other_array
from parzen.base import SumsOptions
from parzen.conformal import log_odds, log_odds_of_all

# The share of rows whose true label may be missing from their sets.
_ALPHA = Number("(0, 1)")


class PredictionSets:
    """P-values of labels, sets of labels, and p-values against novelty.

    A subclass that has no exact p-values ranks the scores of a row among those of its held-out
    training rows: the share of misses is then near alpha for large samples, and
    `ConformalClassifier` bounds it by about 2 alpha.
    """

    classes_: Array

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        """Return the p-value of every row and label by "posterior" or "density"."""
        raise NotImplementedError

    def p_values(self, X: ArrayLike, *, conditional: bool = True) -> Floats:
        """P-values of the labels: small where a label does not fit.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New rows.
        conditional : bool, default=True
            Compare with the training rows of the label, so that alpha holds in every class. False
            compares with all training rows: alpha then holds on average over the classes.

        Returns
        -------
        p : array of shape (n_samples, n_classes)
            Conformity is the posterior of the label, estimated without the row that it is computed
            for.
        """
        if is_other_array(X) and isinstance(self, SumsOptions):
            return self._answer_other("p_values", X, conditional=bool(conditional))
        check_is_fitted(self)
        return self._label_p_values(X, "posterior", bool(conditional))

    def predict_set(self, X: ArrayLike, alpha: float = 0.1, *, conditional: bool = True) -> Bools:
        """The labels that each row may have: those whose p-value is larger than ``alpha``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New rows.
        alpha : float, default=0.1
            The share of rows whose true label may be missing from the set.
        conditional : bool, default=True
            Whether alpha holds in every class: see `p_values`.

        Returns
        -------
        sets : boolean array of shape (n_samples, n_classes)
            One column per class, in the order of ``classes_``. No label fits an empty set.
        """
        _ALPHA.check("alpha", alpha)
        sets: Bools = self.p_values(X, conditional=conditional) > alpha
        return sets

    def novelty_p_values(self, X: ArrayLike) -> Floats:
        """P-values of "this row is like those of the sample": small for novel rows.

        The largest p-value of a label when the conformity is the density of the class. Of rows from
        the classes at most a share alpha has a value of alpha or less.

        This does not hold for rows with missing entries. The density of fewer columns has other
        units than those it is ranked among, so the value depends on the units of the missing
        columns. Fit a model to the columns that these rows have, and ask that.
        """
        if is_other_array(X) and isinstance(self, SumsOptions):
            return self._answer_other("novelty_p_values", X)
        check_is_fitted(self)
        return np.asarray(self._label_p_values(X, "density", True).max(axis=1))


def weights_below(
    scores: Floats, training_scores: Floats, codes: Ints, weights: Floats | None, conditional: bool
) -> tuple[Floats, Floats]:
    """The weight of the training rows with no larger score, and of all that are compared.

    ``scores`` has shape (n, C). A training row has a frequency and the score of its own label,
    which is compared with the scores of that label, or of every label. Ties count as no larger.
    """
    frequencies = np.ones(len(codes)) if weights is None else weights
    below, total = np.empty(scores.shape), np.empty(scores.shape[1])
    for c in range(scores.shape[1]):
        rows = np.flatnonzero(codes == c) if conditional else np.arange(len(codes))
        rows = rows[np.argsort(training_scores[rows], kind="stable")]
        sums = np.concatenate([[0.0], np.cumsum(frequencies[rows])])
        below[:, c] = sums[np.searchsorted(training_scores[rows], scores[:, c], side="right")]
        total[c] = sums[-1]
    return below, total


def ranked_p_values(
    scores: Floats, training_scores: Floats, codes: Ints, weights: Floats | None, conditional: bool
) -> Floats:
    """P-values of scores, shape (n, C), among those of held-out rows: see `weights_below`."""
    below, total = weights_below(scores, training_scores, codes, weights, conditional)
    return np.asarray((1.0 + below) / (1.0 + total))


def ranked_log_odds(
    joint: Floats, training_joint: Floats, codes: Ints, weights: Floats | None, conditional: bool
) -> Floats:
    """The same for log-odds of labels, from the log pi_c f_c of rows and of held-out rows."""
    own = log_odds(training_joint, codes)
    return ranked_p_values(log_odds_of_all(joint), own, codes, weights, conditional)
