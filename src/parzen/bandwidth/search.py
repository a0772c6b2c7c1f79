"""From scores along a grid to a choice: the smallest score, one rule for ties, one widening.

A second axis (a regulariser, eta) may be searched together with the grid: scores then have a column
for each of its values. The choice is at the edge where the smallest score over the columns is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import portion, warn
from parzen.bandwidth.grid import widened
from parzen.bandwidth.selection import SecondAxis, Selection
from parzen.samples import End, Floats, best_pair, best_place, is_flat

_SHARE_OF_FIRST_GRID = 0.8  # Share of the progress that is reported before a grid is widened.
_MAX_LOG_SCORE = 600.0  # Scores with |log| above this are given in units of exp(log_unit).


class Path(NamedTuple):
    """Scores along a grid and the places chosen on it: one, or one per class."""

    places: NDArray[np.intp]  # () or (classes,)
    score: float
    scores: Floats  # (candidates,), (classes, candidates), or (candidates, second)
    log_unit: float | Floats = 0.0
    tie_scores: Floats | None = None  # in the shape of scores
    second_place: int | None = None  # None where there is no second axis

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


def path_of(scores: Floats, tie_scores: Floats | None = None, ties: End = "largest") -> Path:
    """The best of one axis."""
    place = best_place(scores, ties, tie_scores=tie_scores)
    return Path(np.array(place), float(scores[place]), scores, tie_scores=tie_scores)


def path_of_pairs(
    scores: Floats, ties: tuple[End, End] = ("largest", "largest"), *, slack: float = 0.0
) -> Path:
    """The best of two axes, shape (candidates, second)."""
    place, second = best_pair(scores, ties, slack=slack)
    return Path(np.array(place), float(scores[place, second]), scores, second_place=second)


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


def search(
    evaluate: Callable[[Floats], Path], grid: Floats, *, may_widen: bool, name: str, criterion: str
) -> Selection:
    """Score a grid, widened once where the choice is at an end of it; warn if it stays there."""
    with portion(0, _SHARE_OF_FIRST_GRID if may_widen else 1):
        path = evaluate(grid)
    down, up = path.edges()
    wide = may_widen and (down or up)
    if wide:
        longer = widened(grid, down=down, up=up)
        with portion(_SHARE_OF_FIRST_GRID):
            path = _extended(path, grid, longer, evaluate)
        grid = longer
    warn_at_edge(path, grid, name)
    return selection_of(path, grid, name=name, criterion=criterion, widened=wide)


def selection_of(
    path: Path,
    grid: Floats,
    *,
    name: str,
    criterion: str,
    widened: bool = False,
    axis: str = "bandwidth",
    second: tuple[str, Floats] | None = None,
    spread: Floats | None = None,
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
        spread=spread,
        tie_scores=path.tie_scores,
    )


def warn_at_edge(
    path: Path,
    grid: Floats,
    name: str,
    cure: str = "pass a selector with a grid that reaches {beyond} that value",
) -> None:
    """Say that a choice at the end of its grid may be better beyond it."""
    down, up = path.edges()
    if (down or up) and len(grid) > 1:
        side, end = ("smallest", grid[0]) if down else ("largest", grid[-1])
        beyond = "below" if down else "above"
        warn(
            f"the bandwidth chosen by {name!r} is the {side} of its grid, {np.max(end):.4g}; "
            f"widen it: {cure.format(beyond=beyond)}.",
        )


def _extended(path: Path, grid: Floats, longer: Floats, evaluate: Callable[[Floats], Path]) -> Path:
    """The path over a longer grid; the scores that are known are not computed again.

    Scores per class, or in a unit of their own, depend on the whole grid and are computed anew.
    """
    if path.scores.ndim > 1 or path.log_unit != 0.0:
        return evaluate(longer)
    below = int(np.searchsorted(longer, grid[0] * (1 - 1e-9)))
    above = below + len(grid)
    new = evaluate(np.concatenate([longer[:below], longer[above:]]))
    if new.log_unit != 0.0:
        return evaluate(longer)

    def joined(more: Floats, known: Floats) -> Floats:
        return np.concatenate([more[:below], known, more[below:]])

    tie_scores = None
    if path.tie_scores is not None and new.tie_scores is not None:
        tie_scores = joined(new.tie_scores, path.tie_scores)
    return path_of(joined(new.scores, path.scores), tie_scores)
