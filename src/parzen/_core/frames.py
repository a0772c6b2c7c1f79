"""Columns of categories: which they are, and as numbers.

Pandas and polars frames and arrays of objects may hold text; such a column is numbered by
scikit-learn's OrdinalEncoder, missing entries become NaN and categories not seen in training -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils._missing import is_pandas_na
from sklearn.utils.validation import validate_data

from parzen._core.arrays import Array, Bools, Floats
from parzen._core.validation import check_finite, refuse_text, validate_points

_TEXT = frozenset({"category", "categorical", "enum", "object", "str", "string", "utf8"})


@dataclass(frozen=True, eq=False)
class CategoryColumns:
    """The categorical columns of a table.

    Attributes
    ----------
    is_categorical : array of shape (d,) of bool
        Which columns hold categories.
    encoders : dict from column to OrdinalEncoder
        Of the columns that hold no numbers.
    is_ordered : array of shape (d,) of bool, default=None
        Which of the categories are ordered, where that has been asked.
    """

    is_categorical: Bools
    encoders: dict[int, OrdinalEncoder]
    is_ordered: Bools | None = None

    @classmethod
    def find(cls, X: Any, categorical_features: Any, ordered: Any = None) -> CategoryColumns:
        """Resolve ``categorical_features`` for a training table, and which are ordered.

        Ordered columns are categories as well; ``"from_dtype"`` takes pandas' ordered categories.
        """
        marks = _marks(X, categorical_features)
        if ordered is not None:
            steps = _ordered_marks(X) if ordered == "from_dtype" else _marks(X, list(ordered))
            found = cls.find(X, marks | steps)
            return cls(found.is_categorical, found.encoders, steps)
        text = [j for j in np.flatnonzero(marks) if _is_text(X, int(j))]
        encoders = {int(j): _fitted_encoder(X, int(j)) for j in text}
        return cls(marks, encoders)

    def as_numbers(self, X: Any) -> Floats:
        """The table with its text replaced by numbers."""
        columns = [
            _encoded(_column(X, j), self.encoders[j]) if j in self.encoders else _number(X, j)
            for j in range(len(self.is_categorical))
        ]
        return np.column_stack(columns)

    def as_levels(self, X: Floats, names: Sequence[str] | None = None) -> Any:
        """Numbers turned back into the user's levels, in the columns whose levels are no numbers.

        A number beyond the first or the last level becomes that level. With names it is a data
        frame of pandas, where that is installed; else an array of objects.
        """
        if not self.encoders:
            return X
        columns: list[Any] = list(X.T)
        for j, encoder in self.encoders.items():
            levels = encoder.categories_[0]
            codes = np.clip(np.nan_to_num(X[:, j]), 0, len(levels) - 1).astype(np.intp)
            columns[j] = np.where(np.isnan(X[:, j]), None, levels.astype(object)[codes])
        if names is not None and find_spec("pandas") is not None:
            import pandas

            return pandas.DataFrame(dict(zip(names, columns, strict=True)))
        return np.array([np.asarray(column, object) for column in columns], object).T


def category_encoder(categories: Any = "auto") -> OrdinalEncoder:
    """An encoder that is not fitted; categories that it will not have seen get the number -1."""
    return OrdinalEncoder(
        categories=categories, handle_unknown="use_encoded_value", unknown_value=-1
    )


def _fitted_encoder(X: Any, j: int) -> OrdinalEncoder:
    values = _column(X, j)
    if len(values) == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}); fit needs rows.")
    try:
        if _ordered_marks(X)[j]:  # in their own order
            categories = np.array(_series(X, j).dtype.categories, dtype=object)
            return category_encoder([categories]).fit(values)
        return category_encoder().fit(values)
    except TypeError as error:
        kinds = sorted({type(v).__name__ for v in values.ravel().tolist() if v == v})
        name = j if _dtypes(X) is None else X.columns[j]
        raise TypeError(
            f"categories in column {name!r} of X are of the types {', '.join(kinds)}, which have "
            "no common order; turn them into text."
        ) from error


def _marks(X: Any, wanted: Any) -> Bools:
    """Which columns ``categorical_features`` names."""
    d = _n_columns(X)
    marks = np.zeros(d, dtype=bool)
    if wanted is None:
        return marks
    if isinstance(wanted, str):
        if wanted != "from_dtype":
            raise ValueError(
                f"categorical_features={wanted!r} is unknown; "
                "give a list of columns, 'from_dtype' or None."
            )
        if _dtypes(X) is None:
            return marks
        return np.array([_is_text(X, j) and not _holds_numbers(X, j) for j in range(d)])
    listed = np.asarray(wanted)
    if listed.dtype == bool:
        if listed.shape != (d,):
            raise ValueError(f"categorical_features has {listed.size} marks for {d} columns.")
        return listed
    names = [] if _dtypes(X) is None else [str(c) for c in X.columns]
    for entry in listed.tolist():
        marks[_index(entry, names, d)] = True
    return marks


def _ordered_marks(X: Any) -> Bools:
    """Which columns have categories that are ordered, by their types in a frame of pandas."""
    dtypes = _dtypes(X) or [None] * _n_columns(X)
    return np.array([bool(getattr(dtype, "ordered", False)) for dtype in dtypes], dtype=bool)


def _index(entry: Any, names: Sequence[str], d: int) -> int:
    if isinstance(entry, str):
        if entry not in names:
            raise ValueError(f"categorical_features names {entry!r}, which is not a column of X.")
        return names.index(entry)
    if not isinstance(entry, int) or not -d <= entry < d:
        raise ValueError(
            f"categorical_features holds {entry!r}, but X has the columns 0 to {d - 1}."
        )
    return entry


def _dtypes(X: Any) -> list[Any] | None:
    """Types of the columns of a frame, None for anything else."""
    return list(X.dtypes) if hasattr(X, "columns") and hasattr(X, "dtypes") else None


def _kind(dtype: Any) -> str:
    """The name of a column's type in small letters, without what stands in brackets."""
    return str(dtype).split("(")[0].split("[")[0].lower()


def _holds_numbers(X: Any, j: int) -> bool:
    """Whether a column of Python objects holds nothing but numbers and gaps."""
    if _kind(_series(X, j).dtype) != "object":
        return False
    values = _column(X, j)[:, 0]
    present = values[~_is_missing(values)]
    return len(present) > 0 and all(
        isinstance(v, Real) and not isinstance(v, bool | np.bool_) for v in present
    )


def _is_text(X: Any, j: int) -> bool:
    dtypes = _dtypes(X)
    return np.asarray(X).dtype.kind in "OUST" if dtypes is None else _kind(dtypes[j]) in _TEXT


def _n_columns(X: Any) -> int:
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return int(shape[1]) if len(shape) == 2 else 0


def _series(X: Any, j: int) -> Any:
    if _dtypes(X) is None:
        return np.asarray(X)[:, j]
    return X.iloc[:, j] if hasattr(X, "iloc") else X[X.columns[j]]


def _column(X: Any, j: int) -> Array:
    """The entries as objects, whatever stands for a missing one as NaN."""
    values = np.array(_series(X, j), dtype=object)
    values[_is_missing(values)] = np.nan
    return values[:, None]


def _is_missing(values: Array) -> Bools:
    return np.array([v is None or is_pandas_na(v) or v != v for v in values], dtype=bool)


def _encoded(values: Array, encoder: OrdinalEncoder) -> Floats:
    """The numbers of the categories; an entry stays missing where training had none missing."""
    if len(values) == 0:
        return np.empty(0)
    missing = _is_missing(values[:, 0])
    return np.where(missing, np.nan, encoder.transform(values)[:, 0])


def _number(X: Any, j: int) -> Floats:
    """A column of numbers, NaN for what is missing."""
    series = _series(X, j)
    try:
        if hasattr(series, "to_numpy") and _dtypes(X) is not None and hasattr(X, "iloc"):
            return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(series, dtype=np.float64)
    except (TypeError, ValueError) as error:
        refuse_text(X, "X", cure=_text_cure(X), cause=error, column=j)
        raise


def _text_cure(X: Any) -> str:
    by_type = "" if _dtypes(X) is None else ", or use categorical_features='from_dtype'"
    return f"name it in categorical_features{by_type}"


def validate_table(
    estimator: BaseEstimator,
    X: ArrayLike,
    table: CategoryColumns,
    *,
    reset: bool,
    allow_nan: bool = True,
) -> Array:
    """The table as numbers, with the names of its columns checked before they are lost."""
    if not table.encoders:
        return validate_points(
            estimator, X, reset=reset, allow_nan=allow_nan, text_cure=_text_cure(X)
        )
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    numbers = table.as_numbers(X)
    names = getattr(estimator, "feature_names_in_", None)
    check_finite(numbers, "X", names, allow_nan=allow_nan)
    return numbers
