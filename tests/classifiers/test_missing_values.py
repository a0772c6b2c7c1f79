"""Missing values: densities of the columns that a row has, beside their definition."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

from parzen import (
    KernelNaiveBayes,
    LaplacianClassifier,
    ParzenClassifier,
    StackedDensityClassifier,
    model_files,
)
from parzen.kernels import ColumnProduct, get
from parzen.samples import Sample
from parzen.samples.gaps import _gains

GAUSSIAN, LAPLACIAN = get("gaussian"), get("laplacian")
COLUMNS = ColumnProduct(unordered=(1,), ordered=(2,))
ROW = np.array([0.7, 0.2, 0.4])


def sample(n=60, share=0.3, seed=0, categories=False):
    """Two classes in three columns, with gaps."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    if categories:
        X[:, 1:] = np.clip(np.round(X[:, 1:]) + 1, 0, 2)
    Z = X.copy()
    Z[rng.uniform(size=Z.shape) < share] = np.nan
    return X, Z, y


def factor(kernel, column, x, y):
    """The kernel of one column at two numbers."""
    if not isinstance(kernel, ColumnProduct):
        return kernel([[x]], [[y]], bandwidth=0.7).item()
    if column == 0:
        return GAUSSIAN([[x]], [[y]], bandwidth=ROW[0]).item()
    h, gap = ROW[column], abs(x - y)
    if gap == 0:
        return 1 - h
    return h / 2 if column == 1 else 0.5 * (1 - h) * h**gap


def density(kernel, Z, w, query):
    """The definition: a row without a column has the class's density of it."""
    total = 0.0
    for row, weight in zip(Z, w, strict=True):
        product = weight
        for j, x in enumerate(query):
            if np.isnan(x):
                continue
            seen = ~np.isnan(Z[:, j])
            if seen.any() and np.isnan(row[j]):
                values = [factor(kernel, j, x, v) for v in Z[seen, j]]
                product *= np.average(values, weights=w[seen])
            elif seen.any():
                product *= factor(kernel, j, x, row[j])
        total += product
    return total / w.sum()


@pytest.mark.parametrize("kernel", [GAUSSIAN, LAPLACIAN, COLUMNS], ids=lambda k: k.name)
@pytest.mark.parametrize("weighted", [False, True])
def test_densities_follow_the_definition(kernel, weighted):
    mixed = isinstance(kernel, ColumnProduct)
    _, Z, y = sample(40, categories=mixed)
    w = 1.0 + (np.arange(40) % 3 if weighted else np.zeros(40))
    clf = ParzenClassifier(kernel, ROW[None] if mixed else 0.7).fit(Z, y, w if weighted else None)
    found = np.exp(clf._log_densities(Z[:8]))
    expected = [[density(kernel, Z[y == c], w[y == c], q) for c in (0, 1)] for q in Z[:8]]
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_the_density_of_fewer_columns_integrates_to_that_of_none():
    _, Z, y = sample()
    clf = ParzenClassifier(bandwidth=0.6).fit(Z, y)
    grid = np.linspace(-8, 8, 1601)
    queries = np.column_stack([grid, np.full((1601, 2), np.nan)])
    assert np.exp(clf.score_samples(queries)).sum() * 0.01 == pytest.approx(1.0, abs=1e-6)


def informative(n=80, seed=4):
    """Two classes in two columns, whose large entries are missing more often."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) + 2.0 * y[:, None]
    X[rng.uniform(size=X.shape) < np.where(X > 1, 0.7, 0.1)] = np.nan
    return X, y


def test_gaps_that_tell_the_class_have_a_share_in_the_density():
    X, y = informative()
    clf = ParzenClassifier(bandwidth=0.6).fit(X, y)
    assert clf.expansion_.mismatch == pytest.approx(np.log(2 / 3))
    assert clf.predict_proba([[np.nan, np.nan]])[0, 1] > 0.55
    # Entries and gaps together: the densities of all patterns add up to one.
    grid = np.linspace(-5, 8, 131)
    both = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    gaps = np.full(131, np.nan)
    patterns = [both, np.column_stack([grid, gaps]), np.column_stack([gaps, grid]), [[np.nan] * 2]]
    steps = [0.01, 0.1, 0.1, 1.0]
    masses = [np.exp(clf.score_samples(p)).sum() * s for p, s in zip(patterns, steps, strict=True)]
    assert sum(masses) == pytest.approx(1.0, abs=1e-6)


def test_evidence_has_the_gaps_that_tell_the_class():
    X, y = informative()
    clf = ParzenClassifier(bandwidth=0.6).fit(X, y)
    gap = np.exp(clf.expansion_.mismatch)
    i = int(np.flatnonzero(np.isnan(X[:, 0]) & ~np.isnan(X[:, 1]))[0])
    found = clf.explain(X[[i]], top=80)[0]
    mine = np.flatnonzero(y == found.label)
    column = X[mine, 1]
    near = np.exp(-0.5 * ((X[i, 1] - column) / 0.6) ** 2)
    terms = np.where(np.isnan(column), np.nanmean(near), near)
    terms *= gap ** (np.isnan(X[mine]) != np.isnan(X[i])).sum(axis=1)
    order = np.argsort(-terms, kind="stable")
    np.testing.assert_allclose(found.supporting_shares, terms[order] / terms.sum(), rtol=1e-9)
    one = ParzenClassifier(bandwidth=0.6).fit(X[:, :1], y)
    assert one.expansion_.mismatch < 0
    odds = np.diff(one.predict_log_proba(X[[i], :1]))[0, 0] * (1 if found.label == 1 else -1)
    assert found.column_effects[1] == pytest.approx(found.log_odds - odds, rel=1e-9)


@pytest.mark.parametrize("bandwidth", [[0.6, 0.6], np.full((2, 2), 0.6)], ids=["class", "both"])
def test_bandwidths_of_the_classes_share_the_columns_of_the_gaps(bandwidth):
    X, y = informative()
    X[y == 0, 0] = np.nan_to_num(X[y == 0, 0])  # one class has no gaps there
    one, each = (ParzenClassifier(bandwidth=h).fit(X, y) for h in (0.6, bandwidth))
    assert one.expansion_.mismatch < 0
    np.testing.assert_allclose(each.predict_proba(X), one.predict_proba(X), rtol=1e-9)


def test_gaps_at_random_change_nothing():
    for seed in range(10):
        _, Z, y = sample(80, seed=seed)
        assert ParzenClassifier(bandwidth=0.6).fit(Z, y).expansion_.mismatch == 0
    X, y = informative()
    assert ParzenClassifier(bandwidth=0.6).fit(X, y, np.full(80, 2)).expansion_.mismatch < 0
    assert ParzenClassifier(bandwidth=0.6).fit(X[:5], y[:5]).expansion_.mismatch == 0


def test_the_test_of_gaps_is_that_of_labels_predicted_without_the_row():
    X, y = informative()
    gaps = np.isnan(X)
    gains = np.empty(80)
    for i in range(80):
        kernels = (2 / 3) ** (gaps != gaps[i]).sum(axis=1).astype(float)
        kernels[i] = 0.0
        share = ((y == y[i]).sum() - 1) / 79
        gains[i] = np.log(kernels[y == y[i]].sum() / kernels.sum() / share)
    found, weights = _gains(Sample.labelled(gaps.astype(float), y, None), None)
    np.testing.assert_allclose(found, gains, rtol=1e-9)
    np.testing.assert_array_equal(weights, 1.0)


def test_sums_with_gaps_visit_every_pair():
    _, Z, y = sample()
    assert ParzenClassifier(bandwidth=0.6).fit(Z, y).sums_method_ == "dense"


def test_a_row_of_gaps_has_the_priors():
    _, Z, y = sample()
    clf = ParzenClassifier().fit(Z, y)
    np.testing.assert_allclose(clf.predict_proba([[np.nan] * 3])[0], clf.priors_, rtol=1e-12)


def test_rows_without_gaps_are_judged_as_before():
    X, _, y = sample()
    clf = ParzenClassifier().fit(X, y)
    plain = clf.predict_proba(X)
    queries = X.copy()
    queries[0, 0] = np.nan
    np.testing.assert_allclose(clf.predict_proba(queries)[1:], plain[1:], rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", ["loo", "kfold", "conditional_likelihood", "likelihood"])
@pytest.mark.filterwarnings("ignore:the bandwidth chosen")
def test_a_chosen_bandwidth_has_the_score_of_refits(bandwidth):
    _, Z, y = sample(30)
    chosen = ParzenClassifier(bandwidth=bandwidth).fit(Z, y)
    if bandwidth == "kfold":
        assert chosen.selection_.score < 0.3
        return
    errors, losses, likelihoods = [], [], []
    for i in range(30):
        rest = np.arange(30) != i
        refit = ParzenClassifier(bandwidth=chosen.bandwidth_).fit(Z[rest], y[rest])
        errors.append(refit.predict(Z[[i]])[0] != y[i])
        losses.append(-refit.predict_log_proba(Z[[i]])[0, y[i]])
        likelihoods.append(-refit._log_densities(Z[[i]])[0, y[i]])
    expected = {"loo": errors, "conditional_likelihood": losses, "likelihood": likelihoods}
    assert chosen.selection_.score == pytest.approx(np.mean(expected[bandwidth]), rel=1e-9)


def test_copies_count_as_weights_where_entries_are_missing():
    _, Z, y = sample(30)
    w = 1 + np.arange(30) % 2
    copies = ParzenClassifier().fit(np.repeat(Z, w, axis=0), np.repeat(y, w))
    weights = ParzenClassifier().fit(Z, y, w)
    assert weights.bandwidth_ == pytest.approx(copies.bandwidth_)
    np.testing.assert_allclose(weights.predict_proba(Z), copies.predict_proba(Z), rtol=1e-9)


@pytest.mark.parametrize(
    "classifier",
    [
        ParzenClassifier(bandwidth=0.7),
        ParzenClassifier("laplacian", bandwidth=[[0.7, 0.5, 0.9]]),
        KernelNaiveBayes(bandwidth=0.7),
    ],
    ids=str,
)
def test_a_missing_entry_has_no_effect_on_a_label(classifier):
    X, Z, y = sample()
    for rows, queries in ((Z, X), (X, Z), (Z, Z)):
        found = classifier.fit(rows, y).explain(queries, top=60)
        for one, gaps in zip(found, np.isnan(queries), strict=True):
            assert (one.column_effects[gaps] == 0).all()
            assert (one.column_effects[~gaps] != 0).all()
            assert one.supporting_shares.sum() == pytest.approx(1, rel=1e-12) or gaps.all()


def test_what_needs_every_column_says_so():
    _, Z, y = sample()
    for parameters, words in (
        ({"kernel": "epanechnikov"}, "is not a product of its columns"),
        ({"bandwidth": "lscv"}, "bandwidth='lscv' needs every column"),
        ({"metric": "class"}, "NaN"),
        ({"metric": "learned"}, "NaN"),
    ):
        with pytest.raises(ValueError, match=words):
            ParzenClassifier(**parameters).fit(Z, y)
    Z[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        ParzenClassifier().fit(Z, y)


@pytest.mark.parametrize("make", [ParzenClassifier, StackedDensityClassifier])
def test_the_tags_allow_missing_values(make):
    assert make().__sklearn_tags__().input_tags.allow_nan


@pytest.mark.parametrize(
    "classifier",
    [
        ParzenClassifier(bandwidth="likelihood"),
        ParzenClassifier("laplacian", "likelihood"),
        StackedDensityClassifier("fast"),
    ],
    ids=["gaussian", "laplacian", "stack"],
)
def test_gaps_are_judged_better_than_medians(classifier, tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 240)
    X = rng.normal(size=(240, 4)) + 1.5 * y[:, None] * [1, -1, 1, 0]
    X[rng.uniform(size=X.shape) < 0.4] = np.nan
    ours = classifier.fit(X[::2], y[::2])
    rule = ParzenClassifier(bandwidth="likelihood")
    median = make_pipeline(SimpleImputer(strategy="median"), rule).fit(X[::2], y[::2])
    losses = [log_loss(y[1::2], model.predict_proba(X[1::2])) for model in (ours, median)]
    assert losses[0] < losses[1]
    model_files.save(ours, tmp_path / "model.parzen")
    again = model_files.load(tmp_path / "model.parzen")
    np.testing.assert_array_equal(again.predict_proba(X), ours.predict_proba(X))


def test_categories_may_be_none():
    X, _, y = sample(60, categories=True)
    frame = pd.DataFrame({"a": X[:, 0], "b": np.array(["x", "y", "z"])[X[:, 1].astype(int)]})
    frame = frame.astype({"b": object})
    frame.loc[::4, "b"] = None
    for clf in (ParzenClassifier(ColumnProduct()), StackedDensityClassifier("fast")):
        clf.fit(frame, y)
        assert clf.score(frame, y) > 0.7
        assert clf.predict(pd.DataFrame({"a": [np.nan], "b": [None]})).shape == (1,)


@pytest.mark.parametrize("conditional", [True, False])
def test_prediction_sets_rank_held_out_rows_where_entries_are_missing(conditional):
    X, Z, y = sample()
    X[0] = 1e3  # no kernel reaches it
    whole = ParzenClassifier(bandwidth=0.7).fit(X, y)
    queries = np.vstack([X[1:4], [[0.2, np.nan, -0.1]]])
    found = whole.p_values(queries, conditional=conditional)
    # Whole rows keep their exact values, whoever is asked with them.
    expected = whole.p_values(X[1:4], conditional=conditional)
    np.testing.assert_array_equal(found[:3], expected)
    for clf, row, p in ((whole, queries[3], found[3]), (None, X[5], None)):
        clf = clf or ParzenClassifier(bandwidth=0.7).fit(Z, y)
        p = clf.p_values(row[None], conditional=conditional)[0] if p is None else p
        rows = clf.expansion_.points
        held_out = np.empty(len(y))
        for i in range(len(y)):
            rest = np.arange(len(y)) != i
            refit = ParzenClassifier(bandwidth=0.7).fit(rows[rest], y[rest])
            held_out[i] = refit.predict_proba(rows[[i]])[0, y[i]]
        for c, own in enumerate(clf.predict_proba(row[None])[0]):
            ranked = held_out[y == c] if conditional else held_out
            wanted = (1 + (ranked <= own).sum()) / (1 + len(ranked))
            assert p[c] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("classifier", [ParzenClassifier, LaplacianClassifier])
@pytest.mark.filterwarnings("error", "ignore:class 2 has one sample:UserWarning")
def test_a_class_of_one_row_gives_no_warning_from_inside(classifier):
    _, Z, y = sample()
    y[3] = 2
    found = classifier(bandwidth=1.0).fit(Z, y).predict_proba(Z)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
