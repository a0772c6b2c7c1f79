"""What every estimator of the library does with its input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from parzen._chunks import accept_chunks
from parzen._threads import effective_threads
from parzen._validation import check_finite, refuse_sparse, refuse_text
from parzen.kernels import Kernel, get
from parzen.sums import check_method, check_serves


class SumsOptions:
    """How an estimator with ``method``, ``rtol`` and ``n_jobs`` computes kernel sums."""

    method: str
    rtol: float
    n_jobs: int | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        accept_chunks(cls)

    def _check_sums(self) -> None:
        """Everything wrong with these parameters, said before any computation."""
        effective_threads(self.n_jobs)
        check_method(self.method, self.rtol)

    def _check_serves(self, n_features: int) -> None:
        """Refuse a method that was asked for by name and knows nothing of the kernel."""
        kernel = getattr(self, "kernel", None)
        if kernel is None or self.method in ("auto", "dense") or self.rtol == 0:
            return
        if not isinstance(kernel, Kernel | str) or kernel == "precomputed":
            raise ValueError(
                f"method={self.method!r} needs a kernel with a name, got kernel={kernel!r}; "
                "use method='dense' or 'auto'."
            )
        check_serves(self.method, get(kernel), n_features)

    def _model(self) -> Any:
        """The expansion whose sums the estimator asks for."""
        return self.expansion_  # type: ignore[attr-defined]

    @property
    def sums_method_(self) -> str:
        """The method for kernel sums at many new points."""
        check_is_fitted(self)
        return str(self._model().sums_method(self.method, self.rtol))

    def _sums_options(self) -> dict[str, Any]:
        return {"method": self.method, "rtol": self.rtol, "n_jobs": self.n_jobs}


def validate_points(
    estimator: BaseEstimator,
    X: ArrayLike,
    *,
    reset: bool,
    allow_nan: bool = False,
    text_cure: str = "encode it as numbers first",
) -> NDArray[Any]:
    """Check the width and the names of the columns of X, and that its entries are finite.

    ``text_cure`` is what the error about a column of text advises.
    """
    refuse_sparse(X, "X")
    try:
        points = validate_data(
            estimator,
            X,
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=1 if reset else 0,  # no queries, no answers: not an error
            reset=reset,
        )
    except (TypeError, ValueError) as error:
        refuse_text(X, "X", cure=text_cure, cause=error)
        raise
    names = getattr(estimator, "feature_names_in_", None)
    if allow_nan:
        check_finite(np.where(np.isnan(points), 0.0, points), "X", names)
    else:
        check_finite(points, "X", names)
    return np.asarray(points)


def validate_weights(
    sample_weight: ArrayLike | None, X: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Non-negative frequencies, at least one of them positive; None stays None."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not (weights > 0).any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError("sample_weight adds up to infinity; divide it by a common factor.")
    return np.asarray(weights)
