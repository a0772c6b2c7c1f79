"""Whether gaps tell the class, beside the definition in loops."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.samples import Sample, gap_mismatch
from parzen.samples.gaps import _gains


def gains(gaps, y, w):
    """Log of the label's probability by the other rows' gaps, less that by the classes' shares."""
    found = []
    for i, label in enumerate(y):
        left = w - (np.arange(len(y)) == i) * np.minimum(w, 1.0)
        near = left * (2 / 3) ** (gaps != gaps[i]).sum(axis=1)
        own = y == label
        found.append(np.log(near[own].sum() / near.sum() / (left[own].sum() / left.sum())))
    return np.array(found)


def problem(seed, n=40):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3))
    X[rng.uniform(size=n) < 0.3 + 0.2 * y, 0] = np.nan
    X[rng.uniform(size=n) < 0.3, 2] = np.nan
    return X, y, rng.integers(1, 4, n).astype(float)


def test_gains_are_those_of_the_definition():
    X, y, w = problem(0)
    lacks = np.isnan(X)
    found, weights = _gains(Sample.labelled(lacks.astype(float), y, w), None)
    order = np.argsort(found)
    expected = gains(lacks, y, w)
    np.testing.assert_allclose(found[order], np.sort(expected), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weights @ found, w @ expected, rtol=1e-9)


def test_gaps_count_where_their_gain_exceeds_two_standard_errors():
    """On both sides of the threshold, and close to it."""
    told = []
    for seed in range(60):
        X, y, w = problem(seed)
        found = gains(np.isnan(X), y, w)
        mean = w @ found / w.sum()
        error = np.sqrt(w @ (found - mean) ** 2 / w.sum() / (w.sum() - 1))
        told.append(mean / error)
        expected = np.log(2 / 3) if mean > 2 * error else 0.0
        assert gap_mismatch(Sample.labelled(X, y, w)) == pytest.approx(expected)
    assert max(t for t in told if t < 2) > 1.8
    assert min(t for t in told if t > 2) < 2.2


@pytest.mark.filterwarnings("error")
def test_a_column_without_gaps_tells_nothing_nor_does_one_class_or_one_row():
    X, y, _ = problem(0)
    sure = np.where(np.arange(40) < 20, np.nan, 1.0)[:, None]
    assert gap_mismatch(Sample.labelled(sure, (np.arange(40) < 20).astype(int), None)) < 0
    assert gap_mismatch(Sample.labelled(np.nan_to_num(X), y, None)) == 0.0
    assert gap_mismatch(Sample.labelled(X, np.zeros(40), None)) == 0.0
    alone = Sample.labelled(np.array([[np.nan], [1.0]]), np.array([0, 1]), np.array([0.5, 0.4]))
    assert gap_mismatch(alone) == 0.0


@pytest.mark.filterwarnings("error")
def test_a_class_of_one_row_is_left_out_of_the_gain():
    X, y, w = problem(1)
    y[0], w[0] = 2, 1.0
    found, weights = _gains(Sample.labelled(np.isnan(X).astype(float), y, w), None)
    assert len(found) == len(weights) == 39
    assert np.isfinite(found).all()
