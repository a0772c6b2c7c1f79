"""Which rows of a stream still count, beside the definition."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.samples import Sample, recent_rows

CLASSES = np.array(["a", "b"])


def sample(values, weights=None):
    X = np.array(values, dtype=float)[:, None]
    return Sample.coded(X, np.arange(len(X)) % 2, weights, CLASSES)


def test_the_window_keeps_the_latest_rows_with_their_weights():
    old, new = sample([0, 1, 2], np.array([3.0, 4.0, 5.0])), sample([3, 4])
    kept = recent_rows(old, new, window=3)
    assert kept.X.ravel().tolist() == [2, 3, 4]
    assert kept.codes.tolist() == [0, 0, 1]
    assert kept.weights.tolist() == [5, 1, 1]
    assert recent_rows(None, new, window=1).X.ravel().tolist() == [4]
    assert recent_rows(None, new, window=2).weights is None


def test_weights_decay_row_by_row_and_dust_is_dropped():
    old = recent_rows(None, sample([0, 1]), forget=0.5)
    assert old.weights == pytest.approx([0.5, 1.0])
    both = recent_rows(old, sample([2, 3]), forget=0.5)
    assert both.weights == pytest.approx([0.125, 0.25, 0.5, 1.0])
    many = recent_rows(None, sample(range(100)), forget=0.5)
    assert many.weights.min() >= 1e-6 * many.weights.max()
    assert many.X.ravel().tolist() == list(range(80, 100))


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_dust_is_small_beside_the_largest_weight(unit):
    kept = recent_rows(None, sample(range(30), np.full(30, unit)), forget=0.5)
    assert kept.X.ravel().tolist() == list(range(10, 30))
    assert kept.weights == pytest.approx(unit * 0.5 ** np.arange(19, -1, -1))


def test_weights_are_kept_where_one_of_the_samples_has_them():
    plain, weighted = sample([0, 1]), sample([2, 3], np.array([2.0, 3.0]))
    assert recent_rows(plain, plain).weights is None
    assert recent_rows(plain, weighted).weights.tolist() == [1, 1, 2, 3]
    assert recent_rows(weighted, plain).weights.tolist() == [2, 3, 1, 1]
    assert recent_rows(plain, plain, window=4).X.ravel().tolist() == [0, 1, 0, 1]
    assert recent_rows(weighted, weighted, window=3).weights.tolist() == [3, 2, 3]
    single = recent_rows(None, Sample.coded(np.zeros((2, 1), np.float32), [0, 1], None, CLASSES))
    assert recent_rows(single, plain).X.dtype == np.float64


def test_a_row_of_just_the_least_share_stays():
    kept = recent_rows(None, sample([0, 1], np.array([2e-6, 1.0])), forget=0.5)
    assert kept.weights.tolist() == [1e-6, 1.0]
    less = recent_rows(None, sample([0, 1], np.array([1.9e-6, 1.0])), forget=0.5)
    assert less.weights.tolist() == [1.0]
