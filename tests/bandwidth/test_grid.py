"""The default grid, its widening and the warning at its edge."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.bandwidth import (
    LSCV,
    ConditionalLikelihood,
    KFoldError,
    LeaveOneOutError,
    Likelihood,
    path_of,
    path_of_folds,
    path_of_pairs,
    search_grid,
    selection_of,
)
from parzen.bandwidth.grid import default_grid, widened
from parzen.kernels import get
from parzen.samples import KernelSample


def test_the_default_grid_is_geometric_around_the_rule():
    X = np.random.default_rng(0).normal(size=(300, 2))
    found = Likelihood().select(X)
    ratios = found.grid[1:] / found.grid[:-1]
    np.testing.assert_allclose(ratios**2, 2 ** (1 / 4), rtol=1e-14)
    assert 40 <= len(found.grid) <= 80
    assert found.grid[0] < found.bandwidth / 4 < 4 * found.bandwidth < 4 * found.grid[-1]
    assert not found.widened
    assert not found.at_edge


@pytest.mark.parametrize(("spread", "steps"), [(0.5, 8), (1e-3, 8), (1e-5, 4), (1e-12, 2)])
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_the_default_grid_has_the_ends_of_its_formula(kernel, spread, steps):
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) * np.where(y, spread, 1.0)[:, None]
    w = 1.0 + (np.arange(40) % 3 == 0)
    grid = default_grid(KernelSample.of(X, y, kernel, w, None, None))
    copies = np.repeat(np.arange(40), w.astype(int))
    scale, one, other = (
        np.sqrt(np.mean(np.var(X[rows], axis=0, ddof=1)))
        for rows in (copies, copies[y[copies] == 0], copies[y[copies] == 1])
    )
    high, low = 3 * scale, min(scale, one, other) / 10 * len(copies) ** (-1 / 6)
    factor = get(kernel).bandwidth_factor(2)
    np.testing.assert_allclose(grid[1:] / grid[:-1], 2 ** (1 / steps), rtol=1e-12)
    assert grid[-1] == pytest.approx(high * factor, rel=1e-12)
    assert grid[0] <= low * factor < grid[1]


def test_a_class_without_spread_does_not_hide_the_next_one():
    X = np.concatenate([np.zeros(10), np.arange(10.0), 1e-3 * np.arange(10.0)])[:, None]
    y = np.repeat([0, 1, 2], 10)
    assert default_grid(KernelSample.of(X, y, "gaussian", None, None, None))[0] < 1e-3


def test_the_default_grid_never_has_more_than_512_steps():
    X = np.array([[0.0], [1.0], [1e-280], [2e-280]])
    grid = default_grid(KernelSample.of(X, [0, 0, 1, 1], "gaussian", None, None, None))
    assert len(grid) == 513
    assert grid[1] / grid[0] == pytest.approx(2)


@pytest.mark.parametrize(("doublings", "count"), [(1.5, 3), (0.1, 1)])
def test_a_grid_is_widened_with_its_own_ratio(doublings, count):
    grid = 2.0 ** (np.arange(4) / 2)
    for down, up in ((True, False), (False, True), (True, True)):
        found = widened(grid, doublings, down=down, up=up)
        expected = 2.0 ** (np.arange(-count * down, 4 + count * up) / 2)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


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
    with pytest.warns(UserWarning, match=r"smallest of its grid, 20; .*below"):
        assert LSCV(grid=[30.0, 20.0]).select(X).at_edge
    assert found.at_edge
    assert not found.widened


@pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")
@pytest.mark.parametrize("selector", [LeaveOneOutError, KFoldError])
@pytest.mark.parametrize(("ties", "place"), [("largest", -1), ("smallest", 0)])
def test_ties_go_to_an_end_of_the_grid_on_request(selector, ties, place):
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(50, 51, 20)])[:, None]
    y = np.repeat([0, 1], 20)
    found = selector(ties=ties).select(X, y)
    assert found.score == 0
    assert found.bandwidth == found.grid[np.flatnonzero(found.scores == 0)[place]]


@pytest.mark.parametrize("per", ["all", "class"])
def test_ties_of_the_error_are_broken_by_the_conditional_likelihood(per):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    grid = np.geomspace(0.05, 5.0, 40)
    found = LeaveOneOutError(grid, per=per).select(X, y)
    assert found.criterion == "leave-one-out error"
    scores, ties = np.atleast_2d(found.scores), np.atleast_2d(found.tie_scores)
    for place, errors, losses in zip(found.places, scores, ties, strict=True):
        tied = np.flatnonzero(errors <= errors.min() + 1e-12)
        assert place == tied[np.argmin(losses[tied])]
    if per == "all":
        assert (found.scores <= found.score + 1e-12).sum() > 1
        alone = ConditionalLikelihood(grid).select(X, y)
        np.testing.assert_allclose(found.tie_scores, alone.scores, rtol=1e-12)


def test_an_unknown_rule_for_ties_is_refused():
    with pytest.raises(ValueError, match="ties='first'"):
        KFoldError(ties="first")


def test_a_second_axis_breaks_ties_along_the_first_one_first():
    errors = np.array([[0.3, 0.1, 0.1], [0.1, 0.1, 0.2], [0.2, 0.2, 0.2]])
    grid, values = np.array([0.5, 1.0, 2.0]), np.array([0.1, 1.0, 10.0])
    path = path_of_pairs(errors, ("largest", "smallest"))
    found = selection_of(path, grid, name="cv", criterion="error", second=("C", values))
    assert (found.bandwidth, found.second.chosen, found.score) == (1.0, 0.1, 0.1)
    assert list(found.curves()) == ["C = 0.1", "C = 1", "C = 10"]
    assert found.choices() == [(1.0, 0.1)]
    assert not found.at_edge
    assert path_of_pairs(errors, ("smallest", "largest")).second_place == 2


def test_a_widened_grid_keeps_the_rule_for_ties():
    def evaluate(grid):
        return path_of(np.maximum(grid, 0.5), ties="smallest")

    with pytest.warns(UserWarning, match="smallest of its grid"):
        found = search_grid(evaluate, 2.0 ** np.arange(6), widening=3, name="x", criterion="score")
    assert found.bandwidth == 0.125


def test_a_widened_table_of_folds_is_that_of_the_whole_grid():
    seen = []
    values = np.array([1.0, 2.0, 3.0])

    def evaluate(grid):
        seen.extend(grid)
        means = np.add.outer(np.abs(np.log2(grid) - 4.5), np.abs(values - 2.0))
        scores = means + np.array([-0.5, 0.5])[:, None, None]
        return path_of_folds(scores, 1.0 / np.add.outer(grid, values))

    grid = 2.0 ** (np.arange(8) / 2)
    options = {"name": "cv", "criterion": "error", "second": ("eta", values)}
    found = search_grid(evaluate, grid, widening=1.5, **options)
    assert len(seen) == len(found.grid) == 11
    np.testing.assert_allclose(found.grid, 2.0 ** (np.arange(11) / 2), rtol=1e-15)
    whole = selection_of(evaluate(found.grid), found.grid, **options)
    for name in ("scores", "fold_scores", "sparsity", "spread"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    assert (found.bandwidth, found.second.chosen) == (found.grid[9], 2.0)
    assert found.widened
    assert not found.at_edge


def test_classes_of_very_different_spread_are_all_covered():
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(size=(50, 2)), 1e-5 * rng.normal(size=(50, 2))])
    found = Likelihood(per="class").select(X, np.repeat([0, 1], 50))
    assert not found.at_edge
    assert found.bandwidth[0] / found.bandwidth[1] == pytest.approx(1e5, rel=0.9)
