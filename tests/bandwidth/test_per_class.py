"""One bandwidth per class: no worse than a common one, as good as trying all combinations."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from parzen.bandwidth import (
    LSCV,
    ConditionalLikelihood,
    HoldoutError,
    KFoldError,
    LeaveOneOutError,
    Likelihood,
    TrainingError,
)

pytestmark = pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")
GRID = (0.25, 0.5, 1.0, 2.0, 4.0)


@pytest.fixture
def narrow_in_wide():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 80)
    return rng.normal(size=(160, 5)) * np.where(y == 0, 3.0, 0.7)[:, None], y


def slow_scores(plug_in, without, X, y, h, priors):
    n = len(X)
    wrong, loss = 0.0, 0.0
    for i in range(n):
        _, _, left = without(X, y, np.ones(n), i)
        model = plug_in(X, y, h, n_classes=2, weights=left, priors=priors)
        wrong += model.predict(X[[i]])[0] != y[i]
        loss -= model.log_posterior(X[[i]])[0, y[i]]
    return wrong / n, float(loss / n)


@pytest.mark.slow
@pytest.mark.parametrize("priors", [None, np.array([0.3, 0.7])])
def test_the_path_of_a_class_keeps_the_others_at_their_choice(
    plug_in, without, narrow_in_wide, priors
):
    X, y = narrow_in_wide[0][::4], narrow_in_wide[1][::4]
    for place, selector in enumerate((LeaveOneOutError, ConditionalLikelihood)):
        found = selector(grid=GRID, per="class").select(X, y, priors=priors)
        for c, b in product(range(2), range(5)):
            h = found.bandwidth.copy()
            h[c] = GRID[b]
            expected = slow_scores(plug_in, without, X, y, h, priors)[place]
            assert found.scores[c, b] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("selector", [LeaveOneOutError, ConditionalLikelihood])
def test_no_combination_of_two_bandwidths_is_better(plug_in, without, narrow_in_wide, selector):
    X, y = narrow_in_wide[0][::4], narrow_in_wide[1][::4]
    found = selector(grid=GRID, per="class").select(X, y)
    place = 0 if selector is LeaveOneOutError else 1
    every = [
        slow_scores(plug_in, without, X, y, np.array(h), None)[place]
        for h in product(GRID, repeat=2)
    ]
    assert found.score == pytest.approx(min(every), abs=1e-12)


@pytest.mark.parametrize(
    "selector",
    [LeaveOneOutError, KFoldError, HoldoutError, TrainingError, ConditionalLikelihood],
)
def test_it_is_never_worse_than_a_common_bandwidth(narrow_in_wide, selector):
    common = selector().select(*narrow_in_wide)
    apart = selector(per="class").select(*narrow_in_wide)
    assert apart.bandwidth.shape == (2,)
    assert apart.score <= common.score + 1e-12
    assert apart.scores.shape == (2, len(apart.grid))


def test_classes_of_different_spread_are_told_apart(narrow_in_wide):
    common = LeaveOneOutError().select(*narrow_in_wide)
    apart = LeaveOneOutError(per="class").select(*narrow_in_wide)
    assert apart.score < 0.6 * common.score


@pytest.mark.parametrize("selector", [LSCV, Likelihood])
def test_density_criteria_choose_for_each_class_by_itself(narrow_in_wide, selector):
    X, y = narrow_in_wide
    grid = tuple(0.1 * 2.0 ** (np.arange(40) / 8))
    apart = selector(grid=grid, per="class").select(X, y)
    alone = [selector(grid=grid).select(X[y == c]).bandwidth for c in (0, 1)]
    np.testing.assert_array_equal(apart.bandwidth, alone)


def test_a_class_that_cannot_be_judged_has_the_common_bandwidth(narrow_in_wide):
    X, y = narrow_in_wide
    X, y = np.vstack([X, np.full((1, 5), 2.0)]), np.append(y, 2)
    common = Likelihood().select(X, y).bandwidth
    assert Likelihood(per="class").select(X, y).bandwidth[2] == common
