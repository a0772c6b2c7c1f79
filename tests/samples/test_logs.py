"""Sums in logarithms, beside SciPy's, and ties up to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from parzen.samples.logs import first_largest, log, log_sum, rounding, signed_sum, with_ties


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sums_of_exponentials_are_those_of_scipy(axis):
    rng = np.random.default_rng(0)
    logs = 300 * rng.normal(size=(2, 3, 4))
    logs[:, 1, 2] = -np.inf
    np.testing.assert_allclose(log_sum(logs, axis), logsumexp(logs, axis=axis), rtol=1e-14)
    weights = rng.uniform(size=logs.shape[axis])
    shape = [-1 if a == axis else 1 for a in range(3)]
    with np.errstate(divide="ignore"):
        expected = logsumexp(logs, axis=axis, b=weights.reshape(shape))
    np.testing.assert_allclose(log_sum(logs, axis, weights), expected, rtol=1e-14)


def test_nothing_sums_to_minus_infinity():
    nothing = np.full((3, 3), -np.inf)
    assert np.isneginf(log_sum(nothing, 0)).all()
    assert np.isneginf(log_sum(nothing[:, :2], 1)).all()
    assert np.isneginf(log(0.0))


@pytest.mark.parametrize("size", [0.0, 1.0, -1e4, 1e6])
def test_ties_are_what_rounding_may_have_parted(size):
    few = 4 * np.finfo(float).eps * (1 + abs(size))
    joint = np.array([[size - few, size, -np.inf], [size - 100 * few, size - few, size]])
    np.testing.assert_array_equal(
        with_ties(joint), [[size, size, -np.inf], [size - 100 * few, size, size]]
    )
    assert first_largest(joint).tolist() == [0, 1]


def test_logarithms_are_rounded_in_proportion_to_their_size_and_to_one():
    eps = np.finfo(float).eps
    np.testing.assert_array_equal(
        rounding(np.array([0.0, -3.0, 7.0])), 8 * eps * np.array([1, 4, 8])
    )


def test_a_signed_sum_has_its_sign_and_its_logarithm():
    signs = np.array([[1.0, 1.0, -1.0], [-1.0, 1.0, 1.0]])
    values = np.array([[3.0, 2.0, 5.0], [1.0, 4.0, 5.0]])
    for unit in (0.0, 800.0, -800.0):
        sign, found = signed_sum(signs, np.log(values) + unit)
        np.testing.assert_array_equal(sign, [1.0, 1.0, 0.0])
        np.testing.assert_allclose(found[:2], np.log([2.0, 6.0]) + unit, rtol=1e-13)
        assert np.isneginf(found[2])
    assert np.isneginf(signed_sum(signs, np.full((2, 3), -np.inf))[1]).all()
