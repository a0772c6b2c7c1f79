"""Which methods a score classifier has, by its parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from parzen.bandwidth import Selector


def has_density(estimator: Any) -> None:
    """Refuse an estimator without densities."""
    if estimator.novelty is None:
        raise AttributeError(
            f"{type(estimator).__name__} has densities only where novelty is given; "
            "fit it with novelty=0.05, say."
        )


def is_given(estimator: Any) -> None:
    """Refuse an estimator that chooses something from data."""
    name = estimator._regularizer
    value = getattr(estimator, name)
    chosen = isinstance(estimator.bandwidth, str | Selector) or isinstance(value, str)
    if chosen or np.ndim(value) or estimator._is_precomputed():
        raise AttributeError(
            f"partial_fit needs points and numbers: got kernel={estimator.kernel!r}, "
            f"bandwidth={estimator.bandwidth!r} and {name}={value!r}; what is chosen from data "
            "would change with every batch."
        )
