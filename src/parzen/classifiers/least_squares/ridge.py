"""What LS-SVM and RLSC share: a linear system, leave-one-out in closed form, large samples.

    (K + mu W^-1) a = t - b 1         mu = 1 / C with an offset b, or lambda N without

Every candidate is judged by the exact leave-one-out scores of one eigendecomposition per bandwidth.
Large samples have their weights on landmarks; ``solver="cg"`` solves the whole system by conjugate
gradients over exact kernel sums.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Constraints, Floats, Integer, Ints, Number, OneOf, declared
from parzen.bandwidth import own_criterion
from parzen.classifiers.least_squares.coding import class_scores
from parzen.classifiers.least_squares.fitting import FittedScores, ScoreOptions, fit_gram
from parzen.classifiers.least_squares.iterative import Ridge, fit_iteratively
from parzen.classifiers.least_squares.method import (
    LandmarkProblem,
    ScoreMethod,
    Solved,
    Start,
)
from parzen.classifiers.least_squares.sample import SplitSample
from parzen.classifiers.least_squares.score_classifier import ScoreClassifier
from parzen.classifiers.plug_in import ParzenClassifier
from parzen.conformal import LeastSquaresBag, log_odds, log_odds_of_all, p_values_in_bags
from parzen.expansion import KernelExpansion
from parzen.kernels import ConformalKernel, Kernel, gram, require_symmetric
from parzen.samples import Sample
from parzen.solvers import LandmarkFeatures, RidgePath, solve_ridge

_MAX_DIRECT_ROWS = 10_000  # With more rows solver="auto" takes conjugate gradients.


@dataclass(frozen=True)
class RidgeMethod(ScoreMethod):
    """Weights that solve a regularised linear system."""

    owner: str  # the estimator, for errors
    offset: bool
    ridge: Ridge  # the regulariser mu

    def solve(self, K: Floats, weights: Floats, T: Floats, regularizers: Floats) -> list[Solved]:
        """Every regulariser has its own Cholesky factor."""
        size = np.array(weights.sum())
        ridges = [self.ridge(float(r), size) / weights for r in regularizers]
        return [Solved(*solve_ridge(K, r, T, offset=self.offset)) for r in ridges]

    def solve_on_landmarks(self, problem: LandmarkProblem, regularizers: Floats) -> list[Solved]:
        """The eigenvectors of the features on landmarks serve every regulariser."""
        require_symmetric(problem.gram, self.owner)
        features = LandmarkFeatures(problem.factor, problem.gram, "free" if self.offset else "none")
        values = np.maximum(features.values, 0.0)  # rounding may leave some just below zero
        size = np.array(problem.factor.size)
        ridges = [self.ridge(float(r), size) for r in regularizers]
        return [Solved(*features.weights(1.0 / (values + ridge))) for ridge in ridges]

    def held_out(
        self, K: Floats, sample: Sample, T: Floats, regularizers: Floats, folds: int | None
    ) -> Floats:
        """Leave-one-out scores in closed form: one unit of weight is left out of each row."""
        require_symmetric(K, self.owner)
        if folds is not None:
            return super().held_out(K, sample, T, regularizers, folds)
        path = RidgePath(K, sample.frequencies)
        rest = sample.counts.sum() - np.minimum(sample.frequencies, 1.0)
        ridges = [self.ridge(float(r), rest) for r in regularizers]
        return np.array([path.leave_one_out(mu, T, offset=self.offset) for mu in ridges])


@declared
class RidgeClassifier(ScoreClassifier):
    """Base of the classifiers whose weights solve a regularised linear system."""

    _has_offset: ClassVar[bool]
    _words: ClassVar[tuple[str, ...]] = ("cv", "loo")  # both leave one out
    _constraints: ClassVar[Constraints] = {
        "solver": OneOf("auto", "cholesky", "cg"),
        "tol": Number("(0, inf)"),
        "max_iter": Integer(1),
        "bandwidth_rows": Number("(0, 1)", also=(None,)),
    }
    _descriptions: ClassVar[str] = """
    kernel : str, Kernel, callable or "precomputed", default="gaussian"
        A Mercer kernel, scaled to 1 at distance 0; a function k(X, Y); or "precomputed".
    solver : {"auto", "cholesky", "cg"}, default="auto"
        Conjugate gradients need no Gram matrix and no landmarks; "auto" takes them beyond 10 000
        rows where ``n_landmarks=None``. Another solver than "auto" solves for all rows.
    tol : float, default=1e-8
        Relative residual of conjugate gradients.
    max_iter : int, default=1000
        Most steps of conjugate gradients.
    folds : int, default=5
        Folds for the scale of the probabilities where leaving one out is too expensive ("cg").
    bandwidth : float, array, str or Selector, default="cv"
        Width of the kernel: a number; one per class in the order of ``classes_``, that of the
        class against the rest; one per feature, shape (1, n_features); or both,
        (n_classes, n_features). ``"cv"`` is the choice from a default grid of smallest exact
        leave-one-out error of this classifier; `CrossValidation` takes a grid, or folds in place
        of leaving one out. Any other selector of `parzen.bandwidth`, or its name, takes the
        plug-in rule's.
    bandwidth_rows : float, default=None
        Share of the rows of each class, evenly spaced in their order, that choose the bandwidth,
        the regulariser and the scales of columns and probabilities in place of all rows, and leave
        the ranks of the prediction sets: what the sets promise then holds for chosen parameters as
        for given ones. All rows are in the system.
    bandwidth_rows_ : array of int or None
        The training rows of positive weight that chose the parameters alone; None where all did.
    n_iter_ : int
        Steps of conjugate gradients, those of the folds included; 1 for a direct solution.
    """

    _: KW_ONLY
    solver: str = "auto"
    tol: float = 1e-8
    max_iter: int = 1000
    bandwidth_rows: float | None = None

    @staticmethod
    @abstractmethod
    def _ridge(regularizer: float, size: Floats) -> Floats:
        """The regulariser mu of a sample of that size."""

    def _score_method(self, n_classes: int, start: Start) -> RidgeMethod:
        return RidgeMethod(type(self).__name__, self._has_offset, self._ridge)

    def _search_folds(self) -> int | None:
        own = own_criterion(self.bandwidth)
        return None if own is None or own.folds is None else int(own.folds)

    def _landmark_count(self, n_rows: int) -> int | None:
        if self.solver != "auto" and self.n_landmarks == "auto":
            return None  # a solver of the whole system was asked for by name
        count = super()._landmark_count(n_rows)
        if count is not None and self.bandwidth_rows is not None:
            raise ValueError(
                f"bandwidth_rows={self.bandwidth_rows!r} needs the system of all rows, and "
                f"n_landmarks={self.n_landmarks!r} takes {count} of {n_rows}; use n_landmarks=None."
            )
        return count

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.bandwidth_rows is not None and self._is_precomputed():
            raise ValueError(
                f"bandwidth_rows={self.bandwidth_rows!r} needs points, which kernel='precomputed' "
                "does not have; use bandwidth_rows=None."
            )

    def _fit_all_rows(self, options: ScoreOptions, sample: Sample) -> FittedScores:
        if not isinstance(sample, SplitSample):
            return self._solve_all_rows(options, sample)
        first = fit_gram(options, sample.choosing)
        given = replace(
            options, bandwidth=first.bandwidth, regularizers=np.array([first.regularizer])
        )
        fitted = self._solve_all_rows(given, sample)
        return replace(fitted, selection=first.selection, scale=first.scale, chosen_by=first)

    def _solve_all_rows(self, options: ScoreOptions, sample: Sample) -> FittedScores:
        large = self.solver == "cg" or (self.solver == "auto" and len(sample) > _MAX_DIRECT_ROWS)
        if not large or self._is_precomputed():
            return super()._fit_all_rows(options, sample)
        value = getattr(self, self._regularizer)
        several = own_criterion(options.bandwidth) is not None or len(options.regularizers) > 1
        if several or not isinstance(options.kernel, Kernel):
            raise ValueError(
                f"{len(sample)} rows are solved by conjugate gradients, which need a kernel "
                f"with a name, one bandwidth and one {self._regularizer}, "
                f"got bandwidth={self.bandwidth!r} and {self._regularizer}={value!r}."
            )
        assert isinstance(options.method, RidgeMethod)
        return fit_iteratively(
            options, sample, options.method.ridge, offset=options.method.offset, tol=self.tol,
            max_iter=self.max_iter,
        )  # fmt: skip

    def _keep(self, fitted: FittedScores, rows: Ints) -> None:
        super()._keep(fitted, rows)
        self.n_iter_ = fitted.solved.iterations
        split = fitted.reference if isinstance(fitted.reference, SplitSample) else None
        self.bandwidth_rows_ = None if split is None else split.chosen
        self._ranked_weights = None if split is None else split.ranked

    def _ranked(self) -> Floats:
        return super()._ranked() if self._ranked_weights is None else self._ranked_weights

    def _density_of(self, sample: Sample) -> ParzenClassifier:
        if not isinstance(sample, SplitSample):
            return super()._density_of(sample)
        apart, chosen = sample.apart()
        density = super()._density_of(apart)
        density.bandwidth_rows_ = chosen
        return density

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        """The row joins the system by a rank-one update, where all rows carry weights."""
        bag = self._bag()
        if bag is None:
            return super()._label_p_values(X, conformity, conditional)
        expansion, points = self.expansion_, self._validate(X, reset=False).astype(np.float64)
        assert isinstance(expansion, KernelExpansion)
        codes, book = self._left_out[1], self.code_book_
        scores = np.asarray(expansion.scores(points, **self._sums_options()), np.float64)
        joint = self.decision_.joint(class_scores(scores, book, self.coding))

        def conformities(c: int, batch: slice, rows: Ints) -> Floats:
            across = _unit_gram(expansion, points[batch], expansion.points)
            joined = bag.joined(across, np.ones(len(across)))
            left_out = joined.scores(scores[batch] - book[c], rows)
            m, n, columns = left_out.shape
            of_classes = class_scores(left_out.reshape(m * n, columns), book, self.coding)
            odds = log_odds(self.decision_.joint(of_classes), np.tile(codes[rows], m))
            return odds.reshape(m, n)

        return p_values_in_bags(
            conformities, log_odds_of_all(joint), codes, self._ranked(), conditional=conditional
        )

    def _bag(self) -> LeastSquaresBag | None:
        """The inverse of the system of all rows; None where there is no single one."""
        expansion, book = self.expansion_, self.code_book_
        codes, frequencies = self._left_out[1:]
        if not isinstance(expansion, KernelExpansion) or not expansion.is_shared:
            return None
        whole = len(expansion.points) == len(codes) <= _MAX_DIRECT_ROWS and book.all()
        if not whole or isinstance(expansion.kernel, ConformalKernel):
            return None
        kept = expansion.prepared.kept
        if "bag" not in kept:
            method = self._score_method(len(book), {})
            size = np.array(frequencies.sum())
            ridge = float(method.ridge(float(getattr(self, f"{self._regularizer}_")), size))
            K = _unit_gram(expansion, expansion.points, expansion.points)
            offset = method.offset
            kept["bag"] = LeastSquaresBag.of(K, book[codes], frequencies, ridge, offset=offset)
        found = kept["bag"]
        assert isinstance(found, LeastSquaresBag)
        return found


def _unit_gram(expansion: KernelExpansion, X: Floats, Y: Floats) -> Floats:
    space = expansion.space(0)
    return gram(space.map(X), space.map(Y), expansion.kernel, space.bandwidth)
