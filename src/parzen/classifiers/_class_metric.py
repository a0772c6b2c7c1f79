"""The bandwidth of ``metric="class"``, in standard deviations of each class.

A named selector sees the sample whitened by the pooled within-class covariance, where one unit is
one deviation in every direction. ``"cv"`` is the K-fold error of the classifier itself: whitenings
are fitted anew without each fold, since labels that shape a metric must not judge it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold

from parzen.bandwidth import Selection, Selector, resolve_bandwidth
from parzen.classifiers._labels import Sample
from parzen.kernels import Kernel
from parzen.sums import kernel_sums
from parzen.whitening import Whitening, fit_whitening, pooled_whitening

_FOLDS = 5
_GRID = 2.0 ** (np.arange(-20, 9) / 4)


def check_metric(metric: Any) -> None:
    """Refuse anything but None and "class"."""
    if metric is not None and metric != "class":
        raise ValueError(f"metric={metric!r} is unknown; give None or 'class'.")


def resolve_whitened(
    bandwidth: float | ArrayLike | str | Selector,
    sample: Sample,
    *,
    kernel: Kernel,
    sample_weight: NDArray[np.float64] | None,
    priors: NDArray[np.float64] | None,
    n_jobs: int | None,
) -> tuple[NDArray[np.float64], Selection | None, Whitening]:
    """The bandwidth in units of the classes' deviations, its path, and the whitening."""
    C = len(sample.classes)
    whitening = fit_whitening(sample.X, sample.codes, C, sample.weights)
    if isinstance(bandwidth, str) and bandwidth == "cv":
        if np.bincount(sample.codes).max() > 1:
            judged = sample._replace(weights=sample_weight)
            path = _own_cross_validation(judged, kernel, priors, n_jobs)
            return np.asarray(path.bandwidth, dtype=np.float64), path, whitening
        bandwidth = "silverman"  # nothing to fold
    pooled = pooled_whitening(sample.X, sample.codes, C, sample.weights)
    h, choice = resolve_bandwidth(
        bandwidth,
        pooled.apply(sample.X, 0),
        sample.codes,
        n_classes=C,
        kernel=kernel,
        sample_weight=sample_weight,
        priors=priors,
        n_jobs=n_jobs,
    )
    h = np.asarray(h, dtype=np.float64)
    if h.ndim == 2:
        raise ValueError("metric='class' takes a bandwidth for all or per class, not per feature.")
    return h, choice, whitening


def _own_cross_validation(
    sample: Sample, kernel: Kernel, priors: NDArray[np.float64] | None, n_jobs: int | None
) -> Selection:
    """Mean error over stratified folds, for the whole grid; ties go to the largest bandwidth."""
    grid = _GRID * kernel.bandwidth_factor(sample.X.shape[1])
    w = np.ones(len(sample.X)) if sample.weights is None else sample.weights
    K = min(_FOLDS, int(np.bincount(sample.codes).max()))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        splits = list(StratifiedKFold(K).split(sample.X, sample.codes))
    errors = np.zeros(len(grid))
    for train, test in splits:
        chosen = _fold_choice(sample, train, test, grid, kernel, priors, n_jobs)
        errors += w[test] @ (chosen != sample.codes[test, None]) / (w[test].sum() * K)
    best = len(grid) - 1 - int(np.argmin(errors[::-1]))
    at_edge = best in (0, len(grid) - 1)
    return Selection(
        bandwidth=float(grid[best]), score=float(errors[best]), grid=grid, scores=errors, name="cv",
        criterion="K-fold error", at_edge=at_edge,
    )  # fmt: skip


def _fold_choice(
    sample: Sample,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    grid: NDArray[np.float64],
    kernel: Kernel,
    priors: NDArray[np.float64] | None,
    n_jobs: int | None,
) -> NDArray[np.intp]:
    """The class of each test row at each bandwidth, shape (test, bandwidths)."""
    X, codes = sample.X[train], sample.codes[train]
    w = np.ones(len(train)) if sample.weights is None else sample.weights[train]
    present, inner = np.unique(codes, return_inverse=True)
    whitening = fit_whitening(X, inner, len(present), w)
    counts = np.bincount(codes, weights=w, minlength=len(sample.classes))
    mass = counts if priors is None else np.where(counts > 0, priors, 0.0)
    joint = np.full((len(test), len(sample.classes), len(grid)), -np.inf)
    with np.errstate(divide="ignore"):
        log_mass = np.log(mass)
    for k, c in enumerate(present):
        sums = kernel_sums(
            whitening.apply(sample.X[test], k), whitening.apply(X[codes == c], k), w[codes == c],
            kernel=kernel, bandwidths=grid, log=True, n_jobs=n_jobs,
        )[:, 0]  # fmt: skip
        joint[:, c] = sums + whitening.log_volumes[k] + log_mass[c] - np.log(counts[c])
    nowhere = np.isneginf(joint.max(axis=1))
    return np.where(nowhere, mass.argmax(), joint.argmax(axis=1))
