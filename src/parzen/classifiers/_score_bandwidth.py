"""The bandwidth of a classifier of scores: candidates to compare, numbers, or a selector's choice.

A selector of `parzen.bandwidth` judges the plug-in rule or the density, ``"cv"`` the classifier's
own error over a grid. One bandwidth per feature is a division of the columns before a kernel of
bandwidth 1. One per class would make the Gram matrix unsymmetric, and there is none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth import (
    Selector,
    check_bandwidth_parameter,
    get_selector,
    resolve_bandwidth,
    selector_names,
)
from parzen.classifiers._score_sample import ScoreSample
from parzen.classifiers._score_selection import candidates, check_candidates, default_bandwidths
from parzen.gram import has_bandwidth
from parzen.kernels import Kernel

Floats = NDArray[np.float64]

OWN = "cv"


class Widths(NamedTuple):
    """Candidates for the bandwidth, in units of ``scale``, shape (1, d) or ()."""

    candidates: Floats
    scale: Floats

    def points(self, X: Floats) -> Floats:
        """The points in these units."""
        return X if self.scale.ndim == 0 else np.asarray(X / self.scale)

    def bandwidth(self, place: int) -> float | Floats:
        """A candidate as the estimator shows it."""
        h = self.candidates[place] * self.scale
        return float(h) if h.ndim == 0 else h


def check_score_bandwidth(bandwidth: Any, kernel: Any) -> None:
    """Refuse what no data could make sense of, before any data is looked at."""
    if isinstance(bandwidth, str | Selector):
        check_bandwidth_parameter(bandwidth, also=(OWN,))
        if _is_selector(bandwidth) and isinstance(kernel, Kernel) and not kernel.is_density:
            raise ValueError(
                f"bandwidth={get_selector(bandwidth).name!r} is chosen by kernel densities, and "
                f"kernel={kernel.name!r} is none; give a number, several, or {OWN!r}."
            )
    elif np.ndim(bandwidth) == 2:
        check_bandwidth_parameter(bandwidth)
    else:
        check_candidates(bandwidth, "bandwidth", (OWN,))


def widths(bandwidth: Any, sample: ScoreSample, kernel: Any, n_jobs: int | None) -> Widths:
    """The candidates for a sample."""
    unit = np.array(1.0)
    if not has_bandwidth(kernel):
        return Widths(np.ones(1), unit)
    if isinstance(bandwidth, str) and bandwidth == OWN:
        return Widths(default_bandwidths(sample.X, sample.weights, kernel), unit)
    if not _is_selector(bandwidth) and np.ndim(bandwidth) < 2:
        return Widths(candidates(bandwidth, unit), unit)
    h, _ = resolve_bandwidth(
        bandwidth, sample.X, sample.codes, n_classes=len(sample.classes), kernel=kernel,
        sample_weight=sample.weights, n_jobs=n_jobs,
    )  # fmt: skip
    if h.ndim == 1 or (h.ndim == 2 and len(h) > 1):
        raise ValueError(
            f"bandwidth has shape {h.shape}, one entry per class, but a Gram matrix has one "
            "kernel; give one bandwidth, or one per feature."
        )
    return Widths(np.atleast_1d(h), unit) if h.ndim == 0 else Widths(np.ones(1), h)


def _is_selector(bandwidth: Any) -> bool:
    named = isinstance(bandwidth, str) and bandwidth in selector_names()
    return named or isinstance(bandwidth, Selector)
