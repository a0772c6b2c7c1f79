"""Folds of a sample: by number, by a splitter of scikit-learn, or as given."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

from parzen.samples import Sample, check_folds, checked_folds, stratified_splits


def sample(*counts):
    y = np.repeat(np.arange(len(counts)), counts)
    return Sample.labelled(np.arange(len(y), dtype=float)[:, None], y, None)


@pytest.mark.parametrize("good", [2, np.int64(7), [([0], [1])], ShuffleSplit(2)])
def test_numbers_from_two_splitters_and_pairs_are_folds(good):
    check_folds(good)
    assert checked_folds(good) is good


def test_an_iterator_is_read_once():
    folds = checked_folds(iter([([0], [1]), ([1], [0])]))
    assert folds == (([0], [1]), ([1], [0]))


def test_a_number_of_folds_has_the_classes_in_equal_shares_without_a_warning():
    part = sample(9, 6, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        splits = stratified_splits(part, 3)
    assert len(splits) == 3
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(17))
    for train, test in splits:
        assert np.array_equal(np.sort(np.append(train, test)), np.arange(17))
        counts = np.bincount(part.codes[test], minlength=3)
        assert counts[:2].tolist() == [3, 2]
        assert counts[2] <= 1


def test_there_are_no_more_folds_than_rows_of_the_largest_class_but_always_one_for_each_row():
    assert len(stratified_splits(sample(3, 1), 10)) == 3
    assert len(stratified_splits(sample(2, 2), 5)) == 2
    alone = stratified_splits(sample(1, 1, 1), 2)
    assert [test.tolist() for _, test in alone] == [[0], [1], [2]]


def test_a_splitter_and_pairs_are_taken_as_they_are():
    part = sample(4, 4)
    splitter = ShuffleSplit(3, test_size=0.25, random_state=0)
    for ours, theirs in zip(stratified_splits(part, splitter), splitter.split(part.X), strict=True):
        assert [rows.tolist() for rows in ours] == [rows.tolist() for rows in theirs]
    mask = np.arange(8) < 3
    ((train, test),) = stratified_splits(part, [(~mask, [-1, 0])])
    assert train.tolist() == [3, 4, 5, 6, 7]
    assert test.tolist() == [7, 0]
