"""The same sums on a cluster, by dask.

    kernel_sums(X, Y)       a task for each pair of chunks, a tree of sums over the chunks of Y
    predict(X), ...         a task for each chunk of X; the model is a task they all depend on
    fit(X, y)               the sample is gathered; its sums are spread by rows over the workers
                            on landmarks: a part is gathered, all else is factors and sums of chunks

Dask keeps, moves and recomputes what the tasks need; a worker that dies costs time, not the answer.
"""

from parzen.distributed.connect import connect, on_cluster
from parzen.distributed.landmarks import fit_chunks
from parzen.distributed.rows import gather, map_rows
from parzen.distributed.spread import ClusterWorkers
from parzen.distributed.sums import chunked_sums

__all__ = [
    "ClusterWorkers",
    "chunked_sums",
    "connect",
    "fit_chunks",
    "gather",
    "map_rows",
    "on_cluster",
]
