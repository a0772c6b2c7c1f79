"""Basak's report, (52)-(54): the plug-in rule is the B-machine's sum with all weights 1."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_moons

from parzen import BMachineClassifier, ParzenClassifier
from parzen.kernels import gram


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(90, noise=0.3, random_state=3)
    return X[:70], y[:70]  # classes of unequal size


def queries():
    return np.random.default_rng(4).uniform(-2, 3, size=(300, 2))


@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "laplacian"])
@pytest.mark.parametrize("bandwidth", [0.2, 0.7])
def test_parzen_decides_by_the_sum_of_signed_kernels(moons, kernel, bandwidth):
    X, y = moons
    t = np.where(y == 1, 1.0, -1.0)
    sums = gram(queries(), X, kernel, bandwidth) @ t
    clf = ParzenClassifier(kernel, bandwidth=bandwidth).fit(X, y)
    np.testing.assert_array_equal(clf.predict(queries()), (sums > 0).astype(int))


def test_a_b_machine_whose_weights_are_1_is_parzen(moons):
    X, y = moons
    t = np.where(y == 1, 1.0, -1.0)
    # A margin that no score reaches: a weight is 1 where the sum (54) has the sign of the row.
    clf = BMachineClassifier(bandwidth=0.3, margin=1e6).fit(X, y)
    right = np.flatnonzero(t * (gram(X, X, "gaussian", 0.3) @ t) > 0)
    np.testing.assert_array_equal(np.sort(clf.support_), right)
    np.testing.assert_allclose(clf.dual_coef_[:, 0], t[clf.support_], atol=1e-6)
    # The same expansion with the weights of all rows 1 is the plug-in rule.
    ones = replace(clf.expansion_, points=X, weights=t[:, None])
    parzen = ParzenClassifier(bandwidth=0.3).fit(X, y)
    np.testing.assert_array_equal(
        (ones.scores(queries())[:, 0] > 0).astype(int), parzen.predict(queries())
    )
