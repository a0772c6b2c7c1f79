"""What every choice of a bandwidth leaves behind: the candidates, their scores and the choice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np

from parzen._core import Floats


class SecondAxis(NamedTuple):
    """A parameter that was chosen together with the bandwidth."""

    name: str
    values: Floats  # candidates, ascending
    place: int

    @property
    def chosen(self) -> float:
        """The value in use."""
        return float(self.values[self.place])


@dataclass(frozen=True, eq=False)
class Selection:
    """A bandwidth, and how it was chosen.

    Attributes
    ----------
    bandwidth : float or array
        A number, or an array: (C,) per class, (1, d) per feature, (C, d) both.
    score : float
        The criterion at the bandwidth; every criterion is minimised.
    grid : array of shape (n_candidates,), or with further axes
        Candidates, ascending; empty for a rule. Further axes are those of classes and features.
    scores : array of shape (n_candidates,), (C, n_candidates) or (n_candidates, n_second)
        The criterion along the grid. Per class, row c is the path of class c while the others stay
        at their choice. With a second axis, one column for each of its values.
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
    places : tuple of int
        Places of the choice on the grid: one, or one per class; empty for a rule.
    axis : str
        What the grid holds: bandwidths, or something that they follow from.
    second : SecondAxis or None
        A parameter that was chosen together with the bandwidth, such as a regulariser.
    tie_scores : array or None
        The negative log posterior that broke the ties, in the shape of ``scores``.
    fold_scores : array of shape (n_folds, n_candidates, n_second) or None
        The scores of every fold, whose mean ``scores`` is.
    sparsity : array or None
        Share of the training rows that carry a kernel, in the shape of ``scores``.
    scored_rows : int or None
        Rows that were scored, against all centres, where the sample has many more; None for all.
    standard_error : float or None
        Standard error of ``score`` as an estimate of that of all rows, where some were scored and
        there is one bandwidth, or a factor common to all columns.
    """

    bandwidth: float | Floats
    score: float
    grid: Floats
    scores: Floats
    name: str
    criterion: str
    at_edge: bool = False
    widened: bool = False
    log_unit: float | Floats = 0.0
    places: tuple[int, ...] = field(default=())
    axis: str = "bandwidth"
    second: SecondAxis | None = None
    tie_scores: Floats | None = None
    fold_scores: Floats | None = None
    sparsity: Floats | None = None
    scored_rows: int | None = None
    standard_error: float | None = None

    @classmethod
    def by_formula(
        cls, bandwidth: float | Floats, name: str, criterion: str, score: float = float("nan")
    ) -> Self:
        """A bandwidth that no search over a grid has found."""
        return cls(bandwidth, score, np.empty(0), np.empty(0), name, criterion)

    @property
    def spread(self) -> Floats | None:
        """Standard deviations of the scores over the folds, in the shape of ``scores``."""
        return None if self.fold_scores is None else np.asarray(self.fold_scores.std(axis=0))

    def positions(self) -> Floats:
        """One number for each candidate: the geometric mean over classes and features."""
        if self.grid.ndim < 2:
            return self.grid
        return np.asarray(np.exp(np.log(self.grid).reshape(len(self.grid), -1).mean(axis=1)))

    def curves(self) -> dict[str, Floats]:
        """The scores along the grid: one curve, one per class, or one per value of ``second``."""
        if self.second is not None:
            names = [f"{self.second.name} = {value:.3g}" for value in self.second.values]
            return dict(zip(names if len(names) > 1 else [""], self.scores.T, strict=True))
        rows = np.atleast_2d(self.scores)
        names = [""] if len(rows) == 1 else [f"class {c}" for c in range(len(rows))]
        return dict(zip(names, rows, strict=True))

    def choices(self) -> list[tuple[float, float]]:
        """Position and score of the choice on its curve: one, or one per class."""
        curves = list(self.curves().values())
        if self.second is not None:
            curves = [curves[self.second.place]]
        positions = self.positions()
        return [
            (float(positions[place]), float(curve[place]))
            for place, curve in zip(self.places, curves, strict=True)
        ]
