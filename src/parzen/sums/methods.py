"""The strategies behind the primitive, and how "auto" chooses among them.

A strategy says which kernels and calls it cannot serve, and why; what a call would cost; and runs
it. A new one is a class with the methods of `Strategy` and a line in `_STRATEGIES`. "auto" takes
the cheapest of those that serve; "dense" serves everything, exactly, and small problems are its.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import ContextVar
from numbers import Real
from typing import Any, Protocol

from numpy.typing import NDArray

from parzen._core import effective_threads
from parzen.kernels import Kernel
from parzen.sums.call import Call, ScaledSums
from parzen.sums.dense import Dense
from parzen.sums.fourier import Fourier
from parzen.sums.rest import cheapest
from parzen.sums.sizes import need_parts, sums_in_parts
from parzen.sums.sorted import Sorted
from parzen.sums.tree import Tree

Floats = NDArray[Any]

DEFAULT_RTOL = 1e-12
METHODS = ("auto", "dense", "tree", "fourier")
SMALL = 1e7  # pairs; below that only exact strategies are worth thinking about


class Strategy(Protocol):
    """One way to compute the sums."""

    name: str

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        """Why it cannot serve a kernel in so many dimensions, as the end of a sentence."""

    def refuses(self, call: Call, rtol: float) -> str | None:
        """Why it cannot serve a call, as the end of a sentence; None when it can."""

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds on one thread, about; infinity where it would not pay, or not be ``below``."""

    def run(self, call: Call, rtol: float, threads: int) -> Floats | ScaledSums:
        """The sums."""


_EXACT: tuple[Strategy, ...] = (Dense(), Sorted())
_TREE = Tree()
# In the order in which they are asked for their cost: trees are last, for they have to be tried.
_STRATEGIES: dict[str, Strategy] = {s.name: s for s in (*_EXACT, Fourier((*_EXACT, _TREE)), _TREE)}


# Where a cluster may take a call over: a function that returns its sums, or None to leave it here.
ELSEWHERE: ContextVar[Callable[[Call, str, float], Any] | None] = ContextVar(
    "ELSEWHERE", default=None
)


def run(call: Call, method: str, rtol: float, n_jobs: int | None) -> Floats | ScaledSums:
    """Run a call by the strategy that ``method`` names or ``"auto"`` chooses."""
    threads = effective_threads(n_jobs)
    check_method(method, rtol)
    if need_parts(call.weights, call.dtype):
        return sums_in_parts(call, lambda part: run(part, method, rtol, n_jobs))
    strategy = strategy_for(call, method, rtol)
    elsewhere = ELSEWHERE.get()
    sums = None if elsewhere is None else elsewhere(call, method, float(rtol))
    return strategy.run(call, float(rtol), threads) if sums is None else sums


def strategies(method: str, rtol: float) -> tuple[Strategy, ...]:
    """Those that a method may use: all of them for "auto"."""
    if method == "auto" and rtol > 0:
        return tuple(_STRATEGIES.values())
    return (_STRATEGIES["dense" if rtol == 0 else method],)


def strategy_for(call: Call, method: str, rtol: float) -> Strategy:
    """The strategy for a call; an error where the one that was asked for cannot serve."""
    if rtol == 0 or method == "dense":
        return _STRATEGIES["dense"]
    if method != "auto":
        strategy = _named(method)
        check_serves(method, call.kernel, call.n_features)
        _refuse(method, strategy.refuses(call, rtol))
        return strategy
    return cheapest(_EXACT if call.pairs < SMALL else _STRATEGIES.values(), call, rtol)


def check_method(method: Any, rtol: Any) -> None:
    """Refuse an unknown method and a tolerance that is none."""
    if not (isinstance(method, str) and method in METHODS):
        raise ValueError(f"method={method!r} is unknown; choose one of {', '.join(METHODS)}.")
    if isinstance(rtol, bool) or not isinstance(rtol, Real):
        raise TypeError(f"rtol must be a number, got {rtol!r}.")
    if not 0 <= float(rtol) < 1 or math.isnan(float(rtol)):
        raise ValueError(
            f"rtol={rtol!r} must be a relative error from 0, which asks for exact sums, to below 1."
        )


def check_serves(method: str, kernel: Kernel, n_features: int) -> None:
    """Refuse a strategy that was asked for by name where it knows nothing of the kernel."""
    if method not in ("auto", "dense"):
        _refuse(method, _named(method).refuses_kernel(kernel, n_features))


def _named(method: str) -> Strategy:
    if method not in _STRATEGIES:
        raise ValueError(f"method={method!r} is not part of this build; use 'auto'.")
    return _STRATEGIES[method]


def _refuse(method: str, reason: str | None) -> None:
    if reason is not None:
        raise ValueError(f"method={method!r} {reason}; use method='dense' or 'auto'.")
