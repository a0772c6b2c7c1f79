"""Losses of the plug-in rule on sums made by hand, beside the definition."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.bandwidth.losses import ErrorLoss, LogLoss, own_log_losses
from parzen.samples import HeldOutSums

RNG = np.random.default_rng(0)


def rows(priors=None):
    """Six rows, three classes, two bandwidths; row 2 is far from all, row 5 alone in its class."""
    sums = RNG.normal(size=(6, 3, 2))
    sums[2, :, 0] = -np.inf
    sums[5, 2] = -np.inf
    counts = np.tile([4.0, 3.0, 2.0], (6, 1))
    counts[5, 2] = 0.0
    return HeldOutSums(np.array([0, 1, 1, 2, 0, 2]), np.arange(1.0, 7.0), sums, counts, priors)


@pytest.mark.parametrize("priors", [None, np.array([0.1, 0.7, 0.2])])
def test_the_losses_are_those_of_the_definition(priors):
    part = rows(priors)
    scale = 1.0 if priors is None else priors / np.where(part.counts > 0, part.counts, np.inf)
    joint = np.exp(part.log_sums) * np.reshape(scale, (-1, 3, 1) if priors is not None else ())
    mass = part.counts if priors is None else np.where(part.counts > 0, priors, 0.0)
    error, log_loss = np.zeros(2), np.zeros(2)
    for i, c in enumerate(part.codes):
        for b in range(2):
            values = joint[i, :, b] if joint[i, :, b].any() else mass[i]
            error[b] += part.share[i] * (np.argmax(values) != c)
            if part.counts[i, c] > 0:
                log_loss[b] -= part.share[i] * np.log(values[c] / values.sum())
    np.testing.assert_allclose(ErrorLoss().common(part), error)
    np.testing.assert_allclose(LogLoss().common(part), log_loss)


@pytest.mark.parametrize("loss", [ErrorLoss(), LogLoss()], ids=["error", "log"])
@pytest.mark.parametrize("c", [0, 1, 2])
def test_moving_one_class_gives_the_loss_of_the_moved_sums(loss, c):
    part = rows()
    current = part.log_joint()[:, :, 1]
    for b in range(2):
        moved = current.copy()
        moved[:, c] = part.log_joint()[:, c, b]
        whole = HeldOutSums(part.codes, part.share, moved[:, :, None], part.counts, None)
        assert loss.by_class(part, current, c)[b] == pytest.approx(loss.common(whole)[0])


@pytest.mark.parametrize("c", [0, 1, 2])
def test_ties_go_to_the_first_class_whichever_moves(c):
    sums = np.log(RNG.integers(1, 4, size=(200, 3, 2)).astype(float))  # most rows have a tie
    sums[RNG.random(sums.shape) < 0.1] = -np.inf
    sums *= 1 + 2e-16 * RNG.integers(-1, 2, size=sums.shape)  # up to rounding
    codes, share = RNG.integers(0, 3, 200), np.ones(200)
    part = HeldOutSums(codes, share, sums, np.tile([4.0, 3.0, 2.0], (200, 1)), None)
    current = sums[:, :, 1]
    for b in range(2):
        moved = np.round(current, 12)
        moved[:, c] = np.round(sums[:, c, b], 12)
        chosen = np.where(np.isneginf(moved).all(axis=1), 0, moved.argmax(axis=1))
        assert ErrorLoss().by_class(part, current, c)[b] == (chosen != codes).sum()


def test_the_losses_of_the_classes_are_the_mean_negative_log_densities_of_their_rows():
    first, second = rows(), rows(np.array([0.1, 0.7, 0.2]))
    for part in (first, second):
        part.log_sums[2] = RNG.normal(size=(3, 2))  # finite
    expected = np.zeros((3, 2))
    for part in (first, second):
        for i in range(5):  # the sixth row has no density without itself
            c = part.codes[i]
            density = np.exp(part.log_sums[i, c]) / part.counts[i, c]
            expected[c] -= part.share[i] * np.log(density)
    mass = first.share.sum() + second.share.sum()
    found = own_log_losses(iter([first, second]), 3, 2)
    np.testing.assert_allclose(found, expected / mass, rtol=1e-12)
