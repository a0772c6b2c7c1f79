"""What a selector returns: the bandwidth and the whole path that led to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Selection:
    """A bandwidth, and how it was chosen.

    Attributes
    ----------
    bandwidth : float or array
        A number, or an array: (C,) per class, (1, d) per feature, (C, d) both.
    score : float
        The criterion at the bandwidth; every criterion is minimised.
    grid : array of shape (n_bandwidths,)
        Bandwidths tried, ascending; empty for a rule.
    scores : array of shape (n_bandwidths,) or (C, n_bandwidths)
        The criterion along the grid. Per class, row c is the path of class c while the others stay
        at their choice.
    name : str
        Name of the selector.
    criterion : str
        What was minimised.
    at_edge : bool
        Whether the choice lies at an end of the grid, so that a wider one may hold a better value.
    widened : bool
        Whether the default grid was widened once.
    log_unit : float or array of shape (C, 1)
        Scores are in units of exp(log_unit): 0 unless the scores would leave the number range,
        as integrated squared errors do in many dimensions.
    """

    bandwidth: float | NDArray[np.float64]
    score: float
    grid: NDArray[np.float64]
    scores: NDArray[np.float64]
    name: str
    criterion: str
    at_edge: bool = False
    widened: bool = False
    log_unit: float | NDArray[np.float64] = 0.0
