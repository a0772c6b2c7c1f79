"""L2 programmes of several training sets along a grid of bandwidths, sharing what they can.

The linear terms of all sets and bandwidths come from one pass over the pairs. At each bandwidth the
sets share one kernel matrix, run in parallel and may start from the solution of the bandwidth
before. Beyond 64 classes the coupling of two classes is below 1/63 of a class with itself; it is
left out, and the classes are solved in blocks, so that time does not grow with their square.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Bools, Floats
from parzen.l2.carriers import Carriers
from parzen.l2.form import L2Form, Widths
from parzen.l2.programme import NeighbourSums, assemble, gram_of
from parzen.solvers import Programmes, Progress, Solution, solve_programmes

MAX_COUPLED_CLASSES = 64  # More classes than this are solved in blocks of this many.
_MAX_LOG_UNIT = 700.0  # Objectives in larger units would leave the number range.
_MIN_NEIGHBOURS_FOR_SPARSITY = 0.5  # With fewer neighbours per point solutions are not sparse.


class L2Solution(NamedTuple):
    """Solutions per training set and eta, for the rows of the sample."""

    programmes: Programmes
    log_unit: float  # objectives and floors are in units of exp(log_unit)


class OneL2Solution(NamedTuple):
    """The solution of one programme, in units of the peak of k_rho."""

    solution: Solution
    slacks: Floats  # xi of the primal (11), per class


class _Block(NamedTuple):
    """Neighbouring classes that are solved together."""

    classes: slice
    rows: slice
    sample: Carriers
    sets: Bools
    form: L2Form
    widths: list[Widths]  # of every bandwidth
    sums: NeighbourSums


class L2Solver:
    """The programmes of one sample.

    Parameters
    ----------
    sample : Carriers
    sets : bool array of shape (sets, n)
        Training sets, as masks of the sorted rows.
    form : L2Form
    bandwidths : array of shape (bandwidths, n_classes) or (bandwidths, n_classes, n_features)
    n_jobs : int or None
    """

    def __init__(
        self, sample: Carriers, sets: Bools, form: L2Form, bandwidths: Floats, n_jobs: int | None
    ) -> None:
        self._sample, self._form, self._bandwidths = sample, form, bandwidths
        self._n_jobs = n_jobs
        if sample.n_classes > MAX_COUPLED_CLASSES:
            form = replace(form, separate=True)
        d = sample.X.shape[1]
        self._blocks = []
        for first in range(0, sample.n_classes, MAX_COUPLED_CLASSES):
            last = min(first + MAX_COUPLED_CLASSES, sample.n_classes)
            classes = slice(first, last)
            rows = slice(int(sample.starts[first]), int(sample.starts[last]))
            part, own = sample.of_classes(first, last), np.ascontiguousarray(sets[:, rows])
            widths = [form.widths(s[classes], d) for s in bandwidths]
            taus = np.array([w.tau for w in widths])
            sums = NeighbourSums(part, own, form, taus, n_jobs)
            self._blocks.append(_Block(classes, rows, part, own, form, widths, sums))

    def crowded(self, b: int) -> bool:
        """Whether kernels of the b-th bandwidth overlap enough for sparse solutions."""
        return any(
            block.sums.mean_neighbours(b) > _MIN_NEIGHBOURS_FOR_SPARSITY for block in self._blocks
        )

    def solve(
        self,
        b: int,
        values: Floats,
        *,
        etas: ArrayLike = (1.0,),
        relaxed: bool = False,
        start: Floats | None = None,
        tol: float,
        max_iter: int | None = None,
        progress: Progress | None = None,
    ) -> L2Solution:
        """Solve all sets at the b-th bandwidth for every eta; ``values`` is (sets, n_classes)."""
        options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "progress": progress}
        factors = 1.0 / np.asarray(etas, dtype=np.float64)
        found = [
            self._solve_block(block, b, values, factors, start, relaxed, options)
            for block in self._blocks
        ]
        if len(found) == 1:
            return found[0]
        parts = [f.programmes for f in found]
        log_unit = max(f.log_unit for f in found)
        units = [float(np.exp(f.log_unit - log_unit)) for f in found]
        merged = Programmes(
            np.concatenate([p.weights for p in parts], axis=2),
            np.sum([u * p.objectives for u, p in zip(units, parts, strict=True)], axis=0),
            np.max([p.gaps for p in parts], axis=0),
            np.sum([p.iterations for p in parts], axis=0),
            np.concatenate([u * p.floors for u, p in zip(units, parts, strict=True)], axis=2),
        )
        return L2Solution(merged, log_unit)

    def solve_one(
        self,
        values: Floats,
        *,
        eta: float,
        tol: float,
        relaxed: bool = False,
        max_iter: int | None = None,
        progress: Progress | None = None,
    ) -> OneL2Solution:
        """Solve the one programme of a single training set and bandwidth."""
        found = self.solve(
            0, values[None], etas=[eta], relaxed=relaxed, tol=tol, max_iter=max_iter,
            progress=progress,
        )  # fmt: skip
        parts = found.programmes
        log_peak = self._form.log_peak(self._bandwidths[0], self._sample.X.shape[1])
        unit = float(np.exp(min(found.log_unit - log_peak, _MAX_LOG_UNIT)))
        gap = float(parts.gaps[0, 0])
        solution = Solution(
            parts.weights[0, 0],
            unit * float(parts.objectives[0, 0]),
            gap,
            int(parts.iterations[0, 0]),
            "optimal" if gap <= tol else "max_iter",
        )
        return OneL2Solution(solution, -eta * unit * parts.floors[0, 0])

    def _solve_block(
        self,
        block: _Block,
        b: int,
        values: Floats,
        factors: Floats,
        start: Floats | None,
        relaxed: bool,
        options: dict[str, Any],
    ) -> L2Solution:
        widths, v, sets = block.widths[b], values[:, block.classes], block.sets
        terms = assemble(block.sample, sets, block.form, widths, block.sums.at(b), v)
        # Under section 5.2 the classes lose mass at the rates 1 / v_c, so that v_c (1 - mass_c) is
        # the same for all of them.
        rates = 1.0 / v if relaxed and (v > 0).all() and not block.form.separate else None
        found = solve_programmes(
            gram_of(block.sample, block.form, widths.rho),
            terms.linear,
            terms.coupling,
            factors=factors,
            active=None if bool(sets.all()) else sets,
            rates=rates,
            start=None if start is None else start[:, block.rows],
            n_jobs=self._n_jobs,
            **options,
        )
        return L2Solution(found, terms.log_unit)
