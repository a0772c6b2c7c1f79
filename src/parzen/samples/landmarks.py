"""Landmarks: few rows that carry the weights, under the criterion of all rows.

    score_c(x) = b_c + sum_(j in landmarks) W[j, c] k(x, x_j)

A sample of n rows then costs n m kernel values, formed in blocks, and memory for m^2 numbers.
Bandwidth and regulariser are compared on a larger part of the sample, in which the landmarks lie;
the weights are then found on everything. Rows are drawn from every class in proportion to its
frequency, so with m = n all rows are landmarks.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.utils import check_random_state

from parzen._core import Array, Floats, Ints

MIN_ROWS_FOR_LANDMARKS = 10_000  # Rows beyond which "auto" takes landmarks.
MAX_LANDMARKS = 1_000  # Landmarks that "auto" takes where time grows with their square.
MOST_DENSITIES = 20_000  # Landmarks that "auto" takes where time grows with their number.
MIN_PART_ROWS = 16_000  # Rows, at least, on which bandwidths are compared.
PART_ROWS_PER_LANDMARK = 4  # Rows for each landmark, at least, on which bandwidths are compared.
_MATRICES_ALIVE = 5  # Matrices of m x m, or blocks of rows, that exist at the same time in a fit.


def check_landmarks(n_landmarks: Any) -> None:
    """Refuse what is neither "auto", nor None, nor a number of rows."""
    if n_landmarks is None or (isinstance(n_landmarks, str) and n_landmarks == "auto"):
        return
    if isinstance(n_landmarks, str):
        raise ValueError(
            f"n_landmarks={n_landmarks!r} is unknown; give 'auto', None for all rows, or a number."
        )
    if isinstance(n_landmarks, bool) or not isinstance(n_landmarks, Integral):
        raise TypeError(f"n_landmarks must be 'auto', None or an integer, got {n_landmarks!r}.")
    if n_landmarks < 1:
        raise ValueError(f"n_landmarks={n_landmarks!r} must be at least 1, or None for all rows.")


def landmark_count(
    n_landmarks: Any, n_rows: int, *, most: int = MAX_LANDMARKS, matrices: bool = True
) -> int | None:
    """How many rows carry weights; None where all do. Fewer where memory must hold ``matrices``.

    Examples
    --------
    >>> landmark_count("auto", 500), landmark_count("auto", 1_000_000), landmark_count(50, 500)
    (None, 1000, 50)
    """
    if n_landmarks is None:
        return None
    if not isinstance(n_landmarks, str):
        return int(n_landmarks)
    if n_rows <= MIN_ROWS_FOR_LANDMARKS:
        return None
    if not matrices:
        return most
    numbers = get_config()["working_memory"] * 2**20 / 8
    return int(max(1, min(most, np.sqrt(numbers / _MATRICES_ALIVE))))


def part_size(count: int) -> int:
    """Rows on which candidates for so many landmarks are compared."""
    return max(PART_ROWS_PER_LANDMARK * count, MIN_PART_ROWS)


class Draw(NamedTuple):
    """Places of rows: ``part`` to compare candidates on, and the landmarks among them."""

    part: Ints
    landmarks: Ints


def draw(codes: Ints, weights: Floats, count: int, random_state: Any) -> Draw:
    """Draw landmarks and the part around them, in the order of the rows."""
    rng = check_random_state(random_state)
    part = draw_rows(codes, weights, part_size(count), rng)
    return Draw(part, part[draw_rows(codes[part], weights[part], count, rng)])


def draw_rows(codes: Ints, weights: Floats, count: int, rng: Any) -> Ints:
    """Rows without replacement, by frequency; at least one of every class."""
    if count >= len(codes):
        return np.arange(len(codes))
    rows = np.bincount(codes)
    draws = np.clip(_shares(np.bincount(codes, weights=weights), count), 1, np.maximum(rows, 1))
    # Of exponential variables with rates w_i the smallest belongs to row i with probability
    # w_i / sum w: the smallest keys are a draw by frequency, without replacement.
    keys = rng.standard_exponential(len(codes)) / weights
    order = np.lexsort((keys, codes))
    first = np.searchsorted(codes[order], np.arange(len(rows)))
    rank = np.arange(len(codes)) - first[codes[order]]
    return np.sort(order[rank < draws[codes[order]]])


def _shares(counts: Array, total: int) -> Ints:
    """Whole numbers in proportion to counts, with this total: the largest remainders go up."""
    exact = total * counts / counts.sum()
    whole = np.floor(exact)
    missing = total - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    return np.asarray(whole, dtype=np.intp)
