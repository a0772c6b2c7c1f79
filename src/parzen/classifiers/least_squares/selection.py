"""Candidates for a bandwidth and a regulariser, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen._core import warn
from parzen.kernels import Kernel
from parzen.samples import is_flat, sample_scale

Floats = NDArray[np.float64]

_DOUBLINGS = np.arange(-4.0, 4.0)


@dataclass(frozen=True, eq=False)
class ScoreSelection:
    """How bandwidth and regulariser were chosen.

    Attributes
    ----------
    bandwidths : array of shape (n_bandwidths,)
        Candidates, ascending. A bandwidth that was given per class or feature counts as 1; with
        one per feature to be chosen, these are common factors.
    regularizers : array of shape (n_regularizers,)
        Candidates, ascending.
    errors : array of shape (n_bandwidths, n_regularizers)
        Share of the held-out frequencies that were misclassified.
    place : tuple of int
        Where the choice is.
    criterion : str
        How rows were held out.
    """

    bandwidths: Floats
    regularizers: Floats
    errors: Floats
    place: tuple[int, int]
    criterion: str


def check_candidates(value: Any, name: str, words: tuple[str, ...]) -> None:
    """Refuse what is neither a positive number, nor several of them, nor one of the words."""
    word = " or ".join(map(repr, words))
    if isinstance(value, str):
        if value not in words:
            raise ValueError(
                f"{name}={value!r} is unknown; give a positive number, several, or {word}."
            )
        return
    if (
        isinstance(value, bool)
        or value is None
        or not isinstance(value, Real | Sequence | np.ndarray)
    ):
        raise TypeError(f"{name} must be a number, several, or {word}, got {value!r}.")
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, several, or {word}, got {value!r}.") from None
    if numbers.ndim != 1 or len(numbers) == 0:
        raise ValueError(f"{name} must be a number or a 1-D array, got shape {numbers.shape}.")
    if not (np.isfinite(numbers) & (numbers > 0)).all():
        raise ValueError(f"{name}={value!r} must be positive and finite.")


def candidates(value: Any, default: Floats) -> Floats:
    """The numbers to try, ascending."""
    if isinstance(value, str):
        return default
    return np.unique(np.asarray(value, dtype=np.float64))


def default_bandwidths(X: NDArray[Any], weights: Floats, kernel: Kernel) -> Floats:
    """From 1/16 to 8 times the typical distance from the mean, in doublings; h(cX) = c h(X)."""
    d = X.shape[1]
    width = kernel.half_width(d)
    return np.asarray(sample_scale(X, weights) * np.sqrt(d) * 2.0**_DOUBLINGS / width)


def choose(errors: Floats) -> tuple[int, int]:
    """The smallest error; ties to the largest bandwidth, then to the largest regulariser."""
    best = errors <= errors.min() + 1e-12
    row = int(np.flatnonzero(best.any(axis=1))[-1])
    return row, int(np.flatnonzero(best[row])[-1])


def joined_columns(blocks: Iterable[list[Floats]]) -> list[Floats]:
    """Held-out scores of every candidate, the columns of all machines side by side."""
    return [np.concatenate(columns, axis=2) for columns in zip(*blocks, strict=True)]


def joined_machines(fitted: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Weights and offsets of all machines side by side."""
    return np.concatenate([W for W, _ in fitted], axis=1), np.concatenate([b for _, b in fitted])


def warn_at_edge(place: int, grid: Floats, errors: Floats, name: str, cure: str) -> None:
    """Say that a choice at the end of its grid may be better beyond it, unless all are as good."""
    if len(grid) < 3 or place not in (0, len(grid) - 1) or is_flat(errors):
        return
    side = "smallest" if place == 0 else "largest"
    warn(
        f"the {name} chosen is the {side} of its grid, {grid[place]:.4g}; widen it: {cure} "
        f"{'below' if place == 0 else 'above'} that value.",
    )
