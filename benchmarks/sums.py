"""Kernel sums against the machine's limit, against peers, over a grid, and in memory.

The limit of a Gaussian sum is d fused multiply-adds per pair at the processor's peak plus one
vectorised exponential, both measured in the same run by the loops of the native core.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity as SklearnKernelDensity

from benchmarks._timing import Contender, Times, interleaved, optional, table, verdict
from parzen import KernelDensity, _native, kernel_sums

EXPONENTIALS = 3072  # numbers in the measured loop: they stay in the first-level cache


def run() -> None:
    print(f"instruction set: {_native.instruction_set()}, build: {_native.build_type}")
    against_the_limit()
    against_peers()
    over_a_grid()
    in_memory()


def limit_loops(dtype: type, d: int, pairs: int) -> tuple[Contender, Contender]:
    """Loops that take as long as the multiply-adds, and the exponentials, of so many pairs."""
    name = np.dtype(dtype).name
    lanes = _native.lanes_float64() * (2 if dtype is np.float32 else 1)
    buffer = np.empty(EXPONENTIALS + 64, dtype)  # they begin on a cache line, as in the core
    u = buffer[-buffer.ctypes.data % 64 // buffer.itemsize :][:EXPONENTIALS]
    u[:] = np.linspace(0, 10, EXPONENTIALS)
    add = partial(getattr(_native, f"peak_multiply_add_{name}"), pairs * d // lanes)
    exponential = getattr(_native, f"sum_exponentials_{name}")
    return add, partial(exponential, u, -1.0, pairs // EXPONENTIALS)


def against_the_limit(n: int = 6144) -> None:
    rows = []
    for dtype in (np.float64, np.float32):
        for d in (2, 10, 50, 300):
            rng = np.random.default_rng(d)
            X = rng.normal(size=(n, d)).astype(dtype)
            Y = rng.normal(size=(n, d)).astype(dtype)
            h = float(np.sqrt(d))
            add, exponential = limit_loops(dtype, d, n * n)
            t = interleaved(
                {
                    "add": add,
                    "exp": exponential,
                    "plain": partial(kernel_sums, X, Y, bandwidths=h, n_jobs=1),
                    "log": partial(kernel_sums, X, Y, bandwidths=h, log=True, n_jobs=1),
                },
                rounds=1000,
                seconds=5 + d / 10,  # long enough that some rounds are undisturbed
            )
            limit = t["add"].cpu + t["exp"].cpu
            plain, log = t["plain"].cpu / limit, t["log"].cpu / limit
            rows.append([
                np.dtype(dtype).name, d, 1e9 * limit / (n * n), 1e9 * t["plain"].cpu / (n * n),
                plain, verdict(plain, at_most=1.1), log / plain, verdict(log / plain, at_most=1.3),
            ])  # fmt: skip
    table(
        "Gaussian sums, one thread, CPU ns per pair and ratio to the limit",
        ["dtype", "d", "limit", "sums", "sums/limit", "wanted", "log/sums", "wanted"],
        rows,
    )


def peers(X: np.ndarray, queries: np.ndarray, h: float) -> dict[str, Contender]:
    """The densities of the queries by everyone, with the same kernel and bandwidth."""
    ours = KernelDensity(h, n_jobs=2).fit(X)
    theirs = SklearnKernelDensity(bandwidth=h, atol=0, rtol=0).fit(X)
    estimate = gaussian_kde(X.T, bw_method=h / float(X.std(ddof=1)))
    contenders: dict[str, Contender] = {
        "parzen": partial(ours.score_samples, queries),
        "scikit-learn": partial(theirs.score_samples, queries),
        "scipy": partial(estimate.logpdf, queries.T),
    }
    if keops := pykeops_density(X, queries, h):
        contenders["pykeops"] = keops
    return contenders


def pykeops_density(X: np.ndarray, queries: np.ndarray, h: float) -> Contender | None:
    """A fused sum on the processor, 2 threads; needs pykeops and a compiler."""
    if optional("pykeops") is None:
        return None
    from pykeops.numpy import LazyTensor

    def density() -> np.ndarray:
        x = LazyTensor(queries[:, None, :] / (np.sqrt(2) * h))
        y = LazyTensor(X[None, :, :] / (np.sqrt(2) * h))
        return (-((x - y) ** 2).sum(-1)).logsumexp(dim=1)

    return density


def against_peers(n: int = 10_000) -> None:
    wanted: dict[str, list[tuple[str, Callable[[Times], float], float]]] = {
        "scikit-learn": [("CPU", lambda t: t.cpu, 30), ("wall", lambda t: t.wall, 55)],
        "scipy": [("wall", lambda t: t.wall, 6)],
        "pykeops": [("wall", lambda t: t.wall, 4)],
    }
    rows = []
    for d in (2, 10):
        rng = np.random.default_rng(d)
        X, queries = rng.normal(size=(n, d)), rng.normal(size=(n, d))
        t = interleaved(peers(X, queries, 0.5), rounds=3, seconds=60)
        for peer in t.keys() & wanted.keys():
            for clock, seconds, least in wanted[peer]:
                ratio = seconds(t[peer]) / seconds(t["parzen"])
                rows.append([f"{peer}, d = {d}", clock, ratio, verdict(ratio, at_least=least)])
    table(
        f"KernelDensity.score_samples, n = m = {n}, 2 threads: times faster than the peer",
        ["peer", "clock", "ratio", "wanted"],
        sorted(rows),
    )


def over_a_grid() -> None:
    rows = []
    grid = 2.0 ** (np.arange(50) / 8)
    for d, n, most in ((2, 6000, 5.0), (300, 2500, 1.3)):
        X = np.random.default_rng(d).normal(size=(n, d))
        h = 0.05 * np.sqrt(d) * grid
        other = X.copy()  # every ordered pair, not each pair once
        t = interleaved(
            {
                "one": partial(kernel_sums, X, other, bandwidths=h[25], n_jobs=1),
                "fifty": partial(kernel_sums, X, X, bandwidths=h, exclude_self=True, n_jobs=1),
            },
            rounds=25,
        )
        ratio = t["fifty"].cpu / t["one"].cpu
        rows.append([d, n, ratio, verdict(ratio, at_most=most)])
    table(
        "50 bandwidths leave-one-out, relative to one bandwidth over all n^2 pairs (CPU)",
        ["d", "n", "ratio", "wanted"],
        rows,
    )


# Not from getrusage, whose peak a child inherits from the process that started it.
MEMORY = """
import numpy as np
from parzen import kernel_sums
def kilobytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field + ":"))
rng = np.random.default_rng(0)
X, Y = rng.random((100_000, 2)), rng.random((100_000, 2))
kernel_sums(X[:500], Y[:500], bandwidths=1.0)
before = kilobytes("VmRSS")
kernel_sums(X, Y, bandwidths=0.1)
print(1024 * (kilobytes("VmHWM") - before) / 1e6)
"""


def in_memory() -> None:
    """Peak of a process of its own beyond its inputs; the output is counted."""
    if not sys.platform.startswith("linux"):
        print("skipped: the memory in use is read from /proc, which this system lacks")
        return
    result = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
    )
    megabytes = float(result.stdout)
    table(
        "1e5 x 1e5 pairs, memory beyond inputs",
        ["what", "MB", "wanted"],
        [["kernel_sums", megabytes, verdict(megabytes, at_most=300)]],
    )
