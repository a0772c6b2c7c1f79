"""The default grid, its widening and the warning at its edge."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.bandwidth import LSCV, KFoldError, LeaveOneOutError, Likelihood


def test_the_default_grid_is_geometric_around_the_rule():
    X = np.random.default_rng(0).normal(size=(300, 2))
    found = Likelihood().select(X)
    ratios = found.grid[1:] / found.grid[:-1]
    np.testing.assert_allclose(ratios**2, 2 ** (1 / 4), rtol=1e-14)
    assert 40 <= len(found.grid) <= 80
    assert found.grid[0] < found.bandwidth / 4 < 4 * found.bandwidth < 4 * found.grid[-1]
    assert not found.widened
    assert not found.at_edge


def test_a_choice_at_the_edge_widens_the_grid_once():
    # Two far clusters: the common scale says nothing of the spread within them.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 1)) * 0.01 + rng.choice([0.0, 1.0], 200)[:, None]
    found = LSCV().select(X)
    assert found.widened
    assert not found.at_edge
    assert 0.001 < found.bandwidth < 0.01


def test_a_choice_that_stays_at_the_edge_is_warned_about():
    X = np.repeat(np.random.default_rng(2).normal(size=(30, 1)), 3, axis=0)
    with pytest.warns(UserWarning, match="smallest of its grid.*widen it"):
        found = Likelihood().select(X)
    assert found.widened
    assert found.at_edge


def test_a_given_grid_is_taken_as_it_is_but_warned_about():
    X = np.random.default_rng(3).normal(size=(100, 1))
    with pytest.warns(UserWarning, match=r"largest of its grid, 0\.02.*above"):
        found = LSCV(grid=[0.02, 0.01]).select(X)
    np.testing.assert_array_equal(found.grid, [0.01, 0.02])
    assert found.at_edge
    assert not found.widened


@pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")
def test_ties_go_to_the_largest_bandwidth():
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(50, 51, 20)])[:, None]
    y = np.repeat([0, 1], 20)
    for selector in (LeaveOneOutError(), KFoldError()):
        found = selector.select(X, y)
        assert found.score == 0
        assert found.bandwidth == found.grid[np.flatnonzero(found.scores == 0)[-1]]


def test_classes_of_very_different_spread_are_all_covered():
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(size=(50, 2)), 1e-5 * rng.normal(size=(50, 2))])
    found = Likelihood(per="class").select(X, np.repeat([0, 1], 50))
    assert not found.at_edge
    assert found.bandwidth[0] / found.bandwidth[1] == pytest.approx(1e5, rel=0.9)
