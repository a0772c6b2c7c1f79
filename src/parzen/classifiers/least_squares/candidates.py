"""Candidates for a regulariser: a positive number, several, or a word that asks for a choice."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from parzen._core import Floats


def check_candidates(value: Any, name: str, words: tuple[str, ...]) -> None:
    """Refuse what is neither a positive number, nor several of them, nor one of the words."""
    word = " or ".join(map(repr, words))
    if isinstance(value, str):
        if value not in words:
            raise ValueError(
                f"{name}={value!r} is unknown; give a positive number, several, or {word}."
            )
        return
    wrong = f"{name} must be a number, several, or {word}, got {value!r}."
    if isinstance(value, bool) or not isinstance(value, Real | Sequence | np.ndarray):
        raise TypeError(wrong)
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(wrong) from None
    if numbers.ndim != 1 or len(numbers) == 0:
        raise ValueError(f"{name} must be a number or a 1-D array, got shape {numbers.shape}.")
    if not (np.isfinite(numbers) & (numbers > 0)).all():
        raise ValueError(f"{name}={value!r} must be positive and finite.")


def candidates(value: Any, default: tuple[float, ...]) -> Floats:
    """The numbers to try, ascending; the default for a word."""
    return np.unique(np.asarray(default if isinstance(value, str) else value, dtype=np.float64))
