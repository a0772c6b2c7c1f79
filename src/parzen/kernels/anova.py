"""The ANOVA kernel: the centred kernels of single columns, their sum and their products in pairs.

    k_l(x, y)  = (1 - e_l) exp(-|x_l - y_l|) + e_l [x_l = y_l]
    k~_l(x, y) = (k_l(x, y) - m_l(x) - m_l(y) + M_l) / v_l
    S1 = sum_l k~_l(x, y),   S2 = sum_l k~_l(x, y)^2
    K(x, y)    = [ S1 + rho (S1^2 - S2) / (d - 1) ] / (d (1 + rho))

m_l(x) is the mean of k_l(x, .) over the reference points, M_l the mean of m_l, v_l = 1 - M_l the
mean diagonal after centring. So the functions of one column have mean zero over the reference, main
effects and interactions are apart, and every column weighs the same. m_l takes O(log n) per value:
the sums of exp(-abs(x - y)) run along the sorted column.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parzen import _native
from parzen._core import Floats, effective_threads
from parzen.kernels.base import check_bandwidth
from parzen.kernels.inner import InnerKernel
from parzen.kernels.pairs import FloatArray, as_points, frozen

_MAX_STRETCH = 300.0  # Length of a stretch of a column within which exp(x) stays in range.
_MIN_VALUES_FOR_THREADS = 100_000  # Exponentials below which starting threads takes longer.


class ColumnMeans(NamedTuple):
    """Means of exp(-abs(x - y)) and of [x = y] over the reference values y of one column."""

    values: Floats  # (m,) distinct, ascending
    shares: Floats  # (m,) of the reference
    from_left: Floats  # (m,) sum over y <= value of share exp(y - value)
    from_right: Floats  # (m,) sum over y >= value

    @classmethod
    def fit(cls, x: Floats, weights: Floats) -> ColumnMeans:
        """Sort the column and sum along it."""
        values, places = np.unique(x, return_inverse=True)
        shares = np.bincount(places, weights) / weights.sum()
        backwards = _decaying_sums(-values[::-1], shares[::-1])[::-1]
        return cls(values, shares, _decaying_sums(values, shares), backwards)

    def exponential(self, x: Floats) -> Floats:
        """Mean of exp(-abs(x - y)) at each x."""
        right = np.searchsorted(self.values, x)
        left = right - 1
        last = len(self.values) - 1
        total = np.where(left >= 0, self.from_left[left] * _decay(x - self.values[left]), 0.0)
        end = np.minimum(right, last)
        return total + np.where(
            right <= last, self.from_right[end] * _decay(self.values[end] - x), 0.0
        )

    def at(self, x: float, equality: float) -> float:
        """The mean of the column's kernel at one value, without the overhead of an array."""
        right = int(self.values.searchsorted(x))
        total = matched = 0.0
        if right > 0:
            below = self.values.item(right - 1)
            total = self.from_left.item(right - 1) * math.exp(min(below - x, 0.0))
        if right < len(self.values):
            above = self.values.item(right)
            total += self.from_right.item(right) * math.exp(min(x - above, 0.0))
            matched = self.shares.item(right) if above == x else 0.0
        return (1.0 - equality) * total + equality * matched

    def match(self, x: Floats) -> Floats:
        """Share of the reference that equals each x."""
        place = np.minimum(np.searchsorted(self.values, x), len(self.values) - 1)
        return np.where(self.values[place] == x, self.shares[place], 0.0)


def _decay(distance: Floats) -> Floats:
    return np.asarray(np.exp(-np.maximum(distance, 0.0)))


def _decaying_sums(x: Floats, w: Floats) -> Floats:
    """Sum_{j <= i} w_j exp(x_j - x_i) for ascending x, stretch by stretch."""
    out, carried, first = np.empty(len(x)), 0.0, 0
    while first < len(x):
        end = int(np.searchsorted(x, x[first] + _MAX_STRETCH, side="right"))
        u = x[first:end] - x[first]
        if first:
            carried = out[first - 1] * float(np.exp(x[first - 1] - x[first]))
        out[first:end] = (carried + np.cumsum(w[first:end] * np.exp(u))) * np.exp(-u)
        first = end
    return out


class AnovaKernel(InnerKernel):
    """Main effects of the columns and their interactions in pairs; not a density, no bandwidth.

    Parameters
    ----------
    points : array of shape (n_points, n_features)
        The reference over which every column is centred and scaled: the training sample, best with
        columns in units of their deviation or as normal scores.
    interactions : float, default=1.0
        The rho of the formula: weight of the pairs of columns beside that of the single columns.
    equality : float or array of shape (n_features,), default=0.0
        Share of [x = y] in the kernel of each column: 0 for numbers, 1/2 for a few levels, 1 for
        categories without order.
    weights : array of shape (n_points,), default=None
        Frequencies of the points.

    Notes
    -----
    Time is one exponential per pair and column, in native code; memory beyond the result is some
    copies of the points. Constant columns contribute nothing. It is a Mercer kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import RLSClassifier
    >>> from parzen.kernels import AnovaKernel
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> clf = RLSClassifier(AnovaKernel(X), regularization=1e-3).fit(X, y)
    >>> bool(clf.score(X, y) > 0.95)
    True
    >>> bool(AnovaKernel(X)(X, X).mean(axis=0).max() <= 0.1)
    True
    """

    name: ClassVar[str] = "anova"

    def __init__(
        self,
        points: ArrayLike,
        interactions: float = 1.0,
        equality: ArrayLike = 0.0,
        weights: ArrayLike | None = None,
    ) -> None:
        self.points = frozen(as_points(points, "points"), np.float64)
        n, d = self.points.shape
        if not (np.isfinite(interactions) and interactions >= 0):
            raise ValueError(f"interactions must be a number >= 0, got {interactions}; e.g. 1.0")
        self.interactions = float(interactions)
        shares = np.asarray(equality, dtype=np.float64)
        if shares.shape not in ((), (d,)) or not ((shares >= 0) & (shares <= 1)).all():
            raise ValueError(
                f"equality must be a share from 0 to 1, or one for each of the {d} columns, "
                f"got {equality!r}"
            )
        self.equality = frozen(np.broadcast_to(shares, (d,)))
        w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
        if w.shape != (n,) or not (np.isfinite(w) & (w >= 0)).all() or not (w > 0).any():
            raise ValueError(f"weights must be {n} frequencies >= 0, one for each point")
        self.weights = None if weights is None else frozen(w)

    @cached_property
    def _means(self) -> list[ColumnMeans]:
        w = np.ones(len(self.points)) if self.weights is None else self.weights
        return [ColumnMeans.fit(x, w) for x in self.points.T]

    @cached_property
    def _levels(self) -> tuple[Floats, Floats]:
        """M_l, and 1 / v_l, which is 0 for constant columns."""
        centre = np.array([
            mean.shares @ self._column_mean(j, mean.values) for j, mean in enumerate(self._means)
        ])  # fmt: skip
        constant = np.array([len(mean.values) < 2 for mean in self._means])
        spread = np.where(constant, 1.0, 1.0 - centre)
        return centre, np.where(constant, 0.0, 1.0 / spread)

    def _column_mean(self, j: int, x: Floats) -> Floats:
        """The m_l of the formula."""
        e, means = self.equality[j], self._means[j]
        total = np.zeros(len(x))
        if e < 1:
            total += (1.0 - e) * means.exponential(x)
        if e > 0:
            total += e * means.match(x)
        return total

    def _centres(self, X: Floats) -> Floats:
        """m_l(x) / v_l for every row and column."""
        inverse = self._levels[1]
        if len(X) == 1:
            shares = zip(self._means, X[0].tolist(), self.equality.tolist(), strict=True)
            return np.array([[mean.at(x, e) for mean, x, e in shares]]) * inverse
        columns = [self._column_mean(j, x) * inverse[j] for j, x in enumerate(X.T)]
        return np.ascontiguousarray(np.column_stack(columns))

    @cached_property
    def _own_centres(self) -> Floats:
        return self._centres(self.points)

    def pairs(self, X: ArrayLike, Y: ArrayLike) -> Floats:
        """Return the kernel of every pair of rows: it is its own measure."""
        left, right = self._checked(X, "X"), self._checked(Y, "Y")
        centre, inverse = self._levels
        d = max(int(np.count_nonzero(inverse)), 1)
        out = np.empty((len(left), len(right)))
        if not out.size:
            return out
        pair_weight = self.interactions / (d - 1) if d > 1 else 0.0
        own = np.array_equal(right, self.points)
        threads = effective_threads(None, is_small=out.size * d < _MIN_VALUES_FOR_THREADS)
        _native.anova_values(
            left, self._centres(left) - centre * inverse, right,
            self._own_centres if own else self._centres(right),
            (1.0 - self.equality) * inverse, self.equality * inverse,
            pair_weight, 1.0 / (d * (1.0 + self.interactions)), out, threads,
        )  # fmt: skip
        return out

    def profile(self, pairs: ArrayLike, bandwidth: ArrayLike, n_features: int) -> FloatArray:
        check_bandwidth(bandwidth)
        return np.array(pairs)

    def diagonal(self, X: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return the kernel of every row with itself, without the matrix."""
        points = self._checked(X, "X")
        centre, inverse = self._levels
        own = (1.0 + centre) * inverse - 2.0 * self._centres(points)
        d = max(int(np.count_nonzero(inverse)), 1)
        S1, S2 = own.sum(axis=1), (own**2).sum(axis=1)
        products = self.interactions * (S1**2 - S2) / (d - 1) if d > 1 else 0.0
        return np.asarray((S1 + products) / (d * (1.0 + self.interactions)))

    def is_mercer(self, n_features: int) -> bool:
        """Always: sums and products of Mercer kernels are Mercer kernels."""
        return True

    def _checked(self, X: ArrayLike, name: str) -> Floats:
        points = np.ascontiguousarray(as_points(X, name), dtype=np.float64)
        if points.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"{name} has {points.shape[1]} columns, but the kernel's points have "
                f"{self.points.shape[1]}; pass the same features"
            )
        return points

    def __getstate__(self) -> dict[str, Any]:
        """The arguments of the constructor; the means are computed again."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def _key(self) -> tuple[Any, ...]:
        w = b"" if self.weights is None else self.weights.tobytes()
        arrays = self.points.shape, self.points.tobytes(), self.equality.tobytes(), w
        return (self.interactions, *arrays)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnovaKernel) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        n, d = self.points.shape
        return f"AnovaKernel({n} points x {d} columns, interactions={self.interactions:g})"
