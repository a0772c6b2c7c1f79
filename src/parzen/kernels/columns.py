"""The product kernel of a table: one factor and one bandwidth for every column.

    k(x, y) = prod_l k_l(x_l, y_l)      numbers: Gaussian;  categories: see `categories`

A row becomes a vector of codes in which the kernel is one Gaussian, so that all sums of the
library take native code: numbers in units of their bandwidths, categories as scaled indicators.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Floats, Ints
from parzen.kernels.base import Kernel, Rng
from parzen.kernels.categories import _LOG_TWO, AitchisonAitken, CategoryKernel, WangVanRyzin
from parzen.kernels.density import DensityKernel
from parzen.kernels.gaussian import Gaussian
from parzen.kernels.pairs import FloatArray

Columns = tuple[int | str, ...] | str
_LARGEST_RATE = 25.0  # Beyond this rate only equal categories count, to 11 digits.


@dataclass(frozen=True)
class ColumnProduct(DensityKernel):
    """A product of one kernel per column: for numbers, unordered and ordered categories.

    Give it to `KernelDensity`, `ParzenClassifier` or `LaplacianClassifier`, which then take data
    frames with text. The bandwidth has one entry per column, shape (1, n_features): a length for
    numbers, a share for categories; or name a selector (``"likelihood"``, ``"loo"``, ...).

    Parameters
    ----------
    unordered : tuple of columns, or "from_dtype", default="from_dtype"
        Columns of categories, by place or name: `AitchisonAitken`. ``"from_dtype"`` takes the
        columns of text and of categories of a data frame.
    ordered : tuple of columns, or "from_dtype", default="from_dtype"
        Columns of ordered categories, which are whole numbers: `WangVanRyzin`. ``"from_dtype"``
        takes the ordered categories of a data frame.
    values : tuple, default=None
        The values of every column of categories, None for numbers; a fit finds them.
    overlap : bool, default=False
        Whether the kernel is convolved with itself.

    Notes
    -----
    A category that was not among the values differs from all of them. All other columns are
    numbers, and have the Gaussian kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelDensity
    >>> from parzen.kernels import ColumnProduct
    >>> X = np.array([[0.3, 0], [0.4, 0], [2.0, 1], [2.2, 1]])
    >>> kernel = ColumnProduct(unordered=(1,), ordered=())
    >>> density = KernelDensity(kernel=kernel, bandwidth=[[0.5, 0.1]]).fit(X)
    >>> np.exp(density.score_samples([[0.3, 0], [0.3, 1]])).round(3)
    array([0.356, 0.04 ])
    """

    unordered: Columns = "from_dtype"
    ordered: Columns = "from_dtype"
    values: tuple[tuple[float, ...] | None, ...] | None = None
    overlap: bool = False
    name: ClassVar[str] = "column_product"
    most_steps: ClassVar[int] = 1000  # range of an ordered column; wider ones are better numbers

    def __post_init__(self) -> None:
        for name in ("unordered", "ordered"):
            columns = getattr(self, name)
            if columns != "from_dtype":
                object.__setattr__(self, name, tuple(columns))

    # What a table makes of it

    def fitted(self, X: Array, categorical: Any, ordered: Any) -> ColumnProduct:
        """The kernel of a table of numbers: its categories known. The marks are one per column."""
        values = tuple(
            tuple(np.unique(x[~np.isnan(x)]).tolist()) if c else None
            for x, c in zip(X.T, categorical, strict=True)
        )
        for j in np.flatnonzero(ordered):
            _check_ordered(int(j), np.array(values[j]))
        places = np.arange(X.shape[1])
        return ColumnProduct(
            tuple(places[categorical & ~ordered].tolist()), tuple(places[ordered].tolist()), values
        )

    @property
    def factors(self) -> tuple[CategoryKernel | None, ...]:
        """The kernel of every column of categories, None for numbers."""
        return tuple(
            None if v is None
            else WangVanRyzin() if j in self.ordered else AitchisonAitken(max(len(v), 2))
            for j, v in enumerate(self._values)
        )  # fmt: skip

    def check_row(self, bandwidth: ArrayLike) -> Floats:
        """One bandwidth per column, each in its range."""
        row = np.asarray(bandwidth, np.float64)
        if row.shape != (len(self._values),):
            raise ValueError(
                f"a ColumnProduct has one bandwidth for each of its {len(self._values)} columns; "
                f"give shape (1, {len(self._values)}) or a selector, got shape {row.shape}."
            )
        for h, factor in zip(row, self.factors, strict=True):
            if factor is not None:
                factor.checked(h)
        return row

    def codes(self, X: Array) -> tuple[Floats, Ints, Floats]:
        """Codes of the rows, the column that each code belongs to, and its factor in a weight.

        The squared distance of two rows is sum_e w_e (u_e - u'_e)^2 with the weights w_e =
        factor_e rate_l, and factor_e where it is negative: those do not depend on the bandwidth.
        """
        parts, owners, weights = [], [], []
        for j, (x, v) in enumerate(zip(X.T.astype(np.float64), self._values, strict=True)):
            code, weight = _code(x, v, j in self.ordered)
            code[np.isnan(x)] = np.nan
            parts.append(code)
            weights.append(weight)
            owners.append(np.full(code.shape[1], j))
        return np.hstack(parts), np.concatenate(owners), np.concatenate(weights)

    def rates(self, row: Floats) -> Floats:
        """The weight of every column's squared distance: 1 / h^2, or the rate of a category."""
        return np.array([
            1.0 / h**2 if factor is None else min(factor.rate(h), _LARGEST_RATE)
            for h, factor in zip(row, self.factors, strict=True)
        ])  # fmt: skip

    def row_of(self, rates: Floats) -> Floats:
        """The bandwidths of rates."""
        return np.array([
            rate**-0.5 if factor is None else factor.bandwidth_of(rate)
            for rate, factor in zip(rates, self.factors, strict=True)
        ])  # fmt: skip

    def log_peaks(self, row: Floats) -> Floats:
        """Log of every column's factor at two equal values."""
        zero = np.zeros(1)
        return np.array([self.log_factor(j, zero, float(h))[0] for j, h in enumerate(row)])

    def embedded(self, X: Array, row: Floats) -> Floats:
        """Rows as points at which the kernel is exp(-squared distance / 2) times its peak."""
        if self.overlap:
            return self._embedded_overlap(X, row)
        codes, owners, factors = self.codes(X)
        weights = np.where(factors < 0, -factors, factors * self.rates(row)[owners])
        return np.ascontiguousarray(codes * np.sqrt(weights))

    def owners(self) -> Ints:
        """The column that each coordinate of `embedded` belongs to."""
        owners = self.codes(np.zeros((1, len(self._values))))[1]
        if not self.overlap:
            return owners
        parts = [owners[~np.isin(owners, self.ordered)]]
        for j in self.ordered:
            parts.append(np.full(len(_lattice(self._values[int(j)])), int(j)))
        return np.concatenate(parts)

    def log_factor(self, j: int, gaps: Floats, h: float) -> Floats:
        """Log of the factor of column j at abs(x - y); a category is a match where it is 0."""
        factor = self.factors[j]
        if factor is None:
            scale = h * (2.0**0.5 if self.overlap else 1.0)
            return np.asarray(-0.5 * (gaps / scale) ** 2 + Gaussian().log_normalizer(scale, 1))
        if self.overlap and isinstance(factor, WangVanRyzin):
            return np.asarray(factor.log_overlap(gaps, h), np.float64)
        share = factor.joined(h) if self.overlap and isinstance(factor, AitchisonAitken) else h
        return np.asarray(factor.log_factor(gaps, share) + np.log1p(-share))

    def _embedded_overlap(self, X: Array, row: Floats) -> Floats:
        once = replace(self, overlap=False)
        joined = np.array([
            h * 2.0**0.5 if factor is None
            else factor.joined(h) if isinstance(factor, AitchisonAitken) else h
            for h, factor in zip(row, self.factors, strict=True)
        ])  # fmt: skip
        points = once.embedded(X, joined)
        owners = once.codes(X[:1])[1]
        parts = [points[:, ~np.isin(owners, self.ordered)]]
        for j in self.ordered:
            lattice = _lattice(self._values[int(j)])
            parts.append(_overlap_points(X[:, int(j)], lattice, float(row[int(j)])))
        return np.ascontiguousarray(np.hstack(parts))

    # What a kernel does

    def log(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        row = self.check_row(np.ravel(bandwidth))
        left, right = (self.embedded(np.asarray(points), row) for points in (X, Y))
        gaps = Gaussian().pairs(left, right)
        return np.asarray(self.log_peaks(row).sum() - 0.5 * gaps)

    def similarity(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        peak = self.log_peaks(self.check_row(np.ravel(bandwidth))).sum()
        return np.asarray(np.exp(self.log(X, Y, bandwidth=bandwidth) - peak))

    def convolved(self, n_features: int) -> Kernel:
        if self.overlap:
            raise ValueError(f"{self.name} has been convolved with itself already")
        return replace(self, overlap=True)

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        raise ValueError(
            f"{self.name} has a bandwidth for every column, and no shape apart from it"
        )

    def is_mercer(self, n_features: int) -> bool:
        """Always: it is a Gaussian of codes."""
        return True

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        raise ValueError(f"{self.name} has no samples around 0, categories have no 0; use draw")

    def draw(self, centres: Array, row: Floats, rng: np.random.RandomState) -> Floats:
        """One point from the kernel around each row."""
        out = np.array(centres, dtype=np.float64)
        for j, (h, factor) in enumerate(zip(row, self.factors, strict=True)):
            if factor is None:
                out[:, j] += h * rng.standard_normal(len(out))
                continue
            moved = np.flatnonzero(rng.uniform(size=len(out)) < h)
            if isinstance(factor, WangVanRyzin):
                steps = rng.geometric(1.0 - h, len(moved))
                out[moved, j] += np.where(rng.uniform(size=len(moved)) < 0.5, -steps, steps)
            elif (values := np.array(self._values[j])).size > 1:
                places = np.searchsorted(values, out[moved, j])
                steps = rng.randint(1, len(values), len(moved))
                out[moved, j] = values[(places + steps) % len(values)]
        return out

    @property
    def _values(self) -> tuple[tuple[float, ...] | None, ...]:
        if self.values is None:
            raise ValueError(
                "a ColumnProduct learns its categories from a table, which KernelDensity, "
                "ParzenClassifier and LaplacianClassifier do; other estimators do not take it"
            )
        return self.values


def _code(x: Floats, values: tuple[float, ...] | None, ordered: bool) -> tuple[Floats, Floats]:
    """Codes of one column, and their factors (see `ColumnProduct.codes`)."""
    if values is None:
        return x[:, None].copy(), np.ones(1)
    if not ordered:
        indicators = _indicators(x, np.array(values))
        return indicators, np.ones(indicators.shape[1])
    low, high = (int(values[0]), int(values[-1])) if values else (0, 0)
    steps = np.arange(low, high)
    outside = [np.sqrt(np.maximum(low - x, 0.0)), np.sqrt(np.maximum(x - high, 0.0))]
    climbed = np.column_stack([x[:, None] > steps, *outside]).astype(np.float64)
    equal = _indicators(x, np.arange(low, high + 1.0))
    factors = np.concatenate([np.full(climbed.shape[1], 2.0), np.full(equal.shape[1], -_LOG_TWO)])
    return np.hstack([climbed, equal]), factors


def _indicators(x: Floats, values: Floats) -> Floats:
    """A column for every value, and one for what is none of them."""
    same = x[:, None] == values
    return np.column_stack([same, ~same.any(axis=1)]).astype(np.float64)


def _lattice(values: tuple[float, ...] | None) -> Floats:
    """All whole numbers in the range of an ordered column."""
    low, high = (values[0], values[-1]) if values else (0.0, 0.0)
    return np.arange(low, high + 1.0)


def _overlap_points(x: Floats, lattice: Floats, share: float) -> Floats:
    """Points whose squared distances are those of the convolved ordered kernel.

    They come from the eigenvectors of their Gram matrix. Values outside the range are taken to its
    ends.
    """
    low = lattice[0]
    logs = WangVanRyzin().log_overlap(np.abs(lattice[:, None] - lattice), share)
    squares = 2.0 * (logs[0, 0] - logs)
    centred = squares - squares.mean(axis=0)
    gram = -0.5 * (centred - centred.mean(axis=1, keepdims=True))
    values_of, vectors = np.linalg.eigh(gram)
    points = vectors * np.sqrt(np.maximum(values_of, 0.0))
    missing = np.isnan(x)
    places = np.clip(np.where(missing, low, x) - low, 0, len(lattice) - 1).astype(np.intp)
    return np.where(missing[:, None], np.nan, points[places])


def _check_ordered(column: int, values: Floats) -> None:
    most = ColumnProduct.most_steps
    if len(values) and ((values % 1 != 0).any() or np.ptp(values) > most):
        raise ValueError(
            f"column {column} is ordered, so its values must be whole numbers at most {most} "
            f"apart, got {values[0]:g} to {values[-1]:g}; number its levels, or take it as a number"
        )
