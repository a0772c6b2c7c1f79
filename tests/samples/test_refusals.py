"""Folds and landmarks that no sample has."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import LSSVMClassifier, ParzenClassifier
from parzen.bandwidth import KFoldError

X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) % 2
NONE = np.array([], dtype=np.intp)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (1, "folds=1 must be a whole number of at least 2"),
        (True, "folds=True must be a whole number of at least 2"),
        ("five", "folds='five' must be a whole number of at least 2"),
        (2.5, "folds=2.5 must be a whole number of at least 2"),
        ([], "folds must hold at least one pair"),
        ([([0, 1], [99])], "fold 0 of folds must be a pair .* that number the 12 rows"),
        ([([0, 1], [2]), ([[0, 1]], [2])], "fold 1 of folds must be a pair"),
        ([([0, 1], [2]), 3], "fold 1 of folds must be a pair"),
        ([([0, 1], NONE)], "fold 0 of folds has no rows to train or to test on; drop it"),
        ([(NONE, [0, 1])], "fold 0 of folds has no rows to train or to test on; drop it"),
    ],
)
def test_folds_that_are_none_are_refused(folds, message):
    with pytest.raises(ValueError, match=message):
        ParzenClassifier(bandwidth=KFoldError(folds=folds)).fit(X, y)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("all", ValueError, "n_landmarks"),
        (2.5, TypeError, "n_landmarks must be 'auto', None or an integer, got 2.5"),
        (True, TypeError, "n_landmarks must be 'auto', None or an integer, got True"),
        (0, ValueError, "n_landmarks"),
    ],
)
def test_landmarks_that_are_none_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        LSSVMClassifier(bandwidth=1.0, n_landmarks=given).fit(X, y)


def test_a_selector_takes_no_rows_and_no_class_without_a_prior():
    with pytest.raises(ValueError, match="X has no rows to select a bandwidth from"):
        KFoldError().select(np.zeros((0, 2)), [])
    with pytest.raises(ValueError, match="priors has 2 entries, but y has 3 classes"):
        KFoldError().select(X, np.arange(12) % 3, priors=[0.5, 0.5])
