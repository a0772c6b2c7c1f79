"""Decisions by signed sums: what L2LE-k predicts with, having no densities.

    two classes      classes_[1] where sum_i beta_i k(x, x_i) > 0
    more             the class of the largest sum

A class whose prior is 0 never wins, whatever its sum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import Array, Floats
from parzen.classifiers.base import certain_signed_codes
from parzen.classifiers.l2.signed_weights import decide
from parzen.expansion import KernelExpansion

Codes = NDArray[np.int32]


class SignedRule(NamedTuple):
    """An expansion with weights of both signs, and the gamma and priors of its classes."""

    expansion: KernelExpansion
    gamma: float | None  # of two classes
    priors: Floats

    def scores(self, X: Array, **how: Any) -> Floats:
        """The sums at each row, one column for two classes; underflow is possible far away."""
        return self._of_possible_classes(self.expansion.scores(X, **how).astype(np.float64))

    def certain_codes(self, X: Array, **how: Any) -> Codes | None:
        """The classes that bounds decide, negative where they do not; None for no bounds."""
        if self.gamma in (0, np.inf) or (self.priors == 0).any():
            return None
        return certain_signed_codes(self.expansion, X, **how)

    def codes(self, X: Array, **how: Any) -> Codes:
        """The class of each row, right at any distance from the data."""
        if len(self.priors) == 1:
            return np.zeros(len(X), dtype=np.int32)
        codes = self.certain_codes(X, **how)
        rest = np.arange(len(X)) if codes is None else np.flatnonzero(codes < 0)
        codes = np.zeros(len(X), dtype=np.int32) if codes is None else codes
        if len(rest):
            exact = how if len(rest) == len(X) else {"method": "dense"}
            scores = self.expansion.scaled_scores(X[rest], **exact).mantissa
            codes[rest] = decide(self._of_possible_classes(scores))
        return codes

    def _of_possible_classes(self, scores: Floats) -> Floats:
        tiny = np.finfo(np.float64).tiny
        if self.gamma == 0:
            return np.maximum(scores, tiny)
        if self.gamma == np.inf:
            return np.minimum(scores, -tiny)
        return np.where(self.priors == 0, -np.inf, scores) if scores.shape[1] > 1 else scores
