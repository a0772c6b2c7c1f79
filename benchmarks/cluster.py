"""Two workers of a dask cluster against one: kernel sums over pairs of chunks.

Worker processes with one thread each on this machine, the same chunks either way. The first run on
a cluster, which imports the library in its workers, is not counted.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks._timing import optional, table, verdict
from parzen import kernel_sums


def run(quick: bool = False) -> None:
    if optional("distributed") is None:
        return
    rows = 20_000 if quick else 60_000
    seconds = {workers: _seconds(workers, rows) for workers in (1, 2)}
    ratio = seconds[1] / seconds[2]
    body = [
        [f"{workers} worker(s)", float(s), s and seconds[1] / s] for workers, s in seconds.items()
    ]
    table(f"sums, {rows} x {rows}, d = 10, 8 x 8 chunks", ["", "s", "speed-up"], body)
    print("  two over one:", verdict(ratio, at_least=1.7))


def _seconds(workers: int, rows: int) -> float:
    """Best of three runs."""
    import dask.array as da

    from distributed import Client, LocalCluster

    X = np.random.default_rng(0).normal(size=(rows, 10))
    with (
        LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        lazy = client.persist(da.from_array(X, chunks=(rows // 8, 10)))
        taken = []
        for _ in range(4):
            begun = time.perf_counter()
            kernel_sums(lazy, lazy, bandwidths=1.0, log=True, method="dense").sum().compute()
            taken.append(time.perf_counter() - begun)
    return min(taken[1:])
