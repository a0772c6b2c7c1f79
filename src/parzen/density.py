"""Kernel density estimation: f(x) = (1/N) sum_i w_i k_h(x, x_i), N = sum_i w_i.

The sums are exact log-sums, so a log-density is right in 500 dimensions and a million bandwidths
away from the data, where a linear sum has long underflowed.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from parzen._estimator import validate_points, validate_weights
from parzen._threads import effective_threads
from parzen.bandwidth import RULES
from parzen.kernels import Kernel, density_names, get
from parzen.sums import kernel_sums


def density_kernel(kernel: str | Kernel) -> Kernel:
    """The kernel, refused unless it is a density."""
    k = get(kernel)
    if not k.is_density:
        raise ValueError(
            f"kernel={k.name!r} is not a density; choose one of {', '.join(density_names())}."
        )
    return k


def _has_number(estimator: KernelDensity) -> bool:
    if isinstance(estimator.bandwidth, Real):
        return True
    raise AttributeError(
        f"partial_fit needs bandwidth to be a number, got {estimator.bandwidth!r}: "
        "a rule would change with every batch."
    )


class KernelDensity(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """Kernel density estimate with exact log-densities.

    Parameters
    ----------
    bandwidth : float or {"silverman", "scott"}, default="silverman"
        Width of the kernel. The rules follow the scale of the data and the kernel.
    kernel : str or Kernel, default="gaussian"
        Any density kernel: ``parzen.kernels.density_names()``.
    n_jobs : int, default=None
        Threads; None for all cores that the process may use.

    Attributes
    ----------
    bandwidth_ : float
        The bandwidth in use.
    points_ : array of shape (n_points, n_features)
        The points that carry a kernel.
    weights_ : array of shape (n_points,) or None
        Their frequencies; None when all are 1.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Names of the columns, when the input had any.

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

    def __init__(
        self,
        bandwidth: float | str = "silverman",
        *,
        kernel: str | Kernel = "gaussian",
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.n_jobs = n_jobs

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
        kernel, bandwidth = self._checked_parameters()
        points = validate_points(self, X, reset=True)
        weights = validate_weights(sample_weight, points)
        if weights is not None:
            points, weights = points[weights > 0], weights[weights > 0]
        self.points_, self.weights_ = points, weights
        if isinstance(bandwidth, str):
            bandwidth = RULES[bandwidth](points, kernel=kernel, weights=weights)
        self.bandwidth_ = float(bandwidth)
        return self

    @available_if(_has_number)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add points to the estimate; the bandwidth must be a number."""
        if not hasattr(self, "points_"):
            return self.fit(X, y, sample_weight)
        self._checked_parameters()
        points = validate_points(self, X, reset=False)
        weights = validate_weights(sample_weight, points)
        if weights is not None or self.weights_ is not None:
            old = np.ones(len(self.points_)) if self.weights_ is None else self.weights_
            new = np.ones(len(points)) if weights is None else weights
            self.weights_ = np.concatenate([old, new[new > 0]])
            points = points[new > 0]
        dtype = np.result_type(points, self.points_)
        self.points_ = np.concatenate([self.points_, points], dtype=dtype)
        return self

    def score_samples(self, X: ArrayLike) -> NDArray[Any]:
        """Logarithm of the density at each row of X."""
        check_is_fitted(self)
        queries = validate_points(self, X, reset=False)
        sums = kernel_sums(
            queries,
            self.points_,
            self.weights_,
            kernel=self.kernel,
            bandwidths=self.bandwidth_,
            log=True,
            n_jobs=self.n_jobs,
        )
        return np.asarray(sums[:, 0, 0] - sums.dtype.type(np.log(self._size())))

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Log-likelihood of X: the sum of its log-densities."""
        return float(self.score_samples(X).sum(dtype=np.float64))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[Any]:
        """Draw points from the estimated density."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        p = None if self.weights_ is None else self.weights_ / self.weights_.sum()
        centres = self.points_[rng.choice(len(self.points_), size=n_samples, p=p)]
        d = self.points_.shape[1]
        return np.asarray(centres + self.bandwidth_ * get(self.kernel).sample(n_samples, d, rng))

    def _size(self) -> float:
        return float(len(self.points_) if self.weights_ is None else self.weights_.sum())

    def _checked_parameters(self) -> tuple[Kernel, float | str]:
        """Everything wrong with the parameters, said before any computation."""
        effective_threads(self.n_jobs)
        if isinstance(self.bandwidth, str):
            if self.bandwidth not in RULES:
                raise ValueError(
                    f"bandwidth={self.bandwidth!r} is unknown; give a positive number or one of "
                    f"{', '.join(map(repr, RULES))}."
                )
        elif isinstance(self.bandwidth, bool) or not isinstance(self.bandwidth, Real):
            raise TypeError(f"bandwidth must be a number or a name, got {self.bandwidth!r}.")
        elif not (np.isfinite(self.bandwidth) and self.bandwidth > 0):
            raise ValueError(f"bandwidth={self.bandwidth!r} must be positive and finite.")
        return density_kernel(self.kernel), self.bandwidth
