"""Runs cases of the parts, for a number of cases or for some time, and prints reproducers."""

from __future__ import annotations

import importlib
import signal
import time
import traceback
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

# The cases of each part that are always run; all of them take two minutes of CPU time.
PARTS = {
    "native": 3000,
    "sums": 400,
    "files": 300,
    "estimators": 200,
    "processes": 20,
    "tables": 80,
}
_MAX_SECONDS = 10.0  # CPU time of a case; all of them are small.


@dataclass
class Tally:
    """What was run, and what failed."""

    cases: dict[str, int] = field(default_factory=dict)
    failures: list[tuple[str, int, BaseException]] = field(default_factory=list)

    def add(self, part: str, seed: int, error: BaseException | None) -> None:
        self.cases[part] = self.cases.get(part, 0) + 1
        if error is not None:
            self.failures.append((part, seed, error))

    def __str__(self) -> str:
        counts = ", ".join(f"{count} of {part}" for part, count in self.cases.items())
        return f"{sum(self.cases.values())} cases ({counts}), {len(self.failures)} failures"


def run_case(part: str, seed: int) -> BaseException | None:
    """One case; what it raised."""
    module = importlib.import_module(f"{__package__}.{part}")
    rng = np.random.default_rng([zlib.crc32(part.encode()), seed])
    try:
        with warnings.catch_warnings(), time_limit(_MAX_SECONDS):
            warnings.simplefilter("ignore")
            module.run(rng)
    except Exception as error:
        return error
    return None


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the main thread when a case has used up its CPU time."""

    def stop(signum: int, frame: Any) -> None:
        raise TimeoutError(f"not done within {seconds} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def run(parts: Sequence[str], seeds: Iterator[int], *, seconds: float = np.inf) -> Tally:
    """Cases of the parts in turn until the seeds or the time are used up."""
    tally, end = Tally(), time.monotonic() + seconds
    # Threads of BLAS that wait for each other would be counted as the time of a case.
    with threadpool_limits(1):
        _run(parts, seeds, tally, end)
    return tally


def _run(parts: Sequence[str], seeds: Iterator[int], tally: Tally, end: float) -> None:
    share = dict.fromkeys(parts, 0.0)  # seconds that each part has had
    for seed in seeds:
        for part in parts if np.isinf(end) else [min(share, key=share.__getitem__)]:
            begin = time.monotonic()
            error = run_case(part, seed)
            share[part] += time.monotonic() - begin
            tally.add(part, seed, error)
            if error is not None:
                report(part, seed, error)
        if time.monotonic() > end:
            return


def report(part: str, seed: int, error: BaseException) -> None:
    print(f"\nFAILED: python -m tests.fuzz --part {part} --seed {seed} --cases 1")
    frames = traceback.format_tb(error.__traceback__)[-3:]
    print("".join([*frames, *traceback.format_exception_only(error)]), flush=True)
