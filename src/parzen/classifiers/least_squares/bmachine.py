"""The B-machine (Basak's report): box-constrained least squares to a margin.

    min 1/2 sum_i (g(x_i) - margin t_i)^2,   g(x) = sum_j alpha_j t_j k(x, x_j),   0 <= alpha_j <= 1

which is (29) up to a constant. No row counts against its own class, and none for more than itself.
The quadratic term is positive semi-definite for any kernel, Mercer or not. More classes: one
against the rest (33)-(34), or another coding. The rows with alpha > 0 are the B-vectors.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Constraints, Flag, Floats, Integer, Ints, Number, declared
from parzen.classifiers.least_squares.fitting import FittedScores
from parzen.classifiers.least_squares.method import (
    LandmarkProblem,
    LandmarkSystem,
    ScoreMethod,
    Solved,
    Start,
    System,
)
from parzen.classifiers.least_squares.score_classifier import ScoreClassifier
from parzen.samples import Sample
from parzen.solvers import (
    CompressedMatrix,
    Solution,
    asymmetric_box_least_squares,
    box_least_squares,
)

_SEARCH_GAP = 1e-4  # A relative gap that is small enough to compare candidates on held-out rows.


@dataclass(frozen=True, eq=False)
class BoxMethod(ScoreMethod):
    """Weights in a box, by a programme for every column."""

    superfluity: float
    sparsity: float
    tol: float
    max_iter: int
    n_jobs: int | None
    start: Start

    def system(self, K: Floats, weights: Floats) -> System:
        """Prepare W^1/2 K; every margin starts from the solution of the one before."""
        root = np.sqrt(weights)
        programme = _Programme(self, root[:, None] * K, root, weights, max(self.tol, _SEARCH_GAP))
        return lambda T, margins: programme.path(root[:, None] * T, T, margins)

    def landmark_system(self, problem: LandmarkProblem) -> LandmarkSystem:
        """Prepare the factor of the sample, which has as many rows as columns."""
        factor, upper = problem.factor, problem.landmarks.frequencies
        programme = _Programme(self, factor.K, None, upper, max(self.tol, _SEARCH_GAP))
        return lambda margins: programme.path(factor.targets, problem.targets, margins)

    def final(self, K: Floats, sample: Sample, T: Floats, regularizer: float) -> Solved:
        """The solution on all rows, to the tolerance."""
        root = np.sqrt(sample.frequencies)
        programme = _Programme(self, root[:, None] * K, root, sample.frequencies, self.tol)
        sides = root[:, None] * T
        return programme.solve(sides, T, regularizer, self._starts(sample, T.shape[1]))

    def landmark_final(self, problem: LandmarkProblem, regularizer: float) -> Solved:
        """The solution on landmarks, to the tolerance."""
        factor, landmarks, T = problem.factor, problem.landmarks, problem.targets
        programme = _Programme(self, factor.K, None, landmarks.frequencies, self.tol)
        return programme.solve(factor.targets, T, regularizer, self._starts(landmarks, T.shape[1]))

    def _starts(self, sample: Sample, columns: int) -> list[Floats | None]:
        """Weights of the last fit, where its columns were as many."""
        if not self.start or len(next(iter(self.start.values()))) != columns:
            return [None] * columns
        nothing = np.zeros(columns)
        return list(np.array([self.start.get(x.tobytes(), nothing) for x in sample.X]).T)


class _Programme:
    """The programmes of all columns and margins on one matrix A = W^1/2 K, or its factor.

    ``root`` is W^1/2, None for a factor.
    """

    def __init__(
        self, options: BoxMethod, A: Floats, root: Floats | None, upper: Floats, tol: float
    ) -> None:
        self._options, self._A, self._root, self._upper, self._tol = options, A, root, upper, tol
        self._matrix = CompressedMatrix.of(A) if options.superfluity == 1.0 else None

    def path(self, sides: Floats, signs: Floats, margins: Floats) -> list[Solved]:
        """Solutions for margin after margin, each from the one before."""
        starts: list[Floats | None] = [None] * signs.shape[1]
        found = []
        for margin in margins:
            solutions = self._columns(sides, signs, float(margin), starts)
            starts = [solution.weights for solution in solutions]
            found.append(_joined(solutions, signs))
        return found

    def solve(
        self, sides: Floats, signs: Floats, margin: float, starts: list[Floats | None]
    ) -> Solved:
        """The solution for one margin; warns where it is not within the tolerance."""
        solutions = self._columns(sides, signs, margin, starts)
        max(solutions, key=lambda solution: solution.gap).warn_unless_converged()
        return _joined(solutions, signs)

    def _columns(
        self, sides: Floats, signs: Floats, margin: float, starts: list[Floats | None]
    ) -> list[Solution]:
        return [
            self._column(side, t, margin, start)
            for side, t, start in zip(sides.T, signs.T, starts, strict=True)
        ]

    def _column(self, side: Floats, t: Floats, margin: float, start: Floats | None) -> Solution:
        """The weights alpha of one column: t are the targets of points, ``side`` those of rows."""
        settings: dict[str, Any] = {
            "upper": self._upper, "tol": self._tol, "max_iter": self._options.max_iter,
            "start": start, "n_jobs": self._options.n_jobs,
        }  # fmt: skip
        cost = self._cost(side, t, margin)
        if self._matrix is not None:
            A = self._matrix.times_columns(t)
            return box_least_squares(A, margin * side, linear=cost, **settings)
        assert self._root is not None
        # Rows are multiplied by their own target: a positive residual is a score beyond the margin.
        A_signed = (t / self._root)[:, None] * self._A * t
        return asymmetric_box_least_squares(
            A_signed, np.full(len(t), margin), self._upper, float(self._options.superfluity),
            linear=np.full(len(t), cost), **settings,
        )  # fmt: skip

    def _cost(self, side: Floats, t: Floats, margin: float) -> float:
        """The cost of a weight, relative to the steepest descent at no weights at all."""
        if self._options.sparsity == 0:
            return 0.0
        gain = t * (self._A.T @ (margin * side))
        return float(self._options.sparsity * max(gain.max(), 0.0))


def _joined(solutions: list[Solution], signs: Floats) -> Solved:
    W = np.column_stack([solution.weights for solution in solutions]) * signs
    gap = max(solution.gap for solution in solutions)
    steps = sum(solution.iterations for solution in solutions)
    return Solved(W, np.zeros(W.shape[1]), gap, steps)


@declared
class BMachineClassifier(ScoreClassifier):
    """Least squares to a margin, with weights in a box.

    Read more in the :doc:`guide </guide/least_squares>`.

    Parameters
    ----------
    kernel : str, Kernel, callable or "precomputed", default="gaussian"
        Any kernel, Mercer or not, scaled to 1 at distance 0; the report's are "gaussian",
        "inverse_quadratic" (its Cauchy kernel) and "gaussian_exponential".
    {bandwidth}
    margin : float, array or "cv", default=0.5
        The report's lambda, the score that training rows should reach.
    superfluity : float, default=1.0
        Weight of scores beyond the margin against scores short of it, h2 against h1 in (22)-(24).
        1 is the report; less forgives rows that are classified too well.
    {scale, coding}
    sparsity : float, default=0.0
        Cost of every weight, relative to the one at which all vanish. A small value, such as
        1e-4, leaves out B-vectors that others can stand in for; see Notes.
    tol : float, default=1e-6
        Optimality gap, relative to the objective of no weights at all.
    max_iter : int, default=200
        Most Newton steps.
    {folds}
    warm_start : bool, default=False
        Start from the weights of the last fit, for rows that are in the sample again; not with a
        bandwidth per class.
    {n_landmarks, random_state, priors, class_weight, costs, gamma, reject, reject_label, novelty,
     novelty_label, method, rtol, n_jobs}

    Attributes
    ----------
    {classes_, bandwidth_}
    margin_ : float
        In use.
    {selection_, scale_, expansion_}
    support_ : array of shape (n_support,)
        Places of the B-vectors in the training sample.
    dual_coef_ : array of shape (n_support, n_columns)
        alpha_j t_j; one column for two classes, otherwise one for each column of ``code_book_``.
    intercept_ : array of shape (n_columns,)
        Zeros.
    optimality_gap_ : float
        Certified bound on objective - optimum, relative to the objective of no weights.
    n_iter_ : int
        Newton steps.
    {code_book_, probability_scale_, class_count_, priors_, decision_, density_,
     training_rows_, sums_method_,
     n_features_in_, feature_names_in_}

    Notes
    -----
    A fit takes about 15 Newton steps for each column; a step costs at most n r^2 operations, r the
    numerical rank of the Gram matrix, and K'K is never formed. Memory for a few Gram matrices, of
    which one must fit into scikit-learn's ``working_memory``: without landmarks at most 11 585 rows
    at its default. A row of weight w has 0 <= alpha <= w and w times the loss: the same as w
    copies. Where the Gram matrix is singular alpha is not unique; objective and scores are, and a
    little ``sparsity`` chooses few B-vectors among equals: ten-fold, at the report's Gaussian
    parameters, Pima keeps 272 of 692 rows at sparsity 0 and 20 at 1e-4 (accuracy 77.6 and 77.5 %),
    Bupa 178 and 96 of 311 (74.5 and 73.9 %). Far from all points every score is 0, and the first
    class is predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import BMachineClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> clf = BMachineClassifier(bandwidth=1.0, margin=0.5).fit(X, y)
    >>> clf.predict([[0.5], [3.5]]), clf.optimality_gap_ <= 1e-6
    (array([0, 1]), True)
    """

    _regularizer: ClassVar[str] = "margin"
    _grid: ClassVar[tuple[float, ...]] = (0.1, 0.2, 0.4, 0.7, 1.0)
    _constraints: ClassVar[Constraints] = {
        "superfluity": Number("[0, inf)"),
        "sparsity": Number("[0, 1)"),
        "tol": Number("(0, inf)"),
        "max_iter": Integer(1),
        "warm_start": Flag(),
    }

    margin: float | ArrayLike | str = 0.5
    superfluity: float = 1.0
    _: KW_ONLY
    sparsity: float = 0.0
    tol: float = 1e-6
    max_iter: int = 200
    warm_start: bool = False

    def _score_method(self, n_classes: int, start: Start) -> BoxMethod:
        return BoxMethod(
            float(self.superfluity), float(self.sparsity), self.tol, self.max_iter, self.n_jobs,
            start,
        )  # fmt: skip

    def _landmark_count(self, n_rows: int) -> int | None:
        if self.superfluity == 1.0:
            return super()._landmark_count(n_rows)
        if isinstance(self.n_landmarks, int):
            raise ValueError(
                f"n_landmarks={self.n_landmarks!r} needs a loss that is a square, which "
                f"superfluity={self.superfluity!r} is not; use superfluity=1 or n_landmarks=None."
            )
        return None

    def _keep(self, fitted: FittedScores, rows: Ints) -> None:
        super()._keep(fitted, rows)
        self.optimality_gap_, self.n_iter_ = fitted.solved.gap, fitted.solved.iterations
