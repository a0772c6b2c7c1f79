"""What LS-SVM and RLSC share: a linear system, leave-one-out in closed form, large samples.

    (K + mu W^-1) a = t - b 1         mu = 1 / C with an offset b, or lambda N without

Every candidate is judged by the exact leave-one-out scores of one eigendecomposition per bandwidth.
Large samples have their weights on landmarks; ``solver="cg"`` solves the whole system by conjugate
gradients over exact kernel sums.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import portion, steps
from parzen.bandwidth import own_criterion
from parzen.classifiers.least_squares.bandwidth import widths
from parzen.classifiers.least_squares.landmarks import LandmarkProblem
from parzen.classifiers.least_squares.sample import ScoreSample
from parzen.classifiers.least_squares.score_classifier import (
    LandmarkSystem,
    ScoreClassifier,
    System,
)
from parzen.kernels import Kernel, check_kernel, require_symmetric
from parzen.solvers import (
    LandmarkFeatures,
    RidgePath,
    _with_offset,
    conjugate_gradients,
    solve_ridge,
)
from parzen.sums import kernel_sums

Floats = NDArray[np.float64]

_SOLVERS = ("auto", "cholesky", "cg")
_LARGE = 10_000  # rows beyond which "auto" takes conjugate gradients


class RidgeClassifier(ScoreClassifier):
    """Base of the classifiers whose weights solve a regularised linear system."""

    _words: ClassVar[tuple[str, ...]] = ("cv", "loo")  # folds of one row each: the same
    _offset: ClassVar[bool]

    solver: str
    tol: float
    max_iter: int

    @abstractmethod
    def _ridge(self, regularizer: float, size: Floats) -> Floats:
        """The regulariser mu of a sample of that size."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.solver not in _SOLVERS:
            raise ValueError(f"solver={self.solver!r} is unknown; choose one of {_SOLVERS}.")

    def _criterion(self) -> str:
        return super()._criterion() if self._has_folds() else "leave-one-out error"

    def _has_folds(self) -> bool:
        """Whether folds were asked for, in place of leaving one out."""
        own = own_criterion(self.bandwidth)
        return own is not None and own.folds is not None

    def _system(self, K: Floats, weights: Floats) -> System:
        def solve(targets: Floats, regularizer: float) -> tuple[Floats, Floats]:
            mu = self._ridge(regularizer, np.array(weights.sum()))
            return solve_ridge(K, mu / weights, targets, offset=self._offset)

        return solve

    def _landmark_system(self, problem: LandmarkProblem) -> LandmarkSystem:
        require_symmetric(problem.gram, type(self).__name__)
        offset = "free" if self._offset else "none"
        features = LandmarkFeatures(problem.factor, problem.gram, offset)
        size = np.array(problem.factor.size)

        def solve(regularizer: float) -> tuple[Floats, Floats]:
            # Rounding may leave eigenvalues just below zero.
            ridged = np.maximum(features.values, 0.0) + self._ridge(regularizer, size)
            return features.weights(1.0 / ridged)

        return solve

    def _landmark_count(self, n_rows: int) -> int | None:
        if self.solver != "auto" and self.n_landmarks == "auto":
            return None  # a solver of the whole system was asked for by name
        return super()._landmark_count(n_rows)

    def _landmark_final(
        self, problem: LandmarkProblem, regularizer: float
    ) -> tuple[Floats, Floats]:
        self.n_iter_ = 1
        return super()._landmark_final(problem, regularizer)

    def _held_out(self, K: Floats, sample: ScoreSample, T: Floats, regularizers: Floats) -> Floats:
        """Leave-one-out scores in closed form: one unit of weight is left out of each row."""
        require_symmetric(K, type(self).__name__)
        if self._has_folds():
            return super()._held_out(K, sample, T, regularizers)
        path = RidgePath(K, sample.weights)
        rest = sample.size - np.minimum(sample.weights, 1.0)
        scores = (
            path.leave_one_out(self._ridge(float(r), rest), T, offset=self._offset)
            for r in regularizers
        )
        return np.array(list(scores))

    def _fit_scores(self, sample: ScoreSample) -> None:
        large = self.solver == "cg" or (self.solver == "auto" and len(sample.codes) > _LARGE)
        if not large or self._is_precomputed():
            self.n_iter_ = 1
            super()._fit_scores(sample)
            return
        kernel, value = check_kernel(self.kernel), getattr(self, self._regularizer)
        own = own_criterion(self.bandwidth)
        several = own is not None or np.ndim(value) or isinstance(value, str)
        if several or not isinstance(kernel, Kernel):
            raise ValueError(
                f"{len(sample.codes)} rows are solved by conjugate gradients, which need a kernel "
                f"with a name, one bandwidth and one {self._regularizer}, "
                f"got bandwidth={self.bandwidth!r} and {self._regularizer}={value!r}."
            )
        tried = widths(self.bandwidth, sample, kernel, self.n_jobs)
        self.bandwidth_, self.selection_ = tried.bandwidth(0), None
        setattr(self, f"{self._regularizer}_", float(value))
        self.n_iter_ = 0
        T = self._targets(sample, per_class=tried.per_class)
        held, W, b = np.zeros_like(T), np.zeros_like(T), np.zeros(T.shape[1])
        splits = sample.splits(self.folds)
        judged = len(splits) / (len(splits) + 1)
        for columns, own_width in steps(list(tried.machines())):
            sums = _Sums(kernel, float(own_width.candidates[0]), self.n_jobs)
            X, t = own_width.points(sample.X), T[:, columns]
            with portion(0, judged):
                for train, test in steps(splits):
                    part, offset = self._iterate(X[train], sample.weights[train], t[train], sums)
                    held[test, columns] = sums(X[test], X[train], part) + offset
            with portion(judged):
                W[:, columns], b[columns] = self._iterate(X, sample.weights, t, sums)
        self._keep(sample, W, b)
        self._set_probability_scale(held, sample)

    def _iterate(
        self, X: Floats, weights: Floats, targets: Floats, sums: _Sums
    ) -> tuple[Floats, Floats]:
        """Solve the system without its matrix."""
        mu = self._ridge(float(getattr(self, f"{self._regularizer}_")), np.array(weights.sum()))
        ridge = (mu / weights)[:, None]
        sides = np.column_stack([targets, np.ones(len(X))]) if self._offset else targets
        solution = conjugate_gradients(
            lambda p: sums(X, X, p) + ridge * p,
            sides, tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip
        self.n_iter_ += solution.iterations
        solution.warn_unless_converged()
        return _with_offset(solution.weights, self._offset)


class _Sums(NamedTuple):
    """Sums of kernels of height 1."""

    kernel: Kernel
    bandwidth: float
    n_jobs: int | None

    def __call__(self, queries: Floats, X: Floats, W: Floats) -> Floats:
        scale = np.exp(-self.kernel.log_normalizer(self.bandwidth, X.shape[1]))
        sums = kernel_sums(
            queries, X, W, kernel=self.kernel, bandwidths=self.bandwidth, n_jobs=self.n_jobs
        )
        return np.asarray(sums[:, :, 0] * scale)
