"""How many threads a call may use.

``n_jobs=None`` means every core that this process may run on, as in scikit-learn's native loops,
within the limits that others have set: thread variables such as ``OMP_NUM_THREADS`` (joblib sets
them in its worker processes), and a joblib thread pool around the call.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

import joblib
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from parzen._core.progress import steps

T = TypeVar("T")
_LOCAL = threading.local()  # `stop` is set while a thread runs a task of `run_tasks`

_SMALL_MATRIX = 2000  # With fewer rows BLAS threads cost more time than they save.
_BETWEEN_LOOKS = 0.1  # Seconds between two looks for Ctrl-C while tasks run.
_LIMITS = ("PARZEN_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Workers(int):
    """A number of threads in this process, and other processes that can take over a computation.

    It is passed wherever ``n_jobs`` is; see `parzen.distributed.ClusterWorkers`.
    """

    def take_over(self, *computation: Any) -> Any:
        """The result from the other processes; None when this process should compute it."""
        return None


def effective_threads(n_jobs: int | None = None, *, is_small: bool = False) -> int:
    """Threads for ``n_jobs``: None for all that are allowed, negative counts from the end.

    Small work gets one thread, and the system is not asked for its cores, which takes time.

    Examples
    --------
    >>> effective_threads(3)
    3
    """
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral)):
        raise TypeError(f"n_jobs must be an integer or None, got {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning; use a positive number, -1 for all, or None.")
    if is_small or getattr(_LOCAL, "stop", None) is not None:
        return 1
    if n_jobs is not None and n_jobs > 0:
        return n_jobs if isinstance(n_jobs, Workers) else int(n_jobs)
    cores = min([_cores(), *_environment_limits()])
    if n_jobs is None:
        return 1 if _inside_thread_pool() else cores
    return max(1, cores + 1 + int(n_jobs))


def _cores() -> int:
    """Cores that affinity, control groups and LOKY_MAX_CPU_COUNT leave to this process."""
    affinity = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    return _counted_cores(frozenset(affinity), os.environ.get("LOKY_MAX_CPU_COUNT"))


@cache
def _counted_cores(affinity: frozenset[int], limit: str | None) -> int:
    """Cores under these settings; joblib opens files to count them, which takes 0.1 ms."""
    return max(1, int(joblib.cpu_count()))


def _environment_limits() -> list[int]:
    values = (os.environ.get(name, "").split(",")[0].strip() for name in _LIMITS)
    return [int(value) for value in values if value.isdigit() and int(value) > 0]


def _inside_thread_pool() -> bool:
    """Whether a joblib thread pool runs this call, and so already keeps the cores busy."""
    backend, _ = get_active_backend()
    return bool(getattr(backend, "nesting_level", 0)) and bool(
        getattr(backend, "supports_sharedmem", False)
    )


class StoppedError(RuntimeError):
    """Another task has failed or Ctrl-C was pressed: there is nothing left to work for."""


def run_tasks(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """Run functions on some threads, each of them on one, and return their results in order.

    For tasks that spend their time outside the interpreter lock; BLAS has one thread in each. After
    Ctrl-C, or the error of one task, the others end at their next `look_up`.
    """
    if threads <= 1 or len(tasks) <= 1:
        return [task() for task in steps(tasks)]
    stop = threading.Event()
    with _limited(1), ThreadPoolExecutor(min(threads, len(tasks))) as pool:
        futures = [pool.submit(_alone, task, stop) for task in tasks]
        try:
            return [future.result() for future in steps(futures)]
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def look_up() -> None:
    """Inside a task: give up where the result is no longer wanted."""
    stop = getattr(_LOCAL, "stop", None)
    if stop is not None and stop.is_set():
        raise StoppedError


def _alone(task: Callable[[], T], stop: threading.Event) -> T:
    _LOCAL.stop = stop
    try:
        return task()
    finally:
        _LOCAL.stop = None


def interruptible(function: Callable[..., T], *arguments: Any) -> T:
    """The result of one long call that spends its time outside the interpreter lock.

    Ctrl-C is answered at once; the call goes on to its end, and its result is thrown away.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    while not wait([future], _BETWEEN_LOOKS).done:
        pass
    return future.result()


def blas_threads(n_jobs: int | None, n: int) -> AbstractContextManager[Any]:
    """The BLAS threads that ``n_jobs`` asks for; None leaves it to the size of the matrices."""
    return few_blas_threads(n) if n_jobs is None else _limited(effective_threads(n_jobs))


def few_blas_threads(n: int) -> AbstractContextManager[Any]:
    """One BLAS thread for matrices so small that more cost more than they give."""
    return nullcontext() if n >= _SMALL_MATRIX else _limited(1)


def _limited(threads: int) -> AbstractContextManager[Any]:
    if getattr(_LOCAL, "stop", None) is not None:
        return nullcontext()  # `run_tasks` has seen to it: limits are for all threads of a process
    # A library that once had more threads than there are cores starts them anew after every fork.
    few = min(threads, _cores())
    limit: AbstractContextManager[Any] = _blas().limit(limits=few, user_api="blas")
    return limit


@cache
def _blas() -> ThreadpoolController:
    """The libraries that are loaded, looked for once: it takes milliseconds."""
    return ThreadpoolController()
