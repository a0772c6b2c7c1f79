"""From scores to a choice: units, edges, widening, and what each form of a bandwidth becomes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from parzen.bandwidth import (
    LSCV,
    CrossValidation,
    EndOfGridWarning,
    KFoldError,
    LeaveOneOutError,
    Rule,
    column_scales,
    given_bandwidth,
    path_of,
    resolve_bandwidth,
    search_grid,
    selection_of,
)
from parzen.bandwidth.search import Path, signed_path, warn_at_edge
from parzen.bandwidth.selector import with_constant_columns

NAMES = {"name": "x", "criterion": "score"}


def test_scores_in_logarithms_are_numbers_where_they_fit():
    path = signed_path(np.array([-1.0, 1.0, -1.0]), np.array([600.0, 2.0, -np.inf]))
    assert path.log_unit == 0.0
    np.testing.assert_array_equal(path.scores, [-np.exp(600.0), np.exp(2.0), 0.0])
    assert path.places == 0
    nothing = signed_path(np.zeros(2), np.full(2, -np.inf))
    assert (nothing.log_unit, nothing.places) == (0.0, 1)


def test_scores_beyond_the_numbers_have_the_unit_of_the_best():
    """The largest of the negative ones, or else the smallest."""
    path = signed_path(np.array([-1.0, 1.0, -1.0]), np.array([650.0, 700.0, 640.0]))
    assert (path.log_unit, path.places, path.score) == (650.0, 0, -1.0)
    np.testing.assert_allclose(path.scores, [-1.0, np.exp(50.0), -np.exp(-10.0)])
    path = signed_path(np.array([1.0, 1.0, 1.0, 1.0]), np.array([-700.0, 0.0, -705.0, 800.0]))
    assert (path.log_unit, path.places, path.score) == (-705.0, 2, 1.0)
    assert np.isinf(path.scores[3])


def test_a_choice_is_at_an_edge_where_its_own_curve_is_not_flat():
    assert path_of(np.array([1.0, 2.0, 3.0])).edges() == (True, False)
    assert path_of(np.array([3.0, 2.0, 1.0])).edges() == (False, True)
    assert path_of(np.array([3.0, 1.0, 2.0])).edges() == (False, False)
    assert path_of(np.ones(3)).edges() == (False, False)
    curves = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [2.0, 1.0, 3.0]])
    assert Path(np.array([2, 1, 1]), 0.0, curves).edges() == (False, False)
    assert Path(np.array([0, 0, 2]), 0.0, curves).edges() == (True, True)
    pairs = np.array([[3.0, 1.0], [2.0, 2.0], [1.5, 3.0]])
    assert Path(np.array(0), 1.0, pairs, second_place=1).edges() == (True, False)
    assert Path(np.array(0), 1.0, np.tile([2.0, 1.0], (3, 1)), second_place=1).edges() == (
        False, False,
    )  # fmt: skip


def test_a_grid_of_one_has_no_edge():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_at_edge(Path(np.array([0, 0]), 0.0, np.array([[1.0], [2.0]])), np.ones(1), "x")
        for score in (1.0, np.inf):  # one that is not finite is not flat
            path = path_of(np.array([score]))
            warn_at_edge(path, np.ones(1), "x")
            assert not selection_of(path, np.ones(1), **NAMES).at_edge
    two = selection_of(path_of(np.array([1.0, 2.0])), np.array([0.5, 1.0]), **NAMES)
    assert two.at_edge
    assert (two.bandwidth, two.places, two.axis, two.widened) == (0.5, (0,), "bandwidth", False)
    assert two.second is None


def test_the_warning_names_the_end_and_the_cure():
    grid = np.array([[0.5, 0.25], [1.0, 2.0], [3.0, 8.0]])
    down, up = path_of(np.array([1.0, 2.0, 3.0])), path_of(np.array([3.0, 2.0, 1.0]))
    with pytest.warns(
        EndOfGridWarning, match=r"by 'loo' is the smallest of its grid, 0\.5; .*below"
    ):
        warn_at_edge(down, grid, "loo")
    with pytest.warns(EndOfGridWarning, match=r"largest of its grid, 8; widen it: go above\.$"):
        warn_at_edge(up, grid, "loo", "go {beyond}")


@pytest.mark.parametrize("kind", ["numbers", "unit", "unit beyond", "classes"])
def test_a_wider_grid_is_scored_anew_only_where_scores_do_not_stand_by_themselves(kind):
    asked = []

    def evaluate(grid):
        asked.append(np.log2(grid).tolist())
        scores = np.abs(np.log2(grid) - 5.0)
        if kind == "classes":
            places = np.array([scores.argmin(), scores.argmin()])
            return Path(places, 0.0, np.stack([scores, scores]))
        unit = 1.0 if kind == "unit" or (kind == "unit beyond" and len(asked) > 1) else 0.0
        return path_of(scores)._replace(log_unit=unit)

    found = search_grid(evaluate, 2.0 ** np.arange(4.0), widening=3, **NAMES)
    new, whole = [4.0, 5.0, 6.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    expected = {"numbers": [new], "unit": [whole], "unit beyond": [new, whole], "classes": [whole]}
    assert asked[1:] == expected[kind]
    assert np.log2(found.grid).tolist() == whole
    assert found.widened
    np.testing.assert_array_equal(found.bandwidth, [32.0, 32.0] if kind == "classes" else 32.0)


def test_scores_that_break_ties_are_kept_when_a_grid_is_widened():
    def evaluate(grid):
        return path_of(np.maximum(np.log2(grid), 1.0), tie_scores=np.abs(grid - 0.5))

    found = search_grid(evaluate, 2.0 ** np.arange(1.0, 5.0), widening=3, **NAMES)
    assert found.bandwidth == 0.5
    np.testing.assert_array_equal(found.tie_scores, np.abs(found.grid - 0.5))


def test_constant_columns_share_the_geometric_mean_of_the_others():
    varies = np.array([True, False, True])
    assert with_constant_columns(2.0, varies) == 2.0
    per_class = with_constant_columns(np.array([1.0, 4.0]), varies)
    np.testing.assert_allclose(per_class, [[1.0, 2.0, 1.0], [4.0, 2.0, 4.0]])
    per_feature = with_constant_columns(np.array([[1.0, 16.0]]), varies)
    np.testing.assert_allclose(per_feature, [[1.0, 4.0, 16.0]])
    H = np.array([[[2.0, 1.0], [1.0, 2.0]], [[12.0, 0.0], [0.0, 1.0]]])
    matrices = with_constant_columns(H, varies)
    np.testing.assert_allclose(matrices[:, ::2, ::2], H)
    size = (3 * 12) ** (1 / 4)  # of two determinants in two columns
    np.testing.assert_allclose(matrices[:, 1], [[0.0, size, 0.0]] * 2)
    np.testing.assert_allclose(matrices[:, :, 1], [[0.0, size, 0.0]] * 2)


def test_columns_get_one_scale_only_for_a_choice_in_units_of_the_data():
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, 100.0]
    spreads = X.std(axis=0, ddof=1)
    for bandwidth, grid in (("loo", None), (LSCV(), None), ("loo", 12), (LSCV(per="class"), None)):
        np.testing.assert_allclose(column_scales("auto", bandwidth, X, None, grid), spreads)
    for bandwidth, grid in (
        (0.5, None), ([0.5, 1.0], None), (LSCV(grid=[0.5, 1.0]), None), ("loo", [0.5, 1.0]),
        (LSCV(per="feature"), None),
    ):  # fmt: skip
        assert column_scales("auto", bandwidth, X, None, grid) is None
    assert column_scales(None, "loo", X, None) is None
    assert column_scales("auto", "loo", X[:, :1], None) is None


def test_a_scale_divides_the_columns_and_multiplies_the_choice():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    scale = np.array([1.0, 8.0])
    h, found = resolve_bandwidth("loo", X * scale, y, n_classes=2, scale=scale)
    plain, other = resolve_bandwidth("loo", X, y, n_classes=2)
    assert found.bandwidth == other.bandwidth
    np.testing.assert_allclose(h, plain * scale[None, :])


def test_a_bandwidth_of_wrong_shape_is_refused_in_the_words_of_the_estimator():
    assert given_bandwidth(np.ones((1, 3)), 1, 3, labelled=False).shape == (1, 3)
    with pytest.raises(ValueError, match=r"shape \(2,\), but there are 3 features; give a number"):
        given_bandwidth([1.0, 2.0], 1, 3, labelled=False)
    with pytest.raises(ValueError, match=r"shape \(3,\), but there are 2 classes and 3 features"):
        given_bandwidth([1.0, 2.0, 3.0], 2, 3)
    with pytest.raises(ValueError, match=r"has shape \(1, 1, 2\); give a positive number"):
        given_bandwidth([[[1.0, 2.0]]], 2, 2)
    with pytest.raises(ValueError, match=r"has shape \(0,\); give a positive number"):
        given_bandwidth([], 2, 2)
    with pytest.raises(ValueError, match=r"positive and finite, got -1\.0"):
        given_bandwidth([[2.0, -1.0], [np.nan, 1.0]], 2, 2)


@pytest.mark.parametrize(
    ("per", "shape"), [("all", ()), ("class", (3,)), ("feature", (1, 2))]
)  # fmt: skip
def test_a_sample_without_pairs_takes_the_rule_of_all_points(per, shape):
    X, y = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 0.0]]), np.arange(3)
    expected = Rule().select(X).bandwidth
    with pytest.warns(UserWarning, match=f"gives {expected:.4g}. Add samples"):
        found = LeaveOneOutError(per=per).select(X, y)
    assert np.shape(found.bandwidth) == shape
    np.testing.assert_allclose(found.bandwidth, expected)
    assert (found.name, found.criterion, len(found.grid)) == ("silverman", "rule of thumb", 0)
    assert np.isnan(found.score)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(KFoldError().select(X, np.zeros(3)).bandwidth, expected)


def test_a_class_without_spread_takes_the_rule_of_all_points():
    X = np.array([[0.0], [1.0], [3.0], [5.0], [5.0]])
    y = np.array([0, 0, 0, 1, 1])
    pooled, own = Rule().select(X).bandwidth, Rule().select(X[:3]).bandwidth
    with pytest.warns(UserWarning, match=f"points of class 1 .*all points, {pooled:.4g}, stands"):
        found = Rule(per="class").select(X, y)
    np.testing.assert_allclose(found.bandwidth, [own, pooled])


def test_options_of_cross_validation_are_handed_on():
    own = CrossValidation(grid=[1.0, 2.0], per="class", folds=3).by(KFoldError, ties="smallest")
    assert own == KFoldError(grid=[1.0, 2.0], per="class", folds=3, ties="smallest")
    assert CrossValidation().by(KFoldError) == KFoldError()
    X = np.random.default_rng(0).normal(size=(60, 2)) * [1.0, 4.0]
    relative = CrossValidation().relative_bandwidths(X)
    np.testing.assert_allclose(relative, X.std(axis=0) / np.sqrt(np.prod(X.std(axis=0))))


@pytest.mark.parametrize(("flat", "named"), [(10, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"), (11, "8, 9")])
def test_at_most_ten_classes_without_spread_are_named(flat, named):
    y = np.repeat(np.arange(flat + 1), 2)
    X = np.where(y < flat, y, np.arange(len(y)))[:, None].astype(float)
    with pytest.warns(
        UserWarning, match=rf"class .*{named} \(in the order of the labels\) have no"
    ):
        Rule(per="class").select(X, y)
