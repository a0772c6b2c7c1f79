"""The budget of time: which families are tried, with how many landmarks, and what they cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parzen import StackedDensityClassifier
from parzen.classifiers.stack import budget, least_squares
from parzen.classifiers.stack.budget import TimeBudget
from parzen.classifiers.stack.families import FAMILIES, cost, cost_of_missing_metric, operations


def test_a_budget_of_time_tries_the_families_of_most_worth_and_names_the_others(chessboard):
    X, y = chessboard
    free = StackedDensityClassifier("density").fit(X, y)
    ample, none = (
        StackedDensityClassifier("density", time_budget=seconds).fit(X, y)
        for seconds in (1e6, 1e-9)
    )
    assert free.skipped_families_ == ample.skipped_families_ == []
    np.testing.assert_allclose(ample.predict_proba(X), free.predict_proba(X), atol=1e-4)
    assert {expert.family for expert in none.experts_} == {"lap"}
    assert none.skipped_families_ == ["cov", "white", "ardl", "dnb"]


def test_families_that_take_longer_than_foreseen_lengthen_what_is_foreseen(mixed, training_set_of):
    training = training_set_of(*mixed)
    unit = 2300.0 / cost("ardl", training)
    waited, slow = TimeBudget(4000.0), TimeBudget(4000.0)
    assert slow.allows("lapq", training, unit)
    start, foreseen = slow.running
    for given in (waited, slow):  # 400 s go by instead of those foreseen
        given.start -= 400.0
    slow.running = start - 400.0, foreseen
    assert waited.allows("ardl", training, unit)
    assert not slow.allows("ardl", training, unit)


@pytest.fixture
def part_of_many_rows(training_set_of):
    """A function of n: of so many rows, half are centres and a tenth are scored."""

    def part(n):
        X = np.random.default_rng(20).normal(size=(n, 3))
        every = training_set_of(X, (X[:, 0] * X[:, 1] > 0).astype(int))
        return every.part(np.arange(0, n, 2), np.arange(0, n // 2, 5))

    return part


def test_least_squares_has_as_many_landmarks_as_there_is_time_for(monkeypatch, part_of_many_rows):
    monkeypatch.setattr(budget, "perf_counter", lambda: 0.0)  # a machine that takes no time
    training, unit, per_operation = part_of_many_rows(3000), 1e-9, 1e-10
    seconds = {
        share: per_operation * sum(operations("lsard", replace(training, landmark_share=share)))
        for share in (0.5, 0.7)
    }
    enough_for_half = 1.05 * (seconds[0.5] + seconds[0.7]) / 2
    ample, short, none = (
        TimeBudget(seconds, start=0.0) for seconds in (1e6, enough_for_half, 1e-9)
    )
    for each in (ample, short, none):
        each._seconds_per_operation = per_operation
    assert ample.form("lsard", training, unit).landmark_share == 1
    form = short.form("lsard", training, unit)
    assert form.landmark_share == 0.5
    assert form.shared is training.shared  # the metric is learned once
    assert none.form("lsard", training, unit) is None
    _, later = operations("lsard", form)
    assert short.owed == pytest.approx(later * per_operation)
    assert ample.owed > short.owed > 0 == none.owed


def test_what_is_solved_when_all_are_scored_counts_for_every_family_before(part_of_many_rows):
    training = part_of_many_rows(300)
    free, owing = TimeBudget(1000.0), TimeBudget(1000.0, owed=900.0)
    unit = 100.0 / cost("lap", training)
    assert free.allows("lap", training, unit)
    assert not owing.allows("lap", training, unit)


@pytest.mark.slow
def test_a_share_of_the_landmarks_is_what_the_members_have(monkeypatch, part_of_many_rows):
    monkeypatch.setattr(least_squares, "METRIC_LANDMARKS", (100, 100))
    training = part_of_many_rows(800)
    for share, count in ((1.0, 100), (0.3, 30)):
        for candidate in FAMILIES["lsard"](replace(training, landmark_share=share)):
            assert len(candidate.fit().expansion.points) == count


@pytest.mark.slow
def test_least_squares_in_a_learned_metric_costs_the_metric_until_it_is_learned(
    mixed, training_set_of
):
    training = training_set_of(*mixed)
    assert cost_of_missing_metric("lsard", training) == cost("ardl", training) > 0
    assert cost_of_missing_metric("ls", training) == 0
    FAMILIES["ardl"](training)
    assert cost_of_missing_metric("lsard", training) == 0


def test_a_form_that_no_column_has_costs_nothing_and_a_metric_has_its_share_of_the_pairs(
    training_set_of,
):
    rng = np.random.default_rng(4)
    columns = {
        "numbers": rng.normal(size=(500, 3)),
        "signs": rng.integers(0, 2, size=(500, 3)) * 1.0,
    }
    numbers, signs = (training_set_of(X, np.arange(500) % 2, None) for X in columns.values())
    for family in ("lapq", "whiteq", "covq"):
        assert cost(family, signs) == 0 < cost(family, numbers)
        assert not FAMILIES[family](signs)
    few = training_set_of(columns["numbers"][:400], np.arange(400) % 2, None)
    gradients = [cost("ardl", training) - cost("lap", training) for training in (numbers, few)]
    assert gradients[0] == pytest.approx(0.8 * gradients[1])  # 400 of 500 rows in the likelihood


def test_a_short_pass_is_timed_again_and_without_a_budget_nothing_is(
    mixed, monkeypatch, training_set_of
):
    training, calls = training_set_of(*mixed), []
    monkeypatch.setattr(budget, "fit_reference", calls.append)
    assert TimeBudget(None).seconds_of_a_pass(0.01, training) == 0.01
    assert TimeBudget(9.0).seconds_of_a_pass(0.5, training) == 0.5
    assert not calls
    assert TimeBudget(9.0).seconds_of_a_pass(0.01, training) < 0.01
    assert not calls[0].shared
