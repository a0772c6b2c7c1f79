"""From a labelled sample to the L2 programme, for many training sets and bandwidths at once.

    Q_ij = M_gh k_rho(x_i, x_j),  M_gg = (C - 1) v_g^2,  M_gh = -v_g v_h,
    c_i = v_g [(C - 1) v_g h_g(x_i) - sum_(h != g) v_h h_h(x_i)],   h_g = mean of k_tau over class g

is the sum over all pairs of classes of the integrated squared error of v_g f_g - v_h f_h. For two
classes with v = (gamma, 1) it is Kim & Scott (2010), eq. (7). Everything is in units of the peak
of k_rho, so nothing overflows. Weights are frequencies: leaving one out takes min(w_i, 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Bools, Floats
from parzen.kernels import Cauchy, Gaussian, Kernel, Laplacian
from parzen.l2.carriers import Carriers
from parzen.l2.form import L2Form, Widths
from parzen.l2.metric import neighbour_sums, rows_between_classes
from parzen.solvers import Gram, row_budget
from parzen.sums import kernel_sums

_NATIVE_SHAPES: dict[type[Kernel], str] = {
    Gaussian: "gaussian",
    Cauchy: "rational",
    Laplacian: "product_laplacian",
}
_MAX_LOG_LINEAR_TERM = 500.0  # Larger linear terms would leave the range of numbers.
_MAX_CLASS_VALUE = 1e100  # The squares of larger values v_c would leave the number range.


class Terms(NamedTuple):
    """The programme of every training set at one bandwidth, in units of exp(log_unit)."""

    coupling: Floats  # (sets, n_classes, n_classes)
    linear: Floats  # (sets, n)
    log_unit: float


def counts_of(sample: Carriers, sets: Bools) -> Floats:
    """Sum of the frequencies per training set and class."""
    one_hot = np.zeros((len(sample.codes), sample.n_classes))
    one_hot[np.arange(len(sample.codes)), sample.codes] = sample.frequencies
    counts = sets.astype(np.float64) @ one_hot
    return np.asarray(counts if sample.others is None else counts + sample.others.counts)


class NeighbourSums:
    """sum_j w_j k_tau(x_i, x_j) / k_tau(0) over the other points of a class and training set.

    One pass over the pairs serves all classes, training sets and bandwidths.
    """

    def __init__(
        self,
        sample: Carriers,
        sets: Bools,
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
        if sample.others is not None:
            more = sample.others.sums(sample.X, form.kernel, self._distinct, n_jobs)
            scaled = scaled.plus(more)
        peaks = np.array([form.kernel.log_normalizer(float(h), d) for h in self._distinct])
        with np.errstate(under="ignore"):
            sums = scaled.mantissa * np.exp(scaled.log_scale - peaks)
        self._sums = sums.reshape(n, n_sets, sample.n_classes, len(self._distinct))

    def mean_neighbours(self, b: int) -> float:
        """Mean number of other points under a kernel of the b-th bandwidth, in the own class."""
        sums = self.at(b)
        own = sums[np.arange(len(sums)), :, self._sample.codes]
        return float(own.mean() / self._sample.frequencies.mean())

    def at(self, b: int) -> Floats:
        """Sums at the b-th bandwidths, shape (n, sets, n_classes); a row uses its class's tau."""
        if self._each is not None:
            return self._each[b]
        place = self._places[b]
        if (place == place[0]).all():
            return np.asarray(self._sums[..., place[0]])
        out = np.empty(self._sums.shape[:3])
        for c in range(self._sample.n_classes):
            rows = self._sample.class_slice(c)
            out[rows] = self._sums[rows][..., place[c]]
        return out


def _class_columns(sample: Carriers, sets: Bools) -> Floats:
    """Frequencies in columns by training set and class, (n, sets * n_classes)."""
    n = len(sample.codes)
    columns = np.zeros((n, len(sets), sample.n_classes))
    columns[np.arange(n), :, sample.codes] = (sample.frequencies * sets).T
    return columns.reshape(n, -1)


def assemble(
    sample: Carriers, sets: Bools, form: L2Form, widths: Widths, sums: Floats, values: Floats
) -> Terms:
    """The programmes of all training sets at one bandwidth.

    ``sums`` are `NeighbourSums.at`, ``values`` (sets, n_classes) the v of every class.
    """
    means = _mean_kernels(sample, sets, form, sums)
    # The unit is the peak of k_rho, or more where the linear term would leave the number range.
    log_peak, log_linear = float(widths.log_rho.diagonal().max()), float(widths.log_tau.max())
    log_unit = max(log_peak, log_linear - _MAX_LOG_LINEAR_TERM)
    with np.errstate(under="ignore"):
        quadratic = np.exp(widths.log_rho - log_unit)
        scale = np.exp(widths.log_tau - log_unit)[sample.codes]
    v = np.ones_like(values) if form.separate else values
    if (largest := float(v.max())) > _MAX_CLASS_VALUE:
        v, log_unit = v / largest, log_unit + 2 * float(np.log(largest))
    pairs = _pairs(sample.n_classes, form.separate)
    coupling = pairs * v[:, :, None] * v[:, None, :] * quadratic
    signed = np.einsum("nc,fc,nfc->fn", pairs[sample.codes], v, means)
    return Terms(coupling, v[:, sample.codes] * signed * scale, log_unit)


def targets(
    sample: Carriers, sets: Bools, form: L2Form, widths: Widths, sums: Floats, values: Floats
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
    sample: Carriers, form: L2Form, widths: Widths, sums: Floats, values: Floats
) -> Floats:
    """What leaving row i out adds to v_g h_g at row j, at [j, i]; g is the class of i.

    ``sums`` are those of all rows, shape (n, n_classes).
    """
    everything = np.ones((1, len(sample.X)), dtype=bool)
    totals, sizes = (part[:, 0] for part in _totals(sample, everything, form, sums[:, None]))
    taken = np.minimum(sample.frequencies, 1.0)
    kernel = form.kernel.similarity(sample.X, sample.X, bandwidth=float(widths.tau[0]))
    scale = np.exp(widths.log_tau[0] - widths.log_rho[0, 0])
    # At the row itself one copy is left out already; less than one may remain.
    again = np.minimum(sample.frequencies - taken, 1.0) if form.linear_term == "loo" else taken
    out = np.empty(kernel.shape)
    for c in range(sample.n_classes):
        rows = sample.class_slice(c)
        size, total = sizes[:, c, None], totals[:, c, None]
        before = np.divide(total, size, out=np.zeros_like(total), where=size > 0)
        gone = np.tile(taken[rows], (len(kernel), 1))
        np.fill_diagonal(gone[rows], again[rows])
        fewer = size - gone
        rest = total - gone * kernel[:, rows]
        after = np.divide(rest, fewer, out=np.zeros_like(rest), where=fewer > 1e-12 * size)
        out[:, rows] = values[c] * scale * (after - before)
    return out


def dense_gram(sample: Carriers, form: L2Form, rho: Floats) -> Floats:
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


def _gram_rows(sample: Carriers, form: L2Form, rho: Floats, rows: slice) -> Floats:
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


def _mean_kernels(sample: Carriers, sets: Bools, form: L2Form, sums: Floats) -> Floats:
    """h_c(x_i) per row, set and class, in units of the peak; 0 where nothing is left."""
    totals, sizes = _totals(sample, sets, form, sums)
    has_others = sizes > 1e-12 * np.maximum(counts_of(sample, sets), np.finfo(float).tiny)
    return np.divide(totals, sizes, out=np.zeros_like(totals), where=has_others)


def _totals(sample: Carriers, sets: Bools, form: L2Form, sums: Floats) -> tuple[Floats, Floats]:
    """Sums of kernels and of frequencies per row, set and class, one copy of the row left out."""
    rows = np.arange(len(sample.codes))
    loo = form.linear_term == "loo"
    taken = np.minimum(sample.frequencies, 1.0) if loo else np.zeros(len(rows))
    totals, sizes = sums.copy(), np.broadcast_to(counts_of(sample, sets), sums.shape).copy()
    totals[rows, :, sample.codes] += (sample.frequencies - taken)[:, None]
    # A row outside the set has no weight in it to leave out; its own value is never used.
    sizes[rows, :, sample.codes] -= taken[:, None]
    return totals, sizes


def gram_of(sample: Carriers, form: L2Form, rho: Floats) -> Gram:
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
