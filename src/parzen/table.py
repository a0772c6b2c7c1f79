"""Tables of numbers and texts as points: standardised, categories as indicators, gaps filled.

    number    (x - mean) / deviation; where it is missing the median, or NaN on request
    category  1 in the column of its level, 0 in the others

Two different levels are sqrt(2) apart, as two random values of a standardised column are on
average (in squares). What is learned comes from the rows of `fit` only.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from parzen._core import (
    CategoryColumns,
    Constraints,
    Floats,
    Integer,
    LinkedEstimator,
    OneOf,
    check_parameters,
    declared,
    validate_table,
    validate_weights,
)
from parzen.samples import column_medians

__all__ = ["TableEncoder"]


@declared
class TableEncoder(TransformerMixin, LinkedEstimator):  # type: ignore[misc]
    """Turn a table into points: scale numbers, give every category a column.

    Read more in the :doc:`guide </guide/tables>`.

    Parameters
    ----------
    missing : {"refuse", "impute", "keep"}, default="refuse"
        Missing entries are an error; or they become the median of a column of numbers, and a level
        of their own in a column of categories; ``"keep"`` leaves missing numbers as NaN, for
        estimators that take them.
    max_categories : int, default=100
        More levels than this are refused: such a column names its rows rather than describes them.

    Attributes
    ----------
    centres_, scales_ : array of shape (n_features,)
        Mean and standard deviation of the columns of numbers; NaN for categories.
    fills_ : array of shape (n_features,)
        Their medians.
    levels_ : dict of int to list
        The levels of each column of categories; None is the level of missing entries.
    {n_features_in_, feature_names_in_}

    Notes
    -----
    Columns of text and categories of a data frame are categories, all others numbers. A level
    that was not there in `fit` is no level: zeros. A constant column becomes zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.table import TableEncoder
    >>> TableEncoder(missing="impute").fit_transform([[1.0], [3.0], [np.nan]])
    array([[-1.22...],
           [ 1.22...],
           [ 0.  ...]])
    """

    _constraints: ClassVar[Constraints] = {
        "missing": OneOf("refuse", "impute", "keep"),
        "max_categories": Integer(1),
    }
    _set_last = "scales_"

    _: KW_ONLY
    missing: str = "refuse"
    max_categories: int = 100

    def fit(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn scales, medians and levels.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table.
        y : ignored
        {sample_weight}
        """
        check_parameters(self)
        self._forget()
        rows: Any = X
        weights = validate_weights(sample_weight, rows)
        if weights is not None and not weights.all():
            rows = X if hasattr(X, "columns") else np.asarray(X)
            X, weights = _safe_indexing(rows, np.flatnonzero(weights)), weights[weights > 0]
        self._table = CategoryColumns.find(X, "from_dtype")
        numbers = validate_table(self, X, self._table, reset=True)
        self._refuse_gaps(numbers)
        self.levels_ = {j: self._levels(j, numbers[:, j]) for j in self._table.encoders}
        plain = np.array([j not in self.levels_ for j in range(numbers.shape[1])])
        empty = np.flatnonzero(np.isnan(numbers).all(axis=0) & plain)
        if len(empty):
            raise ValueError(f"column {self._name(empty[0])} holds no value at all; leave it out.")
        self.fills_, self.centres_, self.scales_ = np.full((3, numbers.shape[1]), np.nan)
        if plain.any():
            self.fills_[plain] = column_medians(numbers[:, plain], weights)
            filled = self._filled(numbers)[:, plain]
            w = np.where(np.isnan(filled), 0.0, 1.0 if weights is None else weights[:, None])
            filled = np.where(w > 0, filled, self.fills_[plain])  # what was kept does not count
            self.centres_[plain] = np.average(filled, axis=0, weights=w)
            self.scales_[plain] = _deviations(filled - self.centres_[plain], filled, w)
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """The table as points, shape (n_samples, n_features_out)."""
        check_is_fitted(self)
        numbers = validate_table(self, X, self._table, reset=False)
        self._refuse_gaps(numbers)
        filled = self._filled(numbers)
        return np.concatenate([self._column(filled, j) for j in range(numbers.shape[1])], axis=1)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns that `transform` returns."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        out: list[str] = []
        for j, name in enumerate(names):
            levels = self.levels_.get(j)
            out += [name] if levels is None else [f"{name}={level}" for level in levels]
        return np.array(out, dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Categories are welcome, missing entries where they are imputed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags

    def _levels(self, j: int, codes: Floats) -> list[Any]:
        """Levels of a column by their number; None, where entries were missing, comes last."""
        categories = self._table.encoders[j].categories_[0].tolist()
        levels = [c for c in categories if not (c is None or c != c)]
        if len(levels) > self.max_categories:
            raise ValueError(
                f"column {self._name(j)} has {len(levels)} different texts, more than "
                f"max_categories={self.max_categories}; leave it out or raise the limit."
            )
        return [*levels, None] if np.isnan(codes).any() else levels

    def _column(self, filled: Floats, j: int) -> Floats:
        levels = self.levels_.get(j)
        if levels is None:
            return np.asarray((filled[:, j : j + 1] - self.centres_[j]) / self.scales_[j])
        codes = np.where(np.isnan(filled[:, j]), len(levels) - 1, filled[:, j])
        if None not in levels:
            codes = np.where(np.isnan(filled[:, j]), -1, codes)
        return np.asarray(codes[:, None] == np.arange(len(levels)), dtype=np.float64)

    def _filled(self, numbers: Floats) -> Floats:
        """Medians in place of missing numbers, or NaN; codes of categories stay NaN."""
        if self.missing == "keep":
            return numbers.astype(np.float64)
        return np.where(np.isnan(numbers), self.fills_, numbers).astype(np.float64)

    def _refuse_gaps(self, numbers: Floats) -> None:
        if self.missing != "refuse":
            return
        rows, columns = np.nonzero(np.isnan(numbers))
        if len(rows):
            raise ValueError(
                f"Input X contains NaN: column {self._name(columns[0])} is missing in row "
                f"{rows[0]}; use missing='impute' or 'keep', or leave out the column or the row."
            )

    def _name(self, j: int) -> str:
        names = getattr(self, "feature_names_in_", None)
        return str(j) if names is None else repr(str(names[j]))


def _deviations(centred: Floats, values: Floats, weights: Floats) -> Floats:
    """Standard deviations, 1 where a column is constant up to rounding."""
    size = np.abs(centred).max(axis=0)
    unit = np.where(size > 0, size, 1.0)
    deviation = unit * np.sqrt(np.average((centred / unit) ** 2, axis=0, weights=weights))
    constant = deviation <= 8 * np.finfo(np.float64).eps * np.abs(values).max(axis=0)
    return np.where(constant, 1.0, deviation)
