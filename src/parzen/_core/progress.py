"""Progress of a long computation, reported to whoever listens.

    with listening(report):
        classifier.fit(X, y)     # calls report(share) now and then, 0 <= share <= 1

Work is a tree: `steps` gives every turn of a loop its part of the work, `portion` a stage its part,
and a pass of the native core reports how many of its tasks have ended. If several passes run within
one part, only the first one counts: a share never falls and never leaves its part. Without a
listener nothing is computed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class _Part(NamedTuple):
    """A part of the work, between two shares of it, and the function that is told of them."""

    hear: Callable[[float], None]
    low: float
    high: float

    def at(self, share: float) -> float:
        return self.low + share * (self.high - self.low)

    def within(self, low: float, high: float) -> _Part:
        return _Part(self.hear, self.at(low), self.at(high))


class _Thread(threading.local):
    part: _Part | None = None  # what is under way, where somebody listens


_THREAD = _Thread()  # Tasks on other threads tell nobody.


@contextmanager
def listening(report: Callable[[float], None]) -> Iterator[None]:
    """Call ``report`` with the share of the work inside that is done, whenever it has grown.

    A listener around this one is called as well, with the share of its own work.

    Examples
    --------
    >>> with listening(print):
    ...     for _ in steps("ab"):
    ...         tell(0.5)
    0.25
    0.5
    0.75
    1.0
    """
    highest, outer = 0.0, _THREAD.part

    def hear(share: float) -> None:
        nonlocal highest
        if share > highest:
            highest = share
            report(share)
            if outer is not None:
                outer.hear(outer.at(share))

    _THREAD.part = _Part(hear, 0.0, 1.0)
    try:
        yield
    finally:
        _THREAD.part = outer


def tell(share: float) -> None:
    """Say how much of the part that is under way is done."""
    now = _THREAD.part
    if now is not None:
        now.hear(now.at(share))


@contextmanager
def portion(low: float, high: float = 1.0) -> Iterator[None]:
    """What is done inside takes the work from ``low`` to ``high``, shares of what is under way."""
    whole = _THREAD.part
    if whole is None:
        yield
        return
    _THREAD.part = whole.within(low, high)
    try:
        yield
        tell(1.0)
    finally:
        _THREAD.part = whole


def steps(items: Iterable[T], sizes: Iterable[float] | None = None) -> Iterator[T]:
    """Iterate; every turn is a part of what is under way, as large as its size says.

    What an iterator does to find an item counts with the turn; its sizes must be given.
    """
    whole = _THREAD.part
    if whole is None:
        yield from items
        return
    if sizes is None:
        items = list(items)
        sizes = [1.0] * len(items)
    ends = list(accumulate(map(float, sizes)))
    found, mine = iter(items), whole
    try:
        for low, high in zip([0.0, *ends], ends, strict=False):
            mine = whole.within(low / ends[-1], high / ends[-1])
            _THREAD.part = mine
            try:
                item = next(found)
            except StopIteration:
                return
            yield item
            tell(1.0)
        yield from found
    finally:
        if _THREAD.part is mine:  # a loop that an error left may be closed much later
            _THREAD.part = whole
