"""A kernel expansion equals the plain formula, whatever its bandwidth is like."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from parzen.expansion import KernelExpansion
from parzen.kernels import density_names, get
from parzen.metric.whitening import fit_whitening

BANDWIDTHS = {
    "common": np.array(0.7),
    "per class": np.array([0.4, 0.9, 1.6]),
    "per feature": np.array([[0.5, 1.5]]),
    "both": np.array([[0.5, 1.5], [0.8, 0.9], [2.0, 0.3]]),
}


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 2)), np.arange(30) % 3, rng.normal(size=(12, 2))


def log_kernel(kernel, X, Y, h):
    """log k_h of every pair, a bandwidth per feature being a change of units."""
    h = np.broadcast_to(h, X.shape[1])
    return get(kernel).log(X / h, Y / h) - np.log(h).sum()


def row_of(h, c):
    """The bandwidth of class c."""
    return h if h.ndim == 0 else h[c if len(h) > 1 else 0]


def direct(kernel, X, Y, labels, weights, h):
    columns = []
    for c in range(3):
        logs = log_kernel(kernel, X, Y[labels == c], row_of(h, c))
        columns.append(logsumexp(logs, b=weights[labels == c], axis=1))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("kernel", density_names())
@pytest.mark.parametrize("h", BANDWIDTHS.values(), ids=BANDWIDTHS)
def test_log_sums_equal_the_formula(sample, kernel, h):
    Y, labels, X = sample
    w = np.random.default_rng(1).uniform(0.2, 3.0, size=len(Y))
    expansion = KernelExpansion(
        points=Y, kernel=get(kernel), bandwidth=h, n_classes=3, labels=labels, weights=w
    )
    expected = direct(kernel, X, Y, labels, w, h)
    np.testing.assert_allclose(expansion.log_sums(X), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("h", BANDWIDTHS.values(), ids=BANDWIDTHS)
def test_leaving_one_out_equals_deleting_one_copy(sample, h):
    Y, labels, _ = sample
    w = np.random.default_rng(1).choice([0.5, 1.0, 3.0], size=len(Y))
    expansion = KernelExpansion(
        points=Y, kernel=get("gaussian"), bandwidth=h, n_classes=3, labels=labels, weights=w
    )
    one_pass = expansion.leave_one_out_log_sums()
    for i in range(len(Y)):
        rest = w.copy()
        rest[i] -= min(rest[i], 1.0)
        expected = direct("gaussian", Y[[i]], Y, labels, rest, h)[0]
        np.testing.assert_allclose(one_pass[i], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("h", BANDWIDTHS.values(), ids=BANDWIDTHS)
@pytest.mark.parametrize("unit_peak", [False, True])
def test_signed_scores_equal_the_formula(sample, h, unit_peak):
    Y, _, X = sample
    rng = np.random.default_rng(2)
    W, offset = rng.normal(size=(len(Y), 3)), rng.normal(size=3)
    expansion = KernelExpansion(
        points=Y, kernel=get("cauchy"), bandwidth=h, n_classes=3, weights=W, offset=offset,
        unit_peak=unit_peak,
    )  # fmt: skip
    for c in range(3):
        logs = log_kernel("cauchy", X, Y, row_of(h, c))
        if unit_peak:
            logs = logs - log_kernel("cauchy", Y[:1], Y[:1], row_of(h, c))
        expected = np.exp(logs) @ W[:, c] + offset[c]
        np.testing.assert_allclose(expansion.scores(X)[:, c], expected, rtol=1e-11, atol=1e-12)


def test_signs_survive_where_the_sums_underflow(sample):
    Y, _, _ = sample
    W = np.where(Y[:, :1] > 0, 1.0, -1.0)
    expansion = KernelExpansion(
        points=Y, kernel=get("gaussian"), bandwidth=np.array(0.1), n_classes=1, weights=W
    )
    far = np.array([[1e4, 0.0], [-1e4, 0.0]])
    assert (expansion.scores(far) == 0).all()
    assert np.sign(expansion.scaled_scores(far).mantissa[:, 0]).tolist() == [1.0, -1.0]


def test_tiny_weights_are_no_zeros(sample):
    Y, labels, X = sample
    plain = KernelExpansion(
        points=Y, kernel=get("gaussian"), bandwidth=np.array(0.7), n_classes=3, labels=labels
    )
    tiny = KernelExpansion(
        points=Y.astype(np.float32), kernel=get("gaussian"), bandwidth=np.array(0.7), n_classes=3,
        labels=labels, weights=np.full(len(Y), 1e-300),
    )  # fmt: skip
    expected = plain.log_sums(X) - 300 * np.log(10.0)
    np.testing.assert_allclose(tiny.log_sums(X.astype(np.float32)), expected, rtol=1e-5)


def test_rows_of_weight_zero_change_nothing(sample):
    Y, labels, X = sample
    w = np.where(np.arange(len(Y)) < 20, 1.0, 0.0)
    full = KernelExpansion(
        points=Y, kernel=get("gaussian"), bandwidth=np.array([0.7, 0.8, 0.9]), n_classes=3,
        labels=labels, weights=w,
    )  # fmt: skip
    sparse = full.subset(w > 0)
    np.testing.assert_allclose(sparse.log_sums(X), full.log_sums(X), rtol=1e-13)


def test_a_whitened_expansion_integrates_to_one_and_follows_its_class():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2)) @ np.array([[2.0, 1.8], [0.0, 0.3]])
    codes = np.zeros(60, dtype=np.intp)
    expansion = KernelExpansion(
        points=X, kernel=get("gaussian"), bandwidth=np.array(0.5), n_classes=1, labels=codes,
        log_factors=np.array([-np.log(60)]), whitening=fit_whitening(X, codes, 1),
    )  # fmt: skip
    side = np.linspace(-14, 14, 561)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    mass = np.exp(expansion.log_sums(grid)).sum() * (side[1] - side[0]) ** 2
    assert abs(mass - 1) < 1e-3


def test_whitening_does_not_depend_on_units_or_offsets():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3))
    codes = np.arange(40) % 2
    units = np.array([1e-6, 1.0, 1e7])
    plain, other = fit_whitening(X, codes, 2), fit_whitening(X * units + 5 * units, codes, 2)
    for c in range(2):
        np.testing.assert_allclose(
            other.apply(X * units + 5 * units, c), plain.apply(X, c), rtol=1e-9, atol=1e-9
        )
