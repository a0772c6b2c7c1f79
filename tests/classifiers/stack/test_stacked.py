"""The stack: members that never see the row they score, a convex pool, raw and large tables."""

from __future__ import annotations

import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn import config_context
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import check_estimator

from parzen import ParzenClassifier, StackedDensityClassifier
from parzen.bandwidth import silverman
from parzen.classifiers.stack import least_squares, stacked_classifier, training_set
from parzen.classifiers.stack.anova import ColumnwiseAnova
from parzen.classifiers.stack.columns import silverman_width
from parzen.classifiers.stack.families import (
    FAMILIES,
    PRESETS,
)
from parzen.classifiers.stack.pool import fit_pool
from parzen.classifiers.stack.table import StackTable
from parzen.kernels import AnovaKernel
from parzen.metric.calibration import calibrate


def with_slow_metrics():
    """All families; those that learn a metric or bandwidths of columns take seconds."""
    learned = ("ard", "ardl", "ardw", "lsard", "prod")
    return [pytest.param(f, marks=pytest.mark.slow if f in learned else ()) for f in FAMILIES]


# What a member may see


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_no_member_sees_the_label_of_the_row_it_scores(family, mixed, training_set_of):
    X, y = mixed
    row = 17
    flipped = y.copy()
    flipped[row] = 1 - y[row]
    before, after = training_set_of(X, y), training_set_of(X, flipped)
    for old, new in zip(FAMILIES[family](before), FAMILIES[family](after), strict=True):
        assert old.parameter == new.parameter
        np.testing.assert_allclose(
            new.scores[row] - after.log_shares, old.scores[row] - before.log_shares, rtol=1e-9
        )
        others = np.delete(np.arange(len(y)), row)
        assert not np.allclose(new.scores[others], old.scores[others], rtol=1e-9)


@pytest.mark.parametrize("family", with_slow_metrics())
def test_a_member_fitted_to_all_rows_agrees_with_what_left_out_rows_saw(
    family, mixed, training_set_of
):
    X, y = mixed
    training = training_set_of(X, y)
    for candidate in FAMILIES[family](training)[-2:]:
        seen = candidate.fit().scores(training.blocks, n_jobs=1)
        unseen = candidate.scores
        rank = np.corrcoef(seen[:, 1] - seen[:, 0], unseen[:, 1] - unseen[:, 0])[0, 1]
        assert np.isfinite(seen).all()
        assert rank > 0.3


@pytest.mark.parametrize("family", ["iso", "lap", "mix"])
def test_leaving_out_is_refitting_without_the_row(family, mixed, training_set_of):
    X, y = mixed
    training = training_set_of(X, y)
    candidate = FAMILIES[family](training)[1]
    rule = candidate.fit()
    for row in (0, 40):
        keep = np.arange(len(y)) != row
        rest = replace(rule.expansion.subset(keep), log_factors=-np.log(np.bincount(y[keep])))
        expected = replace(rule, expansion=rest).scores(training.blocks.rows([row]), n_jobs=1)[0]
        np.testing.assert_allclose(candidate.scores[row], expected, rtol=1e-10)


# Calibration and pool


def test_calibration_finds_what_a_general_solver_finds():
    rng = np.random.default_rng(3)
    F = rng.normal(size=(2, 80, 3))
    y = rng.integers(0, 3, size=80)
    w = rng.uniform(0.5, 2.0, size=80)
    fit = calibrate(F, y, w)

    def objective(theta, scores):
        log_p = log_softmax(theta[0] * scores + theta[1:], axis=1)[np.arange(80), y]
        return -w @ log_p + 0.05 * (theta[0] - 1) ** 2 + 0.005 * theta[1:] @ theta[1:]

    for k in range(2):
        best = minimize(
            objective, [0.5, 0, 0, 0], args=(F[k],), bounds=[(0, None)] + [(None, None)] * 3,
            options={"ftol": 1e-14, "gtol": 1e-9},
        )  # fmt: skip
        ours = objective(np.r_[fit.slope[k], fit.offsets[k]], F[k])
        assert ours <= best.fun + 1e-8
        assert fit.slope[k] >= 0


def test_scores_that_separate_the_classes_keep_a_finite_slope():
    F = np.array([[5.0, -5.0], [-5.0, 5.0]] * 20)
    fit = calibrate(F[None], np.array([0, 1] * 20), np.ones(40))
    assert 0 < fit.slope[0] < 50
    assert fit.loss[0] < 1e-2


def test_the_pool_satisfies_the_optimality_conditions():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, size=150)
    signal = np.where(y[:, None] == np.arange(2), 0.7, -0.7)
    G = log_softmax(
        rng.normal(size=(6, 150, 2)) + np.array([1, 1, 0.5, 0, 0, -1])[:, None, None] * signal,
        axis=2,
    )
    w, ridge = np.ones(150), 10.0
    pool = fit_pool(G, y, w, np.ones(150, dtype=bool), ridge)
    P = np.exp(log_softmax(np.einsum("mnc,m->nc", G, pool.weights) + pool.offsets, axis=1))
    pull = P - np.eye(2)[y]
    slope = np.einsum("nc,mnc->m", pull, G) + ridge * pool.weights
    assert (pool.weights >= 0).all()
    assert pool.weights[-1] == 0
    assert np.abs(slope[pool.weights > 0]).max() < 0.05
    assert (slope[pool.weights == 0] > -0.05).all()


def test_rows_that_nobody_could_predict_set_the_doubt():
    rng = np.random.default_rng(13)
    y = np.repeat([0, 1, 2], [60, 60, 6])
    G = log_softmax(np.where(y[:, None] == np.arange(3), 5.0, -5.0) + rng.normal(size=(126, 3)), 1)
    known = y < 2
    pool = fit_pool(G[None], y, np.ones(126), known, 1.0)
    assert 0.5 * 6 / 126 < pool.doubt < 3 * 6 / 126
    sure = fit_pool(G[None], y, np.ones(126), np.ones(126, dtype=bool), 1.0)
    assert 0 < sure.doubt < 0.01


# The classifier


@pytest.mark.slow
def test_every_check_of_scikit_learn_passes_with_all_default_settings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(StackedDensityClassifier(), on_fail=None)
    assert [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")] == []


def test_it_beats_the_plug_in_rule_where_columns_do_not_matter(chessboard):
    X, y = chessboard
    Q = np.random.default_rng(9).normal(size=(1500, 5))
    truth = (Q[:, 0] * Q[:, 1] > 0).astype(int)
    stack = StackedDensityClassifier().fit(X, y)
    plain = ParzenClassifier().fit(X, y)
    assert 1 - stack.score(Q, truth) < 0.4 * (1 - plain.score(Q, truth))
    assert stack.metric_[:2].sum() > 0.75
    assert stack.metric_.sum() == pytest.approx(1.0)
    assert stack.loo_log_loss_ == pytest.approx(log_loss(truth, stack.predict_proba(Q)), abs=0.12)


@pytest.mark.slow
def test_pure_noise_gets_probabilities_near_one_half():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(200, 8)), rng.integers(0, 2, size=200)
    clf = StackedDensityClassifier().fit(X, y)
    proba = clf.predict_proba(rng.normal(size=(2000, 8)))
    assert log_loss(rng.integers(0, 2, size=2000), proba) <= 0.71


@pytest.mark.slow
def test_threads_and_order_of_rows_change_nothing_and_seeds_repeat(chessboard):
    X, y = chessboard
    order = np.random.default_rng(6).permutation(len(y))
    one = StackedDensityClassifier(n_jobs=1).fit(X, y).predict_proba(X)
    two = StackedDensityClassifier(n_jobs=2).fit(X[order], y[order]).predict_proba(X)
    np.testing.assert_array_equal(two, one)
    seeded = [
        StackedDensityClassifier(random_state=k).fit(X, y).predict_proba(X) for k in (0, 0, 1)
    ]
    np.testing.assert_array_equal(seeded[1], seeded[0])
    assert not np.array_equal(seeded[2], seeded[0])


@pytest.mark.slow
def test_a_weight_is_a_number_of_copies_to_the_last_bit(mixed):
    X, y = mixed
    weights = np.random.default_rng(7).integers(0, 4, size=len(y))
    weighted = StackedDensityClassifier().fit(X, y, sample_weight=weights)
    copied = StackedDensityClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(copied.predict_proba(X), weighted.predict_proba(X))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_raw_table_with_text_goes_in(library):
    frames = pytest.importorskip(library)
    rng = np.random.default_rng(8)
    town = rng.choice(["a", "b", "c", "d"], size=200)
    amount, level = rng.normal(size=200) * 1e4, rng.integers(1, 5, size=200)
    y = np.where((town == "a") == (level > 2), "yes", "no")
    table = frames.DataFrame({"town": town, "amount": amount, "level": level, "one": [1.0] * 200})
    clf = StackedDensityClassifier().fit(table, y)
    assert clf.score(table, y) > 0.9
    assert clf.metric_[clf.feature_names_in_ == "one"] == 0.0
    town_share, amount_share, level_share, _ = clf.metric_
    assert amount_share < min(town_share, level_share)
    unknown = frames.DataFrame({"town": ["e"], "amount": [0.0], "level": [1], "one": [1.0]})
    assert np.isfinite(clf.predict_proba(unknown)).all()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_missing_text_is_missing_in_training_and_after_it(library):
    frames = pytest.importorskip(library)
    rng = np.random.default_rng(14)
    town, amount = rng.choice(["a", "b", "c"], size=90).tolist(), rng.normal(size=90)
    y = np.where(np.array(town) == "a", "yes", "no")
    text = frames.String if library == "polars" else "string"

    def table(values):
        column = frames.Series(values, dtype=text)
        return frames.DataFrame({"town": column, "amount": amount[: len(values)]})

    whole = StackedDensityClassifier(["lap"]).fit(table(town), y)
    assert np.isfinite(whole.predict_proba(table([None, "a"]))).all()
    assert whole.predict_proba(table([])).shape == (0, 2)
    holes = StackedDensityClassifier(["nb"]).fit(table([None, *town[1:]]), y)
    assert np.isfinite(holes.predict_proba(table([None, "a"]))).all()


def test_two_columns_of_one_name_are_refused_by_that_name():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([["x", 1.0], ["z", 2.0]], columns=["twin", "twin"])
    with pytest.raises(ValueError, match=r"(?s)unique.*twin"):
        StackedDensityClassifier(["lap"]).fit(table, [0, 1])


def test_queries_are_streamed_within_the_working_memory():
    rng = np.random.default_rng(15)
    X, queries = rng.normal(size=(60, 20)), rng.normal(size=(20_000, 20))
    clf = StackedDensityClassifier(["lap", "white"], n_jobs=1).fit(X, X[:, 0] > 0)
    at_once = clf.predict_proba(queries)
    with config_context(working_memory=2):
        tracemalloc.start()
        streamed = clf.predict_proba(queries)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    np.testing.assert_allclose(streamed, at_once, atol=1e-12)
    assert peak < 2 * 2**20 + streamed.nbytes


def test_least_squares_improves_a_pool_of_densities(chessboard):
    X, y = chessboard
    fast = list(PRESETS["fast"].families)
    clf = StackedDensityClassifier([*fast, "ls", "an"]).fit(X, y)
    assert {"ls", "an"} & {expert.family for expert in clf.experts_}
    assert clf.loo_log_loss_ < StackedDensityClassifier("fast").fit(X, y).loo_log_loss_


def test_a_preset_brings_its_own_pool_and_parameters_replace_it(chessboard):
    X, y = chessboard
    single = StackedDensityClassifier("fast", per_family=1).fit(X, y)
    families = [expert.family for expert in single.experts_]
    assert len(set(families)) == len(families)
    own = StackedDensityClassifier("fast").fit(X, y)
    same = StackedDensityClassifier("fast", per_family=2, ridge=10.0).fit(X, y)
    np.testing.assert_array_equal(same.weights_, own.weights_)
    assert PRESETS["core"].per_family == 4
    assert set(PRESETS["density"].families) < set(PRESETS["core"].families)


def test_every_family_takes_missing_entries(mixed):
    X, y = mixed
    holes = X.copy()
    holes[::7, 1] = np.nan
    clf = StackedDensityClassifier("all", novelty=0.1).fit(holes, y)
    assert clf.__sklearn_tags__().input_tags.allow_nan
    assert np.isfinite(clf.predict_proba([[np.nan] * 4, [0.0, 0.0, np.nan, 2.0]])).all()


def test_a_model_of_whole_rows_takes_missing_entries_without_a_warning():
    X, y = load_iris(return_X_y=True)
    clf = StackedDensityClassifier(["dnb", "lap"]).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(clf.predict_proba([[np.nan, 3.0, np.nan, 2.0]])).all()


@pytest.mark.slow
def test_classes_of_one_member_and_many_classes_work():
    X, y = load_wine(return_X_y=True)
    names = np.array(["first", "second", "third"])[y]
    names[0] = "alone"
    with pytest.warns(UserWarning, match="alone"):
        clf = StackedDensityClassifier("fast").fit(X, names)
    assert clf.score(X, names) > 0.95
    rng = np.random.default_rng(10)
    codes = np.repeat(np.arange(60), 5)
    points = rng.normal(size=(60, 4))[codes] * 6 + rng.normal(size=(300, 4))
    assert StackedDensityClassifier("fast").fit(points, codes).score(points, codes) > 0.9


@pytest.mark.slow
def test_beyond_a_number_of_rows_only_some_are_scored_but_all_are_centres(monkeypatch):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(900, 3))
    y = (np.sin(3 * X[:, 0]) > X[:, 1]).astype(int)
    whole = StackedDensityClassifier().fit(X, y)
    monkeypatch.setattr(training_set, "_MOST_SCORED_ROWS", 250)
    some = StackedDensityClassifier(novelty=0.1).fit(X, y)
    Q = rng.normal(size=(2000, 3))
    truth = (np.sin(3 * Q[:, 0]) > Q[:, 1]).astype(int)
    assert some.with_decision(novelty=None).score(Q, truth) > whole.score(Q, truth) - 0.02
    kernels = [e.rule.expansion for e in some.experts_ if hasattr(e.rule, "expansion")]
    assert all(len(k.points) == 900 for k in kernels)
    assert abs((some.predict(Q) == -2).mean() - 0.1) < 0.04


def test_priors_costs_and_rejection_act_on_the_stack():
    X, y = load_iris(return_X_y=True)
    clf = StackedDensityClassifier("fast").fit(X, y)
    proba = clf.predict_proba(X)
    priors = np.array([0.2, 0.2, 0.6])
    shifted = proba * priors
    np.testing.assert_allclose(
        clf.with_decision(priors=priors).predict_proba(X),
        shifted / shifted.sum(axis=1, keepdims=True),
        rtol=1e-9,
    )
    costs = [[0, 1, 1], [1, 0, 30], [1, 1, 0]]
    assert (clf.with_decision(costs=costs).predict(X) == 1).sum() > (clf.predict(X) == 1).sum()
    doubtful = clf.with_decision(reject=0.05).predict(X) == -1
    np.testing.assert_array_equal(doubtful, 1 - proba.max(axis=1) > 0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    "decision",
    [
        {"class_weight": "balanced"},
        {"class_weight": {0: 1.0, 1: 25.0}},
        {"priors": [0.1, 0.9]},
        {"costs": [[0, 1], [25, 0]]},
        {"gamma": 0.1},
    ],
)
def test_class_weights_priors_and_costs_have_no_part_in_the_choice_of_the_stack(decision):
    rng = np.random.default_rng(21)
    y = np.repeat([0, 1], [110, 12])
    X = rng.normal(size=(122, 3)) + 0.8 * y[:, None]
    plain = StackedDensityClassifier("fast").fit(X, y)
    given = StackedDensityClassifier("fast", **decision).fit(X, y)
    np.testing.assert_array_equal(given.weights_, plain.weights_)
    np.testing.assert_array_equal(given.offsets_, plain.offsets_)
    assert [e.name for e in given.experts_] == [e.name for e in plain.experts_]
    changed = plain.with_decision(**decision)
    np.testing.assert_array_equal(changed.predict_proba(X), given.predict_proba(X))
    np.testing.assert_array_equal(changed.predict(X), given.predict(X))
    assert (given.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"families": "quick"}, ValueError, "'core', 'density', 'fast', 'all'"),
        ({"families": ["lap", "knn"]}, ValueError, "at least one of iso, lap"),
        ({"families": []}, ValueError, "at least one of iso, lap"),
        ({"families": 3}, TypeError, "neither a name nor a list"),
        ({"per_family": 0}, ValueError, "per_family=0 must be an integer >= 1"),
        ({"folds": 1}, ValueError, "folds=1 must be an integer >= 2"),
        ({"folds": 2.5}, TypeError, "folds must be an integer"),
        ({"ridge": -1.0}, ValueError, "ridge=-1.0 must be a number >= 0"),
    ],
)
def test_wrong_parameters_are_named_before_any_computation(parameters, error, message):
    clf = StackedDensityClassifier(**parameters)
    assert clf.__sklearn_tags__().input_tags.categorical
    with pytest.raises(error, match=message):
        clf.fit([[0.0], [1.0]], [0, 1])


def test_families_that_are_too_large_for_the_sample_stay_out_or_are_named():
    X, y = np.random.default_rng(16).normal(size=(30, 301)), np.arange(30) % 2
    with pytest.raises(ValueError, match=r"families=\['white'\] leaves no member.* 300 columns"):
        StackedDensityClassifier(["white"]).fit(X, y)
    clf = StackedDensityClassifier(["lap", "white", "cov"]).fit(X, y)
    assert {expert.family for expert in clf.experts_} <= {"lap"}


def test_the_table_gives_every_column_the_same_mean_distance():
    rng = np.random.default_rng(12)
    X = np.column_stack([rng.normal(5, 30, 400), rng.choice(4, 400, p=[0.7, 0.1, 0.1, 0.1])])
    blocks = StackTable.fit(X, np.zeros(2, dtype=bool), None).apply(X)
    squares = ((blocks.mixed[:, None] - blocks.mixed[None]) ** 2).mean(axis=(0, 1))
    assert squares[0] == pytest.approx(2.0, rel=1e-9)
    assert squares[1:].sum() == pytest.approx(2.0, rel=1e-9)
    assert set(PRESETS["core"].families) < set(FAMILIES)


def test_beyond_a_number_of_rows_least_squares_has_landmarks_and_densities_few_centres(monkeypatch):
    rng = np.random.default_rng(17)
    X, Q = rng.normal(size=(900, 3)), rng.normal(size=(2000, 3))
    y, truth = ((np.sin(3 * Z[:, 0]) > Z[:, 1]).astype(int) for Z in (X, Q))
    part = StackedDensityClassifier(["lap", "ls"]).fit(X[:300], y[:300])
    for room in (least_squares, stacked_classifier):
        monkeypatch.setattr(room, "MOST_ROWS", 500)
    monkeypatch.setattr(least_squares, "LANDMARKS", 300)
    monkeypatch.setattr(stacked_classifier, "MOST_CENTRES", 400)
    some = StackedDensityClassifier(["lap", "ls"]).fit(X, y)
    sizes = {expert.family: len(expert.rule.expansion.points) for expert in some.experts_}
    assert sizes["ls"] == 300
    assert sizes.get("lap", 400) == 400
    assert some.score(Q, truth) > part.score(Q, truth)  # the landmarks hear of all labels


@pytest.mark.slow
def test_of_many_rows_the_scored_ones_are_held_out_and_least_squares_uses_a_learned_metric(
    monkeypatch,
):
    rng = np.random.default_rng(18)
    X, Q = rng.normal(size=(1500, 8)), rng.normal(size=(2000, 8))
    y, truth = ((np.sin(2 * Z[:, 0]) > Z[:, 1]).astype(int) for Z in (X, Q))
    monkeypatch.setattr(stacked_classifier, "MOST_ROWS", 500)
    monkeypatch.setattr(stacked_classifier, "MOST_CENTRES", 600)
    monkeypatch.setattr(least_squares, "METRIC_LANDMARKS", (150, 150))
    seen = []
    original = stacked_classifier.fit_reference

    def watch(training):
        seen.append(training)
        return original(training)

    monkeypatch.setattr(stacked_classifier, "fit_reference", watch)
    clf = StackedDensityClassifier().fit(X, y)
    ((train, places),) = seen[0].splits()
    assert len(places) == 200
    assert len(train) == 400
    assert not set(train) & set(seen[0].scored_rows)
    (member,) = (e for e in clf.experts_[::-1] if e.family == "lsard" and e is clf.experts_[-1])
    width = member.rule.expansion.bandwidth[0]
    assert len(member.rule.expansion.points) == 150
    assert width[:2].max() < width[2:].min()  # the columns that matter have the finest kernels
    assert clf.score(Q, truth) > 0.9
    whole = seen[0].whole
    row = whole.scored_rows[3]
    other = np.where(np.arange(len(X)) == row, 1 - whole.codes, whole.codes)
    flipped = replace(whole, codes=other, shared={})
    again = replace(seen[0], whole=flipped, shared={})
    before, after = (FAMILIES["lsard"](t)[0].scores[3] for t in (seen[0], again))
    np.testing.assert_allclose(after - flipped.log_shares, before - whole.log_shares, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_one_row_gets_the_probabilities_that_it_gets_among_many(mixed, weighted):
    X, y = mixed
    w = np.random.default_rng(19).integers(1, 4, size=len(y)) if weighted else None
    clf = StackedDensityClassifier(["nb", "dnb"]).fit(X, y, sample_weight=w)
    Q = np.vstack([X[:8] + 0.1, 50.0 * X[:2]])
    alone = np.vstack([clf.predict_proba(row[None]) for row in Q])
    np.testing.assert_allclose(alone, clf.predict_proba(Q), rtol=1e-9)


def test_the_table_of_members_says_what_each_adds(chessboard):
    X, y = chessboard
    clf = StackedDensityClassifier("density").fit(X[:200], y[:200])
    table = clf.expert_table()
    assert (np.diff(table["weight"]) <= 0).all()
    np.testing.assert_allclose(np.sort(table["weight"]), np.sort(clf.weights_))
    assert set(table["family"]) <= set(PRESETS["density"].families)
    heaviest = table[0]
    assert heaviest["gain"] == max(table["gain"]) > 0
    assert {int(t) for t, f in zip(table["terms"], table["family"], strict=True) if f != "dnb"} == {
        200 * 5
    }


def test_a_column_that_is_constant_where_widths_are_chosen_gives_no_warning():
    assert silverman_width(np.full(30, 5.0), None) == 1.0
    x = np.arange(30.0)
    assert silverman_width(x, None) == pytest.approx(silverman(x[:, None], kernel="gaussian"))


@pytest.mark.slow
def test_joint_densities_of_a_table_are_those_of_a_column_product_with_each_row_left_out(
    training_set_of,
):
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.normal(size=120), rng.integers(0, 3, 120), rng.integers(0, 4, 120)])
    y = (X[:, 0] + (X[:, 1] == 1) * X[:, 2] > 1).astype(int)
    stack = StackedDensityClassifier(["prod"], categorical_features=[1], per_family=4).fit(X, y)
    for expert in stack.experts_:
        kernel = expert.rule.expansion.kernel
        assert (kernel.unordered, kernel.ordered) == ((1,), (2,))
    training = training_set_of(X, y)
    plain = next(c for c in FAMILIES["prod"](training) if c.label == "prod")
    rule = plain.fit()
    columns, row = training.blocks.columns, np.ravel(rule.expansion.bandwidth)
    for i in (0, 17, 60):
        rest = np.arange(len(X)) != i
        logs = rule.expansion.kernel.log(columns[[i]], columns[rest], bandwidth=row)[0]
        expected = [np.log(np.mean(np.exp(logs[y[rest] == c]))) for c in (0, 1)]
        np.testing.assert_allclose(plain.scores[i], expected + training.log_shares, rtol=1e-9)


def test_naive_bayes_counts_columns_of_two_values(training_set_of):
    rng = np.random.default_rng(19)
    X = np.column_stack([rng.normal(size=80), rng.integers(0, 2, size=80)])
    table = StackTable.fit(X, np.zeros(2, dtype=bool), None)
    assert table.is_counted.tolist() == [False, True]
    assert not table.is_discrete.any()
    training = training_set_of(X, (X[:, 1] > rng.uniform(size=80)).astype(int))
    rule = FAMILIES["nb"](training)[0].fit()
    same = (X[:, 1] == X[0, 1]) & (training.codes == 1)
    counted = (same.sum() + 1) / ((training.codes == 1).sum() + 2)  # Laplace's rule of succession
    found = rule.columns[1].log_densities(training.blocks.columns[:1, 1])
    assert found[0, 1] == pytest.approx(np.log(counted))


@pytest.mark.parametrize("family", ["an", "lapq", "ls"])
def test_one_row_at_a_time_gets_the_scores_of_many(mixed, family):
    X, y = mixed
    X = np.column_stack([X, np.where(X[:, 0] > 0.5, np.nan, X[:, 0])])
    clf = StackedDensityClassifier([family, "lap"]).fit(X, y)
    Q = np.vstack([X[:6], 10.0 * X[6:9]])
    rows = np.vstack([clf.predict_proba(q[None]) for q in Q])
    np.testing.assert_allclose(rows, clf.predict_proba(Q), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("families", [["nb", "dnb"], ["an"]])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_row_alone_gets_the_probabilities_of_members_that_share_work(families, weighted):
    rng = np.random.default_rng(23)
    X = np.column_stack([
        rng.normal(size=(120, 3)), rng.integers(0, 4, size=120), rng.integers(0, 2, size=120)
    ])  # fmt: skip
    y = (X[:, 0] * X[:, 1] + (X[:, 3] == 2) + 0.3 * rng.normal(size=120) > 0.3).astype(int)
    w = rng.integers(1, 4, size=120) if weighted else None
    clf = StackedDensityClassifier(families, ridge=0.1).fit(X, y, w)
    assert len(clf.experts_) > 1
    unknown = np.array([[0.1, -0.2, 0.3, 9.0, 1.0], [np.nan, 0.2, 0.1, np.nan, 0.0]])
    Q = np.vstack([X[:6], 40.0 * X[6:8], unknown])
    alone = np.vstack([clf.predict_proba(q[None]) for q in Q])
    np.testing.assert_allclose(alone, clf.predict_proba(Q), rtol=0, atol=1e-12)


@pytest.mark.parametrize("interactions", [0.0, 1.0])
def test_effects_of_one_row_are_the_anova_kernel(interactions):
    rng = np.random.default_rng(29)
    points = np.column_stack([rng.normal(size=(50, 2)), rng.integers(0, 3, size=50), np.ones(50)])
    kernel = AnovaKernel(points, interactions, [0.0, 0.0, 0.5, 1.0], rng.integers(1, 4, size=50))
    for x in (points[7], np.array([0.3, -9.0, 1.0, 1.0]), np.array([0.0, 0.0, 7.0, 2.0])):
        found = ColumnwiseAnova.like(kernel).effects(x).values(interactions)
        np.testing.assert_allclose(found, kernel(x[None], points)[0], rtol=0, atol=1e-13)
