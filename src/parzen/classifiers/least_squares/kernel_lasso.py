"""The LASSO on a Gram matrix (Basak's report, eq. 40 and 41).

    min 1 / (2 N) sum_i w_i (t_i - g(x_i))^2 + penalty |alpha|_1,   g(x) = sum_j alpha_j k(x, x_j)

which is (41) divided by 2 N, so that ``penalty`` is its b / (2 N), N the sum of the frequencies w.
As the B-machine it is least squares with few kernels, but its weights may have either sign. The
solution is piecewise linear in the penalty, and scikit-learn's LARS follows that path exactly. The
gap is computed here; where rounding threw LARS off the path, alpha = p - q with p, q >= 0 is a
programme in a box, which is solved to the tolerance.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from parzen._core import Constraints, Floats, Integer, Ints, Number, declared
from parzen.classifiers.least_squares.fitting import FittedScores
from parzen.classifiers.least_squares.method import LandmarkProblem, ScoreMethod, Solved, Start
from parzen.classifiers.least_squares.score_classifier import ScoreClassifier
from parzen.samples import Sample
from parzen.solvers import Solution, box_least_squares

_WARNING_FILTERS_LOCK = threading.Lock()  # the filters of warnings belong to all threads
_SEARCH_GAP = 1e-3  # A relative gap that is small enough to compare candidates on held-out rows.
# Weights below a share of the largest are dropped if the gap allows; the last share drops none.
_NEGLIGIBLE_SHARES = (1e-3, 1e-5, 1e-7, 1e-9, 0.0)
_MAX_KINKS = 2000  # LARS gives up after this many changes of the support.


@dataclass(frozen=True)
class LassoMethod(ScoreMethod):
    """Weights with a cost of their absolute values, by a path for every column."""

    tol: float
    max_iter: int
    n_jobs: int | None
    is_final: bool = False  # the solution is kept, and warned about where it is not accurate

    def solve(self, K: Floats, weights: Floats, T: Floats, penalties: Floats) -> list[Solved]:
        """One path of penalties for every column of targets."""
        root = np.sqrt(weights)[:, None]
        return self._path(root * K, root * T, float(weights.sum()), penalties)

    def solve_on_landmarks(self, problem: LandmarkProblem, penalties: Floats) -> list[Solved]:
        """The squared errors of the factor are those of all rows up to a constant."""
        factor = problem.factor
        return self._path(factor.K, factor.targets, factor.size, penalties)

    def final(self, carriers: Sample, n_columns: int) -> LassoMethod:
        """To the tolerance."""
        return replace(self, is_final=True)

    def _path(self, A: Floats, sides: Floats, size: float, penalties: Floats) -> list[Solved]:
        """Solutions for penalties, ascending; columns are problems of their own."""
        columns = [self._column(A, np.ascontiguousarray(b), size * penalties) for b in sides.T]
        found = list(zip(*columns, strict=True))
        if self.is_final:
            for solutions in found:
                max(solutions, key=lambda solution: solution.gap).warn_unless_converged()
        return [Solved.of_columns(solutions) for solutions in found]

    def _column(self, A: Floats, b: Floats, costs: Floats) -> list[Solution]:
        """Solutions of 1/2 |b - A w|^2 + cost |w|_1 for costs, ascending."""
        tol = self.tol if self.is_final else max(self.tol, _SEARCH_GAP)
        knots, W, kinks = _lars(A, b, float(costs[0]))
        found = []
        for cost in map(float, costs):
            w = _interpolated(knots, W, cost)
            solution = _solution(A, b, w, cost, kinks, tol)
            found.append(solution if solution.converged else self._newton(A, b, w, cost, tol))
        return found

    def _newton(self, A: Floats, b: Floats, w: Floats, cost: float, tol: float) -> Solution:
        """The solution by box least squares on [A, -A], from any point."""
        # No optimal weight is larger than the objective anywhere, divided by the cost.
        upper = _objective(A, b, w, cost) / cost
        settings: dict[str, Any] = {"tol": tol, "max_iter": self.max_iter, "n_jobs": self.n_jobs}
        found = box_least_squares(np.hstack([A, -A]), b, upper=upper, linear=cost, **settings)
        v = found.weights[: len(w)] - found.weights[len(w) :]
        # Steps from the interior leave small weights where there should be none.
        size = np.abs(v)
        for share in _NEGLIGIBLE_SHARES:
            few = np.where(size > share * size.max(), v, 0.0)
            solution = _solution(A, b, few, cost, found.iterations, tol)
            if solution.converged:
                break
        return solution


def _solution(
    A: Floats, b: Floats, w: Floats, cost: float, iterations: int, tol: float
) -> Solution:
    """Weights with their gap."""
    gap = lasso_gap(A, b, w, cost)
    return Solution(w, 0.0, gap, iterations, "optimal" if gap <= tol else "max_iter")


def _lars(A: Floats, b: Floats, least_cost: float) -> tuple[Floats, Floats, int]:
    """Knots of the path, ascending costs (k,), the solutions there (n, k), and their number."""
    with _WARNING_FILTERS_LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        alphas, _, W = lars_path(
            A, b, method="lasso", alpha_min=least_cost / len(A), max_iter=_MAX_KINKS
        )
    return np.asarray(alphas)[::-1] * len(A), np.asarray(W)[:, ::-1], len(alphas)


def _interpolated(knots: Floats, W: Floats, cost: float) -> Floats:
    """The solution between two knots, which is linear there; beyond them that of the last."""
    j = int(np.searchsorted(knots, cost))
    if j == 0 or j == len(knots):
        return W[:, min(j, len(knots) - 1)]
    share = (cost - knots[j - 1]) / (knots[j] - knots[j - 1])
    return np.asarray((1.0 - share) * W[:, j - 1] + share * W[:, j])


def _objective(A: Floats, b: Floats, w: Floats, cost: float) -> float:
    r = b - A @ w
    return 0.5 * float(r @ r) + cost * float(np.abs(w).sum())


def lasso_gap(A: Floats, b: Floats, w: Floats, cost: float) -> float:
    """Duality gap of 1/2 |b - A w|^2 + cost |w|_1, relative to the objective at w = 0.

    Examples
    --------
    >>> A, b = np.eye(2), np.array([3.0, 1.0])
    >>> lasso_gap(A, b, np.array([1.0, 0.0]), 2.0)
    0.0
    """
    r = b - A @ w
    # The residual, shrunk until no column correlates with it by more than the cost, is dual
    # feasible, and its dual value is at most the optimum.
    largest = float(np.abs(A.T @ r).max())
    dual = r * min(1.0, cost / largest) if largest > 0 else r
    bound = float(dual @ b) - 0.5 * float(dual @ dual)
    return max(_objective(A, b, w, cost) - bound, 0.0) / max(
        0.5 * float(b @ b), np.finfo(float).tiny
    )


@declared
class KernelLassoClassifier(ScoreClassifier):
    """Least squares on targets -1 and +1 with few kernels, by an L1 penalty.

    Read more in the :doc:`guide </guide/least_squares>`.

    Parameters
    ----------
    kernel : str, Kernel, callable or "precomputed", default="gaussian"
        Any kernel, Mercer or not, scaled to 1 at distance 0.
    {bandwidth}
    penalty : float, array or "cv", default=1e-3
        Cost of the absolute values of the weights, b / (2 N) of (41), chosen in the same way.
    {scale, coding}
    tol : float, default=1e-6
        Optimality gap, relative to the objective of no weights at all.
    max_iter : int, default=200
        Most Newton steps, where the path is lost to rounding.
    {folds, n_landmarks, random_state, priors, class_weight, costs, gamma, reject, reject_label,
     novelty, novelty_label, method, rtol, n_jobs}

    Attributes
    ----------
    {classes_, bandwidth_}
    penalty_ : float
        In use.
    {selection_, scale_, expansion_, support_, dual_coef_, intercept_, optimality_gap_}
    n_iter_ : int
        Changes of the support along the path, or Newton steps.
    {code_book_, probability_scale_, class_count_, priors_, decision_, density_,
     training_rows_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    A change of the support costs n^2 operations; one path for each column of the code book serves
    all penalties of a bandwidth and fold. Equal rows are merged first, so that weight k is k
    copies. Far from all points every score is 0, and the first class is predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelLassoClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> clf = KernelLassoClassifier(bandwidth=1.0, penalty=0.3).fit(X, y)
    >>> clf.predict([[0.5], [3.5]]), clf.support_
    (array([0, 1]), array([0, 3]))
    """

    _regularizer: ClassVar[str] = "penalty"
    _grid: ClassVar[tuple[float, ...]] = tuple(10.0 ** np.arange(-5.0, -0.5, 0.5))
    _constraints: ClassVar[Constraints] = {"tol": Number("(0, inf)"), "max_iter": Integer(1)}

    penalty: float | ArrayLike | str = 1e-3
    _: KW_ONLY
    tol: float = 1e-6
    max_iter: int = 200

    def _score_method(self, n_classes: int, start: Start) -> LassoMethod:
        return LassoMethod(self.tol, self.max_iter, self.n_jobs)

    def _keep(self, fitted: FittedScores, rows: Ints) -> None:
        super()._keep(fitted, rows)
        self.optimality_gap_, self.n_iter_ = fitted.solved.gap, fitted.solved.iterations
