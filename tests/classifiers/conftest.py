"""The classifiers that every test of this room runs over: add yours by one line."""

from __future__ import annotations

import sys
import tracemalloc
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from parzen import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    KernelNaiveBayes,
    L2Classifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
    StackedDensityClassifier,
)
from parzen.kernels import density_names, get


def stack(kernel=None, bandwidth=None, **parameters):
    """A small stack, which has neither a kernel nor a bandwidth to choose."""
    return StackedDensityClassifier(["lap", "nb"], **parameters)


CLASSIFIERS = {
    "parzen": ParzenClassifier,
    "parzen in class metrics": partial(ParzenClassifier, metric="class"),
    "naive bayes": KernelNaiveBayes,
    "laplacian": LaplacianClassifier,
    "stack": stack,
    "l2": partial(L2Classifier, bandwidth="silverman", tol=1e-12),
}
LEAST_SQUARES = [
    BMachineClassifier,
    LSSVMClassifier,
    RLSClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    KernelFisherClassifier,
]


def pytest_generate_tests(metafunc):
    """A test that asks for ``make`` runs for every classifier, with ``kernel`` for every kernel."""
    marks = metafunc.definition.iter_markers("parametrize")
    own = {name.strip() for mark in marks for name in str(mark.args[0]).split(",")}
    if "make" in metafunc.fixturenames and "make" not in own:
        metafunc.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
    if "kernel" in metafunc.fixturenames and "kernel" not in own:
        metafunc.parametrize("kernel", density_names())


@pytest.fixture
def blobs():
    """Three overlapping classes of unequal size in two dimensions."""
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [2.0, 0.5], [0.5, 2.5]])
    y = np.repeat([0, 1, 2], [40, 25, 15])
    return centres[y] + rng.normal(size=(80, 2)), y


@pytest.fixture
def pair(blobs):
    """The first two of the three classes."""
    X, y = blobs
    return X[y < 2], y[y < 2]


def l2_criterion(X, y, kernel, s, *, smoothing=0.0, eta=1.0, gamma=None, loo=True, separate=False):
    """Q and c of eq. (7) as printed, divided by the peak of k_rho, by plain loops."""
    n = len(X)
    gamma = (y == 0).sum() / (y == 1).sum() if gamma is None else gamma
    Y = np.where(y == 1, 1.0, -gamma)
    k = get(kernel)
    s = np.broadcast_to(s, 2).astype(float)
    lam = smoothing * np.sqrt(s[0] * s[1])
    Q, K_tau = np.empty((n, n)), np.empty((n, n))
    for g, h in product((0, 1), (0, 1)):
        block = np.ix_(y == g, y == h)
        x, z = X[y == g], X[y == h]
        if kernel == "gaussian":
            Q[block] = k.log(x, z, bandwidth=np.sqrt(s[g] ** 2 + s[h] ** 2 + 2 * lam**2))
            K_tau[block] = k.log(x, z, bandwidth=np.sqrt(s[g] ** 2 + 2 * lam**2))
        elif kernel == "cauchy":
            Q[block] = k.log(x, z, bandwidth=s[g] + s[h] + 2 * lam)
            K_tau[block] = k.log(x, z, bandwidth=s[g] + 2 * lam)
        else:
            Q[block] = k.log_self_convolution(x, z, bandwidth=s[g])
            K_tau[block] = k.log(x, z, bandwidth=s[g])
    unit = Q.diagonal().max()
    K_tau = np.exp(K_tau - unit)
    h = np.zeros(n)
    for i in range(n):
        for c, v in ((1, 1.0), (0, -gamma)):
            if separate and c != y[i]:
                continue
            own = (y == c) & ~((np.arange(n) == i) & loo)
            if own.any():
                h[i] += v * K_tau[i, own].sum() / own.sum()
    return Y[:, None] * Y * np.exp(Q - unit), Y * h / eta, gamma


@pytest.fixture
def criterion():
    """Q, c and gamma of the L2 programme of two classes."""
    return l2_criterion


def _two_classes(n=60, d=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n // 3, n - n // 3]))
    return rng.normal(size=(n, d)) + 1.2 * y[:, None], y


@pytest.fixture
def two_classes():
    """Draws two overlapping classes, a third of the rows in the first."""
    return _two_classes


class Work(NamedTuple):
    """Python calls of a computation, those of built-in functions included, and its peak memory."""

    calls: int
    bytes: int


@pytest.fixture
def work_of():
    """Run a computation and count its work: no clock, so that a busy machine changes nothing."""

    def measured(compute):
        calls = 0

        def count(frame, event, argument):
            nonlocal calls
            calls += event in ("call", "c_call")

        tracemalloc.start()
        sys.setprofile(count)
        try:
            result = compute()
        finally:
            sys.setprofile(None)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return result, Work(calls, peak)

    return measured
