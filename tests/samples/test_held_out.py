"""Sums at rows that are left out, beside loops over the pairs."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn

from parzen.samples import (
    HeldOutSums,
    KernelSample,
    Sample,
    class_log_sums,
    fold_sums,
    holdout_sums,
    leave_one_out_sums,
    left_out_log_means,
    log_copies,
    log_means,
    training_sums,
)
from parzen.samples.held_out import _fold_of_rows

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


def test_a_partition_takes_one_pass_and_other_splits_one_each():
    assert _fold_of_rows(PARTITION, N).tolist() == (np.arange(N) % 4).tolist()
    assert _fold_of_rows(PARTITION[::-1], N).tolist() == (3 - np.arange(N) % 4).tolist()
    for splits in (DRAWN_TWICE, TESTED_TWICE, PARTITION[:3], [*PARTITION, PARTITION[0]]):
        assert _fold_of_rows(splits, N) is None
    halves = [(np.arange(7), np.arange(7, N)), (np.arange(7, N), np.arange(7))]
    assert _fold_of_rows(halves, N) is not None
    twice = [(np.r_[0:6, 0], np.arange(7, N)), halves[1]]  # as many rows, but one of them twice
    assert _fold_of_rows(twice, N) is None
    both = [(np.r_[0:6, 7], np.arange(7, N)), halves[1]]  # a row is trained on and tested
    assert _fold_of_rows(both, N) is None


def test_the_losses_of_a_split_add_up_to_its_share():
    whole = Sample.coded(X, Y, W, np.arange(3))
    train, test = whole.rows(np.arange(9)), whole.rows(np.arange(9, N))
    sums = np.zeros((N - 9, 3, 2))
    part = HeldOutSums.of_split(train, test, sums, 4, None)
    np.testing.assert_allclose(part.share, W[9:] / W[9:].sum() / 4)
    assert part.codes.tolist() == Y[9:].tolist()
    np.testing.assert_array_equal(part.counts, np.tile(train.counts, (N - 9, 1)))
    assert part.log_joint() is sums
    assert part.prior_mass() is part.counts


def test_sums_at_other_points_and_means_without_the_row_are_those_of_loops(sample):
    at = class_log_sums(X[:3], sample, X, H)
    expected = np.log(np.einsum("ijb,jc->icb", K[:3], W[:, None] * (Y[:, None] == np.arange(3))))
    np.testing.assert_allclose(at, expected, rtol=1e-10)
    (part, *_) = list(leave_one_out_sums(sample, H, np.array([4])))
    expected = part.log_sums - np.log(part.counts)[..., None]
    np.testing.assert_allclose(left_out_log_means(sample, H, np.array([4])), expected)


def test_the_copies_that_stay_weigh_what_is_above_one():
    given = KernelSample.of(X[:3], [0, 0, 1], "gaussian", [0.5, 1.0, 3.0], None, None)
    found = log_copies(given, H)
    assert np.isneginf(found[:2]).all()
    np.testing.assert_allclose(found[2], np.log(2 / (2 * np.pi * H**2)))


@pytest.fixture
def gapped():
    """A column whose gaps leave the kernel of the other one: its values are then one."""
    points = X.copy()
    points[:, 1] = np.nan
    return KernelSample.of(points, Y, "gaussian", W, PRIORS, None)


@pytest.mark.parametrize("memory", [1024, 0.001])
def test_missing_entries_are_left_out_of_every_scheme(gapped, memory):
    """Against loops over the column that is there."""
    line = np.exp(-0.5 * ((X[:, None, 0] - X[None, :, 0])[..., None] / H) ** 2)
    line /= np.sqrt(2 * np.pi) * H
    train, test = DRAWN_TWICE[1]

    def sums(rows, weights):
        return np.array([
            [np.log((w * (c == Y)) @ line[i]) for c in range(3)]
            for i, w in zip(rows, weights, strict=True)
        ])  # fmt: skip

    every = np.arange(N)
    with sklearn.config_context(working_memory=memory):
        for parts, rows, weights in [
            (training_sums(gapped, H), every, [W] * N),
            (leave_one_out_sums(gapped, H), every, W - np.eye(N)),
            (leave_one_out_sums(gapped, H, every[3:5]), every[3:5], (W - np.eye(N))[3:5]),
            (holdout_sums(gapped, H, (train, test)), test, [W * np.isin(every, train)] * 7),
            (
                fold_sums(gapped, H, PARTITION),
                np.concatenate([test for _, test in PARTITION]),
                [W * (every % 4 != k) for k, (_, test) in enumerate(PARTITION) for _ in test],
            ),
        ]:
            found = list(parts)
            logs = np.concatenate([part.log_sums for part in found])
            np.testing.assert_allclose(logs, sums(rows, weights), rtol=1e-9)
            assert np.concatenate([part.codes for part in found]).tolist() == Y[rows].tolist()
            masses = np.concatenate([part.counts for part in found])
            expected = [np.bincount(Y, w, 3) for w in weights]
            np.testing.assert_allclose(masses, expected)
