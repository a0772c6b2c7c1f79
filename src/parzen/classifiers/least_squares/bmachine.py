"""The B-machine (Basak's report): box-constrained least squares to a margin.

    min 1/2 sum_i (g(x_i) - margin t_i)^2,   g(x) = sum_j alpha_j t_j k(x, x_j),   0 <= alpha_j <= 1

which is (29) up to a constant. No row counts against its own class, and none for more than itself.
The quadratic term is positive semi-definite for any kernel, Mercer or not. More classes: one
against the rest (33)-(34). The rows with alpha > 0 are the B-vectors.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._core import is_dask
from parzen.bandwidth import Selector
from parzen.classifiers.least_squares.landmarks import LandmarkProblem
from parzen.classifiers.least_squares.sample import ScoreSample
from parzen.classifiers.least_squares.score_classifier import (
    LandmarkSystem,
    ScoreClassifier,
    System,
)
from parzen.solvers import (
    CompressedMatrix,
    Solution,
    asymmetric_box_least_squares,
    box_least_squares,
)
from parzen.sums import DEFAULT_RTOL

Floats = NDArray[np.float64]

_COARSE = 1e-4  # gap that is enough to compare candidates on held-out rows


class BMachineClassifier(ScoreClassifier):
    """Least squares to a margin, with weights in a box.

    Parameters
    ----------
    kernel : str, Kernel, callable or "precomputed", default="gaussian"
        Any kernel, Mercer or not, scaled to 1 at distance 0; the report's are "gaussian",
        "inverse_quadratic" (its Cauchy kernel) and "gaussian_exponential".
    bandwidth : float, array, str or Selector, default="cv"
        Width of the kernel: a number; one per class in the order of ``classes_``, that of the
        class's machine against the rest; one per feature, shape (1, n_features); or both,
        (n_classes, n_features). ``"cv"`` is the choice from a default grid of smallest
        K-fold error of this classifier; `CrossValidation` takes a grid
        or other folds.
        Any other selector of `parzen.bandwidth`, or its name, takes the plug-in rule's.
    margin : float, array or "cv", default=0.5
        The report's lambda, the score that training rows should reach.
    superfluity : float, default=1.0
        Weight of scores beyond the margin against scores short of it, h2 against h1 in (22)-(24).
        1 is the report; less forgives rows that are classified too well.
    sparsity : float, default=0.0
        Cost of every weight, relative to the one at which all vanish. A small value, such as
        1e-4, leaves out B-vectors that others can stand in for; see Notes.
    tol : float, default=1e-6
        Optimality gap, relative to the objective of no weights at all.
    max_iter : int, default=200
        Most Newton steps.
    folds : int, default=5
        Folds for choosing candidates and the scale of the probabilities.
    warm_start : bool, default=False
        Start from the weights of the last fit, for rows that are in the sample again; not with a
        bandwidth per class.
    n_landmarks : int, None or "auto", default="auto"
        Rows that carry weights, drawn from every class by frequency; the loss is that of all rows.
        None for all rows; "auto" takes 1000 beyond 10 000 rows.
    random_state : int, RandomState or None, default=0
        Draws the landmarks; None for other ones at every fit.
    method, rtol
        How kernel sums at new points are computed: see `ParzenClassifier`.
    n_jobs : int, default=None
        Threads; None for all cores that the process may use. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    bandwidth_ : float or array
        In use, in one of the shapes above.
    margin_ : float
        In use.
    selection_ : ScoreSelection or None
        How they were chosen.
    expansion_ : KernelExpansion or GramExpansion
        The fitted model.
    support_ : array of shape (n_support,)
        Places of the B-vectors in the training sample.
    dual_coef_ : array of shape (n_support, n_columns)
        alpha_j t_j; one column for two classes, otherwise one class against the rest each.
    intercept_ : array of shape (n_columns,)
        Zeros.
    optimality_gap_ : float
        Certified bound on objective - optimum, relative to the objective of no weights.
    n_iter_ : int
        Newton steps.
    probability_scale_ : float
        The a of softmax(a g).
    class_count_ : array of shape (n_classes,)
        Sum of the frequencies of each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Names of the columns, when the input had any.

    Notes
    -----
    A fit takes about 15 Newton steps for each class; a step costs at most n r^2 operations, r the
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
    >>> machine = BMachineClassifier(bandwidth=1.0, margin=0.5).fit(X, y)
    >>> machine.predict([[0.5], [3.5]]), machine.optimality_gap_ <= 1e-6
    (array([0, 1]), True)
    """

    _regularizer: ClassVar[str] = "margin"
    _grid: ClassVar[tuple[float, ...]] = (0.1, 0.2, 0.4, 0.7, 1.0)

    def __init__(
        self,
        kernel: Any = "gaussian",
        bandwidth: float | ArrayLike | str | Selector = "cv",
        margin: float | ArrayLike | str = 0.5,
        superfluity: float = 1.0,
        *,
        sparsity: float = 0.0,
        tol: float = 1e-6,
        max_iter: int = 200,
        folds: int = 5,
        warm_start: bool = False,
        n_landmarks: int | str | None = "auto",
        random_state: Any = 0,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.margin = margin
        self.superfluity = superfluity
        self.sparsity = sparsity
        self.tol = tol
        self.max_iter = max_iter
        self.folds = folds
        self.warm_start = warm_start
        self.n_landmarks = n_landmarks
        self.random_state = random_state
        self.method = method
        self.rtol = rtol
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the weights.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The sample; its Gram matrix, (n_samples, n_samples), when ``kernel="precomputed"``.
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : array of shape (n_samples,), default=None
            Frequencies: weight 2 is two copies of the row, weight 0 none.
        """
        if is_dask(X, y, sample_weight):
            return self._fit_by_chunks(X, y, sample_weight)
        previous = self._last_weights() if self.warm_start else {}
        self._previous = previous
        try:
            super().fit(X, y, sample_weight)
        finally:
            del self._previous
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, most in (("superfluity", np.inf), ("sparsity", 1.0)):
            value: Any = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real):
                raise TypeError(f"{name} must be a number, got {value!r}.")
            if not (np.isfinite(float(value)) and 0 <= float(value) < most):
                raise ValueError(f"{name}={value!r} must be finite, not negative, below {most}.")
        if not self.tol > 0:
            raise ValueError(f"tol={self.tol!r} must be positive.")

    def _landmark_count(self, n_rows: int) -> int | None:
        if self.superfluity == 1.0:
            return super()._landmark_count(n_rows)
        if isinstance(self.n_landmarks, int):
            raise ValueError(
                f"n_landmarks={self.n_landmarks!r} needs a loss that is a square, which "
                f"superfluity={self.superfluity!r} is not; use superfluity=1 or n_landmarks=None."
            )
        return None

    def _system(self, K: Floats, weights: Floats) -> System:
        """Solutions for candidate after candidate, each from the one before."""
        root = np.sqrt(weights)
        problem = _Problem(self, root[:, None] * K, root, weights, tol=max(self.tol, _COARSE))
        last: dict[int, Floats] = {}

        def solve(targets: Floats, margin: float) -> tuple[Floats, Floats]:
            W = np.empty_like(targets)
            for c, t in enumerate(targets.T):
                last[c] = problem.solve(root * t, t, margin, last.get(c)).weights
                W[:, c] = last[c] * t
            return W, np.zeros(W.shape[1])

        return solve

    def _final(
        self, K: Floats, sample: ScoreSample, T: Floats, regularizer: float
    ) -> tuple[Floats, Floats]:
        root = np.sqrt(sample.weights)
        problem = _Problem(self, root[:, None] * K, root, sample.weights, tol=self.tol)
        return self._solve_all(problem, root[:, None] * T, sample, T, regularizer)

    def _landmark_system(self, problem: LandmarkProblem) -> LandmarkSystem:
        """The factor of the sample in place of its Gram matrix: as many rows as columns."""
        factor, upper = problem.factor, problem.landmarks.weights
        programme = _Problem(self, factor.K, None, upper, tol=max(self.tol, _COARSE))
        signs = problem.targets
        last: dict[int, Floats] = {}

        def solve(margin: float) -> tuple[Floats, Floats]:
            for c, (side, t) in enumerate(zip(factor.targets.T, signs.T, strict=True)):
                last[c] = programme.solve(side, t, margin, last.get(c)).weights
            return np.column_stack([last[c] for c in range(len(last))]) * signs, np.zeros(len(last))

        return solve

    def _landmark_final(
        self, problem: LandmarkProblem, regularizer: float
    ) -> tuple[Floats, Floats]:
        factor = problem.factor
        programme = _Problem(self, factor.K, None, problem.landmarks.weights, tol=self.tol)
        return self._solve_all(
            programme, factor.targets, problem.landmarks, problem.targets, regularizer
        )

    def _solve_all(
        self, problem: _Problem, sides: Floats, sample: ScoreSample, T: Floats, margin: float
    ) -> tuple[Floats, Floats]:
        """The programmes of some machines, to the tolerance, and what can be said about them."""
        starts = self._starts(sample, T.shape[1])
        solutions = [
            problem.solve(side, t, margin, start)
            for side, t, start in zip(sides.T, T.T, starts, strict=True)
        ]
        worst = max(solutions, key=lambda solution: solution.gap)
        self.optimality_gap_ = max(worst.gap, getattr(self, "optimality_gap_", 0.0))
        steps = sum(solution.iterations for solution in solutions)
        self.n_iter_ = steps + getattr(self, "n_iter_", 0)
        worst.warn_unless_converged()
        W = np.column_stack([s.weights for s in solutions]) * T
        return W, np.zeros(T.shape[1])

    def _last_weights(self) -> dict[bytes, Floats]:
        """Weights of the last fit by the bytes of their row."""
        points = getattr(getattr(self, "expansion_", None), "points", None)
        if points is None or points.ndim != 2:
            return {}
        return {p.tobytes(): np.abs(w) for p, w in zip(points, self.dual_coef_, strict=True)}

    def _starts(self, sample: ScoreSample, columns: int) -> list[Floats | None]:
        previous = getattr(self, "_previous", None)
        if not previous or len(next(iter(previous.values()))) != columns:
            return [None] * columns
        nothing = np.zeros(columns)
        known = np.array([previous.get(x.tobytes(), nothing) for x in sample.X])
        return list(known.T)


class _Problem:
    """The programmes of all classes and margins on one matrix A = W^1/2 K, or its factor.

    ``root`` is W^1/2, None for a factor.
    """

    def __init__(
        self,
        machine: BMachineClassifier,
        A: Floats,
        root: Floats | None,
        upper: Floats,
        tol: float,
    ) -> None:
        self.machine, self.A, self.root, self.upper, self.tol = machine, A, root, upper, tol
        self.matrix: CompressedMatrix | None = None
        if machine.superfluity == 1.0:
            self.matrix = CompressedMatrix.of(A)

    def solve(self, side: Floats, t: Floats, margin: float, start: Floats | None) -> Solution:
        """Weights alpha of points whose targets are t = -1, +1; ``side`` are those of the rows."""
        machine = self.machine
        options: dict[str, Any] = {
            "upper": self.upper, "tol": self.tol, "max_iter": machine.max_iter, "start": start,
            "n_jobs": machine.n_jobs,
        }  # fmt: skip
        cost = self._cost(side, t, margin)
        if self.matrix is not None:
            A = self.matrix.times_columns(t)
            return box_least_squares(A, margin * side, linear=cost, **options)
        assert self.root is not None
        # Rows times their own target: a positive residual is a score beyond the margin.
        A_signed = (t / self.root)[:, None] * self.A * t
        return asymmetric_box_least_squares(
            A_signed, np.full(len(t), margin), self.upper, float(machine.superfluity),
            linear=np.full(len(t), cost), **options,
        )  # fmt: skip

    def _cost(self, side: Floats, t: Floats, margin: float) -> float:
        """The cost of a weight, relative to the steepest descent at no weights at all."""
        if self.machine.sparsity == 0:
            return 0.0
        gain = t * (self.A.T @ (margin * side))
        return float(self.machine.sparsity * max(gain.max(), 0.0))
