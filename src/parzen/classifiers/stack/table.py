"""A raw table as the stack's members see it.

Columns are standardised. A *level* column has 3 to 10 distinct values, each five times on average;
it and a column of categories get one indicator per value, scaled by (1 - sum_v p_v^2)^(-1/2), so
that the mean squared distance is 2, as it is for a standardised column. Members see

    plain    numbers, levels as numbers, categories as indicators
    mixed    numbers, levels and categories as indicators
    columns  one entry per column, for naive Bayes; some hold values rather than amounts

Constant columns are dropped. No label is looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LEVELS = range(3, 11)
_ROWS_PER_LEVEL = 5


class Blocks(NamedTuple):
    """The table in the three forms."""

    plain: Floats
    mixed: Floats
    columns: Floats

    def rows(self, rows: Any) -> Blocks:
        """Some of the rows."""
        return Blocks(*(np.ascontiguousarray(block[rows]) for block in self))

    def __len__(self) -> int:
        return len(self.columns)


class Indicators(NamedTuple):
    """Values of a column and the height of their indicators."""

    values: Floats
    height: float

    def of(self, x: Floats) -> Floats:
        """One column per value; an unknown value has none."""
        return np.asarray(self.height * (x[:, None] == self.values))


class Table(NamedTuple):
    """How a column of the input becomes columns of the blocks."""

    kept: NDArray[np.intp]  # columns that are not constant
    centres: Floats
    scales: Floats
    indicators: tuple[Indicators | None, ...]  # None: an amount and nothing else
    categorical: NDArray[np.bool_]  # text and the like: no amount at all

    @classmethod
    def fit(cls, X: Floats, is_categorical: NDArray[np.bool_], weights: Floats | None) -> Table:
        """Find the kinds of the columns; NaN is a missing entry."""
        w = np.ones(len(X)) if weights is None else weights
        kept, centres, scales, kinds = [], [], [], []
        for j, x in enumerate(X.T):
            seen = ~np.isnan(x)
            centre, scale = _centre_and_scale(x[seen], w[seen])
            if not scale > 0:
                continue
            kept.append(j)
            centres.append(centre)
            scales.append(scale)
            kinds.append(_indicators(x[seen], w[seen], bool(is_categorical[j])))
        columns = np.array(kept, dtype=np.intp)
        return cls(
            columns, np.array(centres), np.array(scales), tuple(kinds), is_categorical[columns]
        )

    @property
    def is_discrete(self) -> NDArray[np.bool_]:
        """Columns whose values naive Bayes counts."""
        return np.array([kind is not None for kind in self.indicators], dtype=bool)

    def mixed_columns(self) -> NDArray[np.intp]:
        """For each column of the mixed block, the place of its origin among the input's columns."""
        widths = [1 if kind is None else len(kind.values) for kind in self.indicators]
        return np.repeat(self.kept, widths)

    def apply(self, X: Floats) -> Blocks:
        """The three forms of a table."""
        units = (X[:, self.kept] - self.centres) / self.scales
        plain, mixed, columns = [], [], []
        for place, kind in enumerate(self.indicators):
            z = units[:, [place]]
            own = z if kind is None else kind.of(X[:, self.kept[place]])
            plain.append(own if self.categorical[place] else z)
            mixed.append(own)
            columns.append(z if kind is None else X[:, [self.kept[place]]])
        empty = np.zeros((len(X), 1))  # a table of constants: all rows are alike
        return Blocks(
            *(np.ascontiguousarray(np.hstack(b) if b else empty) for b in (plain, mixed, columns))
        )


def _centre_and_scale(x: Floats, w: Floats) -> tuple[float, float]:
    """Mean and standard deviation, safe at any scale; scale 0 for a constant column."""
    if len(x) == 0:
        return 0.0, 0.0
    size = float(np.abs(x).max())
    if size == 0 or float(np.ptp(x)) <= 4 * np.finfo(float).eps * size:
        return 0.0, 0.0
    unit = 2.0 ** np.round(np.log2(size))
    u, share = x / unit, w / w.sum()
    centre = float(share @ u)
    centre += float(share @ (u - centre))  # takes out the rounding of a large offset
    deviation = float(np.sqrt(share @ (u - centre) ** 2))
    return float(centre * unit), float(deviation * unit)


def _indicators(x: Floats, w: Floats, categorical: bool) -> Indicators | None:
    values = np.unique(x)
    is_level = len(values) in _LEVELS and len(x) >= _ROWS_PER_LEVEL * len(values)
    if not (categorical or is_level):
        return None
    shares = np.bincount(np.searchsorted(values, x), w, minlength=len(values)) / w.sum()
    return Indicators(values, float((1.0 - (shares**2).sum()) ** -0.5))
