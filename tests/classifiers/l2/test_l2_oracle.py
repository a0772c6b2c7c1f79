"""The bounds of Theorem 1 and Corollary 1, and where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import L2Classifier, L2KernelDensity


def test_the_oracle_bound_solves_theorem_1(two_classes):
    X, y = two_classes(300)
    s, delta = 0.5, 0.1
    clf = L2Classifier(bandwidth=s).fit(X, y)
    eps = clf.oracle_bound(delta)
    n_minus, n_plus = clf.class_count_
    c = 2 * (np.sqrt(2 * np.pi) * s) ** 4 / (1 + clf.gamma_) ** 4
    tail = np.exp(-c * (n_plus - 1) * eps**2) + np.exp(-c * (n_minus - 1) * eps**2)
    assert 2 * 300 * tail == pytest.approx(delta, rel=1e-8)
    density = L2KernelDensity(bandwidth=s).fit(X)
    eps = density.oracle_bound(delta)
    c = 2 * (np.sqrt(2 * np.pi) * s) ** 4
    assert 2 * 300 * np.exp(-c * 299 * eps**2) == pytest.approx(delta, rel=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraint": "separate"}, "L2KernelDensity"),
        ({"eta": 1.5}, "eta = 1"),
        ({"linear_term": "resubstitution"}, "leave-one-out linear term"),
        ({"priors": [1, 0]}, "gamma is infinite"),
    ],
)
def test_where_theorem_1_does_not_hold_there_is_no_bound(two_classes, options, message):
    clf = L2Classifier(bandwidth=0.5, **options).fit(*two_classes())
    with pytest.raises(ValueError, match=message):
        clf.oracle_bound(0.1)


@pytest.mark.parametrize(
    ("delta", "error"),
    [(0.0, ValueError), (1.0, ValueError), (np.nan, ValueError), ("0.1", TypeError)],
)
def test_a_bound_needs_a_probability(two_classes, delta, error):
    clf = L2Classifier(bandwidth=0.5).fit(*two_classes())
    with pytest.raises(error, match=r"delta.*between 0 and 1"):
        clf.oracle_bound(delta)


def test_the_oracle_bound_is_for_at_most_two_classes_and_for_the_plain_density(two_classes):
    X, _ = two_classes()
    three = L2Classifier(bandwidth=0.5).fit(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="two classes, but there are 3"):
        three.oracle_bound(0.1)
    one = L2Classifier(bandwidth=0.5).fit(X, np.zeros(len(X)))
    density = L2KernelDensity(bandwidth=0.5).fit(X)
    assert one.oracle_bound(0.1) == pytest.approx(density.oracle_bound(0.1))
    with pytest.raises(ValueError, match="eta = 1"):
        L2KernelDensity(bandwidth=0.5, eta=2.0).fit(X).oracle_bound(0.1)
