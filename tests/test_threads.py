"""Any number of threads gives the same bits; forks, joblib and limits are respected."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from parzen import KernelDensity, _native, kernel_sums, kernels
from parzen._core.threads import blas_threads, effective_threads, interruptible, look_up, run_tasks
from parzen.sums import labelled_kernel_sums


def sample(n=1500, d=3, dtype=np.float64):
    return np.random.default_rng(0).normal(size=(n, d)).astype(dtype)


def bits(array):
    return np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("mode", ["plain", "log", "scaled"])
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("kernel", kernels.names())
def test_the_same_bits_for_any_number_of_threads(kernel, same, mode, dtype):
    if mode == "log" and kernel in ("polynomial", "linear"):
        pytest.skip(f"{kernel} has no logarithm")
    X = sample(dtype=dtype)
    Y = X if same else X[:700].copy()
    options = {"kernel": kernel, "bandwidths": [0.5, 1.0], "exclude_self": same}
    options |= {mode: True} if mode != "plain" else {}
    results = [kernel_sums(X, Y, n_jobs=n_jobs, **options) for n_jobs in (1, 2, 5, None)]
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_the_same_bits_with_labels():
    X = sample()
    labels = np.arange(len(X)) % 11
    one, three = (
        labelled_kernel_sums(X, X, labels, 11, bandwidths=1.0, exclude_self=True, n_jobs=n)
        for n in (1, 3)
    )
    assert bits(one) == bits(three)


def test_chunks_of_queries_agree():
    X = sample()
    whole = kernel_sums(X, X, bandwidths=0.3, log=True)
    parts = [kernel_sums(X[i : i + 97], X, bandwidths=0.3, log=True) for i in range(0, len(X), 97)]
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-12, atol=1e-12)


def total_with_two_threads(X):
    return KernelDensity(0.5, n_jobs=2).fit(X).score(X)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_pool_finishes_after_threads_were_used():
    X = sample()
    wanted = total_with_two_threads(X)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map_async(total_with_two_threads, [X] * 4).get(timeout=60)
    assert results == [wanted] * 4


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_workers_give_the_same_results(backend):
    X = sample()
    score = KernelDensity(0.5).fit(X).score  # a worker may not find what is defined here
    with joblib.parallel_config(backend=backend, n_jobs=2):
        results = joblib.Parallel()(joblib.delayed(score)(X) for _ in range(4))
    assert results == [score(X)] * 4


def test_no_oversubscription_inside_a_joblib_thread_pool():
    with joblib.parallel_config(backend="threading", n_jobs=2):
        inside = joblib.Parallel()(joblib.delayed(effective_threads)() for _ in range(4))
    assert inside == [1] * 4


@pytest.mark.slow
def test_no_oversubscription_inside_joblib_processes():
    with joblib.parallel_config(backend="loky", n_jobs=2, inner_max_num_threads=1):
        inside = joblib.Parallel()(joblib.delayed(effective_threads)() for _ in range(2))
    assert inside == [1] * 2


@pytest.mark.parametrize("variable", ["OMP_NUM_THREADS", "PARZEN_NUM_THREADS"])
def test_thread_variables_are_limits(variable, monkeypatch):
    monkeypatch.setenv(variable, "1")
    assert effective_threads() == 1
    assert effective_threads(-1) == 1
    assert effective_threads(3) == 3  # said by the caller


def test_none_means_every_core_this_process_may_use(monkeypatch):
    for name in (
        "PARZEN_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
    ):
        monkeypatch.delenv(name, raising=False)
    assert effective_threads() == joblib.cpu_count()
    assert effective_threads(-1) == joblib.cpu_count()
    assert effective_threads(-joblib.cpu_count() - 5) == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_affinity_is_a_limit():
    script = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
        "from parzen._core.threads import effective_threads; print(effective_threads())"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "1\n"


@pytest.mark.parametrize(
    ("n_jobs", "error"), [(0, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_wrong_numbers_of_jobs_are_refused(n_jobs, error):
    with pytest.raises(error, match="n_jobs"):
        effective_threads(n_jobs)


def test_no_openmp_is_linked():
    """A forked child of a process that used libgomp hangs in its first parallel region."""
    binary = Path(_native.__file__).read_bytes()
    assert not any(name in binary for name in (b"libgomp", b"libomp", b"libiomp"))


def test_tasks_run_in_order_of_their_results_each_on_one_thread():
    assert run_tasks([lambda: effective_threads(4)] * 3, 2) == [1, 1, 1]
    assert run_tasks([lambda k=k: k * k for k in range(5)], 3) == [0, 1, 4, 9, 16]
    assert effective_threads(4) == 4


def blas():
    info = ThreadpoolController().select(user_api="blas").info()
    return [library["num_threads"] for library in info]


def test_blas_has_no_more_threads_than_there_are_cores():
    with blas_threads(1000, 5000):
        assert max(blas()) <= joblib.cpu_count()


def test_blas_has_one_thread_in_each_task_and_as_many_as_before_afterwards():
    def task():
        with blas_threads(3, 5000):
            time.sleep(0.01)
            return blas()

    with threadpool_limits(2, user_api="blas"):
        before = blas()
        assert run_tasks([task] * 6, 3) == [[1] * len(before)] * 6
        assert blas() == before


def test_a_task_that_fails_stops_the_others():
    def fails():
        raise ZeroDivisionError

    ended = []

    def works_for_long():
        for _ in range(3000):
            look_up()
            time.sleep(0.01)
        ended.append(True)

    with pytest.raises(ZeroDivisionError):
        run_tasks([fails, works_for_long], 2)
    assert ended == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent by pthread_kill")
def test_an_interruption_does_not_wait_for_a_long_call():
    thread = threading.main_thread().ident
    threading.Timer(0.2, lambda: signal.pthread_kill(thread, signal.SIGINT)).start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        interruptible(time.sleep, 20)
    assert time.perf_counter() - began < 1.2


def test_a_long_call_has_its_result_and_its_error():
    assert interruptible(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        interruptible(divmod, 7, 0)


_SHORT_OF_THREADS = """
import resource
from pathlib import Path
import numpy as np
from parzen import kernel_sums
X = np.random.default_rng(0).normal(size=(2000, 3))
expected = kernel_sums(X, X, bandwidths=0.5, n_jobs=1)
in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
limit = in_use + int({stacks} * 2**30)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(np.array_equal(kernel_sums(X, X, bandwidths=0.5, n_jobs=2), expected))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
@pytest.mark.parametrize(("stacks", "told"), [(1.5, "True"), (0.5, "can't start new thread")])
def test_threads_that_cannot_start_leave_their_work_to_the_others(stacks, told):
    script = f"ulimit -s 1048576 && exec {sys.executable} -c '{_SHORT_OF_THREADS}'"
    command = script.format(stacks=stacks)
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment, check=False
    )
    assert told in done.stdout + done.stderr
