"""From a sample with cores to optimised coefficients: one function calls all solvers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Floats, Ints
from parzen.feature_space.alignment_ascent import AlignmentObjective, climb_alignment
from parzen.feature_space.ascent import AscentPath, climb_separability
from parzen.feature_space.labels import Classes
from parzen.feature_space.low_rank import low_rank
from parzen.feature_space.ridge_eigen import RIDGES, choose_ridge, solve_ridge
from parzen.feature_space.scatter import ScatterForms, scatter_forms
from parzen.feature_space.scatter_products import ScatterProducts, separability_of_factor
from parzen.kernels import Kernel, gram
from parzen.solvers import Solution

_MAX_RELATIVE_ERROR = 1e-6  # Relative error of J with which a low-rank factor is accepted.


class Problem(NamedTuple):
    """The rows of the criterion by class, the kernels of the cores there, and the base kernel."""

    X: Floats
    K1: Floats
    classes: Classes
    kernel: Kernel
    bandwidth: float

    def forms(self, rows: Any = slice(None)) -> ScatterForms:
        """The scatter forms of some of the rows."""
        return scatter_forms(
            self.X[rows], self.K1[rows], self.classes.take(rows),
            kernel=self.kernel, bandwidth=self.bandwidth,
        )  # fmt: skip

    def products(self) -> ScatterProducts | None:
        """The forms by a low-rank factor of the base kernel, where that is of use."""
        factor = low_rank(self.X, self.kernel, self.bandwidth)
        power = self.classes.weights * self.kernel.diagonal(self.X, bandwidth=self.bandwidth)
        return None if factor is None else ScatterProducts.of(factor, self.K1, self.classes, power)

    def confirms(self, solution: Solution, *, n_jobs: int | None) -> bool:
        """Whether J of a solution by a low-rank factor is that of all pairs."""
        J = separability_of_factor(
            self.X, self.K1 @ solution.weights, self.classes,
            kernel=self.kernel, bandwidth=self.bandwidth, n_jobs=n_jobs,
        )  # fmt: skip
        return abs(solution.objective - J) <= _MAX_RELATIVE_ERROR * abs(J)


class OptimizedCoefficients(NamedTuple):
    """Which problem was solved, the path of its coefficients, and the ridge where there is one."""

    which: int
    path: AscentPath
    ridge: float | None


def solve(
    problems: Sequence[Problem], options: Any, rng: np.random.RandomState
) -> OptimizedCoefficients:
    """Solve the problem, or of several the one that separates held-out rows best.

    Every path starts at (1, 0, ..., 0), the base kernel.
    """
    start = np.eye(1, problems[0].K1.shape[1])[0]
    if options.solver == "eigen":
        return _solve_eigen(problems, options, start, rng)
    steps = {
        "n_steps": options.n_steps,
        "learning_rate": options.learning_rate,
        "line_search": options.step == "line_search",
    }
    problem = problems[0]
    if options.criterion == "alignment":
        K0 = gram(problem.X, problem.X, problem.kernel, problem.bandwidth)
        objective = AlignmentObjective(K0, problem.K1, problem.classes)
        return OptimizedCoefficients(0, climb_alignment(objective, start, **steps), None)
    products = problem.products()
    if products is not None:
        path = climb_separability(products, start, **steps)
        if problem.confirms(path.solution, n_jobs=options.n_jobs):
            return OptimizedCoefficients(0, path, None)
    return OptimizedCoefficients(0, climb_separability(problem.forms(), start, **steps), None)


def _solve_eigen(
    problems: Sequence[Problem], options: Any, start: Floats, rng: np.random.RandomState
) -> OptimizedCoefficients:
    index, ridge = 0, options.ridge
    if ridge == "cv":
        index, ridge = _cross_validated(problems, options.n_folds, rng)
    solution = solve_ridge(problems[index].forms(), float(ridge))
    return OptimizedCoefficients(
        index, AscentPath(np.array([start, solution.weights]), solution), float(ridge)
    )


def _cross_validated(
    problems: Sequence[Problem], n_folds: int, rng: np.random.RandomState
) -> tuple[int, float]:
    """The problem and the ridge that separate held-out rows best."""
    folds = class_folds(problems[0].classes.codes, n_folds, rng)
    if folds.max() == 0:  # too few rows to hold any out: nearly the base kernel
        return 0, float(RIDGES[-1])
    best, chosen = -np.inf, (0, float(RIDGES[-1]))
    for index, problem in enumerate(problems):
        pairs = ((problem.forms(folds != f), problem.forms(folds == f)) for f in np.unique(folds))
        ridge, shares = choose_ridge(pairs, RIDGES)
        if shares.max() > best:
            best, chosen = float(shares.max()), (index, ridge)
    return chosen


def class_folds(codes: Ints, n_folds: int, rng: np.random.RandomState) -> Ints:
    """A fold for every row, each class spread evenly; no more folds than the largest class has."""
    n_folds = min(n_folds, int(np.bincount(codes).max()))
    folds = np.empty(len(codes), dtype=np.intp)
    start = 0
    for code in np.unique(codes):
        rows = rng.permutation(np.flatnonzero(codes == code))
        folds[rows] = (start + np.arange(len(rows))) % n_folds
        start += len(rows)
    return folds
