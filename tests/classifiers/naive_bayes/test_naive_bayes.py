"""Naive Bayes beyond numbers: missing entries, categories, tables of text, bandwidths by column."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from parzen import KernelNaiveBayes, ParzenClassifier
from parzen.bandwidth import get_selector, silverman


@pytest.fixture
def holes(blobs):
    """A tenth of the entries missing."""
    X, y = blobs[0].copy(), blobs[1]
    X[np.random.default_rng(5).uniform(size=X.shape) < 0.1] = np.nan
    return X, y


def test_a_missing_entry_leaves_its_column_out(blobs):
    X, y = blobs
    clf = KernelNaiveBayes().fit(X, y)
    half = X.copy()
    half[:, 1] = np.nan
    first_only = KernelNaiveBayes().fit(X[:, :1], y)
    np.testing.assert_allclose(
        clf.predict_proba(half), first_only.predict_proba(X[:, :1]), rtol=1e-12
    )
    nothing = np.full((1, 2), np.nan)
    np.testing.assert_allclose(clf.predict_proba(nothing), [clf.priors_], rtol=1e-14)


def test_missing_entries_are_left_out_of_the_densities(holes):
    X, y = holes
    clf = KernelNaiveBayes(bandwidth=0.5).fit(X, y)
    for j in range(2):
        kept = ~np.isnan(X[:, j])
        column = KernelNaiveBayes(bandwidth=0.5, priors=clf.priors_).fit(X[kept][:, [j]], y[kept])
        query = np.full((1, 2), np.nan)
        query[0, j] = 0.8
        np.testing.assert_allclose(
            clf.predict_proba(query), column.predict_proba([[0.8]]), rtol=1e-12
        )
    assert clf.loo_predictions_.shape == y.shape


def test_a_class_without_entries_in_a_column_is_not_judged_by_it(blobs):
    X, y = blobs[0].copy(), blobs[1]
    X[y == 2, 1] = np.nan
    clf = KernelNaiveBayes(bandwidth=0.7).fit(X, y)
    query = np.array([[np.nan, 0.3]])
    np.testing.assert_allclose(clf.predict_proba(query)[0, 2], clf.priors_[2], rtol=1e-12)


def test_a_column_without_entries_says_nothing(blobs):
    X, y = blobs
    wider = np.column_stack([X, np.full(len(X), np.nan)])
    clf = KernelNaiveBayes().fit(wider, y)
    queries = np.column_stack([X, np.arange(len(X))])
    expected = KernelNaiveBayes().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(clf.predict_proba(queries), expected)
    assert clf.loo_predictions_.shape == y.shape


@pytest.mark.parametrize("rule", ["silverman", "scott", "lscv", "likelihood"])
def test_bandwidths_are_chosen_per_class_and_column(blobs, rule):
    X, y = blobs
    clf = KernelNaiveBayes(bandwidth=rule).fit(X, y)
    assert clf.bandwidth_.shape == (3, 2)
    own = np.ascontiguousarray(X[y == 1][:, 1:])
    expected = get_selector(rule).select(own).bandwidth
    np.testing.assert_allclose(clf.bandwidth_[1, 1], expected, rtol=1e-12)


@pytest.mark.parametrize("judge", ["loo", "kfold", "conditional_likelihood"])
def test_a_selector_of_labels_chooses_per_column(blobs, judge):
    X, y = blobs
    clf = KernelNaiveBayes(bandwidth=judge).fit(X, y)
    expected = get_selector(judge).select(np.ascontiguousarray(X[:, :1]), y).bandwidth
    np.testing.assert_allclose(clf.bandwidth_[:, 0], expected, rtol=1e-12)
    assert clf.score(X, y) > 0.7


@pytest.mark.parametrize(
    "bandwidth", [0.5, [0.5, 0.6, 0.7], [[0.5, 0.9]], np.full((3, 2), 0.4)], ids=str
)
def test_given_bandwidths_take_every_shape(blobs, bandwidth):
    clf = KernelNaiveBayes(bandwidth=bandwidth).fit(*blobs)
    h = np.asarray(bandwidth)
    expected = np.broadcast_to(h[:, None] if h.ndim == 1 else h, (3, 2))
    np.testing.assert_array_equal(clf.bandwidth_, expected)


def test_equal_entries_of_a_class_take_the_rule_of_the_column(blobs):
    X, y = blobs[0].copy(), blobs[1]
    X[y == 1, 0] = 3.0
    clf = KernelNaiveBayes().fit(X, y)
    np.testing.assert_allclose(clf.bandwidth_[1, 0], silverman(X[:, :1]), rtol=1e-12)


def test_a_background_bounds_what_a_column_can_say(blobs):
    X, y = blobs
    far = np.array([[50.0, 1.0]])
    bare = KernelNaiveBayes("epanechnikov", 1.0).fit(X, y)
    floored = KernelNaiveBayes("epanechnikov", 1.0, background=1e-3).fit(X, y)
    np.testing.assert_allclose(bare.predict_proba(far), [bare.priors_])
    second = KernelNaiveBayes("epanechnikov", 1.0, background=1e-3).fit(X[:, 1:], y)
    np.testing.assert_allclose(
        floored.predict_proba(far), second.predict_proba(far[:, 1:]), rtol=1e-9
    )


def test_tied_entries_give_one_warning_that_names_the_columns(recwarn):
    y = np.arange(120) % 3
    X = np.random.default_rng(0).integers(0, 3, size=(120, 3)).astype(float)
    X[:, 1] = np.random.default_rng(1).normal(size=120)
    clf = KernelNaiveBayes(bandwidth="lscv").fit(X, y)
    assert len(recwarn) == 1
    message = str(recwarn[0].message)
    assert "columns 0, 2;" in message
    assert "categorical_features" in message
    assert clf.bandwidth_.shape == (3, 3)


# Tables


def table(library, seed=0):
    frames = pytest.importorskip(library)
    rng = np.random.default_rng(seed)
    y = np.arange(120) % 2
    colour = np.where(rng.uniform(size=120) < 0.8, np.array(["red", "blue"])[y], "green")
    values = {"size": rng.normal(size=120) + y, "colour": colour, "count": rng.integers(0, 5, 120)}
    return frames.DataFrame(values), y


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_text_column_that_is_not_declared_is_named_with_its_cure(library):
    X, y = table(library)
    for marked in (None, ["count"]):
        with pytest.raises(ValueError, match=r"'colour' of X holds text .*categorical_features"):
            KernelNaiveBayes(categorical_features=marked).fit(X, y)
    with pytest.raises(ValueError, match=r"column 0 of X holds text .*categorical_features"):
        KernelNaiveBayes().fit(np.array([["red", 1.0], ["blue", 2.0]], dtype=object), [0, 1])
    with pytest.raises(ValueError, match=r"'colour' of X holds text .*encode"):
        ParzenClassifier().fit(X, y)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_text_columns_are_categories(library):
    X, y = table(library)
    by_type = KernelNaiveBayes(categorical_features="from_dtype").fit(X, y)
    by_name = KernelNaiveBayes(categorical_features=["colour"]).fit(X, y)
    assert by_type.is_categorical_.tolist() == [False, True, False]
    assert by_type.feature_names_in_.tolist() == ["size", "colour", "count"]
    np.testing.assert_array_equal(by_type.predict_proba(X), by_name.predict_proba(X))
    assert by_type.score(X, y) > 0.8
    codes = np.column_stack(
        [
            np.asarray(X["size"]),
            np.searchsorted(["blue", "green", "red"], np.asarray(X["colour"], dtype=str)),
            np.asarray(X["count"]),
        ]
    )
    numbers = KernelNaiveBayes(categorical_features=[1]).fit(codes, y)
    np.testing.assert_allclose(by_type.predict_proba(X), numbers.predict_proba(codes), rtol=1e-12)


def test_pandas_categories_missing_and_unseen_ones_say_nothing():
    pd = pytest.importorskip("pandas")
    X, y = table("pandas")
    X["colour"] = X["colour"].astype("category")
    X["size"] = X["size"].astype("Float64")
    X.loc[3, "colour"] = None
    X.loc[4, "size"] = pd.NA
    clf = KernelNaiveBayes(categorical_features="from_dtype").fit(X, y)
    odd = pd.DataFrame({"size": [0.3, 0.3], "colour": [None, "purple"], "count": [1, 1]})
    missing, unseen = clf.predict_proba(odd)
    np.testing.assert_array_equal(missing, unseen)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))


def test_an_array_of_objects_may_hold_text():
    X, y = table("pandas")
    frame = KernelNaiveBayes(categorical_features="from_dtype").fit(X, y)
    array = KernelNaiveBayes(categorical_features=[1]).fit(X.to_numpy(dtype=object), y)
    np.testing.assert_allclose(
        array.predict_proba(X.to_numpy(dtype=object)), frame.predict_proba(X), rtol=1e-12
    )


def test_infinity_is_refused_and_nan_is_not(blobs):
    X, y = blobs[0].copy(), blobs[1]
    X[0, 1] = np.nan
    KernelNaiveBayes().fit(X, y)
    assert KernelNaiveBayes().__sklearn_tags__().input_tags.allow_nan
    X[1, 0] = np.inf
    with pytest.raises(
        ValueError, match=r"infinity in column 0, row 1; replace it by .* or by NaN"
    ):
        KernelNaiveBayes().fit(X, y)


@pytest.mark.parametrize("wrong", [[7], ["height"], [True], "all", [0.5]], ids=str)
def test_columns_that_are_none_are_refused_by_name(blobs, wrong):
    with pytest.raises(ValueError, match="categorical_features"):
        KernelNaiveBayes(categorical_features=wrong).fit(*blobs)


@pytest.mark.parametrize("options", [{"smoothing": 0.0}, {"background": 1.0}, {"background": "no"}])
def test_senseless_options_are_refused_by_name(blobs, options):
    with pytest.raises((ValueError, TypeError), match=next(iter(options))):
        KernelNaiveBayes(**options).fit(*blobs)


def test_its_own_cross_validation_is_a_grid_search_over_a_factor(holes):
    X, y = holes
    clf = KernelNaiveBayes(bandwidth="cv").fit(X, y)
    rule = KernelNaiveBayes().fit(X, y).bandwidth_
    path = clf.selection_
    np.testing.assert_allclose(clf.bandwidth_, path.bandwidth * rule, rtol=1e-12)
    for place in (4, 12, 20):
        errors = []
        for train, test in StratifiedKFold(5).split(X, y):
            h = path.grid[place] * KernelNaiveBayes().fit(X[train], y[train]).bandwidth_
            fold = KernelNaiveBayes(bandwidth=h).fit(X[train], y[train])
            errors.append(1 - fold.score(X[test], y[test]))
        np.testing.assert_allclose(path.scores[place], np.mean(errors), rtol=1e-12)


def _colours(missing):
    """A table whose colours are missing in every other row of the first class only."""
    y = np.repeat([0, 1], 10)
    colours = [missing if c == 0 and i % 2 else "blue" for i, c in enumerate(y)]
    table = np.empty((20, 2), dtype=object)
    table[:, 0], table[:, 1] = np.arange(20.0), colours
    return table, y


@pytest.mark.parametrize("kind", ["array", "pandas", "string", "polars"])
def test_a_missing_category_says_nothing_however_it_is_written(kind):
    table, y = _colours(None)
    query = np.array([[np.nan, None]], dtype=object)
    X, Q = table, query
    if kind == "polars":
        pl = pytest.importorskip("polars")
        schema = {"size": pl.Float64, "colour": pl.String}
        X, Q = (pl.DataFrame(t.tolist(), schema=schema, orient="row") for t in (table, query))
    elif kind != "array":
        pd = pytest.importorskip("pandas")
        dtype = object if kind == "pandas" else "string"
        X, Q = (
            pd.DataFrame({"size": t[:, 0].astype(float), "colour": pd.Series(t[:, 1], dtype=dtype)})
            for t in (table, query)
        )
    clf = KernelNaiveBayes(categorical_features=[1]).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(Q), [clf.priors_], rtol=1e-14)
    assert clf.predict(X[:0]).shape == (0,)


def test_categories_without_a_common_order_are_refused_by_the_name_of_their_column():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"size": [1.0, 2.0], "colour": pd.Series(["blue", 3], dtype=object)})
    with pytest.raises(TypeError, match=r"column 'colour' of X are of the types int, str"):
        KernelNaiveBayes(categorical_features="from_dtype").fit(X, [0, 1])
