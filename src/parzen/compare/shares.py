"""How far tasks in other processes are: each writes its share to its byte of a small file.

    with telling(tell, count) as shares:     # calls tell(sum of the shares) now and then
        Parallel(2)(delayed(task)(listener) for listener in shares.listeners)

A byte is written whole, so nothing needs a lock; a worker on another machine finds no such file
and tells nothing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

_DONE = 255  # The byte of a task that is done.
_SECONDS_BETWEEN_LOOKS = 0.2  # Seconds between two readings of the file.


@dataclass(frozen=True)
class Listener:
    """Where a task writes its share, from 0 to 1."""

    path: Path
    place: int

    def __call__(self, share: float) -> None:
        with suppress(OSError), self.path.open("r+b", buffering=0) as file:
            file.seek(self.place)
            file.write(bytes([int(_DONE * share)]))


@dataclass(frozen=True)
class Shares:
    """One listener for each task; all are None where progress is not reported."""

    listeners: Sequence[Listener | None]
    look: Callable[[], None]


@contextmanager
def telling(tell: Callable[[float], None] | None, count: int) -> Iterator[Shares]:
    """Call ``tell`` with the number of tasks that are done, parts of tasks included.

    It is called from another thread a few times a second, and whenever somebody looks.
    """
    if tell is None:
        yield Shares([None] * count, lambda: None)
        return
    handle, name = tempfile.mkstemp(prefix="parzen-shares-")
    os.write(handle, bytes(count))
    os.close(handle)
    path, ended = Path(name), Event()

    def look() -> None:
        tell(sum(path.read_bytes()) / _DONE)

    def watch() -> None:
        while not ended.wait(_SECONDS_BETWEEN_LOOKS):
            look()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield Shares([Listener(path, place) for place in range(count)], look)
    finally:
        ended.set()
        watcher.join()
        path.unlink()
