"""Sums at rows that are left out, beside loops over the pairs."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn

from parzen.samples import (
    KernelSample,
    fold_sums,
    holdout_sums,
    leave_one_out_sums,
    log_means,
    training_sums,
)

RNG = np.random.default_rng(0)
N, H = 14, np.array([0.6, 1.5])
X, Y, W = RNG.normal(size=(N, 2)), np.arange(N) % 3, RNG.integers(1, 4, size=N).astype(float)
K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2)[..., None] / H**2) / (2 * np.pi * H**2)
PRIORS = np.array([0.2, 0.3, 0.5])
PARTITION = [(np.flatnonzero(np.arange(N) % 4 != k), np.arange(k, N, 4)) for k in range(4)]
DRAWN_TWICE = [(np.r_[0:6, 0], np.arange(7, N)), (np.arange(7, N), np.arange(7))]
# One row is tested twice, others never.
TESTED_TWICE = [(np.arange(3, N), np.arange(3)), (np.r_[0:2, 5:N], np.arange(2, 5))]


@pytest.fixture(params=[1024, 0.002], ids=["one chunk", "many chunks"])
def sample(request):
    with sklearn.config_context(working_memory=request.param):
        yield KernelSample.of(X, Y, "gaussian", W, PRIORS, None)


def check(parts, queries, weights):
    """The sums and the masses of the classes, for rows with these weights of all rows."""
    sums, counts, codes = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("log_sums", "counts", "codes")
    )
    assert codes.tolist() == Y[queries].tolist()
    for place, (i, w) in enumerate(zip(queries, weights, strict=True)):
        for c in range(3):
            expected = np.log((w * (c == Y)) @ K[i])
            np.testing.assert_allclose(sums[place, c], expected, rtol=1e-10)
            assert counts[place, c] == pytest.approx(w[c == Y].sum())


def test_nothing_is_left_out_of_training_sums(sample):
    parts = list(training_sums(sample, H))
    check(parts, np.arange(N), [W] * N)
    assert np.concatenate([part.share for part in parts]).tolist() == W.tolist()


@pytest.mark.parametrize("among", [None, np.array([2, 3, 11])])
def test_one_copy_of_the_row_is_left_out(sample, among):
    queries = np.arange(N) if among is None else among
    check(list(leave_one_out_sums(sample, H, among)), queries, W - np.eye(N)[queries])


def test_a_row_is_left_out_with_its_fold_and_folds_count_alike(sample):
    parts = list(fold_sums(sample, H, PARTITION))
    shares = np.concatenate([part.share for part in parts])
    assert shares.sum() == pytest.approx(4)
    total = np.concatenate([part.log_sums for part in parts])
    expected = np.array([
        [np.log((W * (c == Y) * (np.arange(N) % 4 != i % 4)) @ K[i]) for c in range(3)]
        for i in range(N)
    ])  # fmt: skip
    np.testing.assert_allclose(
        np.sort(total.reshape(N, -1), axis=0), np.sort(expected.reshape(N, -1), axis=0), rtol=1e-10
    )


@pytest.mark.parametrize("splits", [DRAWN_TWICE, TESTED_TWICE], ids=["drawn twice", "not all"])
def test_splits_that_are_no_partition_are_taken_as_they_are(sample, splits):
    parts = list(fold_sums(sample, H, splits))
    queries = np.concatenate([test for _, test in splits])
    weights = [W * np.bincount(train, minlength=N) for train, test in splits for _ in test]
    check(parts, queries, weights)


def test_holding_out_sums_over_the_training_rows(sample):
    train, test = DRAWN_TWICE[1]
    parts = list(holdout_sums(sample, H, (train, test)))
    check(parts, test, [W * np.isin(range(N), train)] * len(test))


def test_priors_replace_the_shares_of_the_classes(sample):
    (part, *_) = leave_one_out_sums(sample, H)
    expected = part.log_sums + np.log(PRIORS / part.counts)[:, :, None]
    np.testing.assert_allclose(part.log_joint(), expected)
    assert part.prior_mass().tolist() == np.broadcast_to(PRIORS, part.counts.shape).tolist()


def test_a_class_of_one_row_is_unknown_without_it():
    alone = KernelSample.of(X[:4], [0, 0, 0, 1], "gaussian", None, [0.5, 0.5], None)
    (part,) = leave_one_out_sums(alone, H)
    assert part.is_known().tolist() == [True, True, True, False]
    assert part.prior_mass()[3].tolist() == [0.5, 0.0]
    assert np.isneginf(part.log_joint()[3, 1]).all()


def test_log_means_divide_by_the_mass_of_a_class_and_are_finite_without_any():
    sums = np.log([[[3.0, 1.0], [3.0, 1.0], [3.0, 1.0]]])
    sums[0, 2, 1] = -np.inf
    found = log_means(sums, np.array([[0.5, 4.0, 0.0]]))
    expected = [[np.log([6.0, 2.0]), np.log([0.75, 0.25]), [np.log(3.0), -1e4]]]
    np.testing.assert_allclose(found, expected, rtol=1e-15)
