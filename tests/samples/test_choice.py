"""The smallest score, and what counts as equal to it."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.samples import best_pair, best_place, is_flat


@pytest.mark.parametrize("unit", [1.0, -1.0, 1e-200, 1e200])
def test_scores_are_equal_up_to_rounding_only(unit):
    lowest = 0.1 if unit > 0 else 0.3
    parted = np.array([lowest, lowest * (1 + 1e-13), 0.2, lowest * (1 - 1e-13)])
    assert best_place(unit * parted) == 3
    assert best_place(unit * parted, "smallest") == 0
    apart = np.array([0.2, lowest, 0.2, lowest * (1 + np.sign(unit) * 1e-10)])
    assert best_place(unit * apart) == 1


def test_zeros_are_equal_to_what_underflows():
    assert best_place(np.array([0.0, 1e-320, 1e-300])) == 1
    assert best_place(np.zeros(3)) == 2


def test_infinite_scores_are_equal_to_each_other_only():
    assert best_place(np.array([np.inf, 1.0, np.inf])) == 1
    assert best_place(np.array([np.inf, np.inf]), "smallest") == 0
    assert best_place(np.array([0.0, -np.inf, -np.inf, 1.0])) == 2


def test_a_tolerance_is_a_share_of_the_largest_score():
    scores = np.array([0.1, 0.1 + 1.9e-6, 0.1 + 2.1e-6, 2.0])
    assert best_place(scores) == 0
    assert best_place(scores, tolerance=1e-6) == 1
    assert best_pair(scores[None], tolerance=1e-6) == (0, 1)
    assert best_pair(scores[None]) == (0, 0)


def test_a_second_score_decides_among_the_best_alone():
    scores, second = np.array([0.1, 0.1, 0.1, 0.2]), np.array([2.0, 1.0, 1.0, 0.0])
    assert best_place(scores, tie_scores=second) == 2
    assert best_place(scores, "smallest", tie_scores=second) == 1
    almost = second + np.array([0, 0, 1e-9, 0])
    assert best_place(scores, tie_scores=almost, tolerance=0.01) == 1


def test_pairs_are_chosen_along_the_first_axis_and_then_along_the_second():
    scores = np.array([[0.2, 0.1, 0.1, 0.3], [0.3, 0.3, 0.3, 0.3], [0.1, 0.1, 0.1, 0.2]])
    assert best_pair(scores) == (2, 2)
    assert best_pair(scores, ("largest", "smallest")) == (2, 0)
    assert best_pair(scores, ("smallest", "largest")) == (0, 2)
    assert best_pair(scores, ("smallest", "smallest")) == (0, 1)


def test_scores_are_flat_where_they_are_finite_and_differ_by_rounding():
    rows = np.array([[2.0, 2.0, 2.0], [2.0, 2.0 + 1e-12, 2.0], [2.0, 2.0 + 1e-11, 2.0]])
    assert is_flat(rows).tolist() == [True, True, False]
    assert is_flat(-rows).tolist() == [True, True, False]
    assert is_flat(1e-9 * rows.T[:, :2]).tolist() == [True, True, True]
    assert is_flat(np.full((1, 3), np.inf)).tolist() == [False]
    assert is_flat(np.array([1.0, np.inf])).tolist() is False
    assert is_flat(np.stack([rows[:1], rows[2:]])).tolist() == [[True], [False]]
