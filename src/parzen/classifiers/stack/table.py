"""A raw table as the stack's members see it.

Columns are standardised. A *level* column has 3 to 10 distinct values, each five times on average;
it and a column of categories get one indicator per value, scaled by (1 - sum_v p_v^2)^(-1/2), so
that the mean squared distance is 2, as it is for a standardised column. Members see

    plain, plain_q    numbers, levels as numbers, categories as indicators
    mixed, mixed_q    numbers, levels and categories as indicators
    gapped            plain, with missing entries, for densities of the columns that a row has
    columns           one entry per column, for naive Bayes: raw values of levels and categories
    scores            one entry per column, for the ANOVA kernel: normal scores, codes of categories

In the forms q, numbers of more than 10 distinct values are replaced by their normal scores.
Constant columns are dropped. No label is looked at. Missing entries stay missing in gapped and
columns; elsewhere they are the mean of a number, and no value of a category.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from parzen._core import Bools, Floats, Ints
from parzen.metric import ColumnScores

T = TypeVar("T")

_LEVELS = range(3, 11)  # Numbers of distinct values that make a column one of levels.
_ROWS_PER_LEVEL = 5  # Least mean number of rows of such a value.


class Indicators(NamedTuple):
    """The values of a column that have an indicator, and what an indicator is in place of 1.

    All indicators of a value that the training rows lack are 0.
    """

    values: Floats
    height: float


class Layout(NamedTuple):
    """Which columns of a form are numbers, and which are indicators of which values."""

    numbers: Ints  # places of the kept columns that stay numbers
    is_indicator: Bools  # for each column of the form
    columns: Ints  # for each indicator, the column of the input
    values: Floats  # for each indicator, the value that it stands for
    heights: Floats


@dataclass(frozen=True, eq=False)
class StackTable:
    """How the columns of the input become columns of the blocks, learned from the training rows."""

    kept: Ints  # columns that are not constant
    centres: Floats
    scales: Floats
    indicators: tuple[Indicators | None, ...]  # None for numbers that are no levels
    scores: tuple[ColumnScores, ...]
    categorical: Bools  # text and the like, which are no numbers

    def __getstate__(self) -> dict[str, Any]:
        """The fields: what is computed from them once is neither copied nor pickled."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def fit(cls, X: Floats, is_categorical: Bools, weights: Floats | None) -> StackTable:
        """Find the kinds of the columns; NaN is a missing entry."""
        w = np.ones(len(X)) if weights is None else weights
        kept, centres, scales, kinds, scores = [], [], [], [], []
        for j, x in enumerate(X.T):
            seen = ~np.isnan(x)
            centre, scale = _centre_and_scale(x[seen], w[seen])
            if not scale > 0:
                continue
            kept.append(j)
            centres.append(centre)
            scales.append(scale)
            kinds.append(_indicators(x[seen], w[seen], bool(is_categorical[j])))
            scores.append(ColumnScores.fit(x, w))
        columns = np.array(kept, dtype=np.intp)
        return cls(
            columns, np.array(centres), np.array(scales), tuple(kinds), tuple(scores),
            is_categorical[columns],
        )  # fmt: skip

    @cached_property
    def is_discrete(self) -> Bools:
        """Columns of levels and of categories, which have indicators.

        Here and in `is_counted` one False stands for a table that has no columns left.
        """
        kinds = [kind is not None for kind in self.indicators]
        return np.array(kinds or [False], dtype=bool)

    @cached_property
    def is_counted(self) -> Bools:
        """Columns whose values naive Bayes counts: those with indicators, or with two values."""
        two = [len(scores.values) == 2 for scores in self.scores]
        return np.array(two or [False], dtype=bool) | self.is_discrete

    @cached_property
    def is_ranked(self) -> Bools:
        """Columns that the forms q replace by their normal scores."""
        many = [len(scores.values) > _LEVELS[-1] for scores in self.scores]
        return np.array(many, dtype=bool) & ~self.categorical

    @property
    def equality(self) -> Floats:
        """Share of [x = y] in each column's ANOVA kernel: numbers 0, levels 1/2, categories 1."""
        shares = np.where(self.categorical, 1.0, np.where(self.is_discrete, 0.5, 0.0))
        return shares if len(shares) else np.zeros(1)

    def origins(self, block: str) -> Ints:
        """For each column of a block, the number of the input column that it comes from."""
        if block in ("columns", "scores"):
            return self.kept
        layout = self.layouts["mixed" if block.startswith("mixed") else "plain"]
        found = np.empty(len(layout.is_indicator), dtype=np.intp)
        found[~layout.is_indicator] = self.kept[layout.numbers]
        found[layout.is_indicator] = layout.columns
        return found

    @cached_property
    def layouts(self) -> dict[str, Layout]:
        """Where the columns of the forms plain and mixed come from."""
        discrete = self.is_discrete[: len(self.indicators)]
        return {"plain": self._layout(self.categorical), "mixed": self._layout(discrete)}

    def _layout(self, as_indicators: Bools) -> Layout:
        """The layout in which the marked columns become indicators."""
        numbers, columns, is_indicator = [], [], []
        values, heights = [np.empty(0)], []
        for place, (kind, many) in enumerate(zip(self.indicators, as_indicators, strict=True)):
            if kind is None or not many:
                numbers.append(place)
                is_indicator.append(False)
                continue
            count = len(kind.values)
            values.append(kind.values)
            heights += [kind.height] * count
            columns += [self.kept[place]] * count
            is_indicator += [True] * count
        return Layout(
            np.array(numbers, dtype=np.intp), np.array(is_indicator, dtype=bool),
            np.array(columns, dtype=np.intp), np.concatenate(values), np.array(heights),
        )  # fmt: skip

    def apply(self, X: Floats) -> Blocks:
        """The forms of a table, each computed when it is first asked for."""
        return Blocks(self, X)


Table = StackTable  # What pickles and files of skops that are older call it.


@dataclass(frozen=True, eq=False)
class Blocks:
    """A table in the forms that the members see."""

    table: StackTable
    X: Floats

    @cached_property
    def _kept(self) -> dict[Any, Any]:
        """Results of `once` by their keys."""
        return {}

    def __len__(self) -> int:
        return len(self.X)

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """What ``make`` computes from these rows, at the first call with this key."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def rows(self, rows: Ints | slice) -> Blocks:
        """Some of the rows."""
        return Blocks(self.table, self.X[rows])

    @cached_property
    def plain(self) -> Floats:
        return self._joined(self._amounts, "plain")

    @cached_property
    def gapped(self) -> Floats:
        if not np.isnan(self.X).any():
            return self.plain
        missing = np.isnan(self.X[:, self.table.origins("gapped")])
        return self._or_zeros(np.where(missing, np.nan, self.plain[:, : missing.shape[1]]))

    @cached_property
    def mixed(self) -> Floats:
        return self._joined(self._amounts, "mixed")

    @cached_property
    def plain_q(self) -> Floats:
        return self._joined(self._ranked, "plain")

    @cached_property
    def mixed_q(self) -> Floats:
        return self._joined(self._ranked, "mixed")

    @cached_property
    def columns(self) -> Floats:
        raw = self.X[:, self.table.kept]
        amounts = (raw - self.table.centres) / self.table.scales
        return self._or_zeros(np.where(self.table.is_discrete[: raw.shape[1]], raw, amounts))

    @cached_property
    def scores(self) -> Floats:
        categorical = self.table.categorical
        if not categorical.any():
            return self._or_zeros(self._normal_scores)
        codes = self.X[:, self.table.kept]
        codes[np.isnan(codes)] = -1.0
        return self._or_zeros(np.where(categorical, codes, self._normal_scores))

    @cached_property
    def _amounts(self) -> Floats:
        """Standardised columns, 0 for missing entries."""
        amounts = (self.X[:, self.table.kept] - self.table.centres) / self.table.scales
        return np.where(np.isnan(amounts), 0.0, amounts)

    @cached_property
    def _ranked(self) -> Floats:
        """The same with normal scores in the columns that the forms q replace."""
        ranked = self.table.is_ranked
        return np.where(ranked, self._normal_scores, self._amounts)

    @cached_property
    def _normal_scores(self) -> Floats:
        """Normal scores of all columns but categories, whose entries here are 0."""
        out, wanted = np.zeros((len(self.X), len(self.table.kept))), ~self.table.categorical
        if len(out) == 1:
            row = self.X[0, self.table.kept].tolist()
            for place in np.flatnonzero(wanted).tolist():
                out[0, place] = self.table.scores[place].at(row[place])
        else:
            for place in np.flatnonzero(wanted).tolist():
                out[:, place] = self.table.scores[place].of(self.X[:, self.table.kept[place]])
        out[np.isnan(out)] = 0.0
        return out

    def _joined(self, amounts: Floats, form: str) -> Floats:
        """Amounts side by side, some columns replaced by their indicators."""
        layout = self.table.layouts[form]
        if not len(layout.values):
            return self._or_zeros(amounts)
        found = np.empty((len(self.X), len(layout.is_indicator)))
        found[:, ~layout.is_indicator] = amounts[:, layout.numbers]
        found[:, layout.is_indicator] = layout.heights * (
            self.X[:, layout.columns] == layout.values
        )
        return found

    def _or_zeros(self, block: Floats) -> Floats:
        """The block; a column of zeros for a table of constants, whose rows are all alike."""
        return np.ascontiguousarray(block) if block.shape[1] else np.zeros((len(self.X), 1))


def _centre_and_scale(x: Floats, w: Floats) -> tuple[float, float]:
    """Mean and standard deviation, safe at any scale; scale 0 for a constant column."""
    if len(x) == 0:
        return 0.0, 0.0
    size = float(np.abs(x).max())
    if size == 0 or float(np.ptp(x)) <= 4 * np.finfo(float).eps * size:
        return 0.0, 0.0
    unit = 2.0 ** np.round(np.log2(size))  # squares in this unit neither overflow nor vanish
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
