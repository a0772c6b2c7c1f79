"""Fits in forked processes: Ctrl-C, little memory, threads that share a model, forks.

Ctrl-C is answered within a second of CPU time per thread and leaves no half-fitted estimator. Where
memory runs out there is a MemoryError, never a crash and never a hang.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import parzen
from parzen import feature_space

_ANSWER_SECONDS = 1.0  # CPU time per thread within which Ctrl-C is answered.
_MAX_SECONDS = 120.0  # A process that has used this much CPU time and is not done hangs.
_MAX_IDLE_SECONDS = 20.0  # A process that has used no CPU time for so long hangs.
# Other errors that say the same.
_NO_MEMORY = ("Unable to allocate", "can't start new thread", "Cannot allocate memory")


def run(rng: np.random.Generator) -> None:
    case: Callable[[np.random.Generator], None] = CASES[rng.integers(len(CASES))]
    case(rng)


def interrupted(rng: np.random.Generator) -> None:
    estimator, X, y = long_fit(rng)
    child = Child(lambda: fit_until_interrupted(estimator, X, y))
    child.wait_for_start()
    time.sleep(rng.uniform(0, 0.7))
    before = child.cpu_seconds()
    child.send(signal.SIGINT)
    after = child.finish()
    seconds = (after - before) / 2
    assert seconds <= _ANSWER_SECONDS + 0.5, f"{estimator!r} answered Ctrl-C after {seconds:.2f} s"


def fit_until_interrupted(estimator: Any, X: Any, y: Any) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        try:
            ready()
            estimator.fit(X, y)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            check_unfitted(estimator)
    except KeyboardInterrupt:  # between the end of the fit and the end of the process
        return
    clone(estimator).fit(X[:30], y[:30])


def check_unfitted(estimator: Any) -> None:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return
    answer(estimator, np.zeros((1, 3)))  # the fit was done already


def answer(model: Any, X: Any) -> Any:
    """Labels, log-densities or coordinates: what the estimator is for."""
    names = ("predict", "score_samples", "transform")
    return np.asarray(next(getattr(model, name) for name in names if hasattr(model, name))(X))


def short_of_memory(rng: np.random.Generator) -> None:
    estimator, X, y = long_fit(rng)
    X, y = X[:600], y[:600]
    room = int(rng.uniform(5, 400)) * 2**20

    def fit() -> None:
        ready()
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + room
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            estimator.fit(X, y)
            answer(estimator, X[:5])
        except Exception as error:
            told = any(text in str(error) for text in _NO_MEMORY)
            if not isinstance(error, MemoryError) and not told:
                raise

    try:
        Child(fit).finish()
    except AssertionError as error:
        error.add_note(f"{estimator!r} with {room >> 20} MB")
        raise


def shared(rng: np.random.Generator) -> None:
    """Threads that ask one model at the same time, and a fork that asks it and fits anew."""
    estimator, X, y = long_fit(rng)
    X, y = X[:300], y[:300]
    model = estimator.fit(X, y)
    queries = X[rng.integers(0, 300, 50)] + rng.normal(size=(50, 3))
    wanted = answer(model, queries)
    found: list[Any] = []
    workers = [
        threading.Thread(target=lambda: found.append(answer(model, queries))) for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4
    assert all(np.array_equal(values, wanted) for values in found)

    def ask() -> None:
        ready()
        assert np.array_equal(answer(model, queries), wanted)
        assert np.array_equal(answer(clone(model).fit(X, y), queries), wanted)

    Child(ask).finish()


CASES = [interrupted, interrupted, short_of_memory, short_of_memory, shared]


def long_fit(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """An estimator, and a sample on which it takes a second or more."""
    n_jobs = int(rng.integers(1, 3))
    kinds: list[Any] = [
        parzen.ParzenClassifier(), parzen.ParzenClassifier(bandwidth="kfold"),
        parzen.ParzenClassifier(metric="learned"), parzen.KernelNaiveBayes(bandwidth="cv"),
        parzen.LaplacianClassifier(bandwidth="cv"), parzen.LaplacianClassifier(keep=0.2),
        parzen.L2Classifier(bandwidth="cv"), parzen.L2LinearClassifier(),
        parzen.LSSVMClassifier(), parzen.RLSClassifier(), parzen.KernelMSEClassifier(),
        parzen.KernelFisherClassifier(), parzen.BMachineClassifier(),
        parzen.KernelLassoClassifier(), parzen.StackedDensityClassifier(),
        parzen.ConformalClassifier(parzen.ParzenClassifier()), parzen.KernelDensity("lscv"),
        parzen.L2KernelDensity(), feature_space.LaplacianEmbedding(),
        feature_space.EmpiricalKernelMap(), feature_space.KernelOptimizer(),
    ]  # fmt: skip
    estimator = kinds[rng.integers(len(kinds))]
    if "n_jobs" in estimator.get_params():
        estimator.set_params(n_jobs=n_jobs)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    n = int(rng.choice([400, 1000, 2000]))
    y = rng.integers(0, 3, n)
    return estimator, rng.normal(size=(n, 3)) + y[:, None], y


_STARTED: list[int] = []  # The end of the pipe that a child writes to.


def ready() -> None:
    """Tell the parent that the work begins."""
    os.write(_STARTED[-1], b"!")


class Child:
    """A forked process; what it raises, a signal that ends it, and a hang are failures."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._reader, writer = os.pipe()
        self._pid = os.fork()
        if self._pid:
            os.close(writer)
            return
        _STARTED.append(writer)
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work()
            os._exit(0)
        except BaseException:
            try:
                os.write(writer, traceback.format_exc()[-3000:].encode())
            finally:
                os._exit(1)

    def wait_for_start(self) -> None:
        select.select([self._reader], [], [], _MAX_SECONDS)

    def cpu_seconds(self) -> float:
        """User and system time so far."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def send(self, number: int) -> None:
        os.kill(self._pid, number)

    def finish(self) -> float:
        """Wait for the end; the CPU time that the process took."""
        told, used, hangs = b"", -1.0, False
        while not hangs:
            if select.select([self._reader], [], [], _MAX_IDLE_SECONDS)[0]:
                part = os.read(self._reader, 4096)
                if not part:
                    break
                told += part
            else:
                before, used = used, self.cpu_seconds()
                hangs = used == before or used > _MAX_SECONDS
        if hangs:
            os.kill(self._pid, signal.SIGKILL)
        os.close(self._reader)
        _, status, usage = os.wait4(self._pid, 0)
        text = told.decode(errors="replace").lstrip("!")
        assert not hangs, f"hangs: {text}"
        assert os.WIFEXITED(status), f"ended by signal {os.WTERMSIG(status)}: {text}"
        assert os.WEXITSTATUS(status) == 0, text
        return usage.ru_utime + usage.ru_stime
