"""A bandwidth that is chosen again and again along a stream, from kernel sums that are kept.

    S_ic = sum_b f_bc S_ibc,      S_ibc = sum_{j in batch b, j != i, y_j = c} w_j k_h(x_i, x_j)

The sums are kept by the batch of the rows that carry the kernels, so a batch that leaves takes its
own away: nothing is subtracted, and no rounding adds up. Weights that decay multiply a batch by one
factor f_bc. Of n rows of which r are new, a choice then takes about 2 r n kernels in place of n^2.

Sums are numbers in units of the first sum of the same row, class and bandwidth. Those that leave
the range of numbers since are computed anew in logarithms.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn import get_config

from parzen._core import Bools, Floats, Ints
from parzen.bandwidth.coordinate import common_path
from parzen.bandwidth.density_criteria import Likelihood
from parzen.bandwidth.error_criteria import (
    ConditionalLikelihood,
    LeaveOneOutError,
    LeaveOneOutSelector,
)
from parzen.bandwidth.grid import WIDENING, default_grid
from parzen.bandwidth.kept_batches import Batch, Batches
from parzen.bandwidth.kept_moments import KeptMoments
from parzen.bandwidth.losses import own_log_losses
from parzen.bandwidth.resolve import get_selector
from parzen.bandwidth.rule import Rule
from parzen.bandwidth.rules import RULES
from parzen.bandwidth.search import Path, search_grid, signed_path
from parzen.bandwidth.selection import Selection
from parzen.bandwidth.selector import Selector
from parzen.kernels import ColumnProduct, Kernel
from parzen.samples import (
    HeldOutSums,
    KernelSample,
    Sample,
    leave_one_out_sums,
    log,
    log_add,
    log_copies,
)
from parzen.sums import has_missing, labelled_kernel_sums

_LEAST_ROWS = 1200  # With fewer rows a choice from all rows is quicker than adding up kept sums.
_ROWS_PER_NEW_ROW = 8  # With fewer rows for each new one, a choice from all rows is as quick.
_LEAST_SUM = 1e-280  # A smaller sum, in its unit, is computed in logarithms.
# Selectors whose sums are kept; their subclasses may score in other ways, and choose by themselves.
_SERVED = (LeaveOneOutError, ConditionalLikelihood, Likelihood)
_BYTES_PER_MEBIBYTE = 2**20  # scikit-learn's working_memory is in mebibytes.


class KeptSums:
    """The kernel sums of a stream, from one choice of its bandwidth to the next.

    Sums are kept where that takes less time than a choice from all rows, and where they fit into
    scikit-learn's ``working_memory``. Copies, pickles and model files start without them.
    """

    def __init__(self) -> None:
        self._pays = False
        self._last: dict[Hashable, list[_BatchSums]] = {}
        self._tables: dict[Hashable, list[_BatchSums]] = {}
        self._moments: KeptMoments | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptSums, ()

    def begin(self, n_new: int, n_rows: int) -> None:
        """Begin a choice from ``n_rows`` rows, of which ``n_new`` are new.

        Where it pays to keep sums, those of the last choice are at hand until the next one begins.
        """
        self._pays = _ROWS_PER_NEW_ROW * n_new <= n_rows
        self._last, self._tables = self._tables if self._pays else {}, {}

    def serve(self, bandwidth: Any, kernel: Kernel, place: Hashable = None) -> Any:
        """The selector that makes the choice of ``bandwidth=`` from these sums.

        Parameters
        ----------
        bandwidth : float, array, str or Selector
            Served are "loo", "conditional_likelihood" and "likelihood" with one bandwidth for all
            classes and columns; everything else is returned as it is.
        kernel : Kernel
            A `ColumnProduct` has no such sums.
        place : hashable, default=None
            Which of several choices of an estimator it is.
        """
        given = not isinstance(bandwidth, str | Selector)
        if given or not self._pays or isinstance(kernel, ColumnProduct):
            return bandwidth
        selector: Any = get_selector(bandwidth)
        if type(selector) not in _SERVED or selector.per != "all":
            return bandwidth
        return _FromKeptSums(selector, self, place)

    def rule(self, bandwidth: Any, sample: Sample, kernel: Kernel) -> Floats | None:
        """Silverman's or Scott's rule for each class and column, from moments that are kept.

        Shape (C, d), NaN in columns that it cannot serve; None where ``bandwidth=`` is no such
        rule, or not chosen from kept sums.
        """
        if not isinstance(bandwidth, str | Selector):
            return None
        rule = get_selector(bandwidth)
        if not self._pays or len(sample) < _LEAST_ROWS or not _is_rule(rule):
            self._moments = None
            return None
        self._moments = KeptMoments.of(sample, self._moments)
        return self._moments.rule(rule.name, kernel)

    def sums(
        self, place: Hashable, earlier: list[_BatchSums], sample: KernelSample, grid: Floats
    ) -> Iterable[HeldOutSums]:
        """The sums at every row over the other rows, as many as possible out of earlier tables."""
        serving = next((table for table in earlier if table.serves(sample, grid)), None)
        rows = Batches.of(sample, None if serving is None else serving.rows)
        known = sum(table.n_bytes() for tables in self._tables.values() for table in tables)
        new = _n_bytes(sample, len(rows.parts), grid)
        if known + new > get_config()["working_memory"] * _BYTES_PER_MEBIBYTE:
            return leave_one_out_sums(sample, grid)
        table = _BatchSums.of(sample, grid, rows, serving)
        self._tables.setdefault(place, []).append(table)
        return [table.held_out()]

    def of_last_choice(self, place: Hashable) -> list[_BatchSums]:
        """The tables of the last choice at a place; they are removed from the store."""
        return self._last.pop(place, [])


@dataclass(frozen=True)
class _FromKeptSums(Selector):
    """The choice of a leave-one-out selector, from sums that are kept."""

    selector: LeaveOneOutSelector | Likelihood
    kept: KeptSums
    place: Hashable
    name: ClassVar[str] = "kept_sums"
    criterion: ClassVar[str] = "that of its selector"
    rounds_units: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("grid", "needs_labels", "name"):
            object.__setattr__(self, name, getattr(self.selector, name))

    def _select(self, sample: KernelSample) -> Selection:
        selector: Any = self.selector
        judges_errors = isinstance(selector, LeaveOneOutSelector)
        if (
            len(sample) < _LEAST_ROWS
            or has_missing(sample.X)
            or not selector._can_compare(sample)
            or selector._thinning(sample) is not None
        ):
            found: Selection = selector._select(sample)
            return found
        by_default = selector.grid is None
        path = self._error_path if judges_errors else self._likelihood_path
        places = [None] if judges_errors else range(sample.n_classes)
        earlier = {c: self.kept.of_last_choice((self.place, c)) for c in places}
        return search_grid(
            partial(path, earlier, sample),
            _rounded(default_grid(sample)) if by_default else np.array(selector.grid),
            widening=WIDENING if by_default else 0,
            name=selector.name,
            criterion=selector.criterion,
        )

    def _error_path(self, earlier: _Earlier, sample: KernelSample, grid: Floats) -> Path:
        selector: Any = self.selector
        scheme = partial(self.kept.sums, (self.place, None), earlier[None])
        return common_path(scheme, selector.loss, selector.ties, sample, grid)

    def _likelihood_path(self, earlier: _Earlier, sample: KernelSample, grid: Floats) -> Path:
        losses = np.zeros(len(grid))
        for c, part in enumerate(sample.by_class()):
            if len(part):
                held_out = self.kept.sums((self.place, c), earlier[c], part, grid)
                share = part.counts[0] / sample.counts.sum()
                losses += share * own_log_losses(held_out, 1, len(grid))[0]
        return signed_path(np.sign(losses), log(np.abs(losses)))


def _is_rule(selector: Selector) -> bool:
    return type(selector) is Rule and selector.name in RULES and selector.per == "all"


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


_Earlier = dict[int | None, list["_BatchSums"]]  # by class; under None for all classes together


class _BatchSums(NamedTuple):
    """Sums of a sample at the rows of a batch over a batch, and the weights that they have."""

    sample: KernelSample
    grid: Floats
    rows: Batches
    sums: dict[tuple[Batch, Batch], Floats]  # (rows, classes, bandwidths)
    log_units: dict[Batch, Floats]  # logarithms of the units of the sums at the rows of a batch

    def n_bytes(self) -> int:
        return _n_bytes(self.sample, len(self.rows.parts), self.grid)

    def serves(self, sample: KernelSample, grid: Floats) -> bool:
        """Whether it holds sums of this kernel with these bandwidths."""
        return self.sample.kernel == sample.kernel and bool(np.isin(grid, self.grid).all())

    @classmethod
    def of(
        cls, sample: KernelSample, grid: Floats, rows: Batches, earlier: _BatchSums | None
    ) -> Self:
        """The sums of a sample, as many as possible out of those of an earlier one."""
        table = cls(sample, grid, rows, {}, {})
        if earlier is not None:
            table._take_over(earlier)
        for batch in rows.parts:
            if batch.earlier is None:
                table._compute(batch)
        return table

    def _take_over(self, earlier: _BatchSums) -> None:
        """Sums at the rows of earlier batches: those over each other are known."""
        pairs = [
            (b, earlier.rows.parts[b.earlier]) for b in self.rows.parts if b.earlier is not None
        ]
        columns = np.isin(earlier.grid, self.grid)
        whole = bool(columns.all())
        for batch, source in pairs:
            units = earlier.log_units[source]
            self.log_units[batch] = units if whole else units[..., columns]
            for other, place in pairs:
                known = earlier.sums[source, place]
                self.sums[batch, other] = known if whole else known[..., columns]
        old = [batch for batch, _ in pairs]
        new = [batch for batch in self.rows.parts if batch.earlier is None]
        if not old or not new:
            return
        ends = np.cumsum([batch.stop - batch.start for batch in old])
        for other, logs in zip(new, self._log_sums(old, new), strict=True):
            for batch, part in zip(old, np.split(logs, ends[:-1]), strict=True):
                with np.errstate(over="ignore"):
                    self.sums[batch, other] = np.exp(part - self.log_units[batch])

    def _compute(self, batch: Batch) -> None:
        """Sums at the rows of a new batch, and their units."""
        others = [other for other in self.rows.parts if other is not batch]
        logs = dict(zip(others, self._log_sums([batch], others), strict=True)) if others else {}
        (logs[batch],) = self._log_sums([batch], [batch])
        units = np.max(list(logs.values()), axis=0)
        units[np.isneginf(units)] = 0.0
        self.log_units[batch] = units
        for other, part in logs.items():
            self.sums[batch, other] = np.exp(part - units)

    def _log_sums(self, at: list[Batch], over: list[Batch]) -> list[Floats]:
        """Logarithms of the sums over each of some batches, at the rows of some without itself."""
        s, rows = self.sample, self._places(over)
        parts = np.repeat(np.arange(len(over)), [batch.stop - batch.start for batch in over])
        logs = labelled_kernel_sums(
            s.X[self._places(at)], s.X[rows], parts * s.n_classes + s.codes[rows],
            len(over) * s.n_classes, self.rows.weights[rows], kernel=s.kernel, bandwidths=self.grid,
            exclude_self=at == over, n_jobs=s.n_jobs,
        )  # fmt: skip
        return np.split(logs.astype(np.float64, copy=False), len(over), axis=1)

    def _places(self, batches: list[Batch]) -> Ints:
        return np.concatenate([np.arange(batch.start, batch.stop) for batch in batches])

    def held_out(self) -> HeldOutSums:
        """The logarithms of the sums over all batches."""
        s = self.sample
        shared = [
            None if (factor == 1).all() else factor[:, None] for factor in self.rows.factors()
        ]
        totals = np.concatenate([self._total(batch, shared) for batch in self.rows.parts])
        logs = log(totals) + np.concatenate([self.log_units[batch] for batch in self.rows.parts])
        own = np.arange(len(s)), s.codes
        counts = np.tile(s.counts, (len(s), 1))
        counts[own] = s.same_class_weight_without_self()
        if s.weights is not None:
            logs[own] = log_add(logs[own], log_copies(s, self.grid))
        # Unsafe sums have left the range of numbers in the unit of their first batch: they may have
        # lost terms to underflow, or overflowed.
        unsafe = ((totals < _LEAST_SUM) | np.isinf(totals)) & (counts > 0)[:, :, None]
        if np.isfinite(s.kernel.support_radius(1.0)):
            unsafe &= totals > 0  # of a compact kernel a sum of 0 is exact
        self._compute_in_logarithms(logs, unsafe)
        return HeldOutSums(s.codes, s.frequencies, logs, counts, s.priors)

    def _total(self, batch: Batch, factors: list[Floats | None]) -> Floats:
        total = np.zeros_like(self.log_units[batch])
        for factor, other in zip(factors, self.rows.parts, strict=True):
            part = self.sums[batch, other]
            total += part if factor is None else factor * part
        return total

    def _compute_in_logarithms(self, logs: Floats, unsafe: Bools) -> None:
        rows: Ints = np.flatnonzero(unsafe.any(axis=(1, 2)))
        columns = unsafe.any(axis=(0, 1))
        if len(rows):
            parts = leave_one_out_sums(self.sample, self.grid[columns], rows)
            here = np.ix_(rows, np.arange(logs.shape[1]), columns)
            anew = np.concatenate([part.log_sums for part in parts])
            logs[here] = np.where(unsafe[here], anew, logs[here])


def _n_bytes(sample: KernelSample, n_batches: int, grid: Floats) -> int:
    return 8 * n_batches * len(sample) * sample.n_classes * len(grid)
