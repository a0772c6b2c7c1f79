"""The B-machine (Basak's report): box-constrained least squares to a margin.

    min 1/2 sum_i (g(x_i) - margin t_i)^2,   g(x) = sum_j alpha_j t_j k(x, x_j),   0 <= alpha_j <= 1

which is (29) up to a constant. No row counts against its own class, and none for more than itself.
The quadratic term is positive semi-definite for any kernel, Mercer or not. More classes: one
against the rest (33)-(34), or another coding. The rows with alpha > 0 are the B-vectors.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Constraints, Flag, Floats, Integer, Ints, Number, declared
from parzen.classifiers.least_squares.fitting import FittedScores
from parzen.classifiers.least_squares.method import LandmarkProblem, ScoreMethod, Solved, Start
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
    start: Start  # of an earlier fit
    warm: list[Floats | None] | None = None  # where the columns of the final solution start

    def solve(self, K: Floats, weights: Floats, T: Floats, margins: Floats) -> list[Solved]:
        """The programmes of all columns on W^1/2 K."""
        root = np.sqrt(weights)
        programmes = _Programmes(root[:, None] * K, root, root[:, None] * T, T, weights)
        return self._path(programmes, margins)

    def solve_on_landmarks(self, problem: LandmarkProblem, margins: Floats) -> list[Solved]:
        """The programmes of all columns on the factor, which has as many rows as columns."""
        factor, upper = problem.factor, problem.landmarks.frequencies
        programmes = _Programmes(factor.K, None, factor.targets, problem.targets, upper)
        return self._path(programmes, margins)

    def final(self, carriers: Sample, n_columns: int) -> BoxMethod:
        """To the tolerance, from the weights of the last fit, where its columns were as many."""
        warm: list[Floats | None] = [None] * n_columns
        if self.start and len(next(iter(self.start.values()))) == n_columns:
            nothing = np.zeros(n_columns)
            warm = list(np.array([self.start.get(x.tobytes(), nothing) for x in carriers.X]).T)
        return replace(self, warm=warm)

    def _path(self, programmes: _Programmes, margins: Floats) -> list[Solved]:
        """Solutions for margin after margin, each from the one before."""
        matrix = CompressedMatrix.of(programmes.A) if self.superfluity == 1.0 else None
        starts = self.warm or [None] * programmes.signs.shape[1]
        found = []
        for margin in map(float, margins):
            solutions = [
                self._column(programmes, matrix, column, margin, start)
                for column, start in enumerate(starts)
            ]
            if self.warm is not None:
                max(solutions, key=lambda solution: solution.gap).warn_unless_converged()
            starts = [solution.weights for solution in solutions]
            solved = Solved.of_columns(solutions)
            found.append(solved._replace(weights=solved.weights * programmes.signs))
        return found

    def _column(
        self,
        programmes: _Programmes,
        matrix: CompressedMatrix | None,
        column: int,
        margin: float,
        start: Floats | None,
    ) -> Solution:
        """The weights alpha of one column."""
        A, upper = programmes.A, programmes.upper
        side, t = programmes.sides[:, column], programmes.signs[:, column]
        settings: dict[str, Any] = {
            "tol": max(self.tol, _SEARCH_GAP) if self.warm is None else self.tol,
            "max_iter": self.max_iter, "start": start, "n_jobs": self.n_jobs, "upper": upper,
        }  # fmt: skip
        # The cost of a weight is relative to the steepest descent at no weights at all.
        cost = 0.0
        if self.sparsity:
            cost = float(self.sparsity * max((t * (A.T @ (margin * side))).max(), 0.0))
        if matrix is not None:
            signed = matrix.times_columns(t)
            return box_least_squares(signed, margin * side, linear=cost, **settings)
        assert programmes.root is not None
        # Rows are multiplied by their own target: a positive residual is a score beyond the margin.
        A_signed = (t / programmes.root)[:, None] * A * t
        return asymmetric_box_least_squares(
            A_signed, np.full(len(t), margin), upper, float(self.superfluity),
            linear=np.full(len(t), cost), **settings,
        )  # fmt: skip


class _Programmes(NamedTuple):
    """Least squares in a box for every column, on one matrix A."""

    A: Floats  # W^1/2 K, or its factor
    root: Floats | None  # W^1/2, None for a factor
    sides: Floats  # W^1/2 times the targets of rows, or what the factor has of them
    signs: Floats  # the targets of the points
    upper: Floats  # of the weights: without landmarks, the frequencies of the rows


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
    {optimality_gap_}
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
