"""The L2 kernel density: Kim (1995), Girolami & He (2003), Kim & Scott (2010), section 3.5.

    f(x) = sum_i a_i k_s(x, x_i),   a minimises  1/2 a'Ka - c'a  over the simplex,
    K_ij = (k*k)(x_i, x_j),   c_i = (n - 1)^-1 sum_(j != i) k(x_i, x_j)

This is the classifier's programme with gamma = 0. Most weights are zero: an estimate of nearly the
integrated squared error of the Parzen window's, on a fraction of its kernels.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Array,
    Constraints,
    Floats,
    Integer,
    Ints,
    Number,
    OneOf,
    declared,
)
from parzen.bandwidth import Selector, own_criterion, resolve_bandwidth
from parzen.density import KernelDensity
from parzen.kernels import get_density
from parzen.l2.carriers import Carriers
from parzen.l2.density_cv import L2DensityKFold
from parzen.l2.form import LINEAR_TERMS, L2Form, LinearTerm
from parzen.l2.oracle import oracle_epsilon, refuse_other_criteria
from parzen.l2.solver import L2Solver
from parzen.l2.units import Units
from parzen.samples import Sample, varying_columns


@declared
class L2KernelDensity(KernelDensity):
    """Sparse kernel density estimate of least integrated squared error.

    Read more in the :doc:`guide </guide/densities>`.

    Parameters
    ----------
    bandwidth : float, array of shape (1, n_features), str or Selector, default="silverman"
        Width of the kernel, or one per feature; or how to choose it: ``"silverman"``, ``"scott"``,
        ``"lscv"``, ``"likelihood"``, ``"cv"``, or such a selector with options. ``"cv"`` is the
        integrated squared error of this estimate, the weights found anew without each of five
        folds; `CrossValidation` takes other folds or a grid.
    kernel : str or Kernel, default="gaussian"
        Any density kernel.
    smoothing : float, default=0
        The paper's k; gaussian and cauchy only. See `L2Classifier`.
    eta : float, default=1.0
        Divides the linear term; above some 15 dimensions eta = 1 keeps too few kernels.
    linear_term : {"loo", "resubstitution"}, default="loo"
        Whether a point is left out of the estimate of the linear term at itself.
    tol : float, default=1e-6
        Largest violation of the optimality conditions, relative to the gradient.
    max_iter : int, default=None
        Steps of the solver; None for ten million.
    {method, rtol, n_jobs}

    Attributes
    ----------
    {bandwidth_, selection_}
    support_ : array of shape (n_support,)
        Training rows that carry a kernel.
    points_ : array of shape (n_support, n_features)
        These rows.
    weights_ : array of shape (n_support,)
        Their weights, which sum to one.
    objective_ : float
        The criterion at the solution, in units of the peak of k * k.
    optimality_gap_ : float
        Duality gap, relative to the gradient.
    n_iter_ : int
        Steps of the solver.
    {sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    Fitting takes one kernel per pair of points and a row of the kernel matrix for every point that
    ever carries weight, kept within scikit-learn's ``working_memory``.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import L2KernelDensity
    >>> X = np.random.default_rng(0).normal(size=(500, 1))
    >>> density = L2KernelDensity(bandwidth=0.5).fit(X)
    >>> len(density.support_) < 20
    True
    """

    _constraints: ClassVar[Constraints] = {
        "smoothing": Number("[0, inf)"),
        "eta": Number("(0, inf)"),
        "linear_term": OneOf(*LINEAR_TERMS),
        "tol": Number("(0, inf)"),
        "max_iter": Integer(1, also=(None,)),
    }

    # The criterion is in the metric of the data, and of kernels that are all alike.
    metric: ClassVar[None] = None  # type: ignore[misc]
    adaptive: ClassVar[bool] = False  # type: ignore[misc]
    bounds: ClassVar[None] = None  # type: ignore[misc]
    periods: ClassVar[None] = None  # type: ignore[misc]
    window: ClassVar[None] = None  # type: ignore[misc]
    forget: ClassVar[float] = 0.0  # type: ignore[misc]
    rechoose: ClassVar[None] = None  # type: ignore[misc]
    columns_: ClassVar[None] = None  # type: ignore[misc]

    _: KW_ONLY
    smoothing: float = 0
    eta: float = 1.0
    linear_term: LinearTerm = "loo"
    tol: float = 1e-6
    max_iter: int | None = None

    partial_fit = property()  # weights depend on all points at once

    def _fit_rows(self, present: Ints, points: Array, weights: Floats | None) -> None:
        form = self._form()
        options: dict[str, Any] = {
            "eta": float(self.eta), "tol": self.tol, "max_iter": self.max_iter
        }  # fmt: skip
        own = own_criterion(self.bandwidth)
        h, self.selection_ = resolve_bandwidth(
            self.bandwidth if own is None else own.by(L2DensityKFold, form=form, **options),
            points, None, n_classes=1, kernel=form.kernel, sample_weight=weights,
            n_jobs=self.n_jobs,
        )  # fmt: skip
        units = Units.of(h, 1)
        codes = np.zeros(len(points), np.intp)
        in_units, varies = units.points(points), varying_columns(points)
        if varies.any() and isinstance(self.bandwidth, str | Selector | Real):
            in_units = np.ascontiguousarray(in_units[:, varies])
        sample = Sample.coded(in_units, codes, weights, np.arange(1))
        merged = sample.merged()
        everything = np.ones((1, len(merged.sample)), dtype=bool)
        solver = L2Solver(
            Carriers.over(merged.sample), everything, form, units.bandwidths[None], self.n_jobs
        )
        solution = solver.solve_one(np.ones(1), **options).solution
        solution.warn_unless_converged()
        found = np.zeros(len(points))
        found[merged.first] = solution.weights
        kept = np.flatnonzero(found)
        self.support_ = present[kept]
        self.bandwidth_ = float(h.item()) if h.size == 1 else h
        self._set_expansion(points[kept], found[kept], np.asarray(self.bandwidth_), None)
        self.objective_, self.optimality_gap_ = solution.objective, solution.gap
        self.n_iter_ = solution.iterations
        self._n_samples = float(len(points) if weights is None else weights.sum())

    def oracle_bound(self, delta: float) -> float:
        """The epsilon of Corollary 1: ISE <= min ISE + 4 epsilon with probability 1 - delta.

        Loose: it is a union bound over all points, and in more than a few dimensions it says
        nothing at any sample size within reach. For eta = 1 and the leave-one-out linear term;
        elsewhere a ValueError.
        """
        check_is_fitted(self)
        refuse_other_criteria(float(self.eta), self.linear_term)
        form = self._form()
        bandwidths = Units.of(np.asarray(self.bandwidth_), 1).bandwidths
        widths = form.widths(bandwidths, self.n_features_in_)
        return oracle_epsilon(delta, np.array([self._n_samples]), 0.0, float(widths.log_tau[0]))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._form().check()

    def _form(self) -> L2Form:
        return L2Form(get_density(self.kernel), float(self.smoothing), self.linear_term)
