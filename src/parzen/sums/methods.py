"""The strategies behind the primitive, and how "auto" chooses among them.

A strategy says which kernels and calls it cannot serve, and why; what a call would cost; and runs
it. A new one is a class with the methods of `Strategy` and a line in `_STRATEGIES`. "auto" takes
the cheapest of those that serve. "dense" serves everything, exactly, and is taken for small
problems.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

from parzen._core import Array, Workers, effective_threads
from parzen.kernels import Kernel
from parzen.sums.call import Call, ScaledSums
from parzen.sums.dense import Dense
from parzen.sums.fourier import Fourier
from parzen.sums.partial_sums import cheapest
from parzen.sums.sizes import need_parts, sums_in_parts
from parzen.sums.sorted import Sorted
from parzen.sums.strategy import Strategy
from parzen.sums.tree import Tree

DEFAULT_RTOL = 1e-12  # Relative error of a sum that a strategy may make on top of rounding.
METHODS = ("auto", "dense", "tree", "fourier")
MIN_PAIRS_FOR_ESTIMATES = 1e7  # Pairs of rows below which "auto" considers exact sums only.
MIN_VALUES_FOR_THREADS = 50_000  # Kernel values below which starting threads takes longer.


_EXACT: tuple[Strategy, ...] = (Dense(), Sorted())
_TREE = Tree()
# In the order in which "auto" asks for their times: trees come last, as their estimate is work.
_STRATEGIES: dict[str, Strategy] = {s.name: s for s in (*_EXACT, Fourier((*_EXACT, _TREE)), _TREE)}


def run(call: Call, method: str, rtol: float, n_jobs: int | None) -> Array | ScaledSums:
    """Run a call by the strategy that ``method`` names or ``"auto"`` chooses."""
    values = call.pairs * len(call.bandwidths)
    threads = effective_threads(n_jobs, is_small=values < MIN_VALUES_FOR_THREADS)
    if method != "auto" or rtol != DEFAULT_RTOL:
        check_method(method, rtol)
    if need_parts(call.weights, call.dtype) if call.in_parts is None else call.in_parts:
        return sums_in_parts(call, lambda part: run(part, method, rtol, n_jobs))
    strategy = strategy_for(call, method, rtol)
    if isinstance(n_jobs, Workers):
        sums: Array | ScaledSums | None = n_jobs.take_over(call, method, float(rtol))
        if sums is not None:
            return sums
    return strategy.run(call, float(rtol), threads)


def strategies_of(method: str, rtol: float) -> tuple[Strategy, ...]:
    """The strategies that a method may use: all of them for "auto"."""
    if method == "auto" and rtol > 0:
        return tuple(_STRATEGIES.values())
    return (_STRATEGIES["dense" if rtol == 0 else method],)


def strategy_for(call: Call, method: str, rtol: float) -> Strategy:
    """The strategy for a call; an error where the named one cannot serve it."""
    if rtol == 0 or method == "dense" or call.needs_all_pairs:
        return _STRATEGIES["dense"]
    if method != "auto":
        strategy = _named(method)
        check_serves(method, call.kernel, call.n_features)
        _refuse(method, strategy.refuses(call, rtol))
        return strategy
    if call.pairs < MIN_PAIRS_FOR_ESTIMATES:
        return _EXACT[0] if call.n_features > 1 else cheapest(_EXACT, call, rtol)
    return cheapest(_STRATEGIES.values(), call, rtol)


def check_method(method: Any, rtol: Any) -> None:
    """Refuse an unknown method, and a tolerance outside [0, 1)."""
    if not (isinstance(method, str) and method in METHODS):
        raise ValueError(f"method={method!r} is unknown; choose one of {', '.join(METHODS)}.")
    if isinstance(rtol, bool) or not isinstance(rtol, Real):
        raise TypeError(f"rtol must be a number, got {rtol!r}.")
    if not 0 <= float(rtol) < 1:
        raise ValueError(
            f"rtol={rtol!r} must be a relative error from 0, which asks for exact sums, to below 1."
        )


def check_serves(method: str, kernel: Kernel, n_features: int) -> None:
    """Refuse a named strategy that does not serve the kernel."""
    if method not in ("auto", "dense"):
        _refuse(method, _named(method).refuses_kernel(kernel, n_features))


def _named(method: str) -> Strategy:
    if method not in _STRATEGIES:
        raise ValueError(f"method={method!r} is not part of this build; use 'auto'.")
    return _STRATEGIES[method]


def _refuse(method: str, reason: str | None) -> None:
    if reason is not None:
        raise ValueError(f"method={method!r} {reason}; use method='dense' or 'auto'.")
