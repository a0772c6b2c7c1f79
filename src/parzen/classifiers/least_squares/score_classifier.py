"""What the classifiers have in common whose scores are no densities.

    s_c(x) = b_c + sum_i W[i, c] k(x, x_i),     predict argmax_c,     P(c | x) = softmax(a s(x))

Two classes have one score, positive for ``classes_[1]``. The one number a > 0 minimises the
log-loss of held-out scores; there is no offset, so probabilities agree with labels. A subclass says
how the weights follow from a Gram matrix; candidates for bandwidth and regulariser are compared on
held-out rows, which share the Gram matrix of their bandwidth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen._core import portion, steps, validate_points, validate_weights, warn
from parzen.bandwidth import Selector, own_criterion
from parzen.base import SumsOptions
from parzen.classifiers.base import check_labels, tempering_exponent
from parzen.classifiers.least_squares.bandwidth import Widths, check_score_bandwidth, widths
from parzen.classifiers.least_squares.gram_expansion import GramExpansion
from parzen.classifiers.least_squares.landmarks import (
    LandmarkProblem,
    fit_chunks_on_landmarks,
    fit_on_landmarks,
)
from parzen.classifiers.least_squares.sample import ScoreSample
from parzen.classifiers.least_squares.selection import (
    ScoreSelection,
    candidates,
    check_candidates,
    choose,
    joined_columns,
    joined_machines,
    warn_at_edge,
)
from parzen.expansion import KernelExpansion
from parzen.kernels import PRECOMPUTED, Kernel, check_gram_size, check_kernel, grams
from parzen.samples import Sample, check_landmarks, landmark_count

Floats = NDArray[np.float64]
_BANDWIDTH_CURE = "pass CrossValidation(grid=...) with values"

System = Callable[[Floats, float], tuple[Floats, Floats]]
LandmarkSystem = Callable[[float], tuple[Floats, Floats]]


class ScoreClassifier(SumsOptions, ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the classifiers that are fitted to a Gram matrix.

    A subclass names its regulariser, the words for choosing it, and its default candidates, and
    defines `_system`.
    """

    _regularizer: ClassVar[str]
    _words: ClassVar[tuple[str, ...]] = ("cv",)
    _grid: ClassVar[tuple[float, ...]]

    kernel: Any
    bandwidth: Any
    bandwidth_: float | Floats
    folds: int
    n_landmarks: int | str | None
    random_state: Any
    selection_: ScoreSelection | None

    # What a subclass says

    @abstractmethod
    def _system(self, K: Floats, weights: Floats) -> System:
        """Prepare a Gram matrix; return what maps targets (n, m) and a regulariser to W and b."""

    def _held_out(self, K: Floats, sample: ScoreSample, T: Floats, regularizers: Floats) -> Floats:
        """Scores of held-out rows, shape (regularizers, n, columns); here by K folds."""
        scores = np.zeros((len(regularizers), *T.shape))
        for train, test in steps(sample.splits(self._n_folds())):
            system = self._system(K[np.ix_(train, train)], sample.weights[train])
            across = K[np.ix_(test, train)]
            for r, value in enumerate(regularizers):
                W, b = system(T[train], float(value))
                scores[r, test] = across @ W + b
        return scores

    @abstractmethod
    def _landmark_system(self, problem: LandmarkProblem) -> LandmarkSystem:
        """What maps a regulariser to the weights of landmarks and b."""

    def _landmark_final(
        self, problem: LandmarkProblem, regularizer: float
    ) -> tuple[Floats, Floats]:
        """Weights of landmarks and offsets, of the whole sample."""
        return self._landmark_system(problem)(regularizer)

    def _landmark_count(self, n_rows: int) -> int | None:
        """How many rows carry weights; None for all."""
        return None if self._is_precomputed() else landmark_count(self.n_landmarks, n_rows)

    def _targets(self, sample: ScoreSample, *, per_class: bool) -> Floats:
        """The targets of the machines; one machine is enough for two classes of one kernel."""
        return sample.targets(per_class=per_class)

    def _class_scores(self, scores: Floats, n_classes: int) -> Floats:
        """Scores per class, shape (n, C), from the columns that are fitted."""
        if n_classes != 2:
            return scores
        one = scores if scores.shape[1] == 1 else 0.5 * (scores[:, 1:] - scores[:, :1])
        return np.column_stack([np.zeros(len(one)), one])

    def _n_folds(self) -> int:
        """Folds that compare candidates: those of ``CrossValidation(folds=)`` come first."""
        own = own_criterion(self.bandwidth)
        return self.folds if own is None or own.folds is None else int(own.folds)

    def _check_parameters(self) -> None:
        """Everything wrong with the parameters, said before any computation."""
        super()._check_parameters()
        check_score_bandwidth(self.bandwidth, check_kernel(self.kernel))
        check_landmarks(self.n_landmarks)
        if self._is_precomputed() and isinstance(self.n_landmarks, int):
            raise ValueError(
                f"n_landmarks={self.n_landmarks!r} needs points to draw from, which "
                "kernel='precomputed' does not have; use n_landmarks=None."
            )
        check_random_state(self.random_state)
        check_candidates(getattr(self, self._regularizer), self._regularizer, self._words)
        if isinstance(self.folds, bool) or not isinstance(self.folds, int) or self.folds < 2:
            raise ValueError(f"folds={self.folds!r} must be a whole number of folds, at least 2.")

    # What every classifier does

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
        self._check_parameters()
        self._forget()
        points = validate_points(self, X, reset=True)
        self._check_serves(points.shape[1])
        labels = check_labels(y, points, type(self).__name__)
        sample = self._sample(points, labels, validate_weights(sample_weight, points))
        self.classes_ = sample.classes
        self.class_count_ = np.bincount(sample.codes, weights=sample.weights)
        if len(sample.classes) == 1:
            self._note_no_choice(sample)
            self._keep(sample, np.zeros((len(sample.codes), 1)), np.zeros(1))
            self.probability_scale_ = 1.0
        else:
            warn_single_rows(sample)
            count = self._landmark_count(len(sample.codes))
            if count is None:
                self._fit_scores(sample)
            else:
                fit_on_landmarks(self, sample, count)
        return self

    def _fit_chunks(self, chunks: Any, names: list[Any] | None) -> None:
        """Fit a chunked sample on landmarks; only a part of it comes here."""
        self._forget()
        validate_points(self, chunks.example(names), reset=True)
        self._check_serves(self.n_features_in_)
        self.classes_, self.class_count_ = chunks.classes, chunks.counts
        count = self._landmark_count(len(chunks))
        assert count is not None
        fit_chunks_on_landmarks(self, chunks, count)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Scores: one column, positive for ``classes_[1]``, for two classes; otherwise (n, C)."""
        scores = self._scores_at(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the classes, softmax of the scores times one positive number."""
        scores = self._scores_at(X)
        return np.asarray(softmax(self.probability_scale_ * scores, axis=1))

    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of the largest score; ties go to the first."""
        proba = self.predict_proba(X)
        return np.asarray(self.classes_[proba.argmax(axis=1)])

    def __sklearn_is_fitted__(self) -> bool:
        """Only a fit that came to its end counts."""
        return hasattr(self, "probability_scale_")

    def __sklearn_tags__(self) -> Any:
        """Gram matrices are pairwise: cross-validation cuts rows and columns."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == PRECOMPUTED
        return tags

    # How it is done

    def _sample(
        self, points: NDArray[Any], labels: NDArray[Any], weights: Floats | None
    ) -> ScoreSample:
        if not self._is_precomputed():
            return ScoreSample.merged(Sample.labelled(points, labels, weights))
        if points.shape[0] != points.shape[1]:
            raise ValueError(
                f"a precomputed Gram matrix must be square, got shape {points.shape}; "
                "pass the kernel of every pair of training rows."
            )
        rows = np.arange(len(points)) if weights is None else np.flatnonzero(weights > 0)
        return ScoreSample.precomputed(Sample.labelled(points, labels, weights), rows)

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == PRECOMPUTED

    def _fit_scores(self, sample: ScoreSample) -> None:
        check_gram_size(len(sample.codes), len(sample.codes))
        tried = widths(self.bandwidth, sample, check_kernel(self.kernel), self.n_jobs)
        regularizers = candidates(getattr(self, self._regularizer), np.array(self._grid))
        T = self._targets(sample, per_class=tried.per_class)
        turns = np.ones(len(tried.candidates))
        searched = len(turns) / (len(turns) + 1)
        with portion(0, searched):
            held = joined_columns(
                [
                    self._held_out(K, sample, T[:, columns], regularizers)
                    for K in steps(self._grams(sample, h), turns)
                ]
                for columns, h in steps(list(tried.machines()))
            )
        i, j = self._note_choice(tried, regularizers, held, sample, self._criterion())
        with portion(searched):
            fitted = [
                self._final(
                    self._gram_at(sample, h, i), sample, T[:, columns], float(regularizers[j])
                )
                for columns, h in steps(list(tried.machines()))
            ]
        self._keep(sample, *joined_machines(fitted))
        self._set_probability_scale(held[i][j], sample)

    def _grams(self, sample: ScoreSample, h: Widths) -> Any:
        if self._is_precomputed():
            return [sample.X]
        points = h.points(sample.X)
        return grams(points, points, check_kernel(self.kernel), h.candidates)

    def _gram_at(self, sample: ScoreSample, h: Widths, place: int) -> Floats:
        one = h._replace(candidates=h.candidates[place : place + 1])
        return np.asarray(next(iter(self._grams(sample, one))))

    def _error(self, scores: Floats, sample: ScoreSample) -> float:
        """Share of the held-out frequencies that are misclassified."""
        wrong = self._class_scores(scores, len(sample.classes)).argmax(axis=1) != sample.codes
        return float(sample.weights[wrong].sum() / sample.size)

    def _note_choice(
        self,
        tried: Widths,
        regularizers: Floats,
        held: list[Floats],
        sample: ScoreSample,
        criterion: str,
    ) -> tuple[int, int]:
        """Where the smallest error of held-out scores is, among bandwidths and regularisers."""
        errors = np.array([[self._error(scores, sample) for scores in each] for each in held])
        i, j = choose(errors)
        self.bandwidth_ = tried.bandwidth(i)
        setattr(self, f"{self._regularizer}_", float(regularizers[j]))
        self.selection_ = ScoreSelection(tried.candidates, regularizers, errors, (i, j), criterion)
        warn_at_edge(i, tried.candidates, errors[:, j], "bandwidth", _BANDWIDTH_CURE)
        warn_at_edge(j, regularizers, errors[i], self._regularizer, "pass candidates")
        return i, j

    def _criterion(self) -> str:
        return f"{self._n_folds()}-fold error"

    def _note_no_choice(self, sample: ScoreSample) -> None:
        """One class: nothing to choose."""
        self.selection_ = None
        kernel, value = check_kernel(self.kernel), getattr(self, self._regularizer)
        chosen = isinstance(self.bandwidth, str | Selector)
        given = None if chosen else widths(self.bandwidth, sample, kernel, self.n_jobs)
        self.bandwidth_ = float("nan") if given is None else given.bandwidth(0)
        setattr(self, f"{self._regularizer}_", float("nan") if isinstance(value, str) else value)

    def _final(
        self, K: Floats, sample: ScoreSample, T: Floats, regularizer: float
    ) -> tuple[Floats, Floats]:
        """Weights and offsets of the whole sample."""
        return self._system(K, sample.weights)(T, regularizer)

    def _set_probability_scale(self, held: Floats, sample: ScoreSample) -> None:
        """Set last: it marks the fit as done."""
        scores = self._class_scores(held, len(sample.classes))
        self.probability_scale_ = tempering_exponent(scores, sample.codes, sample.weights)

    def _keep(self, sample: ScoreSample, W: Floats, b: Floats) -> None:
        """The expansion on the rows that carry a weight."""
        kept = (W != 0).any(axis=1)
        self.support_ = sample.rows[kept]
        self.dual_coef_, self.intercept_ = W[kept], b
        kernel = check_kernel(self.kernel)
        self.expansion_: KernelExpansion | GramExpansion
        if isinstance(kernel, Kernel) and kept.any():
            self.expansion_ = KernelExpansion(
                points=sample.X[kept],
                kernel=kernel,
                bandwidth=np.array(self.bandwidth_),
                n_classes=W.shape[1],
                weights=W[kept],
                offset=b,
                unit_peak=True,
            )
            return
        points = self.support_ if self._is_precomputed() else sample.X[kept]
        self.expansion_ = GramExpansion(points=points, kernel=kernel, weights=W[kept], offset=b)

    def _scores_at(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        queries = validate_points(self, X, reset=False).astype(np.float64, copy=False)
        if len(queries) == 0:
            return np.empty((0, len(self.classes_)))
        scores = self.expansion_.scores(queries, **self._sums_options())
        return self._class_scores(np.asarray(scores, dtype=np.float64), len(self.classes_))


def warn_single_rows(sample: ScoreSample) -> None:
    """Say which classes have one row only, so that holding it out leaves none."""
    rows = np.bincount(sample.codes)
    if len(sample.classes) > 1 and (rows == 1).any():
        alone = ", ".join(repr(c) for c in sample.classes[rows == 1][:5].tolist())
        warn(
            f"class {alone} has one distinct sample only: held out, it is never recognised, so "
            "errors and probabilities are pessimistic about it.",
        )
