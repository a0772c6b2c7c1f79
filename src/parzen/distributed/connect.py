"""The way to a cluster that runs already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import joblib


def connect(address: str, *, timeout: float = 5.0) -> Any:
    """Connect to a dask scheduler; dask computations of this process then run on its workers.

    Read more in the :doc:`guide </guide/clusters>`.

    Parameters
    ----------
    address : str
        Such as ``"tcp://127.0.0.1:8786"``.
    timeout : float, default=5.0
        Seconds to wait for an answer.

    Returns
    -------
    distributed.Client
        Close it, or use it in a ``with`` statement.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError(
            "a scheduler needs the package distributed, which is not installed; "
            "pip install parzen[dask], or leave the scheduler out."
        ) from error
    try:
        return Client(address, timeout=timeout)
    except (OSError, ValueError, TimeoutError) as error:
        raise ConnectionError(
            f"no scheduler answers at {address!r} within {timeout:g} s; check the address and "
            "start one with `dask scheduler`, or leave the scheduler out to compute here."
        ) from error


def on_cluster(address: str, *, timeout: float = 5.0) -> AbstractContextManager[Any]:
    """Connect, and let joblib's tasks run on the workers within the context too.

    That is what the comparison of classifiers, the reproduction of papers and scikit-learn's
    searches are made of. An address that does not answer is refused at once.
    """
    return _running_on(connect(address, timeout=timeout))


@contextmanager
def _running_on(client: Any) -> Iterator[Any]:
    with client, joblib.parallel_config(backend="dask"):
        yield client
