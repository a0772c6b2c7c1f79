"""Columns that end or close: bounded ones are reflected, periodic ones lie on a circle.

Reflection. A kernel that reaches past a bound a loses mass there; folding it back gives

    f(x) = sum_s f_0(x_s),   x_s in {x, 2a - x, 2b - x} in every bounded column,

where f_0 is the plain estimate. It integrates to one if no kernel reaches past both bounds.

Circle. A column of period P is the angle t = 2 pi x / P at radius r = P / 2 pi. In the coordinates
(r cos t, r sin t) the Gaussian of bandwidth h is, up to its normaliser, the von Mises density

    exp(k cos(t - t')) / (P I_0(k)),   k = r^2 / h^2,

so that the Gaussian's sums serve, and only their normaliser is exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import i0e

from parzen._core import Array, Bools, Floats
from parzen.samples import log_sum

_MAX_BOUNDED_COLUMNS = 6  # Every bounded column doubles or triples the reflections of a query.


@dataclass(frozen=True, eq=False)
class Columns:
    """What is known of the columns' ends.

    Attributes
    ----------
    low, high : array of shape (n_features,)
        Bounds; infinite where there are none.
    radius : array of shape (n_features,)
        Period / 2 pi; 0 for a column that does not close.
    """

    low: Floats
    high: Floats
    radius: Floats

    @classmethod
    def without_ends(cls, n_features: int) -> Columns:
        """Columns that neither end nor close."""
        infinite = np.full(n_features, np.inf)
        return cls(-infinite, infinite, np.zeros(n_features))

    def of(self, columns: Bools) -> Columns:
        """Some of the columns."""
        return Columns(self.low[columns], self.high[columns], self.radius[columns])

    @property
    def closed(self) -> Bools:
        """Which columns are periodic."""
        return np.asarray(self.radius > 0)

    def embed(self, X: Array) -> Array:
        """Every periodic column as two, at the end; the others stay where they are."""
        if not self.closed.any():
            return X
        r = self.radius[self.closed]
        angle = X[:, self.closed] / r
        parts = [X[:, ~self.closed], r * np.cos(angle), r * np.sin(angle)]
        return np.hstack(parts).astype(X.dtype)

    def flat(self, embedded: Array) -> Array:
        """The columns of embedded rows; periodic ones between 0 and their period."""
        n_open = int((~self.closed).sum())
        X = np.empty((len(embedded), len(self.radius)), embedded.dtype)
        X[:, ~self.closed] = embedded[:, :n_open]
        cos, sin = np.split(embedded[:, n_open:], 2, axis=1)
        X[:, self.closed] = self.radius[self.closed] * (np.arctan2(sin, cos) % (2 * np.pi))
        return X

    def widths(self, bandwidth: Floats) -> Floats:
        """One bandwidth per column, as one for each column of `embed`."""
        h = np.broadcast_to(bandwidth, (1, len(self.radius)))
        around = h[:, self.closed]
        return np.hstack([h[:, ~self.closed], around, around])

    def log_normalisers(self, grid: Floats) -> Floats:
        """`log_normaliser` of every common bandwidth of a grid."""
        return np.array([self.log_normaliser(h) for h in grid])

    def log_normaliser(self, bandwidth: Floats) -> float:
        """Log of von Mises's normaliser over that of two Gaussians, for the periodic columns."""
        h = np.broadcast_to(bandwidth, (1, len(self.radius)))[0, self.closed]
        r = self.radius[self.closed]
        return float(np.sum(np.log(h**2 / r) - np.log(i0e((r / h) ** 2))))

    def check(self, X: Array) -> None:
        """Refuse points beyond a bound."""
        outside = self._outside(X)
        if outside.any():
            i, j = np.argwhere(outside)[0]
            raise ValueError(
                f"X[{i}, {j}] = {X[i, j]:g} is outside the bounds ({self.low[j]:g}, "
                f"{self.high[j]:g}) of its column; widen bounds= or mend the row."
            )

    def images(self, X: Array) -> Iterator[Array]:
        """X itself, then its reflections at every choice of bounds."""
        ends = [[np.nan, self.low[j], self.high[j]] for j in range(X.shape[1])]
        kept = [[e for e in column if not np.isinf(e)] for column in ends]
        for mirror in product(*kept):
            at = np.array(mirror)
            yield np.where(np.isnan(at), X, 2 * np.nan_to_num(at) - X).astype(X.dtype)

    def log_density(self, X: Array, log_sums: Any) -> Array:
        """The estimate at X from the plain one, a function of embedded points."""
        parts = [log_sums(self.embed(image)) for image in self.images(X)]
        total = np.asarray(log_sum(np.stack(parts), axis=0), dtype=X.dtype)
        total[self._outside(X).any(axis=1)] = -np.inf
        return total

    def _outside(self, X: Array) -> Bools:
        """Which entries lie beyond a bound, in the precision of the entries."""
        return np.asarray((self.low.astype(X.dtype) > X) | (self.high.astype(X.dtype) < X))

    def back(self, drawn: Array, centres: Array, bandwidth: Floats, rng: Any) -> Array:
        """Draws from the plain estimate as draws from this one: reflected, or around the circle."""
        X = self.flat(drawn).astype(np.float64)
        if self.closed.any():
            h = np.broadcast_to(bandwidth, (1, len(self.radius)))[0, self.closed]
            r = self.radius[self.closed]
            angle = rng.vonmises(self.flat(centres)[:, self.closed] / r, (r / h) ** 2)
            X[:, self.closed] = r * (angle % (2 * np.pi))
        X = np.where(self.low > X, 2 * self.low - X, X)
        X = np.where(self.high < X, 2 * self.high - X, X)
        return np.clip(X, self.low, self.high)  # where a kernel reaches past both bounds


def columns_of(
    bounds: Mapping[Any, Any] | None,
    periods: Mapping[Any, float] | None,
    n_features: int,
    names: Array | None,
) -> Columns | None:
    """Read ``bounds=`` and ``periods=``; None where neither is given."""
    if not bounds and not periods:
        return None
    low, high = np.full(n_features, -np.inf), np.full(n_features, np.inf)
    radius = np.zeros(n_features)
    for name, value, like in (("bounds", bounds, "(0, None)"), ("periods", periods, "24")):
        if value and not isinstance(value, Mapping):
            raise TypeError(
                f"{name}={value!r} must be a dict from columns, as {{0: {like}}} or None."
            )
    for column, pair in (bounds or {}).items():
        j = _place("bounds", column, n_features, names)
        try:
            a, b = (np.nan if end is None else float(end) for end in pair)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"bounds[{column!r}]={pair!r} must be a pair (low, high), with None for no bound."
            ) from error
        low[j], high[j] = np.nan_to_num(a, nan=-np.inf), np.nan_to_num(b, nan=np.inf)
        if not low[j] < high[j]:
            raise ValueError(f"bounds[{column!r}]={pair!r} must have low < high.")
    for column, period in (periods or {}).items():
        j = _place("periods", column, n_features, names)
        if not (isinstance(period, Real) and 0 < float(period) < np.inf):
            raise ValueError(f"periods[{column!r}]={period!r} must be a positive number.")
        radius[j] = float(period) / (2 * np.pi)
    ended = np.isfinite(low) | np.isfinite(high)
    if (ended & (radius > 0)).any():
        j = int(np.flatnonzero(ended & (radius > 0))[0])
        raise ValueError(f"column {j} is in bounds= and in periods=; a column ends or closes.")
    if ended.sum() > _MAX_BOUNDED_COLUMNS:
        raise ValueError(
            f"bounds= names {ended.sum()} columns; at most {_MAX_BOUNDED_COLUMNS} can be reflected."
        )
    return Columns(low, high, radius)


def _place(parameter: str, column: Any, n_features: int, names: Array | None) -> int:
    if isinstance(column, str) and names is not None and column in names:
        return int(np.flatnonzero(names == column)[0])
    if isinstance(column, int | np.integer) and 0 <= column < n_features:
        return int(column)
    known = "" if names is None else f", or one of {', '.join(map(str, names[:10]))}"
    raise ValueError(
        f"{parameter}= names column {column!r}; columns are 0 to {n_features - 1}{known}."
    )
