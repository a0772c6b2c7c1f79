"""Many independent computations: those on disk are read, the others run in parallel and are kept.

A task is a function of the library and plain parameters. Its process writes the result when it is
found, so a run that is killed loses only what was under way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from joblib import Parallel, delayed

from parzen._core import listening, package_version, tell
from parzen.compare.cache import Cache, key_of
from parzen.compare.shares import telling

Progress = Callable[[float, int, str], None]


@dataclass(frozen=True)
class Task:
    """A function and its keyword arguments, both by value: numbers, strings, lists and dicts."""

    function: Callable[..., Any]
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name under which the result is kept."""
        f = self.function
        return key_of(f"{f.__module__}.{f.__qualname__}", self.arguments, package_version())


@dataclass(frozen=True)
class Runner:
    """How tasks are run.

    Attributes
    ----------
    cache : Cache
        Where results are kept.
    n_jobs : int, default=1
        Processes.
    progress : callable, default=None
        Called with (done, total, title), from another thread too; a task that is under way counts
        by what of it is done.
    """

    cache: Cache
    n_jobs: int | None = 1
    progress: Progress | None = None

    def run(self, tasks: Sequence[Task], title: str = "") -> list[Any]:
        """The results of all tasks, in their order."""
        found = [self.cache.get(task.key) for task in tasks]
        missing = [i for i, value in enumerate(found) if value is None]
        on_new = self._on_new(len(tasks) - len(missing), len(tasks), title)
        with telling(on_new, len(missing)) as shares:
            calls = (
                delayed(_compute)(i, tasks[i], self.cache, listener)
                for i, listener in zip(missing, shares.listeners, strict=True)
            )
            for i, value in Parallel(self.n_jobs, return_as="generator_unordered")(calls):
                found[i] = value
                shares.look()
        return [value["value"] for value in found]

    def run_groups(self, groups: dict[Any, list[Task]], title: str = "") -> dict[Any, list[Any]]:
        """The results of groups of tasks, all run together."""
        values = iter(self.run([task for group in groups.values() for task in group], title))
        return {key: [next(values) for _ in group] for key, group in groups.items()}

    def _on_new(self, known: int, total: int, title: str) -> Callable[[float], None] | None:
        """A callback for the number of new results; the known ones are reported at once."""
        progress = self.progress
        if progress is None:
            return None
        progress(known, total, title)
        return lambda done: progress(known + done, total, title)


def _compute(
    index: int, task: Task, cache: Cache, listener: Callable[[float], None] | None
) -> tuple[int, dict[str, Any]]:
    start = time.perf_counter()
    with nullcontext() if listener is None else listening(listener):
        value = task.function(**task.arguments)
        tell(1.0)
    kept = {"value": value, "seconds": time.perf_counter() - start}
    cache.put(task.key, kept)
    return index, kept
