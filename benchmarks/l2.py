"""L2 classification against its peers: selection and fit, the programme alone, prediction, memory.

Selection is 10 bandwidths in 5 folds; the peer is scikit-learn's GridSearchCV(SVC) over 10 sigmas
and 11 values of C on two processes. All solvers of the programme stop at a tolerance of 1e-6. The
parts, for ``--only=``, are selection, selection_large, programme, prediction and memory; all of
them take some six minutes, most of which belong to the peers.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn import get_config
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks._timing import interleaved, optional, table, verdict
from parzen import L2Classifier
from parzen.kernels import get
from parzen.l2 import Carriers, L2Form
from parzen.l2.programme import NeighbourSums, assemble, counts_of, gram_of
from parzen.samples import Sample
from parzen.solvers import solve_programmes

_SIGMAS = 2.0 ** np.arange(-2.0, 8.0)
_COSTS = 2.0 ** np.arange(-5.0, 16.0, 2.0)


def run(only: str | None = None) -> None:
    """Print all tables, or one of them."""
    parts = {
        "selection": _selection,
        "selection_large": _selection_large,
        "programme": _programme,
        "prediction": _prediction,
        "memory": _memory,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, part in parts.items():
            if only in (None, name):
                part()


def _moons(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_moons(n, noise=0.3, random_state=0)


def _twonorm(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 20)) + (2 * y[:, None] - 1) * 2 / np.sqrt(20), y


def _selection() -> None:
    _compare_selection(
        (_moons(400), make_moons(5000, noise=0.3, random_state=1), 25, 3),
        (_twonorm(1000), _shifted(5000), 40, 2),
    )


def _selection_large() -> None:
    _compare_selection((_twonorm(4000), _shifted(5000), 40, 1))


def _compare_selection(*problems) -> None:
    rows = []
    grid = {"gamma": 1.0 / (2.0 * _SIGMAS**2), "C": _COSTS}
    for (X, y), (Z, u), wanted, repeats in problems:
        mine, peer = L2Classifier(), GridSearchCV(SVC(), grid, n_jobs=2)
        times = [_best_fit(mine, X, y, 5), _best_fit(peer, X, y, repeats)]
        ratio = times[1] / times[0]
        rows.append(
            (f"{len(X)} x {X.shape[1]}", times[0], times[1], ratio, verdict(ratio, at_least=wanted),
             100 * (1 - mine.score(Z, u)), 100 * (1 - peer.score(Z, u)))
        )  # fmt: skip
    table(
        "selection and fit (seconds, wall)",
        ("n x d", "parzen", "GridSearchCV(SVC)", "ratio", "wanted", "error %", "SVC error %"),
        rows,
    )


def _shifted(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 20)) + (2 * y[:, None] - 1) * 2 / np.sqrt(20), y


def _best_fit(model, X, y, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        model.fit(X, y)
        times.append(time.perf_counter() - begin)
    return min(times)


def _programme() -> None:
    peers = {name: optional(name) for name in ("piqp", "clarabel", "daqp")}
    rows = []
    for n in (400, 2000):
        X, y = _moons(n)
        for sigma in (0.1, 0.3):
            Q, c, starts, mine = _assembled(X, y, sigma)
            contenders = {"parzen": mine}
            if peers["piqp"]:
                contenders["piqp"] = lambda Q=Q, c=c, s=starts: _piqp(peers["piqp"], Q, c, s)
            if peers["clarabel"]:
                contenders["clarabel"] = lambda Q=Q, c=c, s=starts: _clarabel(Q, c, s)
            best = interleaved(contenders, rounds=3, seconds=20)
            ours = best["parzen"].cpu
            for name, wanted in (("piqp", 20), ("clarabel", 60)):
                if name in best:
                    ratio = best[name].cpu / ours
                    rows.append((f"n = {n}, sigma = {sigma}", 1e3 * ours, name,
                                 1e3 * best[name].cpu, ratio,
                                 verdict(ratio, at_least=wanted) if n == 2000 else ""))  # fmt: skip
    table(
        "the programme at a KKT gap of 1e-6, d = 2 (milliseconds of CPU)",
        ("problem", "parzen", "peer", "time", "ratio", "wanted"),
        rows,
    )


def _assembled(X, y, sigma):
    order = np.argsort(y, kind="stable")
    sample = Carriers.over(Sample.coded(X[order], y[order].astype(np.intp), None, np.arange(2)))
    form, everything = L2Form(get("gaussian")), np.ones((1, len(X)), dtype=bool)
    widths = form.widths(np.full(2, sigma), X.shape[1])
    sums = NeighbourSums(sample, everything, form, widths.tau[None], None).at(0)
    counts = counts_of(sample, everything)
    values = counts / counts[:, 1:]
    terms = assemble(sample, everything, form, widths, sums, values)
    gram = gram_of(sample, form, widths.rho)
    d2 = ((sample.X[:, None] - sample.X[None]) ** 2).sum(-1)
    Q = np.exp(-d2 / (4 * sigma**2)) * terms.coupling[0][sample.codes[:, None], sample.codes]
    solve = lambda: solve_programmes(gram, terms.linear, terms.coupling, tol=1e-6, n_jobs=1)  # noqa: E731
    return Q, terms.linear[0], sample.starts.astype(int), solve


def _constraints(n, starts):
    A = np.zeros((2, n))
    A[0, : starts[1]] = A[1, starts[1] :] = 1.0
    return A


def _piqp(piqp, Q, c, starts):
    n = len(c)
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-6
    solver.setup(Q, -c, _constraints(n, starts), np.ones(2), None, None, None, np.zeros(n), None)
    solver.solve()


def _clarabel(Q, c, starts):
    import clarabel
    import scipy.sparse as sp

    n = len(c)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-6
    clarabel.DefaultSolver(
        sp.triu(sp.csc_matrix(Q)).tocsc(), -c,
        sp.csc_matrix(np.vstack([_constraints(n, starts), -np.eye(n)])),
        np.concatenate([np.ones(2), np.zeros(n)]),
        [clarabel.ZeroConeT(2), clarabel.NonnegativeConeT(n)], settings,
    ).solve()  # fmt: skip


def _prediction() -> None:
    X, y = _moons(2000)
    Z, _ = make_moons(20_000, noise=0.3, random_state=1)
    mine = L2Classifier(bandwidth=0.1).fit(X, y)
    peer = SVC(gamma=1.0 / (2 * 0.1**2)).fit(X, y)
    best = interleaved(
        {"parzen": lambda: mine.predict(Z), "SVC": lambda: peer.predict(Z)}, rounds=5
    )
    ours = 1e9 * best["parzen"].cpu / len(Z) / len(mine.support_)
    theirs = 1e9 * best["SVC"].cpu / len(Z) / len(peer.support_)
    table(
        "prediction, 20 000 rows, d = 2 (nanoseconds of CPU per row and support vector)",
        ("support", "parzen", "SVC support", "SVC", "ratio", "wanted"),
        [(len(mine.support_), ours, len(peer.support_), theirs, theirs / ours,
          verdict(theirs / ours, at_least=5))],
    )  # fmt: skip


# In a process of its own: the peak beyond what was in use before the fit.
_SCRIPT = """
import sys, time
import numpy as np
from parzen import L2Classifier
def kilobytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field + ":"))
n = int(sys.argv[1])
rng = np.random.default_rng(0)
y = rng.integers(0, 2, n)
X = rng.normal(size=(n, 10)) + y[:, None]
L2Classifier(bandwidth=1.0).fit(X[:200], y[:200])
before, begin = kilobytes("VmRSS"), time.perf_counter()
clf = L2Classifier(bandwidth=1.0).fit(X, y)
seconds = time.perf_counter() - begin
print(seconds, (kilobytes("VmHWM") - before) / 1024, len(clf.support_), clf.optimality_gap_)
"""


def _memory() -> None:
    rows = []
    for n in (20_000, 50_000):
        found = subprocess.run(
            [sys.executable, "-c", _SCRIPT, str(n)], capture_output=True, text=True, check=True
        ).stdout.split()
        seconds, grown, support, gap = (float(value) for value in found)
        within = verdict(grown, at_most=get_config()["working_memory"] + 128.0)
        rows.append((str(n), seconds, grown, within, int(support), gap))
    table(
        "memory, d = 10, bandwidth given; rows of the kernel matrix are kept in working_memory",
        ("n", "seconds", "grown by (MB)", "wanted", "support", "gap"),
        rows,
    )
