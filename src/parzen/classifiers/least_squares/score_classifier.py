"""What the classifiers have in common whose scores are no densities.

    s_c(x) = b_c + sum_i W[i, c] k(x, x_i),     predict argmax_c,     P(c | x) = softmax(a s(x))

Two classes have one score, positive for ``classes_[1]``; other codings than one against the rest
have their scores by decoding. The one number a > 0 minimises the log-loss of held-out scores.
Priors multiply the probabilities by their ratio to the observed shares, and the probabilities
decide.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._core import (
    Array,
    Constraints,
    Floats,
    Ints,
    available_if,
    check_countable,
    declared,
    few_blas_threads,
    is_dask,
    telling_callbacks,
    validate_points,
    validate_weights,
)
from parzen.bandwidth import Selection, Selector, own_criterion
from parzen.classifiers.base import (
    DecidingClassifier,
    Explaining,
    PredictionSets,
    TemperedDecision,
    check_labels,
    ranked_log_odds,
    resolve_costs,
    resolve_priors,
    row_names,
)
from parzen.classifiers.least_squares.bandwidth import bandwidth_grid, check_score_bandwidth
from parzen.classifiers.least_squares.coding import class_scores
from parzen.classifiers.least_squares.evidence import explain_signed
from parzen.classifiers.least_squares.fitting import (
    FittedScores,
    ScoreOptions,
    fit_gram,
    warn_single_rows,
)
from parzen.classifiers.least_squares.gram_expansion import GramExpansion
from parzen.classifiers.least_squares.landmarks import fit_chunks_on_landmarks, fit_on_landmarks
from parzen.classifiers.least_squares.method import ScoreMethod, Solved, Start
from parzen.classifiers.least_squares.parameters import (
    CONSTRAINTS,
    DESCRIPTIONS,
    candidates,
    check_can_add,
    check_candidates,
    check_has_density,
    rows_so_far,
)
from parzen.classifiers.least_squares.sample import TrainingRows, distinct_rows, precomputed_rows
from parzen.classifiers.plug_in import NoveltyByDensities, ParzenClassifier
from parzen.evidence import Explanation
from parzen.expansion import KernelExpansion
from parzen.kernels import PRECOMPUTED, Kernel, check_kernel
from parzen.samples import Sample, landmark_count
from parzen.sums import NOVEL


@declared
class ScoreClassifier(NoveltyByDensities, PredictionSets, Explaining, DecidingClassifier):
    """Base of the classifiers that are fitted to a Gram matrix.

    A subclass names its regulariser, the words for choosing it, and its default candidates, and
    defines `_score_method`.
    """

    _regularizer: ClassVar[str]
    _words: ClassVar[tuple[str, ...]] = ("cv",)
    _grid: ClassVar[tuple[float, ...]]
    _constraints: ClassVar[Constraints] = CONSTRAINTS
    _descriptions: ClassVar[str] = DESCRIPTIONS

    bandwidth_: float | Floats = field(init=False)
    selection_: Selection | None = field(init=False)
    expansion_: KernelExpansion | GramExpansion = field(init=False)

    kernel: Any = "gaussian"
    bandwidth: float | ArrayLike | str | Selector = "cv"
    _: KW_ONLY
    scale: str | None = "auto"
    coding: str = "one_vs_rest"
    folds: int = 5
    n_landmarks: int | str | None = "auto"
    random_state: Any = 0

    # What a subclass says

    @abstractmethod
    def _score_method(self, n_classes: int, start: Start) -> ScoreMethod:
        """The options of the method; ``start`` are weights of an earlier fit."""

    def _search_folds(self) -> int | None:
        """Folds that compare candidates, those of ``CrossValidation(folds=)`` first.

        None leaves one out.
        """
        own = own_criterion(self.bandwidth)
        return self.folds if own is None or own.folds is None else int(own.folds)

    def _landmark_count(self, n_rows: int) -> int | None:
        """How many rows carry weights; None for all."""
        return None if self._is_precomputed() else landmark_count(self.n_landmarks, n_rows)

    def _fit_all_rows(self, options: ScoreOptions, sample: Sample) -> FittedScores:
        return fit_gram(options, sample)

    def _check_parameters(self) -> None:
        """Everything wrong with the parameters, said before any computation."""
        super()._check_parameters()
        kernel = check_kernel(self.kernel)
        check_score_bandwidth(self.bandwidth, kernel)
        if self._is_precomputed() and isinstance(self.n_landmarks, int):
            raise ValueError(
                f"n_landmarks={self.n_landmarks!r} needs points to draw from, which "
                "kernel='precomputed' does not have; use n_landmarks=None."
            )
        if self.novelty is not None and not (isinstance(kernel, Kernel) and kernel.is_density):
            raise ValueError(
                f"novelty={self.novelty!r} is judged by kernel densities, and "
                f"kernel={self.kernel!r} is none; use novelty=None, or a density kernel."
            )
        check_candidates(getattr(self, self._regularizer), self._regularizer, self._words)

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
        if is_dask(X, y, sample_weight):
            return self._fit_by_chunks(X, y, sample_weight)
        with telling_callbacks(self, X, y, sample_weight):
            self._check_parameters()
            start = self._weights_by_row() if getattr(self, "warm_start", False) else {}
            self._forget()
            self._rows_of_fit = None
            points = self._validate(X, reset=True)
            weights, name = validate_weights(sample_weight, points), type(self).__name__
            sample, rows = self._sample(points, check_labels(y, points, name), weights)
            self._row_names = row_names(X)
            with few_blas_threads(len(sample)):
                self._fit_sample(sample, rows, start)
            if not self._is_precomputed() and self._landmark_count(len(sample)) is None:
                self._rows_of_fit = TrainingRows.fitted(sample, rows, len(points))
        return self

    @available_if(check_can_add)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows; the solution is that of a fit on all rows so far.

        Bandwidth and regulariser must be numbers. ``classes_`` are those of the rows so far.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            More rows.
        y : array of shape (n_samples,)
            Their classes.
        classes : array of shape (n_classes,), default=None
            All classes that there may be: a label that is not among them is refused.
        sample_weight : array of shape (n_samples,), default=None
            Frequencies.
        """
        self._check_parameters()
        old = rows_so_far(self)
        points = self._validate(X, reset=old is None)
        labels = check_labels(y, points, type(self).__name__)
        unknown = [] if classes is None else np.setdiff1d(labels, classes).tolist()
        if unknown:
            raise ValueError(f"y holds {unknown[0]!r}, which is not in classes={classes!r}.")
        new = TrainingRows.of(points, labels, validate_weights(sample_weight, points))
        rows = new if old is None else old.joined(new)
        sample, places = rows.sample()
        self._fit_sample(sample, places, self._weights_by_row())
        self.training_rows_, self._row_names = rows, None
        return self

    @available_if(check_has_density)
    def score_samples(self, X: ArrayLike) -> Floats:
        """Log-density of the mixture of the classes at each row, by which novelty is judged."""
        assert self.density_ is not None
        return np.asarray(self.density_.score_samples(X))

    def __sklearn_tags__(self) -> Any:
        """Gram matrices are pairwise: cross-validation cuts rows and columns."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    # How it is done

    def _unsaved_attributes(self) -> set[str]:
        return super()._unsaved_attributes() | {"_rows_of_fit"}

    def _fit_sample(self, sample: Sample, rows: Ints, start: Start) -> None:
        """Fit, and keep the outcome only when all is done."""
        self._check_serves(sample.X.shape[1])
        check_countable(sample.weights)
        resolve_priors(self, sample.classes, sample.counts)
        resolve_costs(self.costs, sample.n_classes)
        if sample.n_classes == 1:
            fitted = self._fit_one_class(sample)
        else:
            warn_single_rows(sample)
            options = self._fit_options(sample.n_classes, start)
            count = self._landmark_count(len(sample))
            if count is None:
                fitted = self._fit_all_rows(options, sample)
            else:
                fitted, places = fit_on_landmarks(options, sample, count)
                rows = rows[places]
        if not np.isfinite(fitted.solved.weights).all():
            w = sample.frequencies
            raise ValueError(
                f"sample_weight spans {w.min():.3g} to {w.max():.3g}, for which the equations have "
                "no solution in floating point; leave the rows of next to no weight out."
            )
        self._set_classes(sample.classes, sample.counts)
        self._keep(fitted, rows)
        self._set_decision()

    def _fit_chunks(self, chunks: Any, names: list[Any] | None) -> None:
        """Fit a chunked sample on landmarks; only a part of it comes here."""
        self._forget()
        self._rows_of_fit = None
        validate_points(self, chunks.example(names), reset=True)
        self._check_serves(self.n_features_in_)
        self._set_classes(chunks.classes, chunks.counts)
        count = self._landmark_count(len(chunks))
        assert count is not None
        options = self._fit_options(len(self.classes_), {})
        self._keep(*fit_chunks_on_landmarks(options, chunks, count))
        self._set_decision()

    def _weights_by_row(self) -> Start:
        """Weights of the last fit by the bytes of their row."""
        points = getattr(getattr(self, "expansion_", None), "points", None)
        if points is None or points.ndim != 2:
            return {}
        return {p.tobytes(): np.abs(w) for p, w in zip(points, self.dual_coef_, strict=True)}

    def _fit_options(self, n_classes: int, start: Start) -> ScoreOptions:
        return ScoreOptions(
            method=self._score_method(n_classes, start),
            kernel=check_kernel(self.kernel),
            bandwidth=self.bandwidth,
            scale=self.scale,
            regularizers=candidates(getattr(self, self._regularizer), self._grid),
            regularizer_name=self._regularizer,
            folds=self._search_folds(),
            calibration_folds=self.folds,
            coding=self.coding,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )

    def _sample(self, points: Array, labels: Array, weights: Floats | None) -> tuple[Sample, Ints]:
        """The distinct rows, and the row of the input that each stands for."""
        if not self._is_precomputed():
            return distinct_rows(points, labels, weights, getattr(self, "bandwidth_rows", None))
        return precomputed_rows(points, labels, weights)

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == PRECOMPUTED

    def _fit_one_class(self, sample: Sample) -> FittedScores:
        """One class: there is nothing to choose and nothing to weigh."""
        value, kernel = getattr(self, self._regularizer), check_kernel(self.kernel)
        bandwidth: float | Floats = float("nan")
        if not isinstance(self.bandwidth, str | Selector):
            bandwidth = bandwidth_grid(self.bandwidth, None, sample, kernel, 1).bandwidth(0)
        return FittedScores(
            carriers=sample,
            reference=sample,
            solved=Solved(np.zeros((len(sample), 1)), np.zeros(1)),
            book=np.ones((1, 1)),
            bandwidth=bandwidth,
            regularizer=float("nan") if isinstance(value, str) else value,
            selection=None,
            left_out=np.zeros((len(sample), 1)),
            scale=None,
        )

    def _set_classes(self, classes: Array, counts: Floats) -> None:
        self.classes_, self.class_count_ = classes, counts
        self._set_priors()
        resolve_costs(self.costs, len(classes))

    def _keep(self, fitted: FittedScores, rows: Ints) -> None:
        """Set the fitted attributes; the expansion is on the rows that carry a weight."""
        self.bandwidth_, self.scale_ = fitted.bandwidth, fitted.scale
        self.selection_ = fitted.selection
        setattr(self, f"{self._regularizer}_", fitted.regularizer)
        self.code_book_, self.probability_scale_ = fitted.book, fitted.probability_scale
        W, b = fitted.solved.weights, fitted.solved.offset
        kept = (W != 0).any(axis=1)
        self.support_, self.dual_coef_, self.intercept_ = rows[kept], W[kept], b
        kernel, points = check_kernel(self.kernel), fitted.carriers.X[kept]
        if isinstance(kernel, Kernel) and kept.any():
            self.expansion_ = KernelExpansion(
                points=points,
                kernel=kernel,
                bandwidth=np.array(self.bandwidth_),
                n_classes=W.shape[1],
                weights=W[kept],
                offset=b,
                unit_peak=True,
            )
        else:
            points = self.support_ if self._is_precomputed() else points
            self.expansion_ = GramExpansion(points=points, kernel=kernel, weights=W[kept], offset=b)
        sample = fitted.reference
        self.density_ = None if self.novelty is None else self._density_of(sample)
        self._keep_reference(sample if self.density_ is None else None)
        self._left_out = fitted.left_out, sample.codes, sample.frequencies

    def _explain(self, X: Floats, top: int) -> list[Explanation]:
        return explain_signed(self, X, top)

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        """Rank the log-odds of the row among those of held-out training rows."""
        held_out, codes, _ = self._left_out
        joints = self.decision_.joint(self._densities_at(X)), self.decision_.joint(held_out)
        return ranked_log_odds(*joints, codes, self._ranked(), conditional)

    def _ranked(self) -> Floats:
        """The frequency with which each training row counts in the ranks of prediction sets."""
        return self._left_out[2]

    def _densities(self) -> ParzenClassifier:
        return super()._densities() if self.density_ is None else self.density_

    def _set_decision(self) -> None:
        """Priors, costs and thresholds in one frozen object; set last, it marks the fit as done."""
        self._rejection_labels()
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors_)
        if self.novelty is not None:
            if self.density_ is None:
                raise ValueError(
                    f"novelty={self.novelty!r} needs the densities of the training points, which "
                    "were not kept; fit with novelty."
                )
            priors = None if self._observed_priors else self.priors_
            self.density_ = self.density_.with_decision(priors=priors, novelty=self.novelty)
        self.decision_ = TemperedDecision(
            log_priors=log_priors,
            costs=resolve_costs(self.costs, len(self.classes_)),
            reject=self.reject,
            log_shares=np.log(self.class_count_ / self.class_count_.sum()),
            exponent=self.probability_scale_,
        )

    def _log_densities(self, X: Floats) -> Floats:
        """Scores of the classes; the decision takes exp(a s) for probabilities."""
        if len(X) == 0:
            return np.empty((0, len(self.classes_)))
        scores = self.expansion_.scores(X.astype(np.float64, copy=False), **self._sums_options())
        return class_scores(np.asarray(scores, np.float64), self.code_book_, self.coding)

    def _codes_at(self, X: Floats) -> NDArray[np.int32]:
        codes = self.decision_.codes(self._log_densities(X))
        if self.novelty is not None:
            assert self.density_ is not None
            threshold = self.density_.decision_.novelty_threshold
            assert threshold is not None
            codes[self.density_.score_samples(X) < threshold] = NOVEL
        return codes
