"""Cross-validation of the L2 classifier over bandwidths and eta: Kim & Scott (2010), section 6.

All folds share the distances, one kernel matrix per bandwidth and one pass for the linear terms;
they run in parallel, start from the solution at the next larger bandwidth, and stop at a tolerance
of 1e-3. gamma is that of the fold. The smallest mean error of the folds wins; of several, the
largest bandwidth, then the smallest eta, as in a grid search that lists them in that order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from parzen._core import portion, steps
from parzen.classifiers.base import Decision
from parzen.kernels import Kernel
from parzen.l2 import L2Form, L2Sample, L2Solver
from parzen.solvers import Progress
from parzen.sums import kernel_sums

Floats = NDArray[np.float64]

FOLD_TOLERANCE = 1e-3
_SOLVING = 0.8  # share of the work; judging is the rest
_TIE = 1e-6  # share of the largest error below which differences are none


class Fold(NamedTuple):
    """One training set, as a mask of the sorted rows, and how its classes are weighed."""

    train: NDArray[np.bool_]
    test: NDArray[np.intp]
    weights: Floats  # of the test rows, when errors are counted
    values: Floats  # (n_classes,)
    decision: Decision


def folds_of(
    cv: Any, X: NDArray[Any], codes: NDArray[np.intp]
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Indices of training and test rows; fewer folds where the classes are smaller; [] for none."""
    counts = np.bincount(codes)
    if isinstance(cv, int | np.integer):
        cv = min(int(cv), int(counts.max()))
        if cv < 2 or len(counts) < 2:
            return []
        cv = StratifiedKFold(cv)
    splitter = check_cv(cv, codes, classifier=True)
    with warnings.catch_warnings():
        # Classes smaller than the number of folds are absent from some; that is said elsewhere.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        return list(splitter.split(X, codes))


class FoldErrors(NamedTuple):
    """Along a falling grid: errors (folds, bandwidths, etas) and shares of kernels kept."""

    grid: Floats  # (bandwidths, n_classes), and features where each class has its own
    errors: Floats
    sparsity: Floats

    @property
    def means(self) -> Floats:
        """Mean error over the folds, (bandwidths, etas)."""
        return np.asarray(self.errors.mean(axis=0))

    def best(self) -> tuple[int, int]:
        """Place of the smallest mean error: largest bandwidth first, then smallest eta."""
        means = self.means
        place = first_best(means.ravel())
        return place // means.shape[1], place % means.shape[1]

    def joined(self, other: FoldErrors, *, larger: bool) -> FoldErrors:
        """With further bandwidths at one end."""
        first, last = (other, self) if larger else (self, other)
        return FoldErrors(
            np.concatenate([first.grid, last.grid]),
            np.concatenate([first.errors, last.errors], axis=1),
            np.concatenate([first.sparsity, last.sparsity], axis=1),
        )


def first_best(errors: Floats) -> int:
    """Place of the first of the smallest errors; a millionth of the largest is no difference.

    Class weights may count some errors by next to nothing: these must not outvote the order.
    """
    return int(np.argmax(errors <= errors.min() + _TIE * errors.max()))


def fold_errors(
    sample: L2Sample,
    folds: list[Fold],
    grid: Floats,
    etas: Floats,
    form: L2Form,
    *,
    places: NDArray[np.intp] | None,
    relaxed: bool,
    max_iter: int | None,
    n_jobs: int | None,
    progress: Callable[[int], Progress | None],
) -> FoldErrors:
    """Errors of every fold for every bandwidth of a falling grid and every eta.

    Rows at ``places``, or all of them, carry the weights. ``progress`` gives for the b-th bandwidth
    the function to report to, while it is solved and when it is.
    """
    carriers, sets = sample.on(places, np.array([fold.train for fold in folds]))
    values = np.array([fold.values for fold in folds])
    programmes = L2Solver(carriers, sets, form, grid, n_jobs)
    weights = np.empty((len(grid), len(folds), len(etas), len(carriers.codes)))
    with portion(0, _SOLVING):
        for b in steps(range(len(grid))):
            start = weights[b - 1, :, 0] if b > 0 and programmes.crowded(b) else None
            report = progress(b)
            found = programmes.solve(
                b, values, etas=etas, relaxed=relaxed, start=start, tol=FOLD_TOLERANCE,
                max_iter=max_iter, progress=report,
            ).programmes  # fmt: skip
            weights[b] = found.weights
            if report is not None:
                report(int(found.iterations.sum()), float(found.gaps.max()))
    with portion(_SOLVING):
        errors = np.stack([
            _errors(sample, carriers, fold, weights[:, f], grid, form.kernel, n_jobs)
            for f, fold in enumerate(steps(folds))
        ])  # fmt: skip
    kept = np.count_nonzero(weights, axis=3) / sets.sum(axis=1)[None, :, None]
    return FoldErrors(grid, errors, np.moveaxis(kept, 0, 1))


def _errors(
    sample: L2Sample,
    carriers: L2Sample,
    fold: Fold,
    weights: Floats,  # (bandwidths, etas, n)
    grid: Floats,
    kernel: Kernel,
    n_jobs: int | None,
) -> Floats:
    """Mean cost of a fold's test rows, (bandwidths, etas)."""
    queries = np.ascontiguousarray(sample.X[fold.test])
    logs = np.full((len(queries), sample.n_classes, len(grid), weights.shape[1]), -np.inf)
    for c in range(sample.n_classes):
        rows = carriers.rows(c)
        own = weights[:, :, rows]
        used = np.flatnonzero(own.any(axis=(0, 1)))
        if len(used) == 0:
            continue
        points = np.ascontiguousarray(carriers.X[rows][used])
        columns = np.ascontiguousarray(np.transpose(own[:, :, used], (2, 1, 0)))
        sums = _class_sums(queries, points, columns, kernel, grid[:, c], n_jobs)
        logs[:, c] = np.swapaxes(sums, 1, 2)
    return mean_costs(logs, sample.codes[fold.test], fold.weights, fold.decision)


def _class_sums(
    queries: Floats, points: Floats, columns: Floats, kernel: Kernel, h: Floats, n_jobs: int | None
) -> Floats:
    """Log-sums (rows, etas, bandwidths); h is (bandwidths,), or has a column for every feature."""
    options: dict[str, Any] = {"kernel": kernel, "log": True, "n_jobs": n_jobs}
    if h.ndim == 1:
        return np.asarray(kernel_sums(queries, points, columns, bandwidths=h, **options))
    each = [
        kernel_sums(queries / row, points / row, columns[:, :, [b]], bandwidths=1.0, **options)
        - np.log(row).sum()
        for b, row in enumerate(h)
    ]
    return np.concatenate(each, axis=2)


def mean_costs(
    logs: Floats, codes: NDArray[np.intp], weights: Floats, decision: Decision
) -> Floats:
    """Mean cost of the decisions by log-densities of shape (rows, n_classes, ...)."""
    flat = np.moveaxis(logs.reshape(*logs.shape[:2], -1), 1, 2)
    posterior = np.exp(decision.log_posterior(flat.reshape(-1, flat.shape[2])))
    chosen = decision.choose(posterior).reshape(flat.shape[:2])
    cost = (
        chosen != codes[:, None]
        if decision.costs is None
        else decision.costs[codes[:, None], chosen]
    )
    return np.asarray((weights @ cost / weights.sum()).reshape(logs.shape[2:]))
