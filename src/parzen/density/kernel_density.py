"""Kernel density estimation: f(x) = (1/N) sum_i w_i k_h(x, x_i), N = sum_i w_i.

The sums are exact log-sums, so a log-density is right in 500 dimensions and a million bandwidths
away from the data, where a linear sum has long underflowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Array,
    Checked,
    Constraints,
    Flag,
    Floats,
    Ints,
    LinkedEstimator,
    OneOf,
    available_if,
    declared,
    is_dask,
    is_other_array,
    telling_callbacks,
    validate_weights,
)
from parzen.bandwidth import (
    LSCV,
    GridSelector,
    PlugInMatrix,
    Rule,
    Selector,
    check_bandwidth_parameter,
    get_selector,
    given_bandwidth,
    given_matrices,
    gives_matrices,
    own_criterion,
    refuse_matrices,
    resolve_bandwidth,
)
from parzen.base import StreamOptions, SumsOptions, TableKernel
from parzen.density.domains import ColumnDomains, column_domains
from parzen.density.selection import can_select_for_density, select_for_density
from parzen.expansion import KernelExpansion, LocalExpansion, draw_points
from parzen.kernels import Kernel, get_density
from parzen.metric import Whitening, fit_whitening
from parzen.samples import KernelSample, Sample, recent_rows


def _check_can_add(estimator: KernelDensity) -> None:
    if estimator.metric is not None:
        raise AttributeError(
            f"partial_fit needs metric=None, got {estimator.metric!r}, which is learned from all "
            "rows at once."
        )


@declared
class KernelDensity(
    TableKernel,
    StreamOptions,
    SumsOptions,
    DensityMixin,  # type: ignore[misc]
    LinkedEstimator,
):
    """Kernel density estimate with exact log-densities.

    Read more in the :doc:`guide </guide/densities>`.

    Parameters
    ----------
    bandwidth : float, array, str or Selector, default="silverman"
        Width of the kernel, one per feature (1, n_features), or a matrix (n_features, n_features)
        like a covariance; or how to choose it: ``"silverman"``, ``"scott"``, ``"lscv"``,
        ``"likelihood"``, ``"cv"``, ``"plug_in_matrix"``, for one column ``"sheather_jones"``, or
        such a selector with options. ``"cv"`` is the log-likelihood of five held-out folds;
        `CrossValidation` takes other folds or a grid.
    kernel : str or Kernel, default="gaussian"
        Any density kernel: ``parzen.kernels.density_names()``; `parzen.kernels.ColumnProduct` for
        tables of numbers and categories, with a bandwidth for every column.
    metric : None or "class", default=None
        ``"class"`` scales the kernel by the covariance of the sample, of which 5 % are shrunk
        towards the variances of its columns. The bandwidth is then in standard deviations, and a
        selector sees the whitened sample.
    adaptive : bool, default=False
        Whether kernels are wider where the sample is thin: the bandwidth of a point goes with one
        over the square root of the density there (Abramson's law). Sums then take all pairs.
    bounds : dict, default=None
        Bounds of columns, by place or name: ``{0: (0, None)}`` for a column without negative
        values. The kernels are reflected at the bounds, so that no mass is lost. ``"likelihood"``,
        ``"cv"`` and ``"lscv"`` judge the reflected density; rules ignore the bounds.
    periods : dict, default=None
        Periods of columns, by place or name: ``{"hour": 24}``. Their kernel is von Mises's with
        concentration (period / (2 pi bandwidth))^2; it needs ``kernel="gaussian"``, and one
        bandwidth, one per feature, ``"likelihood"`` or ``"cv"``, which judge the density on the
        circle, or a rule, which sees the points of the circle in the plane.
    {method, rtol, window, forget, rechoose, n_jobs}

    Attributes
    ----------
    {bandwidth_, selection_}
    points_ : array of shape (n_points, n_features)
        The points that carry a kernel; a periodic column is two of them, on its circle.
    weights_ : array of shape (n_points,) or None
        Their frequencies; None when all are 1.
    whitening_ : Whitening or None
        The metric in use, that of a bandwidth matrix too.
    columns_ : ColumnDomains or None
        The bounds and periods of the columns, where any were given.
    expansion_ : KernelExpansion
        The estimate: the points with their weights and the kernel.
    {sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    ``score_samples`` takes one kernel per pair of query and point, and memory for a copy of the
    points. Compact kernels give minus infinity off their support.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelDensity
    >>> X = np.array([[0.0], [1.0], [1.5]])
    >>> density = KernelDensity(bandwidth=0.5).fit(X)
    >>> [round(v, 2) for v in density.score_samples([[1.0], [1000.0]]).tolist()]
    [-0.77, -1994005.82]
    """

    _constraints: ClassVar[Constraints] = {
        "bandwidth": Checked(partial(check_bandwidth_parameter, labelled=False)),
        "kernel": Checked(get_density),
        "metric": OneOf(None, "class"),
        "adaptive": Flag(),
    }

    bandwidth: float | ArrayLike | str | Selector = "silverman"
    _: KW_ONLY
    kernel: str | Kernel = "gaussian"
    metric: str | None = None
    adaptive: bool = False
    bounds: Mapping[Any, Any] | None = None
    periods: Mapping[Any, float] | None = None
    columns_: ColumnDomains | None = field(init=False)

    def fit(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the estimate to a sample, and choose its bandwidth.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The sample.
        y : ignored
        sample_weight : array of shape (n_samples,), default=None
            Frequencies; a point of weight 0 is as good as absent.
        """
        if is_dask(X, sample_weight):
            return self._fit_by_chunks(X, y, sample_weight)
        with telling_callbacks(self, X, y, sample_weight):
            self._check_parameters()
            self._forget()
            points = self._validate(X, reset=True)
            self._check_serves(points.shape[1])
            weights = validate_weights(sample_weight, points)
            present = np.arange(len(points)) if weights is None else np.flatnonzero(weights > 0)
            if weights is not None:
                points, weights = points[present], weights[present]
            self._fit_rows(present, points, weights)
        return self

    def _fit_rows(self, present: Ints, points: Array, weights: Floats | None) -> None:
        """Fit to the rows of positive weight; ``present`` are their places in the sample."""
        names = getattr(self, "feature_names_in_", None)
        self.columns_ = column_domains(self.bounds, self.periods, points.shape[1], names)
        if self.columns_ is not None:
            self.columns_.check(points)
        h, whitening = self._choose_bandwidth(points, weights, self._kernel_of(points))
        self._set_expansion(self._embedded(points), weights, h, whitening)

    def _embedded(self, points: Array) -> Array:
        return points if self.columns_ is None else self.columns_.embed(points)

    def _choose_bandwidth(
        self, points: Array, weights: Floats | None, kernel: Kernel
    ) -> tuple[Floats, Whitening | None]:
        """Set ``bandwidth_`` and ``selection_``; return the bandwidth after the whitening."""
        bandwidth: Any = self.bandwidth
        matrix = given_matrices(bandwidth, labelled=False)
        self.selection_ = None
        if matrix is None and isinstance(bandwidth, str | Selector):
            bandwidth = get_selector(bandwidth)
            if isinstance(bandwidth, PlugInMatrix):
                self.selection_ = bandwidth.select(points, sample_weight=weights, kernel=kernel)
                matrix = np.asarray(self.selection_.bandwidth)
                matrix = matrix * kernel.bandwidth_factor(points.shape[1]) ** 2
        if matrix is not None:
            if matrix.shape[1] != points.shape[1]:
                raise ValueError(
                    f"bandwidth is a matrix for {matrix.shape[1]} columns, and X has "
                    f"{points.shape[1]}."
                )
            self.bandwidth_ = matrix[0]
            return np.ones(()), Whitening.by(matrix, points.mean(axis=0, dtype=np.float64)[None])
        whitening, space = None, self._embedded(points)
        if self.metric is not None:
            whitening = fit_whitening(points, np.zeros(len(points), np.intp), 1, weights)
            space = whitening.apply(points, 0)
        refits_metric = whitening is not None and own_criterion(bandwidth) is not None
        if can_select_for_density(bandwidth) and (self.columns_ is not None or refits_metric):
            sample = KernelSample.of(points, None, kernel, weights, None, self.n_jobs)
            domains = self.columns_ or ColumnDomains.unbounded(points.shape[1])
            self.selection_ = select_for_density(
                bandwidth, sample, domains, whitened=whitening is not None
            )
            h = np.asarray(self.selection_.bandwidth, dtype=np.float64)
        elif self.periods and not isinstance(bandwidth, Selector):
            h = np.asarray(given_bandwidth(bandwidth, 1, self.n_features_in_, labelled=False))
        else:
            if self.columns_ is None:
                bandwidth = self._in_stream(bandwidth)
            h, self.selection_ = resolve_bandwidth(
                bandwidth, space, None, n_classes=1, kernel=kernel, sample_weight=weights,
                n_jobs=self.n_jobs,
            )  # fmt: skip
        self.bandwidth_ = float(h.item()) if h.size == 1 else h
        return np.asarray(self.bandwidth_, dtype=np.float64), whitening

    @available_if(_check_can_add)
    def partial_fit(
        self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add points, in the order in which they came; a bandwidth that is chosen is held."""
        with self._all_or_nothing():
            if not hasattr(self, "expansion_"):
                self.fit(X, y, sample_weight)
                old, new = None, self._as_sample(self.points_, self.weights_)
            else:
                self._check_parameters()
                points = self._validate(X, reset=False)
                weights = validate_weights(sample_weight, points)
                if self.columns_ is not None:
                    self.columns_.check(points)
                new = self._as_sample(self._embedded(points), weights)
                old = self._as_sample(self.points_, self.weights_)
            recent = recent_rows(old, new, window=self.window, forget=self.forget)
            due = self._count_rows(len(new), len(recent), first=old is None)
            if old is not None and (due or not isinstance(self.bandwidth, str | Selector)):
                rows = recent.X if self.columns_ is None else self.columns_.from_embedded(recent.X)
                h, whitening = self._choose_bandwidth(rows, recent.weights, self.expansion_.kernel)
            else:
                whitening = self.whitening_
                h = np.asarray(self.bandwidth_) if whitening is None else np.ones(())
            self._set_expansion(recent.X, recent.weights, h, whitening)
        return self

    def _as_sample(self, X: Array, weights: Floats | None) -> Sample:
        if weights is not None:
            X, weights = X[weights > 0], weights[weights > 0]
        return Sample.coded(X, np.zeros(len(X), np.intp), weights, np.arange(1))

    def score_samples(self, X: ArrayLike) -> Array:
        """Logarithm of the density at each row of X."""
        if is_other_array(X):
            return self._answer_other("score_samples", X)
        self._check_fitted()
        queries = self._validate(X, reset=False)
        if self.columns_ is None:
            return self._plain_log_density(queries)
        return np.asarray(self.columns_.log_density(queries, self._plain_log_density))

    def _plain_log_density(self, X: Array) -> Array:
        return np.asarray(self.expansion_.log_sums(X, **self._sums_options())[:, 0])

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Log-likelihood of X: the sum of its log-densities."""
        return float(self.score_samples(X).sum(dtype=np.float64))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw points from the estimated density.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            The generator.

        Returns
        -------
        X : array of shape (n_samples, n_features)
            A data frame with its levels where a `parzen.kernels.ColumnProduct` was given one with
            columns of text.
        """
        check_is_fitted(self)
        rng = check_random_state(random_state)
        p = None if self.weights_ is None else self.weights_ / self.weights_.sum()
        rows = rng.choice(len(self.points_), size=n_samples, p=p)
        drawn = draw_points(self.expansion_, rows, rng)
        if self.columns_ is None:
            return self._in_levels(drawn)
        return self.columns_.draws(drawn, self.points_[rows], np.asarray(self.bandwidth_), rng)

    @property
    def points_(self) -> Array:
        """The points that carry a kernel."""
        return self.expansion_.points

    @property
    def weights_(self) -> Floats | None:
        """Their frequencies; None when all are 1."""
        return self.expansion_.weights

    @property
    def whitening_(self) -> Whitening | None:
        """The metric in use."""
        return self.expansion_.whitening

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is an estimate."""
        return hasattr(self, "expansion_")

    def _set_expansion(
        self, points: Array, weights: Floats | None, bandwidth: Floats, whitening: Whitening | None
    ) -> None:
        """Keep the estimate, an expansion of one class."""
        size = len(points) if weights is None else weights.sum()
        log_factor = -np.log(float(size))
        if self.columns_ is not None and self.columns_.is_periodic.any():
            log_factor += self.columns_.log_normaliser_ratio(bandwidth)
            bandwidth = self.columns_.embedded_bandwidth(bandwidth)
        expansion = KernelExpansion(
            points=points,
            kernel=self._kernel_of(points),
            bandwidth=bandwidth,
            n_classes=1,
            labels=np.zeros(len(points), dtype=np.intp),
            weights=weights,
            log_factors=np.array([log_factor]),
            whitening=whitening,
        )
        self.expansion_ = LocalExpansion.of(expansion, self.n_jobs) if self.adaptive else expansion

    def _check_periods(self, selector: Selector | None) -> None:
        """Refuse options that are not defined on a circle, where kernels are von Mises's.

        They have the Gaussian's sums, but their overlap, which least squares need, is no Gaussian.
        """
        if not self.periods:
            return
        if get_density(self.kernel).name != "gaussian" or self.metric is not None or self.adaptive:
            raise ValueError(
                "periods= needs kernel='gaussian', metric=None and adaptive=False, got "
                f"kernel={self.kernel!r}, metric={self.metric!r}, adaptive={self.adaptive!r}."
            )
        serves = selector in (None, Rule("silverman"), Rule("scott"))
        if isinstance(selector, GridSelector) and not isinstance(selector, LSCV):
            serves = can_select_for_density(selector) and selector.per != "feature"
        if not serves or given_matrices(self.bandwidth, labelled=False) is not None:
            raise ValueError(
                "periods= needs bandwidth='likelihood', 'cv', 'silverman', 'scott', a number or "
                f"one per feature, got {self.bandwidth!r}."
            )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_columns_alone()
        bandwidth: Any = self.bandwidth
        selector = get_selector(bandwidth) if isinstance(bandwidth, str | Selector) else None
        if selector is not None and selector.needs_labels:
            raise ValueError(
                f"bandwidth={self.bandwidth!r} judges a classifier, and a density has no labels; "
                "use 'cv', 'silverman', 'scott', 'lscv' or 'likelihood'."
            )
        self._check_periods(selector)
        if self.bounds and self.metric is not None and isinstance(selector, LSCV):
            raise ValueError(
                "bandwidth='lscv' and bounds= need metric=None: a reflected kernel of another "
                "metric has another shape; use 'likelihood' or 'cv'."
            )
        if self.metric is not None and gives_matrices(bandwidth, labelled=False):
            raise ValueError(
                f"bandwidth={self.bandwidth!r} means a matrix, and metric='class' has a metric of "
                "its own; give one bandwidth, or metric=None."
            )
        refuse_matrices(self.kernel, bandwidth, labelled=False)
        per_feature = np.ndim(bandwidth) == 2 and np.size(bandwidth) > 1
        if self.metric is not None and (per_feature or getattr(selector, "per", None) == "feature"):
            raise ValueError(
                f"bandwidth={self.bandwidth!r} is one per feature, and metric='class' has a metric "
                "of its own; give one bandwidth, or metric=None."
            )
