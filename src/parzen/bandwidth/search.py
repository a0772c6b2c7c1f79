"""From scores along a grid to a choice: the smallest score, ties to the largest bandwidth."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import portion, warn
from parzen.bandwidth.grid import widened
from parzen.samples import Floats, best_place, is_flat

_FIRST = 0.8  # share of the work that a grid takes which may have to be widened
_SAFE = 600.0  # a score whose logarithm is larger is given in another unit


class Path(NamedTuple):
    """Scores along a grid and the places chosen on it: one, or one per class."""

    places: NDArray[np.intp]  # () or (classes,)
    score: float
    scores: Floats  # (bandwidths,) or (classes, bandwidths)
    log_unit: float | Floats = 0.0

    def edges(self) -> tuple[bool, bool]:
        """Whether a choice lies at the lower end, and at the upper end.

        Where all scores are equal no bandwidth is better than another, and there is no end.
        """
        last = self.scores.shape[-1] - 1
        told = ~is_flat(self.scores)
        return bool((told & (self.places == 0)).any()), bool((told & (self.places == last)).any())


def signed_path(signs: Floats, logs: Floats) -> Path:
    """The path of scores given by sign and logarithm, in a unit that keeps them in range."""
    finite = logs[np.isfinite(logs)]
    unit = 0.0
    if len(finite) and np.abs(finite).max() > _SAFE:
        negative = signs < 0
        unit = float(logs[negative].max() if negative.any() else finite.min())
    with np.errstate(over="ignore"):
        scores = signs * np.exp(logs - unit)
    place = best_place(scores)
    return Path(np.array(place), float(scores[place]), scores, unit)


def search(
    evaluate: Callable[[Floats], Path], grid: Floats, *, may_widen: bool, name: str
) -> tuple[Path, Floats, bool]:
    """The path over a grid, widened once where the choice is at an end of it; warns if it stays."""
    with portion(0, _FIRST if may_widen else 1):
        path = evaluate(grid)
    down, up = path.edges()
    wide = may_widen and (down or up)
    if wide:
        longer = widened(grid, down=down, up=up)
        with portion(_FIRST):
            path = _extended(path, grid, longer, evaluate)
        grid = longer
    warn_at_edge(path, grid, name)
    return path, grid, wide


def warn_at_edge(path: Path, grid: Floats, name: str) -> None:
    """Say that a choice at the end of its grid may be better beyond it."""
    down, up = path.edges()
    if (down or up) and len(grid) > 1:
        side, end = ("smallest", grid[0]) if down else ("largest", grid[-1])
        warn(
            f"the bandwidth chosen by {name!r} is the {side} of its grid, {end:.4g}; widen it: "
            f"pass a selector with a grid that reaches {'below' if down else 'above'} that value.",
        )


def _extended(path: Path, grid: Floats, longer: Floats, evaluate: Callable[[Floats], Path]) -> Path:
    """The path over a longer grid; scores that stand by themselves are not computed again."""
    if path.scores.ndim > 1 or path.log_unit != 0.0:
        return evaluate(longer)
    below = int(np.searchsorted(longer, grid[0] * (1 - 1e-9)))
    above = below + len(grid)
    new = evaluate(np.concatenate([longer[:below], longer[above:]]))
    if new.log_unit != 0.0:
        return evaluate(longer)
    scores = np.concatenate([new.scores[:below], path.scores, new.scores[below:]])
    place = best_place(scores)
    return Path(np.array(place), float(scores[place]), scores)
