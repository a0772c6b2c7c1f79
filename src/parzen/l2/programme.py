"""From a labelled sample to the L2 programme, for many training sets and bandwidths at once.

    Q_ij = M_gh k_rho(x_i, x_j),  M_gg = (C - 1) v_g^2,  M_gh = -v_g v_h,
    c_i = v_g [(C - 1) v_g h_g(x_i) - sum_(h != g) v_h h_h(x_i)],   h_g = mean of k_tau over class g

is the sum over all pairs of classes of the integrated squared error of v_g f_g - v_h f_h. For two
classes with v = (gamma, 1) it is Kim & Scott (2010), eq. (7). Everything is in units of the peak
of k_rho, so nothing overflows. Weights are frequencies: leaving one out takes min(w_i, 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen.kernels import Cauchy, Gaussian, Kernel, Laplacian
from parzen.l2.form import L2Form, Widths
from parzen.l2.metric import neighbour_sums, rows_between_classes
from parzen.l2.other_rows import OtherRows, OtherRowsInMemory
from parzen.solvers import Gram, row_budget
from parzen.sums import ScaledSums, added, kernel_sums

Floats = NDArray[np.float64]

_NATIVE_SHAPES: dict[type[Kernel], str] = {
    Gaussian: "gaussian",
    Cauchy: "rational",
    Laplacian: "product_laplacian",
}
_SAFE = 500.0  # logarithm of the largest linear term, in units of the programme


class Terms(NamedTuple):
    """The programme of every training set at one bandwidth, in units of exp(log_unit)."""

    coupling: Floats  # (sets, n_classes, n_classes)
    linear: Floats  # (sets, n)
    log_unit: float


@dataclass(frozen=True, eq=False)
class L2Sample:
    """A sample sorted by class.

    ``order`` leads to the rows as they were given, of which there are ``n_rows``. Rows of the
    ``background`` carry no weight, but count as neighbours of those that do.
    """

    X: Floats
    codes: NDArray[np.intp]
    weights: Floats
    order: NDArray[np.intp]
    n_classes: int
    n_rows: int
    background: OtherRows | None = None
    merged_into: NDArray[np.intp] | None = None  # by row as given; None where all are distinct

    @classmethod
    def of(
        cls, X: NDArray[Any], codes: NDArray[np.intp], weights: Floats | None, n_classes: int
    ) -> L2Sample:
        """Sort a sample by its classes."""
        order = np.argsort(codes, kind="stable")
        w = np.ones(len(X)) if weights is None else weights[order]
        points = np.ascontiguousarray(X[order], dtype=np.float64)
        return cls(points, codes[order], w, order, n_classes, len(X))

    @classmethod
    def merged(
        cls, X: NDArray[Any], codes: NDArray[np.intp], weights: Floats | None, n_classes: int
    ) -> L2Sample:
        """Sort by class, then by value, and make one row with a frequency of equal rows.

        The programme is then the same for a weight and for copies, and for any order of the rows.
        """
        order = _canonical_order(X, codes)
        w = np.ones(len(X)) if weights is None else weights[order]
        points, labels = np.ascontiguousarray(X[order], dtype=np.float64), codes[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (points[1:] != points[:-1]).any(axis=1) | (labels[1:] != labels[:-1])
        if new.all():
            return cls(points, labels, w, order, n_classes, len(X))
        first = np.flatnonzero(new)
        sums = np.add.reduceat(w, first)
        kept = np.ascontiguousarray(points[first])
        into = np.empty(len(order), dtype=np.intp)
        into[order] = np.cumsum(new) - 1
        return cls(kept, labels[first], sums, order[first], n_classes, len(X), None, into)

    def on(
        self, places: NDArray[np.intp] | None, sets: NDArray[np.bool_]
    ) -> tuple[L2Sample, NDArray[np.bool_]]:
        """The rows at some places, with all others as background, and their training sets."""
        if places is None or len(places) == len(self.codes):
            return self, sets
        others = np.delete(np.arange(len(self.codes)), places)
        background = OtherRowsInMemory(
            self.X[others], self.codes[others], self.weights[others], sets[:, others],
            self.n_classes,
        )  # fmt: skip
        part = L2Sample(
            np.ascontiguousarray(self.X[places]), self.codes[places], self.weights[places],
            self.order[places], self.n_classes, self.n_rows, background,
        )  # fmt: skip
        return part, np.ascontiguousarray(sets[:, places])

    def given(self, places: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which rows, as they were given, became the rows at some places."""
        if self.merged_into is None:
            chosen = np.zeros(self.n_rows, dtype=bool)
            chosen[self.order[places]] = True
            return chosen
        here = np.zeros(len(self.codes), dtype=bool)
        here[places] = True
        return np.asarray(here[self.merged_into])

    def rows_of(self, mask: NDArray[np.bool_]) -> L2Sample:
        """The rows of a mask as a sample of their own, equal rows merged."""
        return L2Sample.merged(self.X[mask], self.codes[mask], self.weights[mask], self.n_classes)

    @cached_property
    def starts(self) -> NDArray[np.uint64]:
        """First row of every class, and the number of rows."""
        return np.searchsorted(self.codes, np.arange(self.n_classes + 1)).astype(np.uint64)

    def rows(self, c: int) -> slice:
        """The rows of a class."""
        return slice(int(self.starts[c]), int(self.starts[c + 1]))

    def unsorted(self, values: Floats) -> Floats:
        """Values per sorted row, in the order in which the rows were given; 0 for merged ones."""
        out = np.zeros((*values.shape[:-1], self.n_rows))
        out[..., self.order] = values
        return out


def _canonical_order(X: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rows by class, then by their columns, then as given."""
    order = np.lexsort((X[:, 0], codes))
    first, labels = X[order, 0], codes[order]
    if ((first[1:] != first[:-1]) | (labels[1:] != labels[:-1])).all():
        return np.asarray(order)
    return np.asarray(np.lexsort((*X.T[::-1], codes)))


def counts_of(sample: L2Sample, sets: NDArray[np.bool_]) -> Floats:
    """Sum of the frequencies per training set and class."""
    one_hot = np.zeros((len(sample.codes), sample.n_classes))
    one_hot[np.arange(len(sample.codes)), sample.codes] = sample.weights
    counts = sets.astype(np.float64) @ one_hot
    return np.asarray(counts if sample.background is None else counts + sample.background.counts)


class NeighbourSums:
    """sum_j w_j k_tau(x_i, x_j) / k_tau(0) over the other points of a class and training set.

    One pass over the pairs serves all classes, training sets and bandwidths.
    """

    def __init__(
        self,
        sample: L2Sample,
        sets: NDArray[np.bool_],
        form: L2Form,
        taus: Floats,  # (bandwidths, n_classes), and features where each has its own
        n_jobs: int | None,
    ) -> None:
        self._sample = sample
        self._each: list[Floats] | None = None
        if taus.ndim == 3:
            columns = _class_columns(sample, sets)
            found = [neighbour_sums(sample, columns, form.kernel, tau, n_jobs) for tau in taus]
            self._each = [f.reshape(len(f), len(sets), sample.n_classes) for f in found]
            return
        self._distinct, places = np.unique(taus, return_inverse=True)
        self._places = places.reshape(taus.shape)
        n, n_sets, d = len(sample.X), len(sets), sample.X.shape[1]
        scaled = kernel_sums(
            sample.X, sample.X, _class_columns(sample, sets), kernel=form.kernel,
            bandwidths=self._distinct, exclude_self=True, scaled=True, n_jobs=n_jobs,
        )  # fmt: skip
        if sample.background is not None:
            more = sample.background.sums(sample.X, form.kernel, self._distinct, n_jobs)
            scaled = ScaledSums(*added(scaled, more, "scaled"))
        peaks = np.array([form.kernel.log_normalizer(float(h), d) for h in self._distinct])
        with np.errstate(under="ignore"):
            sums = scaled.mantissa * np.exp(scaled.log_scale - peaks)
        self._sums = sums.reshape(n, n_sets, sample.n_classes, len(self._distinct))

    def at(self, b: int) -> Floats:
        """Sums at the b-th bandwidths, shape (n, sets, n_classes); a row uses its class's tau."""
        if self._each is not None:
            return self._each[b]
        place = self._places[b]
        if (place == place[0]).all():
            return np.asarray(self._sums[..., place[0]])
        out = np.empty(self._sums.shape[:3])
        for c in range(self._sample.n_classes):
            rows = self._sample.rows(c)
            out[rows] = self._sums[rows][..., place[c]]
        return out


def _class_columns(sample: L2Sample, sets: NDArray[np.bool_]) -> Floats:
    """Frequencies in columns by training set and class, (n, sets * n_classes)."""
    n = len(sample.codes)
    columns = np.zeros((n, len(sets), sample.n_classes))
    for f, own in enumerate(sets):
        columns[np.arange(n), f, sample.codes] = sample.weights * own
    return columns.reshape(n, -1)


def assemble(
    sample: L2Sample,
    sets: NDArray[np.bool_],
    form: L2Form,
    widths: Widths,
    sums: Floats,
    values: Floats,
) -> Terms:
    """The programmes of all training sets at one bandwidth.

    ``sums`` are `NeighbourSums.at`, ``values`` (sets, n_classes) the v of every class.
    """
    means = _mean_kernels(sample, sets, form, sums)
    log_unit = max(float(widths.log_rho.diagonal().max()), float(widths.log_tau.max()) - _SAFE)
    with np.errstate(under="ignore"):
        quadratic = np.exp(widths.log_rho - log_unit)
        scale = np.exp(widths.log_tau - log_unit)[sample.codes]
    v = np.ones_like(values) if form.separate else values
    pairs = _pairs(sample.n_classes, form.separate)
    coupling = pairs * v[:, :, None] * v[:, None, :] * quadratic
    signed = np.einsum("nc,fc,nfc->fn", pairs[sample.codes], v, means)
    return Terms(coupling, v[:, sample.codes] * signed * scale, log_unit)


def targets(
    sample: L2Sample,
    sets: NDArray[np.bool_],
    form: L2Form,
    widths: Widths,
    sums: Floats,
    values: Floats,
) -> Floats:
    """Right-hand sides of the unconstrained programme, eq. (10), shape (sets, n, targets).

    Two classes: v_1 h_1 - v_0 h_0. More: each class against the rest.
    """
    means = _mean_kernels(sample, sets, form, sums)
    scale = np.exp(widths.log_tau - widths.log_rho.diagonal().max())[sample.codes]
    parts = np.swapaxes(means, 0, 1) * values[:, None, :] * scale[None, :, None]
    if sample.n_classes == 2:
        return np.asarray(parts[..., 1:] - parts[..., :1])
    signs = 2.0 * np.eye(sample.n_classes) - 1.0
    return np.asarray(parts @ signs)


def target_shifts(
    sample: L2Sample, form: L2Form, widths: Widths, sums: Floats, values: Floats
) -> Floats:
    """What leaving row i out adds to v_g h_g at row j, at [j, i]; g is the class of i.

    ``sums`` are those of all rows, shape (n, n_classes).
    """
    everything = np.ones((1, len(sample.X)), dtype=bool)
    totals, sizes = (part[:, 0] for part in _totals(sample, everything, form, sums[:, None]))
    taken = np.minimum(sample.weights, 1.0)
    kernel = form.kernel.similarity(sample.X, sample.X, bandwidth=float(widths.tau[0]))
    scale = np.exp(widths.log_tau[0] - widths.log_rho[0, 0])
    # At the row itself one copy is left out already; less than one may remain.
    again = np.minimum(sample.weights - taken, 1.0) if form.linear_term == "loo" else taken
    out = np.empty(kernel.shape)
    for c in range(sample.n_classes):
        rows = sample.rows(c)
        size, total = sizes[:, c, None], totals[:, c, None]
        before = np.divide(total, size, out=np.zeros_like(total), where=size > 0)
        gone = np.tile(taken[rows], (len(kernel), 1))
        np.fill_diagonal(gone[rows], again[rows])
        fewer = size - gone
        left = total - gone * kernel[:, rows]
        after = np.divide(left, fewer, out=np.zeros_like(left), where=fewer > 1e-12 * size)
        out[:, rows] = values[c] * scale * (after - before)
    return out


def dense_gram(sample: L2Sample, form: L2Form, rho: Floats) -> Floats:
    """k_rho between all points in units of its peak, as a matrix."""
    n = len(sample.X)
    if not _fits(n):
        raise ValueError(
            f"the matrix of {n} x {n} kernel values takes {8 * n * n / 2**20:.0f} MB, more than "
            f"scikit-learn's working_memory of {row_budget() / 2**20:.0f} MB; raise that, "
            "give L2Classifier a smaller n_landmarks, or use a constraint: rows computed on demand."
        )
    out = np.empty((n, n))
    for batch in gen_batches(n, get_chunk_n_rows(row_bytes=8 * 8 * n, max_n_rows=n)):
        out[batch] = _gram_rows(sample, form, rho, batch)
    return out


def _fits(n: int) -> bool:
    return 8 * n * n <= row_budget()


def _gram_rows(sample: L2Sample, form: L2Form, rho: Floats, rows: slice) -> Floats:
    if rho.ndim == 3:
        return rows_between_classes(sample, form.kernel, rho, rows)
    overlap = form.kernel if form.is_stable else form.kernel.convolved(sample.X.shape[1])
    values = overlap.similarity(sample.X[rows], sample.X, bandwidth=float(rho[0, 0]))
    return np.ascontiguousarray(values, dtype=np.float64)


def _pairs(n_classes: int, separate: bool) -> Floats:
    """Coefficients of the sum over pairs of classes; a single class stands alone."""
    if separate or n_classes == 1:
        return np.eye(n_classes)
    return n_classes * np.eye(n_classes) - 1.0


def _mean_kernels(sample: L2Sample, sets: NDArray[np.bool_], form: L2Form, sums: Floats) -> Floats:
    """h_c(x_i) per row, set and class, in units of the peak; 0 where nothing is left."""
    totals, sizes = _totals(sample, sets, form, sums)
    left = sizes > 1e-12 * np.maximum(counts_of(sample, sets), np.finfo(float).tiny)
    return np.divide(totals, sizes, out=np.zeros_like(totals), where=left)


def _totals(
    sample: L2Sample, sets: NDArray[np.bool_], form: L2Form, sums: Floats
) -> tuple[Floats, Floats]:
    """Sums of kernels and of frequencies per row, set and class, one copy of the row left out."""
    rows = np.arange(len(sample.codes))
    loo = form.linear_term == "loo"
    taken = np.minimum(sample.weights, 1.0) if loo else np.zeros(len(rows))
    totals, sizes = sums.copy(), np.broadcast_to(counts_of(sample, sets), sums.shape).copy()
    totals[rows, :, sample.codes] += (sample.weights - taken)[:, None]
    # A row outside the set has no weight in it to leave out; its own value is never used.
    sizes[rows, :, sample.codes] -= taken[:, None]
    return totals, sizes


def gram_of(sample: L2Sample, form: L2Form, rho: Floats) -> Gram:
    """The kernel values of the quadratic term: rows on demand, or a matrix where that is faster."""
    shape = _NATIVE_SHAPES.get(type(form.kernel)) if rho.ndim == 2 else None
    common = rho if rho.ndim == 2 else np.ones(rho.shape[:2])
    if shape is None and _fits(len(sample.X)):
        return Gram(starts=sample.starts, bandwidths=common, matrix=dense_gram(sample, form, rho))
    if shape is None:

        def row(i: int) -> Floats:
            return _gram_rows(sample, form, rho, slice(i, i + 1)).ravel()

        return Gram(starts=sample.starts, bandwidths=common, evaluate=row)
    points, power = sample.X, 0.5 * (sample.X.shape[1] + 1)
    exponent = int(np.round(np.log2(rho).mean()))
    if abs(exponent) > 128:  # squares of such distances would leave the number range
        points, rho = np.ldexp(points, -exponent), np.ldexp(rho, -exponent)
    return Gram(starts=sample.starts, bandwidths=rho, points=points, shape=shape, power=power)
