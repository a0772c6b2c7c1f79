"""Kernel density estimation: f(x) = (1/N) sum_i w_i k_h(x, x_i), N = sum_i w_i.

The sums are exact log-sums, so a log-density is right in 500 dimensions and a million bandwidths
away from the data, where a linear sum has long underflowed.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Checked,
    Constraints,
    OneOf,
    available_if,
    declared,
    is_dask,
    validate_points,
    validate_weights,
)
from parzen.bandwidth import (
    Selector,
    check_bandwidth_parameter,
    get_selector,
    own_criterion,
    resolve_bandwidth,
)
from parzen.base import SumsOptions
from parzen.density.whitened_likelihood import WhitenedKFoldLikelihood
from parzen.expansion import KernelExpansion
from parzen.kernels import Kernel, get, get_density
from parzen.metric import Whitening, fit_whitening


def _can_add(estimator: KernelDensity) -> None:
    if not isinstance(estimator.bandwidth, str | Selector) and estimator.metric is None:
        return
    raise AttributeError(
        f"partial_fit needs a given bandwidth and metric=None, got {estimator.bandwidth!r} and "
        f"metric={estimator.metric!r}: what is chosen from data would change with every batch."
    )


@declared
class KernelDensity(SumsOptions, DensityMixin, BaseEstimator):  # type: ignore[misc]
    """Kernel density estimate with exact log-densities.

    Parameters
    ----------
    bandwidth : float, array of shape (1, n_features), str or Selector, default="silverman"
        Width of the kernel, or one per feature; or how to choose it: ``"silverman"``, ``"scott"``,
        ``"lscv"``, ``"likelihood"``, ``"cv"``, or such a selector with options. ``"cv"`` is the
        log-likelihood of five held-out folds; `CrossValidation` takes other folds or a grid.
    kernel : str or Kernel, default="gaussian"
        Any density kernel: ``parzen.kernels.density_names()``.
    metric : None or "class", default=None
        ``"class"`` scales the kernel by the covariance of the sample, of which 5 % are shrunk
        towards the variances of its columns. The bandwidth is then in standard deviations, and a
        selector sees the whitened sample.
    {method, rtol, n_jobs}

    Attributes
    ----------
    bandwidth_ : float or array of shape (1, n_features)
        The bandwidth in use.
    selection_ : Selection or None
        How it was chosen; None when it was given.
    points_ : array of shape (n_points, n_features)
        The points that carry a kernel.
    weights_ : array of shape (n_points,) or None
        Their frequencies; None when all are 1.
    whitening_ : Whitening or None
        The metric in use.
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
    }

    bandwidth: float | ArrayLike | str | Selector = "silverman"
    _: KW_ONLY
    kernel: str | Kernel = "gaussian"
    metric: str | None = None

    def fit(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Keep the points and choose the bandwidth.

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
        self._check_parameters()
        kernel = get_density(self.kernel)
        points = validate_points(self, X, reset=True)
        self._check_serves(points.shape[1])
        weights = validate_weights(sample_weight, points)
        if weights is not None:
            points, weights = points[weights > 0], weights[weights > 0]
        whitening = None
        space, bandwidth = points, self.bandwidth
        if self.metric is not None:
            whitening = fit_whitening(points, np.zeros(len(points), np.intp), 1, weights)
            own = own_criterion(bandwidth)
            if own is None:
                space = whitening.apply(points, 0)
            else:
                bandwidth = own.by(WhitenedKFoldLikelihood)
        h, self.selection_ = resolve_bandwidth(
            bandwidth, space, None, n_classes=1, kernel=kernel, sample_weight=weights,
            n_jobs=self.n_jobs,
        )  # fmt: skip
        self.bandwidth_ = self._one_bandwidth(h)
        self._set_expansion(points, weights, whitening)
        return self

    @available_if(_can_add)
    def partial_fit(
        self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add points to the estimate; the bandwidth must be given."""
        if not hasattr(self, "expansion_"):
            return self.fit(X, y, sample_weight)
        self._check_parameters()
        points = validate_points(self, X, reset=False)
        weights = validate_weights(sample_weight, points)
        if weights is not None or self.weights_ is not None:
            old = np.ones(len(self.points_)) if self.weights_ is None else self.weights_
            new = np.ones(len(points)) if weights is None else weights
            points, weights = points[new > 0], np.concatenate([old, new[new > 0]])
        dtype = np.result_type(points, self.points_)
        self._set_expansion(np.concatenate([self.points_, points], dtype=dtype), weights)
        return self

    def score_samples(self, X: ArrayLike) -> NDArray[Any]:
        """Logarithm of the density at each row of X."""
        if is_dask(X):
            return self._answer_by_chunks("score_samples", X)
        self._check_fitted()
        queries = validate_points(self, X, reset=False)
        return np.asarray(self.expansion_.log_sums(queries, **self._sums_options())[:, 0])

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Log-likelihood of X: the sum of its log-densities."""
        return float(self.score_samples(X).sum(dtype=np.float64))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[Any]:
        """Draw points from the estimated density."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        p = None if self.weights_ is None else self.weights_ / self.weights_.sum()
        centres = self.points_[rng.choice(len(self.points_), size=n_samples, p=p)]
        noise = np.ravel(self.bandwidth_) * get(self.kernel).sample(
            n_samples, centres.shape[1], rng
        )
        if self.whitening_ is not None:
            noise = self.whitening_.invert(noise, 0)
        return np.asarray(centres + noise)

    @property
    def points_(self) -> NDArray[Any]:
        """The points that carry a kernel."""
        return self.expansion_.points

    @property
    def weights_(self) -> NDArray[np.float64] | None:
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
        self,
        points: NDArray[Any],
        weights: NDArray[np.float64] | None,
        whitening: Whitening | None = None,
    ) -> None:
        """Keep the estimate, an expansion of one class; ``bandwidth_`` is known."""
        size = len(points) if weights is None else weights.sum()
        self.expansion_ = KernelExpansion(
            points=points,
            kernel=get(self.kernel),
            bandwidth=np.asarray(self.bandwidth_, dtype=np.float64),
            n_classes=1,
            labels=np.zeros(len(points), dtype=np.intp),
            weights=weights,
            log_factors=-np.log([float(size)]),
            whitening=whitening,
        )

    def _one_bandwidth(self, h: NDArray[np.float64]) -> float | NDArray[np.float64]:
        return float(h.item()) if h.size == 1 else h

    def _check_parameters(self) -> None:
        super()._check_parameters()
        bandwidth: Any = self.bandwidth
        selector = get_selector(bandwidth) if isinstance(bandwidth, str | Selector) else None
        if selector is not None and selector.needs_labels:
            raise ValueError(
                f"bandwidth={self.bandwidth!r} judges a classifier, and a density has no labels; "
                "use 'cv', 'silverman', 'scott', 'lscv' or 'likelihood'."
            )
        per_feature = np.ndim(bandwidth) == 2 and np.size(bandwidth) > 1
        if self.metric is not None and (per_feature or getattr(selector, "per", None) == "feature"):
            raise ValueError(
                f"bandwidth={self.bandwidth!r} is one per feature, and metric='class' has a metric "
                "of its own; give one bandwidth, or metric=None."
            )
