"""L2 kernel classification: Kim & Scott (2010), IEEE TPAMI 32(10).

    f_c(x) = sum_{i in c} a_i k_s(x, x_i),      predict by the sign of f_+ - gamma f_-

The weights minimise the integrated squared error of the difference of densities: a quadratic
programme, eq. (7), with each class's weights on a simplex. Most of them are zero. Sections 5.1
(smoothing), 5.2 (constraint="relaxed") and 5.5 (eta) are options; 5.3 is `L2LinearClassifier`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen._core import Array, Checked, Constraints, Floats, Integer, Ints, Number, OneOf, declared
from parzen.classifiers.base import DensityClassifier
from parzen.classifiers.l2.grid import check_grid
from parzen.classifiers.l2.l2_base import L2Base
from parzen.classifiers.l2.search import Choice, SearchOptions
from parzen.classifiers.l2.simplex_weights import SimplexMethod
from parzen.expansion import KernelExpansion
from parzen.l2 import Carriers, L2Form, Units, oracle_epsilon, refuse_other_criteria
from parzen.samples import Sample

CONSTRAINTS = ("simplex", "relaxed", "separate")


def _check_constraint(constraint: Any) -> None:
    if constraint is None:
        raise ValueError(
            "constraint=None: weights without constraints are those of L2LinearClassifier; use "
            "that, or give 'simplex', 'relaxed' or 'separate'."
        )
    OneOf(*CONSTRAINTS).check("constraint", constraint)


@declared
class L2Classifier(L2Base, DensityClassifier):
    """Sparse kernel classifier of least integrated squared error.

    Read more in the :doc:`guide </guide/l2>`.

    Parameters
    ----------
    {kernel}
    bandwidth : float, array, str or Selector, default="cv"
        A number; one per class in the order of ``classes_`` (gaussian and cauchy); one per feature,
        shape (1, n_features); both, (n_classes, n_features), for cauchy with rows in proportion;
        the name of a selector of `parzen.bandwidth` or a selector; or ``"cv"``, the error of this
        classifier in cross-validation (`CrossValidation` for folds, a grid or one bandwidth per
        feature).
    {scale, smoothing}
    eta : float or "cv", default=1.0
        Divides the linear term. Above some 15 dimensions eta = 1 keeps too few kernels. Constant
        columns are no dimensions here, unless a bandwidth is given for each class or feature.
    {gamma}
    constraint : {"simplex", "relaxed", "separate"}, default="simplex"
        Weights of a class sum to one; may sum to less where the classes overlap (section 5.2); or
        each class alone (He and Girolami, 2004). Without constraints: `L2LinearClassifier`.
    {linear_term}
    grid : int or array, default=None
        Bandwidths for ``bandwidth="cv"``: how many (None for 10), the values, or an array of shape
        (n_bandwidths, n_classes) for one per class.
    eta_grid : int or array, default=None
        Values for ``eta="cv"``: how many (None for 10) from 1 to k(0) / (k*k)(0), or the values.
    {cv}
    tol : float, default=1e-6
        Largest violation of the optimality conditions, relative to the gradient of each class.
    max_iter : int, default=None
        Steps of the solver; None for ten million.
    n_landmarks : int, None or "auto", default="auto"
        Most rows that may carry weights; the criterion is that of all rows. They are those that
        the programme chooses in parts of the sample. None for all rows; "auto" for at most 20 000
        of more than 10 000.
    {random_state, priors, class_weight, costs, reject, reject_label, novelty}
        The training rows are then kept.
    {novelty_label, verbose, method, rtol, n_jobs}

    Attributes
    ----------
    {classes_, class_count_, priors_}
    {bandwidth_, selection_, scale_, cv_results_}
    eta_ : float
        The eta in use.
    {gamma_}
        A copy by `with_decision` keeps it, as it keeps the weights.
    {support_, support_vectors_}
    dual_coef_ : array of shape (1, n_support) or (n_classes, n_support)
        Two classes: a_i for ``classes_[1]``, -gamma a_i for ``classes_[0]`` (gamma infinite: 0 and
        -a_i). More: v_c a_i in the row of the class.
    weights_ : array of shape (n_support,)
        The a_i.
    slacks_ : array of shape (n_classes,)
        xi of the primal (8) and (11) for each class, in units of the peak of k_rho.
    optimality_gap_ : float
        Duality gap, relative to the gradient of each class; the worst of them.
    objective_ : float
        The criterion (7) at the solution, in units of the peak of k_rho.
    {n_iter_, expansion_, decision_, sums_method_, n_features_in_, feature_names_in_}

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

    Ties go to ``classes_[0]``; the paper's rule (5) gives them to its class +1, which is
    ``classes_[1]`` here. Where every density is zero the priors decide.

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

    _constraints: ClassVar[Constraints] = {
        "constraint": Checked(_check_constraint),
        "eta": Number("(0, inf)", also=("cv",)),
        "eta_grid": Checked(partial(check_grid, name="eta_grid")),
        "tol": Number("(0, inf)"),
        "max_iter": Integer(1, also=(None,)),
    }
    _needs_matrices: ClassVar[bool] = False

    _: KW_ONLY
    eta: float | str = 1.0
    constraint: str = "simplex"
    eta_grid: int | ArrayLike | None = None
    tol: float = 1e-6
    max_iter: int | None = None

    def oracle_bound(self, delta: float) -> float:
        """The epsilon of Theorem 1: ISE <= min ISE + 4 epsilon with probability 1 - delta.

        Loose: it is a union bound over all points, and in more than a few dimensions it says
        nothing at any sample size within reach. The theorem is about at most two classes, weights
        that sum to at most one, eta = 1 and the leave-one-out linear term; elsewhere a ValueError.
        """
        check_is_fitted(self)
        self._refuse_without_theorem()
        units = Units.of(np.asarray(self.bandwidth_), len(self.classes_))
        widths = self._form().widths(units.bandwidths, self.n_features_in_)
        gamma = 0.0 if self.gamma_ is None else self.gamma_  # one class: Corollary 1
        return oracle_epsilon(delta, self.class_count_, gamma, float(widths.log_tau.max()))

    def _refuse_without_theorem(self) -> None:
        n_classes = len(self.classes_)
        if n_classes > 2:
            raise ValueError(
                f"oracle_bound: Theorem 1 is about two classes, but there are {n_classes}."
            )
        if self.constraint == "separate" and n_classes == 2:
            raise ValueError(
                "oracle_bound: constraint='separate' does not minimise the error of the "
                "difference; use L2KernelDensity.oracle_bound for each class."
            )
        if self.gamma_ == np.inf:
            raise ValueError("oracle_bound: the prior of classes_[1] is 0, so gamma is infinite.")
        refuse_other_criteria(self.eta_, self.linear_term)

    @property
    def dual_coef_(self) -> Floats:
        """Signed weights of the support, one row for two classes; formed at each access."""
        check_is_fitted(self)
        codes, v = self.expansion_.labels, self._values
        assert codes is not None
        if len(v) == 2:
            return np.asarray(np.where(codes == 1, v[1], -v[0]) * self.weights_)[None]
        out = np.zeros((len(v), len(codes)))
        out[codes, np.arange(len(codes))] = v[codes] * self.weights_
        return out

    def _form(self) -> L2Form:
        return replace(super()._form(), separate=self.constraint == "separate")

    def _search_options(self) -> SearchOptions:
        return replace(super()._search_options(), eta=self.eta, eta_grid=self.eta_grid)

    def _landmark_count(self, n_rows: int) -> int | None:
        return None if self.novelty is not None else super()._landmark_count(n_rows)

    def _weight_method(self, sample: Sample) -> SimplexMethod:
        return SimplexMethod(self._form(), self.constraint == "relaxed", self.max_iter, self.n_jobs)

    def _keep_solution(
        self,
        method: SimplexMethod,
        sample: Sample,
        ordered: Carriers,
        first: Ints,
        choice: Choice,
        values: Floats,
    ) -> None:
        solution, self.slacks_ = method.solve(ordered, choice, values, self.tol, self._report(""))
        solution.warn_unless_converged()
        self.eta_, self._values = choice.eta, values
        self.objective_, self.n_iter_ = solution.objective, solution.iterations
        self.optimality_gap_ = solution.gap
        found = np.zeros(len(sample))
        found[first] = solution.weights
        kept = np.flatnonzero(found)
        self.weights_ = found[kept]
        self.expansion_ = KernelExpansion(
            points=sample.X[kept],
            kernel=method.form.kernel,
            bandwidth=np.asarray(self.bandwidth_),
            n_classes=len(sample.classes),
            labels=sample.codes[kept],
            weights=self.weights_,
        )
        self._keep_support(sample, kept)
        if len(first) < len(sample):  # equal rows are merged: a weight is as good as copies
            sample, rows, _ = sample.merged(by="row")
            kept = np.searchsorted(rows, kept)
        self._training_rows = sample, kept

    def _rows_and_kept(self) -> tuple[Sample, Ints]:
        """The training rows, and those of them that carry a kernel."""
        found: tuple[Sample, Ints] | None = getattr(self, "_training_rows", None)
        if found is None:
            raise ValueError(
                "novelty and prediction sets need the training rows, which a model file keeps only "
                "if novelty was given at fit."
            )
        return found

    def _unsaved_attributes(self) -> set[str]:
        """What model files leave out: a sparse model does not carry all rows for sets alone."""
        return {"_training_rows"} if self.novelty is None else set()

    def _training_sample(self) -> tuple[Ints, Floats | None]:
        sample, _ = self._rows_and_kept()
        return sample.codes, sample.weights

    def _leave_one_out_log_densities(self) -> Array:
        """Densities at the training rows without their own kernels, the weights as they are."""
        sample, kept = self._rows_and_kept()
        logs = self._log_densities(sample.X).astype(np.float64)
        if len(kept):
            logs[kept] = self.expansion_.leave_one_out_log_sums(n_jobs=self.n_jobs)
            # The other weights of the class, which sum to 1 - a_i, are scaled to sum to 1 again.
            with np.errstate(divide="ignore", invalid="ignore"):
                rest = np.log1p(-np.minimum(self.weights_, 1.0))
                own = logs[kept, sample.codes[kept]]
                logs[kept, sample.codes[kept]] = np.where(np.isneginf(rest), -np.inf, own - rest)
        return logs
