"""L2LE: the L2 criterion without constraints, Kim & Scott (2010), section 5.3.

    two classes      classes_[1] where sum_i beta_i k_s(x, x_i) > 0
    more             the class of the largest sum

The weights solve a linear system instead of a quadratic programme. They have any sign, so the sums
are no densities, and none of them is zero. A class whose prior is 0 never wins, whatever its sum.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Array,
    Constraints,
    Floats,
    Ints,
    Number,
    OneOf,
    check_countable,
    declared,
    few_blas_threads,
    is_other_array,
    validate_points,
    warn,
)
from parzen.classifiers.base import (
    Explaining,
    PredictionSets,
    certain_signed_codes,
    check_decision_parameters,
    error_weights,
    ranked_p_values,
)
from parzen.classifiers.l2.class_values import ClassValues
from parzen.classifiers.l2.l2_base import L2Base
from parzen.classifiers.l2.search import Choice
from parzen.classifiers.l2.signed_weights import SignedMethod, decide
from parzen.classifiers.plug_in import NoveltyByDensities
from parzen.evidence import Duel, Explanation, explain_scores, kernel_values, without_distances
from parzen.expansion import KernelExpansion
from parzen.l2 import Carriers
from parzen.samples import Sample

Codes = NDArray[np.int32]


@declared
class L2LinearClassifier(NoveltyByDensities, PredictionSets, Explaining, L2Base):
    """Kernel classifier of least integrated squared error with weights of any sign.

    Read more in the :doc:`guide </guide/l2>`.

    Parameters
    ----------
    {kernel}
    bandwidth : float, array, str or Selector, default="cv"
        A number; one per feature, shape (1, n_features); the name of a selector of
        `parzen.bandwidth` or a selector; or ``"cv"``, the error of this classifier in
        cross-validation (`CrossValidation` for folds, a grid or one bandwidth per feature).
    {scale}
    ridge : float, default=None
        Added to the diagonal, in units of the kernel's peak. None for the largest of those with the
        fewest leave-one-out errors, gamma held fixed. 0 solves the system of the paper as it
        stands, with a warning: it is nearly singular, and its solution fits noise.
    solver : {"direct", "cg"}, default="direct"
        ``"cg"`` takes ``max_iter`` steps of conjugate gradients, without a ridge.
    {smoothing, gamma, linear_term}
    grid : int or array, default=None
        Bandwidths for ``bandwidth="cv"``: how many (None for 10), or the values.
    {cv}
    max_iter : int, default=10
        Steps of conjugate gradients.
    n_landmarks : int, None or "auto", default="auto"
        Most rows that may carry weights, drawn at random; the criterion is that of all rows. None
        for all rows; "auto" for at most 20 000 of more than 10 000, fewer where their matrix does
        not fit scikit-learn's ``working_memory``.
    {random_state, priors, class_weight, costs, verbose, method, rtol, n_jobs}

    Attributes
    ----------
    {classes_, class_count_, priors_}
    {bandwidth_, selection_, scale_, cv_results_}
    ridge_ : float or None
        The ridge in use; None for conjugate gradients.
    {gamma_, support_, support_vectors_}
    dual_coef_ : array of shape (1, n_support) or (n_classes, n_support)
        The beta_i; for more than two classes one row per class, against the rest.
    objective_ : float
        The criterion at the solution, in units of the peak of k_rho.
    optimality_gap_ : float
        Residual of the system, relative to its right-hand side.
    {n_iter_, expansion_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    Two classes: ``classes_[1]`` is predicted where the sum is positive, so a tie, a sum of 0, goes
    to ``classes_[0]``. More: one system with a right-hand side per class, that class against the
    rest, and the largest sum decides; ties go to the first class.

    Time is that of one eigendecomposition of the kernel matrix, memory that of a few such matrices.
    eta of `L2Classifier` would scale all sums alike and change no decision: there is none here.
    There are no densities, hence no probabilities and no rejection; priors and costs are in the
    weights.

    Prediction sets rank the lead of a label, its sum less the largest of the others, among those of
    the training rows that carry weights, each left out with gamma, the bandwidth and the ridge as
    they are: the true label is missing in a share near alpha of the rows of each class. They need
    the direct solver and a ridge. The ``log_odds`` of `explain` are leads too, in place of
    logarithms of probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import L2LinearClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (100, 1)), rng.normal(3, 1, (100, 1))])
    >>> y = np.repeat([0, 1], 100)
    >>> clf = L2LinearClassifier(bandwidth=0.5).fit(X, y)
    >>> clf.predict([[0.0], [3.0]])
    array([0, 1])
    >>> hasattr(clf, "predict_proba")
    False
    """

    _constraints: ClassVar[Constraints] = {
        "ridge": Number("[0, inf)", also=(None,)),
        "solver": OneOf("direct", "cg"),
    }
    _needs_matrices: ClassVar[bool] = True

    _: KW_ONLY
    ridge: float | None = None
    solver: str = "direct"
    max_iter: int = 10

    def predict(self, X: ArrayLike) -> Array:
        """The class of the largest sum; of two classes, the second where the sum is positive."""
        if is_other_array(X):
            return self._answer_other("predict", X)
        check_is_fitted(self)
        points = self._validate(X, reset=False)
        return np.asarray(self.classes_[self._codes_at(points)])

    def decision_function(self, X: ArrayLike) -> Floats:
        """Sums of beta_i k(x, x_i) / k(0): one number for two classes, otherwise shape (n, C)."""
        if is_other_array(X):
            return self._answer_other("decision_function", X)
        check_is_fitted(self)
        points = self._validate(X, reset=False)
        scores = self._scores_of(self.expansion_, points)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        """Rank the leads of the labels among those of left-out training rows."""
        left_out, codes, frequencies = self._left_out
        if left_out is None:
            raise ValueError(
                f"prediction sets need leave-one-out scores, which solver={self.solver!r} with "
                f"ridge={self.ridge!r} has not; use solver='direct' and another ridge, or a "
                "ConformalClassifier of this one."
            )
        points = self._validate(X, reset=False)
        own = _leads(self._of_classes(left_out))[np.arange(len(codes)), codes]
        return ranked_p_values(
            _leads(self._of_classes(self._scores_of(self.expansion_, points))),
            own,
            codes,
            frequencies,
            conditional,
        )

    def _explain(self, X: Array, top: int) -> list[Explanation]:
        expansion, points = self.expansion_, X.astype(np.float64, copy=False)
        W = self._of_classes(expansion.weight_matrix())

        def terms(queries: Array, label: Ints, rival: Ints) -> Floats:
            return np.asarray(kernel_values(expansion, queries) * (W[:, label] - W[:, rival]).T)

        places = np.arange(X.shape[1])[:, None]
        columns = [without_distances(expansion, points, column) for column in places]
        return explain_scores(
            terms,
            points,
            Duel.of(self._of_classes(self._scores_of(expansion, points))),
            [self._of_classes(self._scores_of(*without)) for without in columns],
            self.classes_,
            self._carrying_rows,
            top,
        )

    def _codes_at(self, X: Array) -> Codes:
        """The class of each row, right at any distance from the data."""
        codes = np.full(len(X), -1, dtype=np.int32)
        if len(self.classes_) == 1:
            return np.zeros_like(codes)
        how = self._sums_options()
        if self.gamma_ not in (0, np.inf) and (self.priors_ > 0).all():
            found = certain_signed_codes(self.expansion_, X, **how)
            codes = codes if found is None else found
        rest = np.flatnonzero(codes < 0)
        if len(rest):
            exact = how if len(rest) == len(X) else {"method": "dense"}
            scores = self.expansion_.scaled_scores(X[rest], **exact).mantissa
            codes[rest] = decide(self._of_possible_classes(scores))
        return codes

    def _scores_of(self, expansion: KernelExpansion, X: Array) -> Floats:
        """The sums at each row, one column for two classes; underflow is possible far away."""
        scores = expansion.scores(X, **self._sums_options()).astype(np.float64)
        return self._of_possible_classes(scores)

    def _of_possible_classes(self, scores: Floats) -> Floats:
        """Sums by which no class whose prior is 0 wins."""
        tiny = np.finfo(np.float64).tiny
        if self.gamma_ == 0:
            return np.maximum(scores, tiny)
        if self.gamma_ == np.inf:
            return np.minimum(scores, -tiny)
        return np.where(self.priors_ == 0, -np.inf, scores) if scores.shape[1] > 1 else scores

    def _of_classes(self, sums: Array) -> Floats:
        """The sums of all classes, shape (n, C); those of two classes are opposite."""
        sums = np.asarray(sums, np.float64)
        return np.column_stack([-sums, sums]) / 2 if len(self.classes_) == 2 else sums

    def _reference_rows(self) -> Sample:
        _, codes, frequencies = self._left_out
        return Sample(self.expansion_.points, codes, frequencies, self.classes_, self.class_count_)

    def __sklearn_is_fitted__(self) -> bool:
        """Only a fit that came to its end counts."""
        return hasattr(self, "support_")

    def __sklearn_tags__(self) -> Any:
        """Say that signed weights need a bandwidth and a ridge that were chosen for the data."""
        tags = super().__sklearn_tags__()
        chosen = isinstance(self.bandwidth, str) and self.solver == "direct" and self.ridge != 0
        tags.classifier_tags.poor_score = not chosen
        return tags

    def _validate(self, X: ArrayLike, *, reset: bool) -> Array:
        return validate_points(self, X, reset=reset)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_decision_parameters(self)

    def _set_classes(self, sample: Sample) -> None:
        self._check_serves(sample.X.shape[1])
        check_countable(sample.weights)
        self.classes_, self.class_count_ = sample.classes, sample.counts
        self.priors_ = ClassValues.of(self, sample.classes, sample.counts).priors
        if self.ridge == 0 and self.solver == "direct":
            warn(
                "ridge=0 solves a nearly singular system as it stands, whose weights fit the noise "
                "of the sample; use ridge=None, which chooses a ridge, or solver='cg'.",
            )

    def _set_decision(self) -> None:
        """Priors and costs are in the weights: there is nothing to set."""

    def _fit_densities(self, sample: Sample) -> None:
        with few_blas_threads(len(sample)):
            super()._fit_densities(sample)

    def _weight_method(self, sample: Sample) -> SignedMethod:
        errors = error_weights(self.class_weight, sample.classes)
        return SignedMethod(
            self._form(), self.ridge, self.solver, self.max_iter, errors, self.n_jobs
        )

    def _keep_solution(
        self,
        method: SignedMethod,
        sample: Sample,
        ordered: Carriers,
        first: Ints,
        choice: Choice,
        values: Floats,
    ) -> None:
        found = method.solve(ordered, choice.bandwidths, values, leave_out=True)
        self.ridge_ = found.ridge
        self._left_out = found.left_out, ordered.codes, ordered.frequencies
        self._keep_reference(None)
        self.expansion_ = replace(
            found.expansion,
            points=sample.X[first].astype(np.float64, copy=False),
            bandwidth=np.asarray(self.bandwidth_),
        )
        self.objective_, self.optimality_gap_ = found.solution.objective, found.solution.gap
        self.n_iter_ = found.solution.iterations
        order = np.argsort(first)
        self.dual_coef_ = found.solution.weights[order].T.copy()
        self._keep_support(sample, first[order])
        self._carrying_rows = self.support_[np.argsort(order)]  # in the order of the expansion


def _leads(scores: Floats) -> Floats:
    """The score of every class less the largest of the others, in the shape of the scores."""
    if scores.shape[1] == 1:
        return scores
    places = np.arange(len(scores)), scores.argmax(axis=1)
    largest, rest = scores[places], scores.copy()
    rest[places] = -np.inf
    out = scores - largest[:, None]
    with np.errstate(invalid="ignore"):
        out[places] = largest - rest.max(axis=1)
    return np.asarray(np.where(np.isneginf(scores), scores, out))
