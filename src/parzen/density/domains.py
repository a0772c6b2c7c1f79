"""Densities on half-lines, intervals and circles: bounded and periodic columns.

Reflection. A kernel that reaches past a bound a loses mass there; folding it back gives

    f(x) = sum_s f_0(x_s),   x_s in {x, 2a - x, 2b - x} in every bounded column,

where f_0 is the plain estimate. It integrates to one if no kernel reaches past both bounds.

Circle. A column of period P is the angle t = 2 pi x / P at radius r = P / 2 pi. In the coordinates
(r cos t, r sin t) the Gaussian of bandwidth h is, up to its normaliser, the von Mises density

    exp(k cos(t - t')) / (P I_0(k)),   k = r^2 / h^2,

so the sums are those of the Gaussian, times the ratio of the two normalisers.
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
class ColumnDomains:
    """Where each column takes values: the line, a half-line, an interval or a circle.

    Attributes
    ----------
    low, high : array of shape (n_features,)
        Bounds; infinite where there are none.
    radius : array of shape (n_features,)
        Period / 2 pi; 0 for a column that is not periodic.
    """

    low: Floats
    high: Floats
    radius: Floats

    @classmethod
    def unbounded(cls, n_features: int) -> ColumnDomains:
        """Columns of the whole line."""
        infinite = np.full(n_features, np.inf)
        return cls(-infinite, infinite, np.zeros(n_features))

    def of(self, columns: Bools) -> ColumnDomains:
        """The domains of some of the columns."""
        return ColumnDomains(self.low[columns], self.high[columns], self.radius[columns])

    @property
    def is_periodic(self) -> Bools:
        """Which columns are periodic."""
        return np.asarray(self.radius > 0)

    def embed(self, X: Array) -> Array:
        """The other columns, then cosines and sines: a periodic column becomes two of a plane."""
        if not self.is_periodic.any():
            return X
        r = self.radius[self.is_periodic]
        angle = X[:, self.is_periodic] / r
        parts = [X[:, ~self.is_periodic], r * np.cos(angle), r * np.sin(angle)]
        return np.hstack(parts).astype(X.dtype)

    def from_embedded(self, embedded: Array) -> Array:
        """The inverse of `embed`; periodic columns between 0 and their period."""
        n_others = int((~self.is_periodic).sum())
        X = np.empty((len(embedded), len(self.radius)), embedded.dtype)
        X[:, ~self.is_periodic] = embedded[:, :n_others]
        cos, sin = np.split(embedded[:, n_others:], 2, axis=1)
        X[:, self.is_periodic] = self.radius[self.is_periodic] * (
            np.arctan2(sin, cos) % (2 * np.pi)
        )
        return X

    def embedded_bandwidth(self, bandwidth: Floats) -> Floats:
        """The bandwidth of every column of `embed`: that of a periodic column twice."""
        h = np.broadcast_to(bandwidth, (1, len(self.radius)))
        of_circles = h[:, self.is_periodic]
        return np.hstack([h[:, ~self.is_periodic], of_circles, of_circles])

    def log_normaliser_ratios(self, grid: Floats) -> Floats:
        """`log_normaliser_ratio` of every common bandwidth of a grid."""
        return np.array([self.log_normaliser_ratio(h) for h in grid])

    def log_normaliser_ratio(self, bandwidth: Floats) -> float:
        """Log of von Mises's normaliser over that of two Gaussians, summed over the circles."""
        h = np.broadcast_to(bandwidth, (1, len(self.radius)))[0, self.is_periodic]
        r = self.radius[self.is_periodic]
        return float(np.sum(np.log(h**2 / r) - np.log(i0e((r / h) ** 2))))

    def check(self, X: Array) -> None:
        """Refuse points beyond a bound."""
        outside = self._is_outside(X)
        if outside.any():
            i, j = np.argwhere(outside)[0]
            raise ValueError(
                f"X[{i}, {j}] = {X[i, j]:g} is outside the bounds ({self.low[j]:g}, "
                f"{self.high[j]:g}) of its column; widen bounds= or mend the row."
            )

    def images(self, X: Array) -> Iterator[Array]:
        """X itself, then its reflections at every choice of bounds."""
        mirrors = [[np.nan, self.low[j], self.high[j]] for j in range(X.shape[1])]  # NaN: none
        finite = [[m for m in column if not np.isinf(m)] for column in mirrors]
        for chosen in product(*finite):
            mirror = np.array(chosen)
            reflected = 2 * np.nan_to_num(mirror) - X
            yield np.where(np.isnan(mirror), X, reflected).astype(X.dtype)

    def log_density(self, X: Array, log_sums: Any) -> Array:
        """Log-density at X; ``log_sums`` is that without bounds, a function of embedded points."""
        parts = [log_sums(self.embed(image)) for image in self.images(X)]
        total = np.asarray(log_sum(np.stack(parts), axis=0), dtype=X.dtype)
        total[self._is_outside(X).any(axis=1)] = -np.inf
        return total

    def _is_outside(self, X: Array) -> Bools:
        """Which entries lie beyond a bound, in the precision of the entries."""
        return np.asarray((self.low.astype(X.dtype) > X) | (self.high.astype(X.dtype) < X))

    def draws(self, drawn: Array, centres: Array, bandwidth: Floats, rng: Any) -> Array:
        """Draws of this density from embedded ``drawn`` of the one without bounds.

        Those beyond a bound are reflected. Periodic columns are drawn anew, from von Mises's
        density about the same centres.
        """
        X = self.from_embedded(drawn).astype(np.float64)
        if self.is_periodic.any():
            h = np.broadcast_to(bandwidth, (1, len(self.radius)))[0, self.is_periodic]
            r = self.radius[self.is_periodic]
            angle = rng.vonmises(self.from_embedded(centres)[:, self.is_periodic] / r, (r / h) ** 2)
            X[:, self.is_periodic] = r * (angle % (2 * np.pi))
        X = np.where(self.low > X, 2 * self.low - X, X)
        X = np.where(self.high < X, 2 * self.high - X, X)
        # A kernel that reaches past both bounds may be reflected beyond the other one.
        return np.clip(X, self.low, self.high)


def column_domains(
    bounds: Mapping[Any, Any] | None,
    periods: Mapping[Any, float] | None,
    n_features: int,
    names: Array | None,
) -> ColumnDomains | None:
    """Read ``bounds=`` and ``periods=``; None where neither is given."""
    if not bounds and not periods:
        return None
    low, high = np.full(n_features, -np.inf), np.full(n_features, np.inf)
    radius = np.zeros(n_features)
    for name, value, example in (("bounds", bounds, "(0, None)"), ("periods", periods, "24")):
        if value and not isinstance(value, Mapping):
            raise TypeError(
                f"{name}={value!r} must be a dict from columns, as {{0: {example}}} or None."
            )
    for column, pair in (bounds or {}).items():
        j = _column_number("bounds", column, n_features, names)
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
        j = _column_number("periods", column, n_features, names)
        if not (isinstance(period, Real) and 0 < float(period) < np.inf):
            raise ValueError(f"periods[{column!r}]={period!r} must be a positive number.")
        radius[j] = float(period) / (2 * np.pi)
    ended = np.isfinite(low) | np.isfinite(high)
    if (ended & (radius > 0)).any():
        j = int(np.flatnonzero(ended & (radius > 0))[0])
        raise ValueError(f"column {j} is in bounds= and in periods=; a column has either.")
    if ended.sum() > _MAX_BOUNDED_COLUMNS:
        raise ValueError(
            f"bounds= names {ended.sum()} columns; at most {_MAX_BOUNDED_COLUMNS} can be reflected."
        )
    return ColumnDomains(low, high, radius)


def _column_number(parameter: str, column: Any, n_features: int, names: Array | None) -> int:
    if isinstance(column, str) and names is not None and column in names:
        return int(np.flatnonzero(names == column)[0])
    if isinstance(column, int | np.integer) and 0 <= column < n_features:
        return int(column)
    known = "" if names is None else f", or one of {', '.join(map(str, names[:10]))}"
    raise ValueError(
        f"{parameter}= names column {column!r}; columns are 0 to {n_features - 1}{known}."
    )
