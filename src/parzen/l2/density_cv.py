"""The L2 density's own K-fold criterion: the estimated integrated squared error of held-out folds.

    (1/K) sum_k [ int f_k^2 - (2/N_k) sum_{i in fold k} f_k(x_i) ],    f_k = sum_j a_j k_h(x, x_j)

where the weights a of fold k are found anew from the other folds. All folds and bandwidths share
one pass over the pairs for the linear terms of their programmes, and at each bandwidth one kernel
matrix; in the end each fold visits the pairs of its few kernels only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from parzen._core import Array, Floats, Ints, steps
from parzen.bandwidth import DensitySelector, silverman
from parzen.kernels import Kernel
from parzen.l2.carriers import Carriers
from parzen.l2.form import L2Form
from parzen.l2.solver import L2Solver
from parzen.samples import KernelSample, checked_folds, log, log_sum, signed_sum, stratified_splits
from parzen.sums import kernel_sums

_QUARTER_DOUBLINGS = np.arange(-12, 8)  # from Silverman's rule to each bandwidth of the grid


@dataclass(frozen=True)
class L2DensityKFold(DensitySelector):
    """Chooses the bandwidth of an L2 density whose programme has these options."""

    folds: Any = field(default=5, kw_only=True)
    form: L2Form = field(kw_only=True)
    eta: float = field(kw_only=True)
    tol: float = field(kw_only=True)
    max_iter: int | None = field(kw_only=True)
    name: ClassVar[str] = "cv"
    criterion: ClassVar[str] = "K-fold estimate of the integrated squared error"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "folds", checked_folds(self.folds))

    def _default_grid(self, sample: KernelSample) -> Floats:
        rule = silverman(sample.X, kernel=sample.kernel, weights=sample.weights)
        return np.asarray(rule * 2.0 ** (_QUARTER_DOUBLINGS / 4.0))

    def _can_compare(self, sample: KernelSample) -> bool:
        return len(sample) > 1

    def _terms(self, sample: KernelSample, grid: Floats) -> tuple[Floats, Floats]:
        rows = [self._errors(part, grid) for part in sample.by_class()]
        return np.array([signs for signs, _ in rows]), np.array([logs for _, logs in rows])

    def _errors(self, part: KernelSample, grid: Floats) -> tuple[Floats, Floats]:
        """Sign and logarithm of the mean over the folds."""
        splits = stratified_splits(part, self.folds)
        part = replace(part, X=part.X.astype(np.float64, copy=False))
        weights = self._weights(part, grid, splits)
        terms = [
            _fold_terms(part, w, test, grid) for w, (_, test) in zip(weights, splits, strict=True)
        ]
        signs, logs = (np.concatenate(each) for each in zip(*terms, strict=True))
        return signed_sum(signs, logs - np.log(len(splits)))

    def _weights(self, part: KernelSample, grid: Floats, splits: list[Any]) -> Floats:
        """The weights of every fold and bandwidth, (folds, bandwidths, n)."""
        sample = Carriers.over(part)
        sets = np.zeros((len(splits), len(part)), dtype=bool)
        for k, (train, _) in enumerate(splits):
            sets[k, train] = True
        falling = grid[::-1]
        solver = L2Solver(sample, sets, self.form, falling[:, None], part.n_jobs)
        weights = np.empty((len(grid), len(splits), len(part)))
        for b in steps(range(len(grid))):
            start = weights[b - 1] if b > 0 and solver.crowded(b) else None
            found = solver.solve(
                b, np.ones((len(splits), 1)), etas=[self.eta], start=start, tol=self.tol,
                max_iter=self.max_iter,
            )  # fmt: skip
            weights[b] = found.programmes.weights[:, 0]
        return np.swapaxes(weights[::-1], 0, 1)


def _fold_terms(
    part: KernelSample, weights: Floats, test: Ints, grid: Floats
) -> tuple[Floats, Floats]:
    """Signs and logarithms of int f^2 and of -2 mean f over the held-out rows, (2, bandwidths)."""
    used = np.flatnonzero(weights.any(axis=0))
    points, columns = part.X[used], weights[:, used]
    w = part.frequencies[test]
    held_out = _log_sums(part.X[test], points, columns, part.kernel, grid, part.n_jobs)
    mean = log_sum(held_out, axis=0, weights=w / w.sum())
    overlap = part.kernel.convolved(points.shape[1])
    inner = _log_sums(points, points, columns, overlap, grid, part.n_jobs)
    square = log_sum(inner + log(columns.T), axis=0)
    return np.array([[1.0], [-1.0]]) * np.ones(len(grid)), np.stack([square, np.log(2.0) + mean])


def _log_sums(
    X: Array, Y: Array, columns: Floats, kernel: Kernel, grid: Floats,
    n_jobs: int | None
) -> Floats:  # fmt: skip
    """Logs of sum_j a_j k_h(x, y_j), the weights a of each bandwidth its own: (n, bandwidths)."""
    sums = kernel_sums(
        X, Y, np.ascontiguousarray(columns.T[:, None, :]), kernel=kernel, bandwidths=grid, log=True,
        n_jobs=n_jobs,
    )  # fmt: skip
    return np.asarray(sums[:, 0], dtype=np.float64)
