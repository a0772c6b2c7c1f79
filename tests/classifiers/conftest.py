"""The classifiers that every test of this room runs over: add yours by one line."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from parzen import KernelNaiveBayes, L2Classifier, LaplacianClassifier, ParzenClassifier
from parzen.kernels import density_names

CLASSIFIERS = {
    "parzen": ParzenClassifier,
    "parzen in class metrics": partial(ParzenClassifier, metric="class"),
    "naive bayes": KernelNaiveBayes,
    "laplacian": LaplacianClassifier,
    "l2": partial(L2Classifier, bandwidth="silverman", tol=1e-12),
}


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
