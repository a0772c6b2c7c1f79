"""Large sums of a sample in this process, spread by rows over the workers of a cluster.

A fit of dask input passes `ClusterWorkers` as its ``n_jobs``. Every call of the primitive with many
pairs then becomes one task for each run of its queries. The points travel once to each worker, as a
task of their own, so another worker can replace one that dies. Each task chooses its strategy as
this process would.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import dask
import numpy as np

from parzen._core import Workers
from parzen.distributed.rows import compute
from parzen.sums import Call, ScaledSums, strategies_of, sums_at

MIN_PAIRS = 1e8  # Pairs of rows below which sending a task takes longer than computing it.
_N_TASKS = 32  # Runs of rows that one call is cut into.


class ClusterWorkers(Workers):
    """Threads of this process, and the workers of the dask scheduler that is in use."""

    def take_over(self, *computation: Any) -> Any:
        """The sums of ``(call, method, rtol)``; None when this process should compute them."""
        call, method, rtol = computation
        if call.pairs < MIN_PAIRS or len(call.X) < 2:
            return None
        shared = dask.delayed(call, traverse=False)
        ends = np.linspace(0, len(call.X), min(_N_TASKS, len(call.X)) + 1).astype(int)
        run = dask.delayed(_run, pure=False)
        tasks = [run(shared, int(a), int(b), method, rtol) for a, b in pairwise(ends)]
        parts = compute(tasks)
        if call.mode == "scaled":
            return ScaledSums(*(np.concatenate(columns) for columns in zip(*parts)))
        return np.concatenate(parts)


def _run(call: Call, start: int, stop: int, method: str, rtol: float) -> Any:
    """The sums of a run of rows, on one thread of a worker."""
    rows = np.arange(start, stop)
    return sums_at(call, rows, slice(None), strategies_of(method, rtol), rtol, 1)
