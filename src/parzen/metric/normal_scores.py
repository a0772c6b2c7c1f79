"""Normal scores: every column as quantiles of the normal distribution, by the ranks of its values.

    z_i = Phi^-1( (sum_{j <= i} c_j - c_i / 2) / n ),    distinct values v_1 < .. < v_m, counts c

scaled to mean 0 and deviation 1. New values are interpolated linearly, and constant beyond the
ends. Labels are not used. The scores have neither outliers nor skewness.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Constraints,
    Floats,
    Integer,
    LinkedEstimator,
    check_parameters,
    described,
    validate_points,
    validate_weights,
)


class ColumnScores(NamedTuple):
    """The distinct values of one column and their normal scores."""

    values: Floats
    scores: Floats

    @classmethod
    def fit(cls, x: Floats, weights: Floats | None = None) -> ColumnScores:
        """Rank the values that are not missing; weights are frequencies."""
        counted = ~np.isnan(x)
        w = np.ones(len(x)) if weights is None else weights
        counted &= w > 0
        values, places = np.unique(x[counted], return_inverse=True)
        if len(values) < 2:
            return cls(values if len(values) else np.zeros(1), np.zeros(max(len(values), 1)))
        counts = np.bincount(places, w[counted])
        shares = counts / counts.sum()
        # The last rank rounds to 1, whose quantile is infinite, where the share above it is tiny.
        z = ndtri(np.minimum(np.cumsum(shares) - 0.5 * shares, np.nextafter(1.0, 0.0)))
        z = z - shares @ z
        return cls(values, np.asarray(z / np.sqrt(shares @ z**2)))

    def of(self, x: Floats) -> Floats:
        """The scores of new values; a missing one stays missing."""
        return np.asarray(np.interp(x, self.values, self.scores))

    def at(self, x: float) -> float:
        """The score of one value, as `of` computes it, without the overhead of an array."""
        i = int(self.values.searchsorted(x, side="right")) - 1
        if i < 0 or i + 1 >= len(self.values):
            return self.scores.item(0 if i < 0 else -1) if x == x else x
        low, high = self.values.item(i), self.scores.item(i)
        slope = (self.scores.item(i + 1) - high) / (self.values.item(i + 1) - low)
        return slope * (x - low) + high


@described
class NormalScores(
    OneToOneFeatureMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    LinkedEstimator,
):
    """Replace every column by the normal scores of its ranks.

    Read more in the :doc:`guide </guide/auto>`.

    Parameters
    ----------
    min_values : int, default=2
        Columns with fewer distinct values are brought to mean 0 and deviation 1 and nothing else.

    Attributes
    ----------
    columns_ : list of ColumnScores
        Values and scores of every column.
    {n_features_in_, feature_names_in_}

    Notes
    -----
    Time O(n log n) for each column; memory the distinct values. Missing entries (NaN) stay missing.
    A constant column becomes zero.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import NormalScores
    >>> X = np.array([[1.0], [2.0], [2.0], [1000.0]])
    >>> NormalScores().fit(X).transform([[1.0], [1.5], [2.0], [5000.0]]).ravel().round(3) + 0.0
    array([-1.414, -0.707,  0.   ,  1.414])
    """

    _constraints: ClassVar[Constraints] = {"min_values": Integer(2)}

    def __init__(self, min_values: int = 2) -> None:
        self.min_values = min_values

    def fit(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Rank the values of every column.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The sample.
        y : ignored
            Labels are not used.
        sample_weight : array of shape (n_samples,), default=None
            Frequencies.
        """
        check_parameters(self)
        points = validate_points(self, X, reset=True, allow_nan=True).astype(np.float64)
        weights = validate_weights(sample_weight, points)
        self.columns_ = [self._column(x, weights) for x in points.T]
        return self

    def _column(self, x: Floats, weights: Floats | None) -> ColumnScores:
        found = ColumnScores.fit(x, weights)
        if not 1 < len(found.values) < self.min_values:
            return found
        w = np.ones(len(x)) if weights is None else weights
        counted = ~np.isnan(x) & (w > 0)
        centre = np.average(x[counted], weights=w[counted])
        scale = np.sqrt(np.average((x[counted] - centre) ** 2, weights=w[counted]))
        return found._replace(scores=(found.values - centre) / scale)

    def transform(self, X: ArrayLike) -> Floats:
        """The scores of every entry."""
        check_is_fitted(self)
        points = validate_points(self, X, reset=False, allow_nan=True).astype(np.float64)
        columns = [column.of(x) for column, x in zip(self.columns_, points.T, strict=True)]
        return np.ascontiguousarray(np.column_stack(columns))

    def __sklearn_tags__(self) -> Any:
        """Say that NaN is allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
