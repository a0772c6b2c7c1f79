"""The smallest of several scores, where scores that differ by rounding alone are equal."""

from __future__ import annotations

from typing import Literal

import numpy as np

from parzen._core import Bools, Floats

End = Literal["largest", "smallest"]

TIE = 1e-12  # Relative difference up to which two scores count as equal.
# Class weights may count some errors by next to nothing: these must not decide between candidates.
FOLD_TIE = 1e-6  # Share of the largest mean error up to which two mean errors count as equal.


def best_place(
    scores: Floats,
    ties: End = "largest",
    *,
    tie_scores: Floats | None = None,
    tolerance: float = 0.0,
) -> int:
    """Index of the smallest score on an ascending grid.

    Of equal scores the one with the smallest of ``tie_scores`` is taken, then the largest (or
    smallest) candidate. Scores that differ by less than the share ``tolerance`` of the largest
    count as equal, too.

    Examples
    --------
    >>> best_place(np.array([0.2, 0.1, 0.1])), best_place(np.array([0.2, 0.1, 0.1]), "smallest")
    (2, 1)
    >>> best_place(np.array([0.1, 0.1, 0.1]), tie_scores=np.array([3.0, 1.0, 2.0]))
    1
    """
    tied = np.flatnonzero(_is_best(scores, tolerance))
    if tie_scores is not None:
        tied = tied[_is_best(tie_scores[tied], 0.0)]
    return int(tied[-1 if ties == "largest" else 0])


def best_pair(
    scores: Floats, ties: tuple[End, End] = ("largest", "largest"), *, tolerance: float = 0.0
) -> tuple[int, int]:
    """The same on two axes; ties are broken along the first, then along the second.

    Examples
    --------
    >>> best_pair(np.array([[0.1, 0.1], [0.1, 0.2]]))
    (1, 0)
    """
    best = _is_best(scores, tolerance)
    rows = np.flatnonzero(best.any(axis=1))
    row = int(rows[-1 if ties[0] == "largest" else 0])
    columns = np.flatnonzero(best[row])
    return row, int(columns[-1 if ties[1] == "largest" else 0])


def is_flat(scores: Floats) -> Bools:
    """Whether the scores along the last axis are finite and equal up to rounding."""
    low, high = scores.min(axis=-1), scores.max(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.isfinite(high) & (high - low <= TIE * np.abs(low)))


def _is_best(scores: Floats, tolerance: float) -> Bools:
    lowest = scores.min()
    slack = tolerance * scores.max() if tolerance else 0.0
    if not np.isfinite(lowest):
        return np.asarray(scores == lowest)
    return np.asarray(scores <= lowest + TIE * abs(lowest) + np.finfo(float).tiny + slack)
