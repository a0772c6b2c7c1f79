"""A bandwidth that is chosen again and again along a stream, from kernel sums that are kept.

    S_ic = sum_b f_bc S_ibc,      S_ibc = sum_{j in batch b, j != i, y_j = c} w_j k_h(x_i, x_j)

The sums are kept by the batch of the rows that carry the kernels, so a batch that leaves takes its
own away: nothing is subtracted, and no rounding adds up. Weights that decay multiply a batch by one
factor f_bc. Of n rows of which r are new, a choice then takes about 2 r n kernels in place of n^2.

Sums are numbers in units of the first sum of the same row, class and bandwidth. Those that leave
the range of numbers since are computed anew in logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from parzen._core import Bools, Floats, Ints
from parzen.bandwidth.coordinate import common_path
from parzen.bandwidth.density_criteria import Likelihood
from parzen.bandwidth.error_criteria import LeaveOneOutSelector
from parzen.bandwidth.grid import WIDENING, default_grid
from parzen.bandwidth.losses import own_log_losses
from parzen.bandwidth.resolve import get_selector
from parzen.bandwidth.search import Path, search_grid, signed_path
from parzen.bandwidth.selection import Selection
from parzen.bandwidth.selector import Selector
from parzen.samples import (
    HeldOutSums,
    KernelSample,
    leave_one_out_sums,
    log,
    log_add,
    log_copies,
    signed_sum,
)
from parzen.sums import has_missing, labelled_kernel_sums

_PARTS = 16  # Batches that rows are divided into; a batch below this share grows with new rows.
_LEAST_SUM = 1e-280  # A smaller sum, in its unit, is computed in logarithms.
_ROUNDING = 1e-12  # Relative difference up to which the weights of a batch have one factor.


@dataclass(frozen=True)
class KeptSums(Selector):
    """A leave-one-out selector for streams: it keeps its kernel sums from one choice to the next.

    Read more in the :doc:`guide </guide/decisions>`.

    It is for estimators whose ``partial_fit`` chooses the bandwidth anew (``rechoose``). The
    choice depends on the rows alone; it is that of ``selector`` on the same grid.

    Parameters
    ----------
    selector : str or Selector, default="loo"
        ``"loo"``, ``"conditional_likelihood"``, ``"likelihood"``, or one of them with options,
        with one bandwidth for all classes and columns. Where it has no grid, the default grid is
        rounded to eighths of powers of two, with its ends at whole powers, so that consecutive
        choices have the same candidates.

    Notes
    -----
    Sums of n rows and C classes take some 16 times 8 n C bytes for every candidate: 30 megabytes
    for 2000 rows of two classes. Clones, pickles and model files start without them.

    Sums are computed anew where the earlier rows are not the same numbers: where ``scale="auto"``
    divides the columns by their deviations, and where entries are missing. `KernelNaiveBayes`
    chooses by single columns, and gains nothing. The ``bounds`` of a `KernelDensity` are not seen.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import ParzenClassifier
    >>> from parzen.bandwidth import KeptSums
    >>> X = np.random.default_rng(0).normal(size=(900, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> clf = ParzenClassifier(bandwidth=KeptSums("loo"), window=300, rechoose=100)
    >>> for rows in np.split(np.arange(900), 9):
    ...     clf = clf.partial_fit(X[rows], y[rows], classes=[0, 1])
    >>> clf.bandwidth_ == KeptSums("loo").select(X[600:], y[600:]).bandwidth
    True
    """

    selector: str | Selector = "loo"
    name: ClassVar[str] = "kept_sums"
    criterion: ClassVar[str] = "that of its selector"

    def __post_init__(self) -> None:
        selector = get_selector(self.selector)
        if not isinstance(selector, LeaveOneOutSelector | Likelihood) or selector.per != "all":
            raise ValueError(
                f"selector={self.selector!r} has no sums to keep; give 'loo', "
                "'conditional_likelihood' or 'likelihood', with per='all'."
            )
        known = {"grid": selector.grid, "needs_labels": selector.needs_labels, "_kept": _Kept()}
        for name, value in known.items():
            object.__setattr__(self, name, value)

    def _select(self, sample: KernelSample) -> Selection:
        selector: Any = get_selector(self.selector)
        kept: _Kept = self._kept  # type: ignore[attr-defined]
        kept.begin()
        judges_errors = isinstance(selector, LeaveOneOutSelector)
        if (
            has_missing(sample.X)
            or not selector._can_compare(sample)
            or (judges_errors and selector._scored(sample) is not None)
        ):
            found: Selection = selector._select(sample)
            return found
        by_default = selector.grid is None
        return search_grid(
            partial(_error_path if judges_errors else _likelihood_path, selector, kept, sample),
            _rounded(default_grid(sample)) if by_default else np.array(selector.grid),
            widening=WIDENING if by_default else 0,
            name=selector.name,
            criterion=selector.criterion,
        )


def _rounded(grid: Floats) -> Floats:
    """A geometric grid with its ends at the next powers of two.

    Examples
    --------
    >>> _rounded(np.array([0.9, 1.8, 3.6]))
    array([1., 2., 4.])
    """
    doublings = np.log2(grid[-1] / grid[0])
    steps = max(1, round(float((len(grid) - 1) / doublings)))
    low, high = np.ceil(np.log2(grid[[0, -1]]))
    return np.asarray(2.0 ** (np.arange(low * steps, high * steps + 1) / steps))


def _error_path(
    selector: LeaveOneOutSelector, kept: _Kept, sample: KernelSample, grid: Floats
) -> Path:
    def scheme(sample: KernelSample, grid: Floats) -> list[HeldOutSums]:
        return [kept.sums(sample, grid)]

    return common_path(scheme, selector.loss, selector.ties, sample, grid)


def _likelihood_path(_: Likelihood, kept: _Kept, sample: KernelSample, grid: Floats) -> Path:
    losses = own_log_losses([kept.sums(sample, grid)], sample.n_classes, len(grid))
    return signed_path(*signed_sum(np.sign(losses), log(np.abs(losses))))


class _Kept:
    """The sums of the last choice: a table for every grid that it scored."""

    def __init__(self) -> None:
        self._last: list[_Table] = []
        self._now: list[_Table] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return _Kept, ()

    def begin(self) -> None:
        """Begin a choice; the sums that the last one did not need are dropped."""
        self._last, self._now = self._now, []

    def sums(self, sample: KernelSample, grid: Floats) -> HeldOutSums:
        """The sums at every row over the other rows."""
        serve = [table for table in self._last if np.isin(grid, table.grid).all()]
        table = _Table.of(sample, grid, serve[0] if serve else None)
        self._now.append(table)
        return table.held_out()


class _Batch(NamedTuple):
    """Rows from one place to another, and the place of the batch in an earlier table, if any."""

    start: int
    stop: int
    earlier: int | None = None


class _Table(NamedTuple):
    """Sums of a sample at the rows of a batch over a batch, and the weights that they have."""

    sample: KernelSample
    grid: Floats
    batches: list[_Batch]
    weights: Floats  # the weights of the sample are factors of them, by batch and class
    sums: dict[tuple[_Batch, _Batch], Floats]  # (rows, classes, bandwidths)
    log_units: dict[_Batch, Floats]  # logarithms of the units of the sums at the rows of a batch

    @classmethod
    def of(cls, sample: KernelSample, grid: Floats, earlier: _Table | None) -> Self:
        """The sums of a sample, as many as possible out of those of an earlier one."""
        weights = np.array(sample.frequencies)
        kept = [] if earlier is None else earlier._batches_in(sample)
        if kept and kept[-1].stop - kept[-1].start < len(sample) // _PARTS:
            kept = kept[:-1]
        batches = kept + _parts(kept[-1].stop if kept else 0, len(sample))
        for start, stop, place in kept:
            if earlier is not None and place is not None:
                source = earlier.batches[place]
                weights[start:stop] = earlier.weights[source.start : source.stop]
        table = cls(sample, grid, batches, weights, {}, {})
        if earlier is not None:
            table._take_over(earlier)
        for batch in batches:
            if batch.earlier is None:
                table._compute(batch)
        return table

    def _batches_in(self, sample: KernelSample) -> list[_Batch]:
        """The batches of which rows are left in a later sample, at its begin."""
        lost = self._lost_rows(sample)
        found = []
        for place, (begin, end, _) in enumerate(self.batches):
            if end <= lost:
                continue
            start, stop = max(begin - lost, 0), end - lost
            is_whole = begin >= lost
            if is_whole:
                low, high = _factors(sample, slice(start, stop), self.weights[begin:end])
                is_whole = bool((high <= low * (1 + _ROUNDING)).all())
            found.append(_Batch(start, stop, place if is_whole else None))
        return found

    def _lost_rows(self, sample: KernelSample) -> int:
        """How many rows have left, if the others are the first of a later sample; else all."""
        mine, n = self.sample, len(self.sample)
        alike = (mine.kernel, mine.n_classes, mine.X.dtype, mine.X.shape[1]) == (
            sample.kernel, sample.n_classes, sample.X.dtype, sample.X.shape[1]
        )  # fmt: skip
        if not alike:
            return n
        for lost in np.flatnonzero((sample.X[0] == mine.X).all(axis=1)).tolist():
            left = n - lost
            if np.array_equal(mine.X[lost:], sample.X[:left]) and np.array_equal(
                mine.codes[lost:], sample.codes[:left]
            ):
                return int(lost)
        return n

    def _take_over(self, earlier: _Table) -> None:
        """Sums at the rows of earlier batches: those over each other are known."""
        pairs = [(b, earlier.batches[b.earlier]) for b in self.batches if b.earlier is not None]
        columns = np.isin(earlier.grid, self.grid)
        whole = bool(columns.all())
        for batch, source in pairs:
            units = earlier.log_units[source]
            self.log_units[batch] = units if whole else units[..., columns]
            for other, place in pairs:
                known = earlier.sums[source, place]
                self.sums[batch, other] = known if whole else known[..., columns]
        old = [batch for batch, _ in pairs]
        new = [batch for batch in self.batches if batch.earlier is None]
        if not old or not new:
            return
        ends = np.cumsum([batch.stop - batch.start for batch in old])
        for other, logs in zip(new, self._log_sums(old, new), strict=True):
            for batch, part in zip(old, np.split(logs, ends[:-1]), strict=True):
                with np.errstate(over="ignore"):
                    self.sums[batch, other] = np.exp(part - self.log_units[batch])

    def _compute(self, batch: _Batch) -> None:
        """Sums at the rows of a new batch, and their units."""
        others = [other for other in self.batches if other is not batch]
        logs = dict(zip(others, self._log_sums([batch], others), strict=True)) if others else {}
        (logs[batch],) = self._log_sums([batch], [batch])
        units = np.max(list(logs.values()), axis=0)
        units[np.isneginf(units)] = 0.0
        self.log_units[batch] = units
        for other, part in logs.items():
            self.sums[batch, other] = np.exp(part - units)

    def _log_sums(self, at: list[_Batch], over: list[_Batch]) -> list[Floats]:
        """Logarithms of the sums over each of some batches, at the rows of some without itself."""
        s, rows = self.sample, self._places(over)
        parts = np.repeat(np.arange(len(over)), [batch.stop - batch.start for batch in over])
        logs = labelled_kernel_sums(
            s.X[self._places(at)], s.X[rows], parts * s.n_classes + s.codes[rows],
            len(over) * s.n_classes, self.weights[rows], kernel=s.kernel, bandwidths=self.grid,
            exclude_self=at == over, n_jobs=s.n_jobs,
        )  # fmt: skip
        return np.split(logs.astype(np.float64, copy=False), len(over), axis=1)

    def _places(self, batches: list[_Batch]) -> Ints:
        return np.concatenate([np.arange(batch.start, batch.stop) for batch in batches])

    def held_out(self) -> HeldOutSums:
        """The logarithms of the sums over all batches."""
        s = self.sample
        rows = [slice(batch.start, batch.stop) for batch in self.batches]
        factors = [_factors(s, part, self.weights[part])[1] for part in rows]
        totals = np.concatenate([self._total(batch, factors) for batch in self.batches])
        logs = log(totals) + np.concatenate([self.log_units[batch] for batch in self.batches])
        own = np.arange(len(s)), s.codes
        counts = np.tile(s.counts, (len(s), 1))
        counts[own] = s.same_class_weight_without_self()
        if s.weights is not None:
            logs[own] = log_add(logs[own], log_copies(s, self.grid))
        unsafe = ((totals < _LEAST_SUM) | np.isinf(totals)) & (counts > 0)[:, :, None]
        if np.isfinite(s.kernel.support_radius(1.0)):
            unsafe &= totals > 0  # the others are zero
        self._compute_in_logarithms(logs, unsafe)
        return HeldOutSums(s.codes, s.frequencies, logs, counts, s.priors)

    def _total(self, batch: _Batch, factors: list[Floats]) -> Floats:
        total = np.zeros_like(self.log_units[batch])
        for factor, other in zip(factors, self.batches, strict=True):
            part = self.sums[batch, other]
            total += part if (factor == 1).all() else factor[:, None] * part
        return total

    def _compute_in_logarithms(self, logs: Floats, unsafe: Bools) -> None:
        rows: Ints = np.flatnonzero(unsafe.any(axis=(1, 2)))
        columns = unsafe.any(axis=(0, 1))
        if len(rows):
            parts = leave_one_out_sums(self.sample, self.grid[columns], rows)
            here = np.ix_(rows, np.arange(logs.shape[1]), columns)
            anew = np.concatenate([part.log_sums for part in parts])
            logs[here] = np.where(unsafe[here], anew, logs[here])


def _parts(start: int, stop: int) -> list[_Batch]:
    """New rows as batches, of a sixteenth of all rows at least where there are so many."""
    count = min(max((stop - start) * _PARTS // stop, 1), stop - start)
    ends = start + np.arange(count + 1) * (stop - start) // max(count, 1)
    return [_Batch(int(a), int(b)) for a, b in pairwise(ends)]


def _factors(sample: KernelSample, rows: slice, weights: Floats) -> tuple[Floats, Floats]:
    """The smallest and the largest number that weights of each class were multiplied by."""
    codes, ratios = sample.codes[rows], sample.frequencies[rows] / weights
    low, high = np.full(sample.n_classes, np.inf), np.zeros(sample.n_classes)
    np.minimum.at(low, codes, ratios)
    np.maximum.at(high, codes, ratios)
    return low, high
