"""``--scheduler ADDRESS``: the tasks of a command on a dask cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from parzen.cli._errors import UserError


def at_scheduler(address: str | None) -> AbstractContextManager[Any]:
    """A context whose processes are the cluster's workers; without an address those of here."""
    if address is None:
        return nullcontext()
    try:
        from parzen.distributed import on_cluster

        return on_cluster(address)
    except ModuleNotFoundError:
        raise UserError("--scheduler needs dask: pip install parzen[dask]") from None
    except (ConnectionError, ImportError) as error:
        raise UserError(f"--scheduler: {error}") from None
