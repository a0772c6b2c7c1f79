"""From scores along a grid to a choice: the smallest score, one rule for ties, one widening.

A second axis (a regulariser, eta) may be searched together with the grid: scores then have a column
for each of its values. The choice is at the edge where the smallest score over the columns is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Floats, Ints, portion, warn
from parzen.bandwidth.grid import widened
from parzen.bandwidth.selection import SecondAxis, Selection
from parzen.samples import FOLD_TIE, End, best_pair, best_place, is_flat

_SHARE_OF_FIRST_GRID = 0.8  # Share of the progress that is reported before a grid is widened.
_MAX_LOG_SCORE = 600.0  # Scores with |log| above this are given in units of exp(log_unit).
_CURE = "pass a selector with a grid that reaches {beyond} that value"


class Path(NamedTuple):
    """Scores along a grid and the places chosen on it: one, or one per class."""

    places: Ints  # () or (classes,)
    score: float
    scores: Floats  # (candidates,), (classes, candidates), or (candidates, second)
    log_unit: float | Floats = 0.0
    tie_scores: Floats | None = None  # in the shape of scores
    second_place: int | None = None  # None where there is no second axis
    ties: End = "largest"  # the end of the grid that equal scores go to
    fold_scores: Floats | None = None  # (folds, candidates, second)
    sparsity: Floats | None = None  # in the shape of scores

    def edges(self) -> tuple[bool, bool]:
        """Whether a choice lies at the lower end, and at the upper end.

        Where all scores are equal no bandwidth is better than another, and the answer is no.
        """
        curves = self.scores if self.second_place is None else self.scores.min(axis=1)
        last = curves.shape[-1] - 1
        differ = ~is_flat(curves)
        return (
            bool((differ & (self.places == 0)).any()),
            bool((differ & (self.places == last)).any()),
        )

    def joined(self, more: Path, below: int) -> Path:
        """The path with further candidates around it, of which ``below`` are the smallest."""

        def around(known: Floats | None, new: Floats | None, axis: int = 0) -> Any:
            if known is None or new is None:
                return None
            smaller, larger = np.split(new, [below], axis=axis)
            return np.concatenate([smaller, known, larger], axis=axis)

        if self.fold_scores is not None:
            folds = around(self.fold_scores, more.fold_scores, axis=1)
            return path_of_folds(folds, around(self.sparsity, more.sparsity))
        tie_scores = around(self.tie_scores, more.tie_scores)
        return path_of(around(self.scores, more.scores), tie_scores, self.ties)


def path_of(scores: Floats, tie_scores: Floats | None = None, ties: End = "largest") -> Path:
    """The best of one axis."""
    place = best_place(scores, ties, tie_scores=tie_scores)
    return Path(np.array(place), float(scores[place]), scores, tie_scores=tie_scores, ties=ties)


def path_of_pairs(
    scores: Floats, ties: tuple[End, End] = ("largest", "largest"), *, tolerance: float = 0.0
) -> Path:
    """The best of two axes, shape (candidates, second)."""
    place, second = best_pair(scores, ties, tolerance=tolerance)
    return Path(np.array(place), float(scores[place, second]), scores, second_place=second)


def path_of_folds(fold_scores: Floats, sparsity: Floats) -> Path:
    """The best mean of folds, (folds, candidates, second): largest bandwidth, smallest second."""
    path = path_of_pairs(fold_scores.mean(axis=0), ("largest", "smallest"), tolerance=FOLD_TIE)
    return path._replace(fold_scores=fold_scores, sparsity=sparsity)


def signed_path(signs: Floats, logs: Floats) -> Path:
    """The path of scores given by sign and logarithm, in a unit that keeps them in range."""
    finite = logs[np.isfinite(logs)]
    unit = 0.0
    if len(finite) and np.abs(finite).max() > _MAX_LOG_SCORE:
        negative = signs < 0
        unit = float(logs[negative].max() if negative.any() else finite.min())
    with np.errstate(over="ignore"):
        scores = signs * np.exp(logs - unit)
    return path_of(scores)._replace(log_unit=unit)


def search_grid(
    evaluate: Callable[[Floats], Path],
    grid: Floats,
    *,
    widening: float,
    name: str,
    criterion: str,
    second: tuple[str, Floats] | None = None,
    cure: str = _CURE,
) -> Selection:
    """Score a grid; warn if the choice is at an end of it.

    Before that the grid is widened once, by ``widening`` doublings; 0 leaves it as it is. Where the
    scores of the first grid do not depend on the rest of the grid, they are not computed again.
    """
    with portion(0, _SHARE_OF_FIRST_GRID if widening else 1):
        path = evaluate(grid)
    down, up = path.edges()
    wide = widening > 0 and (down or up)
    if wide:
        longer = widened(grid, widening, down=down, up=up)
        below = int(np.searchsorted(longer, grid[0]))
        per_class = path.scores.ndim > 1 and path.second_place is None
        # A coordinate search starts from all candidates, and a unit is that of all scores.
        whole = per_class or path.log_unit != 0.0
        new = longer if whole else np.delete(longer, slice(below, below + len(grid)))
        with portion(_SHARE_OF_FIRST_GRID):
            more = evaluate(new)
            if not whole:
                in_unit = more.log_unit == 0.0
                more = path.joined(more, below) if in_unit else evaluate(longer)
        path, grid = more, longer
    warn_at_edge(path, grid, name, cure)
    return selection_of(path, grid, name=name, criterion=criterion, widened=wide, second=second)


def selection_of(
    path: Path,
    grid: Floats,
    *,
    name: str,
    criterion: str,
    widened: bool = False,
    axis: str = "bandwidth",
    second: tuple[str, Floats] | None = None,
) -> Selection:
    """The choice along a path; ``second`` names the other axis and its values."""
    h = grid[path.places]
    place = path.second_place
    return Selection(
        bandwidth=float(h) if np.ndim(h) == 0 else h,
        score=path.score,
        grid=grid,
        scores=path.scores,
        name=name,
        criterion=criterion,
        at_edge=len(grid) > 1 and any(path.edges()),
        widened=widened,
        log_unit=path.log_unit,
        places=tuple(int(p) for p in np.atleast_1d(path.places)),
        axis=axis,
        second=None if second is None or place is None else SecondAxis(*second, place),
        tie_scores=path.tie_scores,
        fold_scores=path.fold_scores,
        sparsity=path.sparsity,
    )


class EndOfGridWarning(UserWarning):
    """A choice lies at the end of its grid: a wider grid may hold a better one.

    Where a criterion is flat the end may be as good as any; then filter this category away.

    Examples
    --------
    >>> import warnings
    >>> from parzen.bandwidth import EndOfGridWarning
    >>> warnings.simplefilter("ignore", EndOfGridWarning)
    """


def warn_at_edge(path: Path, grid: Floats, name: str, cure: str = _CURE) -> None:
    """Say that a choice at the end of its grid may be better beyond it."""
    down, up = path.edges()
    if (down or up) and len(grid) > 1:
        side, end = ("smallest", grid[0]) if down else ("largest", grid[-1])
        beyond = "below" if down else "above"
        warn(
            f"the bandwidth chosen by {name!r} is the {side} of its grid, {np.max(end):.4g}; "
            f"widen it: {cure.format(beyond=beyond)}.",
            EndOfGridWarning,
        )
