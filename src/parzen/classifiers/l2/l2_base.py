"""What both L2 classifiers share: parameters, the search over bandwidths, large samples."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin

from parzen._core import (
    Array,
    Bools,
    Checked,
    Constraints,
    Floats,
    Integer,
    Ints,
    LinkedEstimator,
    Number,
    OneOf,
    Seed,
    declared,
    portion,
    validate_points,
    warn,
)
from parzen.bandwidth import (
    Selector,
    check_bandwidth_parameter,
    own_criterion,
    with_constant_columns,
)
from parzen.base import SumsOptions
from parzen.classifiers.base import PriorsAndCosts, SampleFit, row_names
from parzen.classifiers.l2.class_values import ClassValues
from parzen.classifiers.l2.grid import check_grid
from parzen.classifiers.l2.search import (
    Choice,
    SearchOptions,
    bandwidth_before_search,
    choose,
    search_sample,
    with_carriers,
)
from parzen.classifiers.l2.signed_weights import SignedMethod
from parzen.classifiers.l2.simplex_weights import SimplexMethod
from parzen.kernels import Kernel, get_density
from parzen.l2 import LINEAR_TERMS, Carriers, L2Form, LinearTerm
from parzen.samples import (
    MOST_DENSITIES,
    Sample,
    check_folds,
    check_landmarks,
    landmark_count,
    part_size,
)
from parzen.solvers import Progress

_SHARE_OF_SEARCH = 0.9  # Share of the work of a fit that the comparison of bandwidths takes.
_SHARE_BEFORE_SOLVING = 0.95  # The same share where parts of a large sample are solved too.


@declared
class L2Base(PriorsAndCosts, SumsOptions, ClassifierMixin, LinkedEstimator, SampleFit):  # type: ignore[misc]
    """Base of the classifiers whose weights minimise the L2 criterion.

    A subclass says how the weights are found (`_weight_method`), and keeps them (`_keep_solution`).
    """

    _constraints: ClassVar[Constraints] = {
        "kernel": Checked(get_density),
        "bandwidth": Checked(check_bandwidth_parameter),
        "smoothing": Number("[0, inf)"),
        "linear_term": OneOf(*LINEAR_TERMS),
        "grid": Checked(partial(check_grid, name="grid")),
        "cv": Checked(partial(check_folds, name="cv")),
        "max_iter": Integer(1),
        "n_landmarks": Checked(check_landmarks),
        "random_state": Seed(),
    }
    _descriptions: ClassVar[str] = """
    kernel : str or Kernel, default="gaussian"
        Any density kernel: ``parzen.kernels.density_names()``.
    smoothing : float, default=0
        The paper's k: the criterion compares densities smoothed by k times the bandwidth (with one
        per class, their geometric mean). gaussian and cauchy only.
    gamma : float, default=None
        Weight of the density of ``classes_[0]`` against that of ``classes_[1]``; None for the ratio
        of the class frequencies, or of ``priors`` and ``costs``. It enters the fit, not just the
        decision.
    linear_term : {"loo", "resubstitution"}, default="loo"
        Whether a point is left out of the estimate of the linear term at itself.
    cv : int, splitter or iterable, default=5
        Folds: stratified and not shuffled when a number.
    priors : None, "uniform" or array of shape (n_classes,), default=None
        Prior probabilities; None for the shares of the sample. They enter the fit.
    class_weight : None, "balanced" or dict, default=None
        Another way to say priors; a dict also weighs the errors that choose the bandwidth.
    costs : array of shape (n_classes, n_classes), default=None
        costs[true, predicted]. They enter the fit through gamma, for more than two classes through
        the mean cost of mistaking a class.
    random_state : int, RandomState or None, default=0
        Deals the rows out to parts and draws landmarks; None for other ones at every fit.
    verbose : bool, default=False
        Print progress: of the cross-validation at each bandwidth, and of the solver.
    gamma_ : float or None
        The gamma of the fit, infinite where the prior of ``classes_[1]`` is 0; None for more than
        two classes.
    support_ : array of shape (n_support,)
        Training rows that carry a kernel. Equal rows of a class share one entry, the first.
    support_vectors_ : array of shape (n_support, n_features)
        These rows.
    n_iter_ : int
        Steps of the solver.
    selection_ : Selection or None
        How the bandwidth, and eta, were chosen; None when both were given.
    cv_results_ : dict
        After a cross-validation, the arrays of ``selection_``: ``bandwidth`` (ascending; geometric
        means over the features), ``eta``, ``errors`` and ``sparsity`` of shape (n_bandwidths,
        n_etas), ``fold_errors`` of shape (folds, n_bandwidths, n_etas).
    """
    _needs_matrices: ClassVar[bool]  # whether memory has to hold the matrix of the carriers

    kernel: str | Kernel = "gaussian"
    bandwidth: float | ArrayLike | str | Selector = "cv"
    _: KW_ONLY
    scale: str | None = "auto"
    smoothing: float = 0
    linear_term: LinearTerm = "loo"
    grid: int | ArrayLike | None = None
    cv: Any = 5
    n_landmarks: int | str | None = "auto"
    random_state: Any = 0
    verbose: bool = False

    @abstractmethod
    def _weight_method(self, sample: Sample) -> SimplexMethod | SignedMethod:
        """How the weights are found."""

    @abstractmethod
    def _keep_solution(
        self,
        method: Any,
        sample: Sample,
        ordered: Carriers,
        first: Ints,
        choice: Choice,
        values: Floats,
    ) -> None:
        """Find the weights of the ordered rows and keep the expansion.

        ``first`` are these rows in the sample, the first of equal ones.
        """

    def _remember_rows(self, X: Any, weights: Array | None) -> None:
        # Folds and support_ speak of the rows that were given, those of weight 0 among them.
        self._input_rows, self._row_names = None, row_names(X)
        if weights is not None and not (weights > 0).all():
            self._input_rows = np.flatnonzero(weights > 0)

    @property
    def cv_results_(self) -> dict[str, Floats]:
        """The table of the cross-validation, a view of ``selection_``."""
        found = self.selection_
        if found is None or found.fold_scores is None:
            raise AttributeError("cv_results_: nothing was cross-validated; use bandwidth='cv'.")
        assert found.second is not None
        assert found.sparsity is not None
        return {
            "bandwidth": found.grid,
            "eta": found.second.values,
            "errors": found.scores,
            "fold_errors": found.fold_scores,
            "sparsity": found.sparsity,
        }

    def _fit_densities(self, sample: Sample) -> None:
        """Choose bandwidth and eta, and find the weights."""
        if self.gamma == 0:
            warn(
                f"gamma=0 leaves class {sample.classes[0]} out, so {sample.classes[1]} is "
                "predicted everywhere; for the density alone use L2KernelDensity.",
            )
        options, method = self._search_options(), self._weight_method(sample)
        is_given = not isinstance(self.bandwidth, str | Selector | Real) or hasattr(self, "_chunks")
        in_use, varies = (sample, None) if is_given else sample.varying()
        given = bandwidth_before_search(in_use, options)
        scaled = replace(in_use, X=given.units.points(in_use.X))
        merged = scaled.merged()
        ordered = Carriers.over(merged.sample)
        chunks = getattr(self, "_chunks", None)  # a chunked sample, while it is fitted
        if chunks is not None and given.units.scale is not None:
            chunks = chunks.scaled(given.units.scale)
        count = self._carrier_count(len(ordered) if chunks is None else len(chunks))
        searched = search_sample(count, self.random_state, scaled, merged, self._input_rows)
        with portion(0, _SHARE_OF_SEARCH):
            choice = choose(method, searched, given, options)
        self.bandwidth_ = given.shown(choice.bandwidths)
        self.selection_, self.scale_ = choice.selection, given.scale
        if varies is not None:
            self._add_constant_columns(varies)
        classes = ClassValues.of(self, sample.classes, sample.counts)
        self.gamma_, values, first = classes.gamma, classes.values, merged.first
        if count is not None:
            with portion(_SHARE_OF_SEARCH, _SHARE_BEFORE_SOLVING):
                places = method.carriers(ordered, count, choice, values, self.random_state)
            ordered, first = with_carriers(ordered, places, chunks), first[places]
        with portion(_SHARE_OF_SEARCH if count is None else _SHARE_BEFORE_SOLVING):
            self._keep_solution(method, sample, ordered, first, choice, values)

    def _add_constant_columns(self, varies: Bools) -> None:
        """What was chosen by the other columns, for all of them."""
        self.bandwidth_ = with_constant_columns(self.bandwidth_, varies)
        if self.selection_ is not None:
            chosen = with_constant_columns(self.selection_.bandwidth, varies)
            self.selection_ = replace(self.selection_, bandwidth=chosen)
        if self.scale_ is not None:
            self.scale_ = np.asarray(with_constant_columns(self.scale_[None], varies))[0]

    def _fit_chunks(self, chunks: Any, names: list[Any] | None) -> None:
        """Fit a chunked sample on landmarks; only a part of it comes here."""
        self._forget()
        validate_points(self, chunks.example(names), reset=True)
        count = self._landmark_count(len(chunks))
        assert count is not None
        drawn = chunks.drawn(part_size(count), self.random_state)
        weights = None if (drawn.weights == 1).all() else drawn.weights
        self._input_rows, self._chunks = drawn.rows, chunks
        sample = Sample(drawn.X, drawn.codes, weights, chunks.classes, chunks.counts)
        self._set_classes(sample)
        try:
            self._fit_densities(sample)
        finally:
            del self._chunks
        self._set_decision()

    def _landmark_count(self, n_rows: int) -> int | None:
        """Landmarks of a chunked sample; None where all of it is needed here."""
        named = isinstance(self.bandwidth, str | Selector)
        if named and own_criterion(self.bandwidth) is None:
            return None
        return self._carrier_count(n_rows)

    def _carrier_count(self, n_rows: int) -> int | None:
        """How many rows may carry weights; None where all may."""
        return landmark_count(
            self.n_landmarks, n_rows, most=MOST_DENSITIES, matrices=self._needs_matrices
        )

    def _keep_support(self, sample: Sample, kept: Ints) -> None:
        self.support_ = kept if self._input_rows is None else self._input_rows[kept]
        self.support_vectors_ = sample.X[kept]

    def _form(self) -> L2Form:
        """The criterion that the parameters describe."""
        return L2Form(get_density(self.kernel), float(self.smoothing), self.linear_term)

    def _search_options(self) -> SearchOptions:
        return SearchOptions(
            form=self._form(),
            bandwidth=self.bandwidth,
            scale=self.scale,
            grid=self.grid,
            eta=1.0,
            eta_grid=None,
            cv=self.cv,
            priors_and_costs=self,
            report=self._report,
            n_jobs=self.n_jobs,
        )

    def _report(self, stage: str) -> Progress | None:
        """What prints the steps of a stage; None for a silent estimator."""
        if not self.verbose:
            return None
        prefix = f"[{type(self).__name__}] {stage}"

        def report(iterations: int, gap: float) -> None:
            print(f"{prefix}{iterations} iterations, gap {gap:.1e}", flush=True)

        return report

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._form().check()
        own = own_criterion(self.bandwidth)
        if own is not None and own.per == "class":
            raise ValueError(
                f"bandwidth={own!r}: per='class' is not available in {type(self).__name__}; "
                "give L2Classifier grid= of shape (n_bandwidths, n_classes), or use another "
                "selector."
            )
