"""Large sums of a sample that is here, spread by rows over the workers of a cluster.

Within ``spread_sums()`` every call of the primitive with many pairs becomes tasks for runs of its
queries. The points travel once to each worker, as a task of their own, so a worker that dies is
replaced by another; the strategy of each run is chosen as it would be here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import dask
import numpy as np

from parzen.sums import Call, ScaledSums, methods as _methods, sums_at

LEAST = 1e8  # pairs; below that a task costs more to send than to do
_RUNS = 32


@contextmanager
def spread_sums() -> Iterator[None]:
    """Run the larger kernel sums of this context on the cluster."""
    token = _methods.ELSEWHERE.set(_spread)
    try:
        yield
    finally:
        _methods.ELSEWHERE.reset(token)


def _spread(call: Call, method: str, rtol: float) -> Any:
    """The sums, or None where they are better done here."""
    if call.pairs < LEAST or len(call.X) < 2:
        return None
    shared = dask.delayed(call, traverse=False)
    ends = np.linspace(0, len(call.X), min(_RUNS, len(call.X)) + 1).astype(int)
    run = dask.delayed(_run, pure=False)
    tasks = [run(shared, int(a), int(b), method, rtol) for a, b in pairwise(ends)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        parts = dask.compute(*tasks)
    if call.mode == "scaled":
        return ScaledSums(*(np.concatenate(columns) for columns in zip(*parts)))
    return np.concatenate(parts)


def _run(call: Call, start: int, stop: int, method: str, rtol: float) -> Any:
    """Some rows of a call, on one thread of a worker."""
    rows = np.arange(start, stop)
    strategies = _methods.strategies(method, rtol)
    return sums_at(call, rows, slice(None), strategies, rtol, 1)
