"""Landmarks: how many, and which rows are drawn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn

from parzen.samples import (
    MOST_DENSITIES,
    check_landmarks,
    draw,
    draw_rows,
    landmark_count,
    part_size,
)


@pytest.mark.parametrize("good", ["auto", None, 1, np.int64(7)])
def test_words_and_counts_are_taken(good):
    check_landmarks(good)


@pytest.mark.parametrize(
    ("bad", "error", "sentence"),
    [
        ("few", ValueError, "n_landmarks='few' is unknown"),
        (2.0, TypeError, "got 2.0"),
        (True, TypeError, "got True"),
        (0, ValueError, "must be at least 1"),
    ],
)
def test_other_values_are_refused_by_name(bad, error, sentence):
    with pytest.raises(error, match=sentence):
        check_landmarks(bad)


def test_the_count_follows_the_rows_and_the_memory():
    assert landmark_count(None, 10**6) is None
    assert landmark_count(30, 100) == 30
    assert landmark_count("auto", 10_000) is None
    assert landmark_count("auto", 10_001) == 1000
    assert landmark_count("auto", 10_001, most=MOST_DENSITIES, matrices=False) == 20_000
    assert part_size(4000) == part_size(1) == 16_000
    assert part_size(4001) == 16_004
    with sklearn.config_context(working_memory=1):  # five matrices of 161 x 161 numbers
        assert landmark_count("auto", 10_001) == 161


def test_classes_are_drawn_in_proportion_to_their_frequency_and_never_left_out():
    codes = np.repeat([0, 1, 2], [60, 39, 1])
    weights = np.ones(100)
    weights[60:99] = 2.0  # frequencies of 60, 78 and 1
    rows = draw_rows(codes, weights, 20, np.random.RandomState(0))
    assert (np.diff(rows) > 0).all()
    assert np.bincount(codes[rows]).tolist() == [9, 11, 1]
    assert draw_rows(codes, weights, 100, np.random.RandomState(0)).tolist() == list(range(100))


def test_within_a_class_the_heavy_rows_are_drawn_more_often():
    codes, weights = np.zeros(4, dtype=int), np.array([1.0, 1.0, 1.0, 7.0])
    rng = np.random.RandomState(0)
    heavy = np.mean([draw_rows(codes, weights, 1, rng)[0] == 3 for _ in range(2000)])
    assert heavy == pytest.approx(0.7, abs=0.04)


def test_the_part_holds_four_rows_for_every_landmark_and_the_landmarks():
    codes = np.arange(40_000) % 2
    drawn = draw(codes, np.ones(40_000), 5000, 0)
    assert len(drawn.part) == 20_000
    assert len(drawn.landmarks) == 5000
    assert np.isin(drawn.landmarks, drawn.part).all()
    assert len(draw(codes, np.ones(40_000), 10, 0).part) == 16_000
