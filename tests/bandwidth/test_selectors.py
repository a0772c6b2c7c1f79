"""What every selector has in common."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from parzen.bandwidth import (
    LSCV,
    ConditionalLikelihood,
    CrossValidation,
    HoldoutError,
    KFoldError,
    KFoldLikelihood,
    LeaveOneOutError,
    Likelihood,
    Rule,
    TrainingError,
    check_bandwidth_parameter,
    get_selector,
    in_units_of_columns,
    resolve_bandwidth,
    selector_names,
    silverman,
)

NOT_FOR_ALL = ("sheather_jones", "improved_sheather_jones", "plug_in_matrix")
SELECTORS = [
    *(get_selector(name) for name in selector_names() if name not in NOT_FOR_ALL),
    *(Rule(name, per="feature") for name in ("sheather_jones", "improved_sheather_jones")),
    *(s(per="class") for s in (Rule, LSCV, Likelihood, ConditionalLikelihood, TrainingError)),
    *(s(per="class") for s in (LeaveOneOutError, KFoldError, HoldoutError)),
    *(s(per="feature") for s in (Rule, LSCV, Likelihood, KFoldLikelihood)),
    *(KFoldLikelihood(), KFoldLikelihood(per="class", folds=3)),
]
FOLDS = (HoldoutError, KFoldError, KFoldLikelihood, CrossValidation)


def select(selector, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.select(X, y, **options)


@pytest.fixture
def two_classes():
    rng = np.random.default_rng(11)
    y = np.repeat([0, 1], [60, 50])
    X = rng.normal(size=(110, 3)) * np.where(y == 0, 1.0, 2.5)[:, None] + 0.8 * y[:, None]
    return X, y


@pytest.mark.slow
@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("factor", [1e-12, 3e-5, 7.0, 1e12])
def test_the_bandwidth_scales_with_the_data(two_classes, selector, factor):
    X, y = two_classes
    for kernel in ("gaussian", "laplacian", "epanechnikov"):
        h = select(selector, X, y, kernel=kernel).bandwidth
        scaled = select(selector, factor * X, y, kernel=kernel).bandwidth
        np.testing.assert_allclose(scaled, factor * np.asarray(h), rtol=1e-10)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_weight_zero_is_absent(two_classes, selector):
    X, y = two_classes
    w = np.ones(110)
    w[::7] = 0
    weighted = select(selector, X, y, sample_weight=w)
    absent = select(selector, X[w > 0], y[w > 0])
    np.testing.assert_allclose(weighted.bandwidth, absent.bandwidth, rtol=1e-12)


@pytest.mark.parametrize(
    "selector",
    [s for s in SELECTORS if not isinstance(s, FOLDS)],
    ids=repr,
)
def test_frequencies_are_copies_and_the_order_of_rows_is_nothing(two_classes, selector):
    X, y = two_classes
    rng = np.random.default_rng(0)
    w = rng.integers(1, 4, 110)
    rows = rng.permutation(np.repeat(np.arange(110), w))
    weighted = select(selector, X, y, sample_weight=w)
    copied = select(selector, X[rows], y[rows])
    np.testing.assert_allclose(weighted.bandwidth, copied.bandwidth, rtol=1e-12)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_a_selector_is_a_value(selector):
    assert copy.deepcopy(selector) == selector
    assert pickle.loads(pickle.dumps(selector)) == selector
    with pytest.raises(AttributeError):
        selector.per = "class"


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_float32_points_give_the_same_choice_within_a_step(two_classes, selector):
    X, y = two_classes
    h = select(selector, X, y).bandwidth
    narrow = select(selector, X.astype(np.float32), y).bandwidth
    np.testing.assert_allclose(narrow, h, rtol=0.1)


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match="'silverman', 'scott', 'lscv'"):
        get_selector("sliverman")
    with pytest.raises(ValueError, match="'cv', 'silverman'"):
        check_bandwidth_parameter("best")


@pytest.mark.parametrize("wrong", [0, -1.0, np.inf, np.nan, [1.0, -2.0], [[0.0, 1.0]]])
def test_a_bandwidth_must_be_positive_and_finite(wrong):
    with pytest.raises(ValueError, match="positive and finite"):
        check_bandwidth_parameter(wrong)


@pytest.mark.parametrize("wrong", [None, True, {"h": 1}, "1.0", [["a"]]])
def test_what_is_no_bandwidth_is_refused(wrong):
    with pytest.raises((TypeError, ValueError), match="give a positive number"):
        check_bandwidth_parameter(wrong)


def test_every_form_of_a_given_bandwidth_keeps_its_shape(two_classes):
    X, y = two_classes
    for h in (0.5, np.float32(0.5), [0.5, 1.0], np.ones((1, 3)), np.ones((2, 3))):
        array, selection = resolve_bandwidth(h, X, y, n_classes=2)
        assert array.shape == np.shape(h)
        assert selection is None
    for wrong in ([1.0], [1.0, 2.0, 3.0], np.ones((2, 1)), np.ones((1, 2))):
        with pytest.raises(ValueError, match=r"shape \(2,\) for one per class"):
            resolve_bandwidth(wrong, X, y, n_classes=2)
    with pytest.raises(ValueError, match="shape"):
        resolve_bandwidth(np.ones((1, 1, 3)), X, y, n_classes=2)


def test_names_and_selectors_are_resolved_with_their_path(two_classes):
    X, y = two_classes
    h, selection = resolve_bandwidth("loo", X, y, n_classes=2)
    assert h.shape == ()
    assert selection.name == "loo"
    assert h == selection.bandwidth
    h, selection = resolve_bandwidth(Likelihood(per="class"), X, y, n_classes=2)
    assert h.shape == (2,)
    assert selection.scores.shape == (2, len(selection.grid))


def test_a_kernel_that_is_no_density_is_refused(two_classes):
    with pytest.raises(ValueError, match="not a density"):
        LeaveOneOutError().select(*two_classes, kernel="linear")


@pytest.mark.parametrize("options", [{"per": "row"}, {"grid": [1.0, -1.0]}, {"grid": []}])
def test_wrong_options_are_refused_at_once(options):
    with pytest.raises(ValueError, match=r"per=|bandwidths must"):
        LSCV(**options)


def test_wrong_folds_and_sizes_are_refused_at_once(two_classes):
    for folds in (1, 1.5, True, None, "five"):
        for make in (KFoldError, KFoldLikelihood, CrossValidation):
            if make is CrossValidation and folds is None:
                continue
            with pytest.raises(ValueError, match=f"folds={folds!r} must be a whole number"):
                make(folds=folds)
    with pytest.raises(ValueError, match="at least one pair"):
        KFoldError(folds=[]).select(*two_classes)
    with pytest.raises(TypeError, match="test_size must be a number"):
        HoldoutError(test_size="half")
    with pytest.raises(ValueError, match=r"test_size=1\.5"):
        HoldoutError(test_size=1.5)
    with pytest.raises(ValueError, match="silverman, scott"):
        Rule("silvermann")
    with pytest.raises(ValueError, match=r"per='row' must be one of 'all', 'class', 'feature'"):
        Rule(per="row")


@pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")
def test_one_row_that_is_held_out_is_enough_to_compare():
    X, y = np.array([[0.0], [1.0], [4.0]]), np.array([0, 0, 1])
    assert HoldoutError(grid=[0.5, 1.0]).select(X, y).name == "holdout"
    with pytest.warns(UserWarning, match="no two points of a class"):
        none = HoldoutError(grid=[0.5, 1.0], test_size=0.1).select(X, y)
    assert none.name == "silverman"


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_one_class_works(selector):
    X = np.random.default_rng(0).normal(size=(20, 2))
    h = select(selector, X, np.zeros(20, int)).bandwidth
    assert np.isfinite(h).all()
    assert (np.asarray(h) > 0).all()


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_two_points_of_two_classes_have_a_bandwidth(selector):
    h = select(selector, np.array([[0.0], [1.0]]), np.array([0, 1])).bandwidth
    assert np.isfinite(h).all()
    assert (np.asarray(h) > 0).all()


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_equal_points_have_a_bandwidth(selector):
    X = np.full((12, 2), 3.0)
    h = select(selector, X, np.repeat([0, 1], 6)).bandwidth
    assert np.isfinite(h).all()
    assert (np.asarray(h) > 0).all()


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_a_class_without_rows_or_with_one_does_not_break_the_others(two_classes, selector):
    X, y = two_classes
    more, labels = np.vstack([X, [[4.0, 4.0, 4.0]]]), np.append(y, 3)
    for priors, n_classes in ((None, 3), ([0.4, 0.4, 0.1, 0.1], 4)):
        h = np.asarray(select(selector, more, labels, priors=priors).bandwidth)
        assert np.isfinite(h).all()
        assert (h > 0).all()
        if getattr(selector, "per", "all") == "class":
            assert h.shape == (n_classes,)


@pytest.mark.parametrize("selector", ["silverman", "lscv", "loo"])
def test_lists_frames_whole_numbers_and_names_of_classes_are_taken(two_classes, selector):
    pd = pytest.importorskip("pandas")
    X, y = np.round(100 * two_classes[0]), two_classes[1]
    select = get_selector(selector).select
    expected = select(X, y).bandwidth
    names = np.array(["left", "right"])[y]
    for points in (X.tolist(), pd.DataFrame(X), X.astype(int), np.asfortranarray(X)):
        for labels in (y.tolist(), names, pd.Series(names), np.where(y == 0, -1, 1)):
            assert select(points, labels).bandwidth == expected
    assert silverman(X.tolist(), weights=[1] * len(X)) == silverman(pd.DataFrame(X))


@pytest.mark.parametrize("selector", ["silverman", "lscv", "loo"])
def test_points_and_labels_that_do_not_fit_are_refused(two_classes, selector):
    X, y = two_classes
    select = get_selector(selector).select
    with pytest.raises(ValueError, match=r"reshape\(-1, 1\)"):
        select(X[:, 0], y)
    with pytest.raises(ValueError, match="NaN in column 0"):
        select(np.where(np.arange(3) == 0, np.nan, X), y)
    with pytest.raises(ValueError, match="y has shape"):
        select(X, y[:-1])
    for weights in ([1.0], np.full(len(X), -1.0), np.full(len(X), np.nan), np.zeros(len(X))):
        with pytest.raises(ValueError, match=r"(?i)weight"):
            select(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="no rows"):
        select(X[:0], y[:0])


@pytest.mark.parametrize("selector", [Rule(per="class"), LSCV(per="class"), LeaveOneOutError()])
def test_whole_numbers_with_gaps_are_labels_like_others(two_classes, selector):
    X, y = two_classes
    expected = selector.select(X, y)
    for labels in (y + 1, 10 * y + 7, 10**9 * y + 3):
        found = selector.select(X, labels)
        np.testing.assert_array_equal(found.bandwidth, expected.bandwidth)
        np.testing.assert_array_equal(found.scores, expected.scores)


@pytest.mark.parametrize("priors", [[1.0], ["a", "b"], [1.0, -1.0], [[0.5, 0.5]], [np.nan, 1.0]])
def test_priors_that_do_not_fit_the_labels_are_refused(two_classes, priors):
    with pytest.raises(ValueError, match="priors"):
        LeaveOneOutError().select(*two_classes, priors=priors)


@pytest.mark.parametrize("make", [KFoldError, KFoldLikelihood, CrossValidation])
def test_an_iterator_of_folds_may_be_read_again_and_pickled(two_classes, make):
    X, y = two_classes
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    expected = make(folds=splitter).select(X, y).scores
    selector = make(folds=splitter.split(X, y))
    for again in (selector, selector, pickle.loads(pickle.dumps(selector))):
        np.testing.assert_array_equal(again.select(X, y).scores, expected)


@pytest.mark.parametrize("folds", [[([0, 1], [10**6])], [1, 2], [([0], [1], [2])], [([0.5], [1])]])
def test_folds_that_do_not_number_the_rows_are_refused(two_classes, folds):
    with pytest.raises(ValueError, match="fold 0 of folds must be a pair"):
        KFoldError(folds=folds).select(*two_classes)
    with pytest.raises(ValueError, match="fold 0 of folds has no rows"):
        KFoldError(folds=[(np.arange(3), np.arange(0))]).select(*two_classes)


def test_the_own_criterion_goes_by_its_name(two_classes):
    assert CrossValidation().select(*two_classes).name == "cv"


def test_cross_validation_judges_densities_by_likelihood_and_classes_by_error():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    unlabelled, labelled = CrossValidation().select(X), CrossValidation().select(X, y)
    alone = KFoldLikelihood().select(X)
    assert unlabelled.bandwidth == alone.bandwidth
    np.testing.assert_array_equal(unlabelled.scores, alone.scores)
    np.testing.assert_allclose(40 * labelled.scores, np.round(40 * labelled.scores))


def test_bandwidths_of_scaled_columns_get_their_units_back():
    scale = np.array([1.0, 10.0])
    for h, expected in (
        (np.array(2.0), [[2.0, 20.0]]),
        (np.array([2.0, 3.0]), [[2.0, 20.0], [3.0, 30.0]]),
        (np.array([[2.0, 5.0]]), [[2.0, 50.0]]),
        (np.array([[2.0, 5.0], [3.0, 1.0]]), [[2.0, 50.0], [3.0, 10.0]]),
    ):
        np.testing.assert_array_equal(in_units_of_columns(h, scale), expected)
        assert in_units_of_columns(h, None) is h


@pytest.mark.parametrize("name", ["silverman", "scott"])
def test_a_rule_has_no_grid_and_no_edge(name):
    found = Rule(name).select(np.arange(9.0)[:, None])
    assert len(found.grid) == len(found.scores) == 0
    assert not found.at_edge
    assert not found.widened


@pytest.mark.parametrize(
    "make",
    [KFoldError, KFoldLikelihood, HoldoutError, LeaveOneOutError, CrossValidation, LSCV, Likelihood,
     ConditionalLikelihood, TrainingError, Rule],
)  # fmt: skip
def test_defaults_are_those_of_the_description(make):
    described = {
        name: default
        for part in reversed(make.__mro__)  # a class's own description prevails
        for name, default in re.findall(r"^ +(\w+) :.*default=(.+)$", part.__doc__ or "", re.M)
    }
    if make in (ConditionalLikelihood, TrainingError):
        assert "ties go to the largest bandwidth by default" in " ".join(
            make.__doc__.lower().split()
        )
        described["ties"] = '"largest"'
    for field in dataclasses.fields(make):
        if field.name in described:
            assert repr(field.default).replace("'", '"') == described[field.name]
    assert (make is Rule) or {"grid", "per"} <= set(described)


@pytest.mark.parametrize("selector", sorted({type(s) for s in SELECTORS}, key=repr))
def test_options_beyond_the_grid_have_names(selector):
    """So that a further option between them changes no call."""
    kinds = {name: p.kind for name, p in inspect.signature(selector).parameters.items()}
    for name, kind in kinds.items():
        positional = name in ("grid", "per", "name")
        assert kind == (
            inspect.Parameter.POSITIONAL_OR_KEYWORD
            if positional
            else inspect.Parameter.KEYWORD_ONLY
        )
