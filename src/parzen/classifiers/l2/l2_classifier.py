"""L2 kernel classification: Kim & Scott (2010), IEEE TPAMI 32(10).

    f_c(x) = sum_{i in c} a_i k_s(x, x_i),      predict by the sign of f_+ - gamma f_-

The weights minimise the integrated squared error of the difference of densities: a quadratic
programme, eq. (7), with each class's weights on a simplex. Most of them are zero. Sections 5.1
(smoothing), 5.2 (constraint="relaxed"), 5.3 (constraint=None) and 5.5 (eta) are options.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen._core import available_if, few_blas_threads, is_dask, portion, warn
from parzen.bandwidth import (
    Selector,
    check_bandwidth_parameter,
    own_criterion,
)
from parzen.classifiers.base import DensityClassifier, Sample, first_of_equal_rows, resolve_costs
from parzen.classifiers.l2.bandwidth import chosen, given_bandwidth, units_of
from parzen.classifiers.l2.landmarks import on_carriers, searched_on
from parzen.classifiers.l2.linear import LinearOptions, fit_linear
from parzen.classifiers.l2.parameters import check_l2_parameters, form_of, refuse_without_theorem
from parzen.classifiers.l2.progress import progress_of
from parzen.classifiers.l2.signed import SignedRule
from parzen.classifiers.l2.supports import Programme, carriers
from parzen.classifiers.l2.values import class_values
from parzen.expansion import KernelExpansion
from parzen.kernels import Kernel
from parzen.l2 import L2Form, L2Sample, L2Solver, Units, oracle_epsilon
from parzen.samples import MOST_DENSITIES, landmark_count, part_size
from parzen.sums import DEFAULT_RTOL

Floats = NDArray[np.float64]

_CHOOSING = 0.9  # share of the work that a search takes,
_DEALT = 0.95  # and, of a large sample, parts of it besides


def _has_densities(estimator: L2Classifier) -> None:
    if estimator.constraint is not None:
        return
    raise AttributeError(
        "constraint=None has signed weights and so no densities; for probabilities use a constraint"
    )


class L2Classifier(DensityClassifier):
    """Sparse kernel classifier of least integrated squared error.

    Parameters
    ----------
    kernel : str or Kernel, default="gaussian"
        gaussian, cauchy, laplacian, radial_laplacian, uniform, triangular or epanechnikov.
    bandwidth : float, array, str or Selector, default="cv"
        A number; one per class in the order of ``classes_`` (gaussian and cauchy); one per feature,
        shape (1, n_features); both, (n_classes, n_features), for cauchy with rows in proportion;
        the name of a selector of `parzen.bandwidth` or a selector; or ``"cv"``, the error of this
        classifier in cross-validation (`CrossValidation` for folds, a grid or one bandwidth per
        feature).
    smoothing : float, default=0
        The paper's k: the criterion compares densities smoothed by k times the bandwidth (with one
        per class, their geometric mean). gaussian and cauchy only.
    eta : float or "cv", default=1.0
        Divides the linear term. Above some 15 dimensions eta = 1 keeps too few kernels. With
        constraint=None it would scale all scores alike and change no decision: it is then not used.
    gamma : float, default=None
        Weight of the density of ``classes_[0]`` against that of ``classes_[1]``; None for the ratio
        of the class frequencies, or of ``priors`` and ``costs``. It enters the fit, not just the
        decision.
    constraint : {"simplex", "relaxed", "separate", None}, default="simplex"
        Weights of a class sum to one; may sum to less where the classes overlap (section 5.2);
        each class alone (He and Girolami, 2004); or no constraint, a linear system (L2LE-k).
    linear_term : {"loo", "resubstitution"}, default="loo"
        Whether a point is left out of the estimate of the linear term at itself.
    ridge : float, default=None
        constraint=None: added to the diagonal, in units of the kernel's peak. None for the largest
        of those with the fewest leave-one-out errors, gamma held fixed.
    solver : {"direct", "cg"}, default="direct"
        constraint=None: ``"cg"`` takes ``max_iter`` steps of conjugate gradients, without a ridge.
    grid : int or array, default=None
        Bandwidths for ``bandwidth="cv"``: how many (None for 10), the values, or an array of shape
        (n_bandwidths, n_classes) for one per class.
    eta_grid : int or array, default=None
        Values for ``eta="cv"``: how many (None for 10) from 1 to k(0) / (k*k)(0), or the values.
    cv : int, splitter or iterable, default=5
        Folds: stratified and not shuffled when a number.
    tol : float, default=1e-6
        Largest violation of the optimality conditions, relative to the gradient of each class.
    max_iter : int, default=None
        Steps of the solver; None for ten million (``"cg"``: 10).
    priors : None, "uniform" or array of shape (n_classes,), default=None
        Prior probabilities; None for the shares of the sample. They enter the fit.
    class_weight : None, "balanced" or dict, default=None
        Another way to say priors; a dict also weighs the errors that choose bandwidth and eta.
    costs : array of shape (n_classes, n_classes), default=None
        costs[true, predicted]. They enter the fit through gamma, for more than two classes through
        the mean cost of mistaking a class.
    reject : float, default=None
        Reject as ambiguous where the expected cost of the best decision exceeds this.
    reject_label : object, default=None
        Label of ambiguous rows; None for -1, or "rejected" where classes are no numbers.
    novelty : float, default=None
        Reject as novel where the density is smaller than at all but this share of the training
        points, each without its own kernel. The training rows are then kept.
    novelty_label : object, default=None
        Label of novel rows; None for -2, or "novel" where classes are no numbers.
    n_landmarks : int, None or "auto", default="auto"
        Most rows that may carry weights; the criterion is that of all rows. They are those that
        the programme chooses in parts of the sample; with ``constraint=None`` they are drawn.
        None for all rows; "auto" for at most 20 000 of more than 10 000.
    random_state : int, RandomState or None, default=0
        Deals the rows out to parts; None for other ones at every fit.
    verbose : bool, default=False
        Print progress: of the cross-validation at each bandwidth, and of the solver.
    method, rtol
        How kernel sums at new points are computed: see `ParzenClassifier`.
    n_jobs : int, default=None
        Threads; None for all cores that the process may use. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    class_count_ : array of shape (n_classes,)
        Sum of the frequencies of each class.
    priors_ : array of shape (n_classes,)
        Prior probabilities in use.
    bandwidth_ : float or array
        The bandwidth in use, in one of the shapes above.
    eta_ : float
        The eta in use; 1.0 with constraint=None.
    gamma_ : float or None
        The gamma of the fit, infinite where the prior of ``classes_[1]`` is 0; None for more than
        two classes. A copy by `with_decision` keeps it, as it keeps the weights.
    support_ : array of shape (n_support,)
        Training rows that carry a kernel.
    support_vectors_ : array of shape (n_support, n_features)
        These rows.
    dual_coef_ : array of shape (1, n_support) or (n_classes, n_support)
        Two classes: a_i for ``classes_[1]``, -gamma a_i for ``classes_[0]`` (gamma infinite: 0 and
        -a_i); constraint=None: the beta_i. More: v_c a_i in the row of the class. Equal rows of a
        class share one entry.
    weights_ : array of shape (n_support,)
        The a_i. Not there with constraint=None.
    slacks_ : array of shape (n_classes,)
        xi of the primal (8) and (11) for each class, in units of the peak of k_rho. Not there with
        constraint=None, which has neither constraints nor densities.
    optimality_gap_ : float
        Duality gap, relative to the gradient of each class; the worst of them.
    objective_ : float
        The criterion (7) at the solution, in units of the peak of k_rho.
    n_iter_ : int
        Steps of the solver.
    ridge_ : float or None
        The ridge in use, constraint=None only.
    cv_results_ : dict
        After a cross-validation: ``bandwidth`` (falling; geometric means over the features),
        ``eta``, ``errors`` and ``sparsity`` of shape (n_bandwidths, n_etas), ``fold_errors`` of
        shape (folds, n_bandwidths, n_etas).
    expansion_ : KernelExpansion
        The fitted model.
    decision_ : Decision
        Priors, costs and thresholds in use.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Names of the columns, when the input had any.

    Notes
    -----
    More than two classes: one programme, the sum over all pairs of classes of the error of the
    difference of their densities, which for two classes is the paper's. One programme per class
    against the rest errs as often (iris 4.0 and 4.0 %, wine 5.8 and 4.7, digits 2.4 and 2.4, ecoli
    14.0 and 15.1; ``python -m benchmarks l2_multiclass``), takes three to five times as long, and
    has no densities whose probabilities sum to one. Beyond 64 classes the coupling, less than 1/63
    of the diagonal, is left out.

    Time for the linear term is one kernel per pair, for the programme one row of the kernel matrix
    per point that ever carries weight; rows are kept within scikit-learn's ``working_memory``.
    Decisions are taken between logarithms of densities, so they are right far from the data.
    With ``constraint="relaxed"`` a class may lose all its kernels; its density is then zero, and
    where all are lost the priors decide. gamma = 0 predicts ``classes_[1]`` everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import L2Classifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (100, 1)), rng.normal(3, 1, (100, 1))])
    >>> y = np.repeat([0, 1], 100)
    >>> clf = L2Classifier(bandwidth=0.5).fit(X, y)
    >>> clf.predict([[0.0], [3.0], [1e6]])
    array([0, 1, 1])
    >>> len(clf.support_) < 20
    True
    """

    _chunks: Any = None  # a chunked sample, while it is fitted

    def __init__(
        self,
        kernel: str | Kernel = "gaussian",
        bandwidth: float | ArrayLike | str | Selector = "cv",
        *,
        smoothing: float = 0,
        eta: float | str = 1.0,
        gamma: float | None = None,
        constraint: str | None = "simplex",
        linear_term: str = "loo",
        ridge: float | None = None,
        solver: str = "direct",
        grid: int | ArrayLike | None = None,
        eta_grid: int | ArrayLike | None = None,
        cv: Any = 5,
        tol: float = 1e-6,
        max_iter: int | None = None,
        n_landmarks: int | str | None = "auto",
        random_state: Any = 0,
        priors: ArrayLike | str | None = None,
        class_weight: dict[Any, float] | str | None = None,
        costs: ArrayLike | None = None,
        reject: float | None = None,
        reject_label: Any = None,
        novelty: float | None = None,
        novelty_label: Any = None,
        verbose: bool = False,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            priors=priors,
            class_weight=class_weight,
            costs=costs,
            gamma=gamma,
            reject=reject,
            reject_label=reject_label,
            novelty=novelty,
            novelty_label=novelty_label,
            method=method,
            rtol=rtol,
            n_jobs=n_jobs,
        )
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.smoothing = smoothing
        self.eta = eta
        self.constraint = constraint
        self.linear_term = linear_term
        self.ridge = ridge
        self.solver = solver
        self.grid = grid
        self.eta_grid = eta_grid
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.n_landmarks = n_landmarks
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose bandwidth and eta where that is asked for, and solve for the weights.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The sample.
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : array of shape (n_samples,), default=None
            Frequencies: weight 2 is two copies of the row, weight 0 none.
        """
        if is_dask(X, y, sample_weight):
            return self._fit_by_chunks(X, y, sample_weight)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        # Rows of weight 0 are absent from here on; folds and support_ speak of the rows given.
        self._present = None
        if hasattr(self, "_training_rows"):
            del self._training_rows
        if weights is not None and weights.ndim == 1 and not (weights > 0).all():
            self._present = np.flatnonzero(weights > 0)
        super().fit(X, y, sample_weight)
        return self

    def _landmark_count(self, n_rows: int) -> int | None:
        """Landmarks of a chunked sample; None where all of it is needed here."""
        named = isinstance(self.bandwidth, str | Selector)
        if self.novelty is not None or (named and own_criterion(self.bandwidth) is None):
            return None
        return self._carriers(n_rows)

    def _carriers(self, n_rows: int) -> int | None:
        """How many rows may carry weights; None where all may."""
        return landmark_count(
            self.n_landmarks, n_rows, most=MOST_DENSITIES, matrices=self._is_signed()
        )

    def _fit_chunks(self, chunks: Any, names: list[Any] | None) -> None:
        """Fit a chunked sample on landmarks; only a part of it comes here."""
        self._forget()
        self._validate(chunks.example(names), reset=True)
        count = self._landmark_count(len(chunks))
        assert count is not None
        drawn = chunks.drawn(part_size(count), self.random_state)
        weights = None if (drawn.weights == 1).all() else drawn.weights
        self._present, self._chunks = drawn.rows, chunks
        try:
            self._fit_sample(Sample(drawn.X, drawn.codes, weights, chunks.classes, chunks.counts))
        finally:
            del self._chunks

    def __sklearn_tags__(self) -> Any:
        """Say that signed weights need a bandwidth and a ridge that were chosen for the data."""
        tags = super().__sklearn_tags__()
        chosen = isinstance(self.bandwidth, str) and self.solver == "direct"
        tags.classifier_tags.poor_score = self.constraint is None and not chosen
        return tags

    def oracle_bound(self, delta: float) -> float:
        """The epsilon of Theorem 1: ISE <= min ISE + 4 epsilon with probability 1 - delta.

        Loose: it is a union bound over all points, and in more than a few dimensions it says
        nothing at any sample size within reach. The theorem is about at most two classes, weights
        that sum to at most one, eta = 1 and the leave-one-out linear term; elsewhere a ValueError.
        """
        check_is_fitted(self)
        refuse_without_theorem(self)
        form, d = form_of(self), self.n_features_in_
        units = Units.of(np.asarray(self.bandwidth_), len(self.classes_))
        log_peak = float(form.widths(units.bandwidths, d).log_tau.max())
        gamma = 0.0 if self.gamma_ is None else self.gamma_  # one class: Corollary 1
        return oracle_epsilon(delta, self.class_count_, gamma, log_peak)

    @available_if(_has_densities)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the classes, shape (n, C)."""
        return super().predict_proba(X)

    @available_if(_has_densities)
    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Logarithms of the probabilities, right where the probabilities underflow."""
        return super().predict_log_proba(X)

    @available_if(_has_densities)
    def score_samples(self, X: ArrayLike) -> Floats:
        """Log-density of the mixture of the classes at each row."""
        return super().score_samples(X)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Scores of the classes.

        Two classes: log f_1 - log gamma f_0, positive for ``classes_[1]``; otherwise log pi_c f_c,
        shape (n, C). With constraint=None the sums of beta_i k(x, x_i) / k(0).
        """
        if not self._is_signed() or is_dask(X):
            return super().decision_function(X)
        check_is_fitted(self)
        points = self._validate(X, reset=False)
        scores = self._signed_rule().scores(points, **self._sums_options())
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def with_decision(self, **parameters: Any) -> Self:
        """Return a fitted copy that decides differently, without fitting anew.

        The weights stay those of the priors and costs of the fit. constraint=None has no densities
        to decide by: a ValueError.

        Parameters
        ----------
        **parameters
            Any of ``priors``, ``class_weight``, ``costs``, ``gamma``, ``reject``,
            ``reject_label``, ``novelty`` and ``novelty_label``.
        """
        check_is_fitted(self)
        if self._is_signed():
            raise ValueError(
                "constraint=None has no densities to decide by anew: priors and costs are in its "
                "weights; fit again."
            )
        return super().with_decision(**parameters)

    @property
    def dual_coef_(self) -> Floats:
        """Signed weights of the support, one row for two classes; formed at each access."""
        check_is_fitted(self)
        if self._is_signed():
            return self._beta
        assert self.expansion_.labels is not None
        return _dual_coefficients(self.weights_, self.expansion_.labels, self._values)

    def _training_sample(self) -> tuple[NDArray[np.intp], Floats | None]:
        sample, _ = self._training_rows
        return sample.codes, sample.weights

    def _leave_one_out_log_densities(self) -> NDArray[Any]:
        """Densities at the training rows without their own kernels, the weights as they are."""
        if not hasattr(self, "_training_rows"):
            raise ValueError("novelty needs the training rows; fit again with novelty given.")
        sample, kept = self._training_rows
        logs = self._log_densities(sample.X).astype(np.float64)
        if len(kept):
            logs[kept] = self.expansion_.leave_one_out_log_sums(n_jobs=self.n_jobs)
            with np.errstate(divide="ignore", invalid="ignore"):
                rest = np.log1p(-np.minimum(self.weights_, 1.0))
                own = logs[kept, sample.codes[kept]]
                logs[kept, sample.codes[kept]] = np.where(np.isneginf(rest), -np.inf, own - rest)
        return logs

    def _is_signed(self) -> bool:
        return self.constraint is None and len(getattr(self, "classes_", ())) != 1

    def _signed_rule(self) -> SignedRule:
        return SignedRule(self.expansion_, self.gamma_, self.priors_)

    def _labels_at(self, X: NDArray[Any]) -> NDArray[Any]:
        if not self._is_signed():
            return super()._labels_at(X)
        return np.asarray(self.classes_[self._signed_rule().codes(X, **self._sums_options())])

    def _certain_codes(self, X: NDArray[Any]) -> NDArray[np.int32] | None:
        if not self._is_signed():
            return super()._certain_codes(X)
        return self._signed_rule().certain_codes(X, **self._sums_options())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_l2_parameters(self)
        check_bandwidth_parameter(self.bandwidth)
        own = own_criterion(self.bandwidth)
        if own is not None and own.per == "class":
            raise ValueError(
                f"bandwidth={own!r}: per='class' is not available in L2Classifier; give "
                "grid= an array of shape (n_bandwidths, n_classes), or another selector."
            )

    def _fit_densities(self, sample: Sample) -> None:
        if self.gamma == 0:
            warn(
                f"gamma=0 leaves class {sample.classes[0]} out, so {sample.classes[1]} is "
                "predicted everywhere; for the density alone use L2KernelDensity.",
            )
        if self._is_signed():
            with few_blas_threads(len(sample.X)):
                self._choose_and_solve(sample)
        else:
            self._choose_and_solve(sample)

    def _choose_and_solve(self, sample: Sample) -> None:
        form, given = form_of(self), given_bandwidth(self, sample)
        units = units_of(self, sample, given)
        scaled = sample._replace(X=units.points(sample.X))
        ordered = L2Sample.merged(scaled.X, sample.codes, sample.weights, len(sample.classes))
        values = class_values(self.priors_, resolve_costs(self.costs, len(sample.classes)))
        chunks = self._chunks
        if chunks is not None and units.scale is not None:
            chunks = chunks.scaled(units.scale)
        count = self._carriers(len(ordered.codes) if chunks is None else len(chunks))
        searched = searched_on(count, self.random_state, scaled, ordered, self._present)
        with portion(0, _CHOOSING):
            bandwidths, self.eta_ = chosen(self, searched, form, None if given is None else units)
        self.bandwidth_ = units.bandwidth(bandwidths)
        if given is not None and given.ndim == 2:
            self.bandwidth_ = given
        self.gamma_ = None
        if len(values) == 2:
            self.gamma_ = float(values[0] / values[1]) if values[1] > 0 else np.inf
        if count is not None:
            relaxed = self.constraint == "relaxed"
            programme = Programme(form, bandwidths, values, self.eta_, relaxed, self.max_iter)
            with portion(_CHOOSING, _DEALT):
                places = carriers(
                    ordered, count, None if self._is_signed() else programme,
                    self.random_state, self.n_jobs,
                )  # fmt: skip
            ordered = on_carriers(ordered, places, chunks)
        with portion(_CHOOSING if count is None else _DEALT):
            if self._is_signed():
                self._fit_system(sample, ordered, bandwidths, values, form)
            else:
                self._fit_programme(sample, ordered, bandwidths, values, form)

    def _fit_programme(
        self, sample: Sample, ordered: L2Sample, bandwidths: Floats, values: Floats, form: L2Form
    ) -> None:
        everything = np.ones((1, len(ordered.X)), dtype=bool)
        solver = L2Solver(ordered, everything, form, bandwidths[None], self.n_jobs)
        solution, self.slacks_ = solver.solve_one(
            values,
            eta=self.eta_,
            tol=self.tol,
            relaxed=self.constraint == "relaxed",
            max_iter=self.max_iter,
            progress=progress_of(self),
        )
        solution.warn_unless_converged()
        self.objective_, self.n_iter_ = solution.objective, solution.iterations
        self.optimality_gap_ = solution.gap
        kept = np.flatnonzero(solution.weights)
        self.weights_ = solution.weights[kept]
        codes = sample.codes[kept]
        self.expansion_ = KernelExpansion(
            points=sample.X[kept],
            kernel=form.kernel,
            bandwidth=np.asarray(self.bandwidth_),
            n_classes=len(sample.classes),
            labels=codes,
            weights=self.weights_,
        )
        self._values = values
        self._keep_support(sample, kept)
        if self.novelty is not None:
            rows, merged = first_of_equal_rows(sample)  # a weight is as good as copies
            self._training_rows = (merged, np.searchsorted(rows, kept))

    def _fit_system(
        self, sample: Sample, ordered: L2Sample, bandwidths: Floats, values: Floats, form: L2Form
    ) -> None:
        options = self._linear_options(sample, form)
        fitted = fit_linear(ordered, bandwidths, values, options)
        self.ridge_ = fitted.ridge
        self.expansion_ = replace(
            fitted.expansion,
            points=sample.X[ordered.order].astype(np.float64, copy=False),
            bandwidth=np.asarray(self.bandwidth_),
        )
        self.objective_ = fitted.solution.objective
        self.optimality_gap_, self.n_iter_ = fitted.solution.gap, fitted.solution.iterations
        kept = np.sort(ordered.order)  # the first of several equal rows
        self._beta = ordered.unsorted(fitted.solution.weights.T)[:, kept]
        self._keep_support(sample, kept)

    def _linear_options(self, sample: Sample, form: L2Form) -> LinearOptions:
        importance = self._importance(sample)
        return LinearOptions(form, self.ridge, self.solver, self.max_iter, importance, self.n_jobs)

    def _keep_support(self, sample: Sample, kept: NDArray[np.intp]) -> None:
        self.support_ = kept if self._present is None else self._present[kept]
        self.support_vectors_ = sample.X[kept]


def _dual_coefficients(weights: Floats, codes: NDArray[np.intp], values: Floats) -> Floats:
    if len(values) == 2:
        return np.asarray(np.where(codes == 1, values[1], -values[0]) * weights)[None]
    out = np.zeros((len(values), len(weights)))
    out[codes, np.arange(len(weights))] = values[codes] * weights
    return out
