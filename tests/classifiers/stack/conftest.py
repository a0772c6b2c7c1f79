"""Samples of the tests of the stack."""

import numpy as np
import pytest

from parzen.classifiers.stack.table import StackTable
from parzen.classifiers.stack.training_set import StackTrainingSet


@pytest.fixture(scope="session")
def mixed():
    """Numbers, a column of five values, and two classes that depend on both."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(90, 3)), rng.integers(0, 5, size=90)])
    y = (X[:, 0] * X[:, 1] + 0.5 * (X[:, 3] == 2) + 0.3 * rng.normal(size=90) > 0).astype(int)
    return X, y


@pytest.fixture(scope="session")
def chessboard():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(250, 5))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def _training_set_of(X, codes, weights=None, threads=1):
    table = StackTable.fit(X, np.zeros(X.shape[1], dtype=bool), weights)
    n = len(X)
    place = np.random.default_rng(2).permutation(n)
    return StackTrainingSet(
        table.apply(X), codes, weights, int(codes.max()) + 1, place % 5, place % 10, np.arange(n),
        threads, np.arange(n),
    )  # fmt: skip


@pytest.fixture(scope="session")
def training_set_of():
    """A function of rows, codes, weights and threads: the training set, all of it scored."""
    return _training_set_of
