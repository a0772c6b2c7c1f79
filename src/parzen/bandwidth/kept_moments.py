"""Rules of thumb along a stream, from moments of every class and column that are kept by batches.

    n = sum_b f_b n_b,      m = sum_b f_b n_b m_b / n,      S = sum_b f_b (S_b + n_b (m_b - m)^2)

of which the deviation is (S / (n - 1))^(1/2). A batch that leaves takes its own away: nothing is
subtracted, and no rounding adds up. Weights that decay multiply a batch by one factor f_bc.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from parzen._core import Array, Floats
from parzen.bandwidth.kept_batches import Batches
from parzen.bandwidth.rules import rule_factor
from parzen.kernels import Kernel
from parzen.samples import Sample

# Deviation, as a share of the distance from the origin, that is known in spite of rounding.
_LEAST_SPREAD = 1e-6


class ColumnMoments(NamedTuple):
    """Of entries that are there: sizes, means, sums of squares and ends, of shape (..., C, d)."""

    sizes: Floats
    means: Floats
    squares: Floats
    lows: Floats
    highs: Floats

    @classmethod
    def of(cls, X: Array, weights: Floats) -> Self:
        """Those of rows of one class, shape (d,)."""
        seen = ~np.isnan(X)
        w = weights[:, None] * seen
        sizes = w.sum(axis=0)
        entries = np.where(seen, X, 0.0)
        means = (w * entries).sum(axis=0) / np.where(sizes > 0, sizes, 1.0)
        with np.errstate(over="ignore"):
            squares = (w * (entries - means) ** 2).sum(axis=0)
        lows = np.where(seen, X, np.inf).min(axis=0, initial=np.inf)
        highs = np.where(seen, X, -np.inf).max(axis=0, initial=-np.inf)
        return cls(sizes, means, squares, lows, highs)

    def together(self) -> ColumnMoments:
        """Those of all parts along the first axis."""
        sizes = self.sizes.sum(axis=0)
        means = (self.sizes * self.means).sum(axis=0) / np.where(sizes > 0, sizes, 1.0)
        with np.errstate(over="ignore"):
            between = self.sizes * (self.means - means) ** 2
        squares = (self.squares + between).sum(axis=0)
        return ColumnMoments(sizes, means, squares, self.lows.min(axis=0), self.highs.max(axis=0))

    def times(self, factors: Floats) -> ColumnMoments:
        """With other weights."""
        return self._replace(sizes=self.sizes * factors, squares=self.squares * factors)

    def distances(self) -> Floats:
        """The largest absolute values."""
        return np.maximum(abs(self.lows), abs(self.highs))

    def deviations(self) -> Floats:
        """Standard deviations; 0 without entries."""
        freedom = np.where(self.sizes > 1, self.sizes - 1, np.maximum(self.sizes, 1e-300))
        return np.asarray(np.sqrt(self.squares / freedom))


class KeptMoments(NamedTuple):
    """The moments of a sample by batches, of entries less an origin of their column."""

    batches: Batches
    origin: Floats
    parts: list[ColumnMoments]  # of every batch, shape (C, d)

    @classmethod
    def of(cls, sample: Sample, earlier: KeptMoments | None) -> Self:
        """The moments of a sample, as many as possible out of earlier ones."""
        batches = Batches.of(sample, None if earlier is None else earlier.batches)
        origin = np.nan_to_num(sample.X[0].astype(np.float64))
        if earlier is not None and len(earlier.origin) == len(origin):
            origin = earlier.origin
        parts = []
        for start, stop, place in batches.parts:
            if earlier is not None and place is not None:
                parts.append(earlier.parts[place])
                continue
            rows, codes = sample.X[start:stop] - origin, sample.codes[start:stop]
            w = batches.weights[start:stop]
            classes = [codes == c for c in range(len(sample.classes))]
            parts.append(_stacked([ColumnMoments.of(rows[own], w[own]) for own in classes]))
        return cls(batches, origin, parts)

    @property
    def _resolution(self) -> float:
        return 4 * float(np.finfo(self.batches.sample.X.dtype).eps)

    def _sizes(self, moments: ColumnMoments) -> Floats:
        """The largest absolute values of entries."""
        return np.maximum(abs(moments.lows + self.origin), abs(moments.highs + self.origin))

    def _of_classes(self) -> ColumnMoments:
        """Those of all batches, shape (C, d)."""
        if self.batches.are_plain:
            return _stacked(self.parts).together()
        factors = [factor[:, None] for factor in self.batches.factors()]
        scaled = [part.times(factor) for part, factor in zip(self.parts, factors, strict=True)]
        return _stacked(scaled).together()

    def rule(self, name: str, kernel: Kernel) -> Floats:
        """Bandwidths by a rule of thumb for each class and column, shape (C, d).

        A class whose entries are equal takes Silverman's rule of the whole column. Columns whose
        entries differ little for their size or their distance from the origin, or whose squares
        leave the range of numbers, are NaN.
        """
        classes, eps = self._of_classes(), self._resolution
        column = classes.together()
        with np.errstate(invalid="ignore"):
            is_flat = ~(classes.highs - classes.lows > eps * self._sizes(classes))
            least = np.maximum(eps * self._sizes(column), _LEAST_SPREAD * column.distances())
        found = np.where(is_flat, _rule(column, "silverman"), _rule(classes, name))
        deviations = np.where(is_flat, column.deviations(), classes.deviations())
        # Equal up to rounding, or out of range: left to the rule that sees the rows.
        is_sure = (deviations > least) & np.isfinite(found)
        found = np.where(is_sure.all(axis=0), found, np.nan)
        return np.asarray(found * kernel.bandwidth_factor(1))


def _stacked(moments: list[ColumnMoments]) -> ColumnMoments:
    return ColumnMoments(*(np.stack(parts) for parts in zip(*moments, strict=True)))


def _rule(moments: ColumnMoments, name: str) -> Floats:
    return moments.deviations() * rule_factor(name, np.maximum(moments.sizes, 1.0), 1)
