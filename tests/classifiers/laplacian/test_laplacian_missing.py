"""Missing values in the Laplacian classifier, beside its definition in loops over columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from parzen import LaplacianClassifier, model_files
from parzen.kernels import ColumnProduct, get


def table(n=40, share=0.3, seed=0):
    """Two classes in three columns, with gaps."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 3)) * [1.0, 1.0 + y[0], 2.0] + 1.2 * y[:, None] * [1, -1, 0]
    Z = X.copy()
    Z[rng.uniform(size=Z.shape) < share] = np.nan
    return X, Z, y


def factor(x, y, s):
    return np.exp(-0.5 * ((x - y) / s) ** 2) / (s * np.sqrt(2 * np.pi))


def column_density(x, values, w, s):
    """The density of one column at x, by the rows that have it; 1 where none has."""
    seen = ~np.isnan(values)
    return np.average(factor(x, values[seen], s), weights=w[seen]) if seen.any() else 1.0


def mean_density(values, w, s):
    """Its mean over the same rows."""
    seen = ~np.isnan(values)
    at = [column_density(x, values, w, s) for x in values[seen]]
    return np.average(at, weights=w[seen]) if seen.any() else 1.0


def terms(x, Z, w, s, gap=1.0):
    """What every row of Z adds to a sum at x, over the columns that x has.

    ``gap`` is the factor for a gap that only one of the two has.
    """
    out = w * gap ** (np.isnan(Z) != np.isnan(x)).sum(axis=1)
    for j in np.flatnonzero(~np.isnan(x)):
        lacking = np.isnan(Z[:, j])
        stand_in = column_density(x[j], Z[:, j], w, s[j])
        out *= np.where(lacking, stand_in, factor(x[j], np.nan_to_num(Z[:, j]), s[j]))
    return out


class Definition:
    """f, the weights, Q, V and gamma of the docstring; one bandwidth per column."""

    def __init__(self, Z, y, s, w=None, gap=1.0):
        n, w = len(Z), np.ones(len(Z)) if w is None else w
        peaks = 1 / (s * np.sqrt(2 * np.pi))
        means = np.array([mean_density(Z[:, j], w, s[j]) for j in range(3)])
        f = np.empty(n)
        for i in range(n):
            copies = w.copy()
            copies[i] -= 1.0  # one copy is the row itself, whose kernel is whole
            others = (terms(Z[i], Z, w, s) * copies / w).sum() * means[np.isnan(Z[i])].prod()
            f[i] = (peaks.prod() + others) / w.sum()
        self.alpha, self.s2, self.classes, self.gap = f**-0.5, s * np.sqrt(2), [], gap
        a = w * self.alpha
        for c in (0, 1):
            rows, b = Z[y == c], a[y == c]
            Q = np.array([mean_density(rows[:, j], b, self.s2[j]) for j in range(3)])
            peak = 1 / (self.s2 * np.sqrt(2 * np.pi))
            V2 = 0.0
            for i, row in enumerate(rows):
                lacks = np.isnan(row)
                others = np.delete(terms(row, rows, b, self.s2, gap), i).sum() * Q[lacks].prod()
                V2 += b[i] * (others + b[i] * peak[~lacks].prod() * Q[lacks].prod())
            self.classes.append((rows, b, Q, np.sqrt(V2)))

    def gamma(self, x):
        lacks = np.isnan(x)
        return [
            terms(x, rows, b, self.s2, self.gap).sum() * np.sqrt(Q[lacks].prod()) / V
            for rows, b, Q, V in self.classes
        ]


@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", ["everywhere", "queries"])
def test_weights_lengths_and_scores_follow_the_definition(per_column, weighted, gaps):
    X, Z, y = table()
    if gaps == "everywhere":
        Z[y == 1, 2] = np.where(np.arange(20) > 3, np.nan, Z[y == 1, 2])
    w = 1.0 + np.arange(40) % 3 if weighted else None
    s = np.array([0.5, 0.8, 1.5]) if per_column else np.full(3, 0.7)
    rows = Z if gaps == "everywhere" else X
    clf = LaplacianClassifier(bandwidth=s[None] if per_column else 0.7).fit(rows, y, w)
    gap = np.exp(clf.expansion_.mismatch)
    assert (gap < 1) == (gaps == "everywhere")
    expected = Definition(rows, y, s, w, gap)
    np.testing.assert_allclose(clf.weights_, expected.alpha, rtol=1e-10)
    lengths = [V for *_, V in expected.classes]
    np.testing.assert_allclose(np.exp(clf.log_normalizers_), lengths, rtol=1e-10)
    found = np.exp(clf._log_densities(Z[:12]))
    np.testing.assert_allclose(found, [expected.gamma(x) for x in Z[:12]], rtol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_left_out_rows_are_those_of_refits_without_weights(weighted):
    _, Z, y = table()
    w = 1 + np.arange(40) % 2 if weighted else np.ones(40)
    clf = LaplacianClassifier(bandwidth=0.7, power=0).fit(Z, y, w)
    rows = np.array([0, 5, 8, 13, 17, 20])
    refits = []
    for i in rows:
        left = w.copy()
        left[i] -= 1
        refits.append(clone(clf).fit(Z, y, left)._log_densities(Z[[i]])[0])
    # The lengths of the class means alone are those of the fit less the row's own terms.
    np.testing.assert_allclose(clf._scored[0][rows], refits, atol=0.03)
    others = np.arange(len(rows)), 1 - y[rows]
    np.testing.assert_allclose(clf._scored[0][rows][others], np.array(refits)[others], rtol=1e-9)


def test_classes_with_bandwidths_of_their_own_equal_one_that_is_shared():
    _, Z, y = table()
    one = LaplacianClassifier(bandwidth=0.7).fit(Z, y)
    both = LaplacianClassifier(bandwidth=[0.7, 0.7]).fit(Z, y)
    np.testing.assert_allclose(both.cosines(np.zeros((1, 3))), one.cosines(np.zeros((1, 3))), 0.2)
    assert (both.predict(Z) == one.predict(Z)).mean() > 0.9


def test_gaps_that_tell_the_class_have_a_share_in_the_scores(tmp_path):
    _, Z, y = table(80)
    Z[(y == 1) & (np.arange(80) % 3 > 0), 2] = np.nan
    clf = LaplacianClassifier(bandwidth=0.7).fit(Z, y)
    assert clf.expansion_.mismatch < 0
    assert clf.predict_proba([[np.nan] * 3])[0, 1] > 0.6
    model_files.save(clf, tmp_path / "model.parzen")
    again = model_files.load(tmp_path / "model.parzen")
    np.testing.assert_array_equal(again.predict_proba(Z), clf.predict_proba(Z))


def test_units_of_a_column_do_not_matter():
    _, Z, y = table()
    units = np.array([1.0, 1e-3, 1e4])
    plain = LaplacianClassifier(bandwidth=np.full((1, 3), 0.7)).fit(Z, y)
    other = LaplacianClassifier(bandwidth=0.7 * units[None]).fit(Z * units, y)
    np.testing.assert_allclose(other.predict_proba(Z * units), plain.predict_proba(Z), rtol=1e-8)


def test_copies_count_as_weights():
    _, Z, y = table(30)
    w = 1 + np.arange(30) % 3
    copies = LaplacianClassifier(bandwidth=0.6).fit(np.repeat(Z, w, axis=0), np.repeat(y, w))
    weights = LaplacianClassifier(bandwidth=0.6).fit(Z, y, w)
    assert weights.exponent_ == pytest.approx(copies.exponent_, rel=1e-6)
    np.testing.assert_allclose(weights.predict_proba(Z), copies.predict_proba(Z), rtol=1e-6)


def test_independent_columns_are_judged_as_if_the_missing_one_had_never_been():
    rng = np.random.default_rng(3)
    parts = []
    for mean, first, second in ((0, 1, 1), (1, 1.5, 3)):
        columns = np.meshgrid(rng.normal(mean, first, 12), rng.normal(0, second, 9))
        parts.append(np.column_stack([column.ravel() for column in columns]))
    X, y = np.concatenate(parts), np.repeat([0, 1], 108)
    both = LaplacianClassifier(bandwidth=0.6, power=0).fit(X, y)
    one = LaplacianClassifier(bandwidth=0.6, power=0).fit(X[:, :1], y)
    queries = np.column_stack([np.linspace(-2, 3, 9), np.full(9, np.nan)])
    ratios = [np.diff(clf._log_densities(q)) for clf, q in ((both, queries), (one, queries[:, :1]))]
    np.testing.assert_allclose(*ratios, rtol=1e-9)


@pytest.mark.slow
def test_a_cross_validated_bandwidth_has_the_error_of_its_folds():
    _, Z, y = table(60)
    clf = LaplacianClassifier(bandwidth="cv").fit(Z, y)
    errors = []
    for train, test in StratifiedKFold(3).split(Z, y):
        fold = LaplacianClassifier(bandwidth=clf.bandwidth_).fit(Z[train], y[train])
        errors.append(1 - fold.score(Z[test], y[test]))
    assert clf.selection_.score == pytest.approx(np.mean(errors))


@pytest.mark.parametrize("bandwidth", ["silverman", "loo", "likelihood"])
def test_sets_and_novelty_rank_left_out_rows(bandwidth, tmp_path):
    _, Z, y = table(300)
    _, new, truth = table(600, seed=1)
    clf = LaplacianClassifier(bandwidth=bandwidth, novelty=0.05).fit(Z, y)
    sets = clf.predict_set(new, 0.1)
    error = np.sqrt(0.09 * (1 / 300 + 1 / 600))
    assert abs(sets[np.arange(600), truth].mean() - 0.9) < 3 * error
    assert (clf.novelty_p_values(new) <= 0.1).mean() < 0.1 + 3 * error
    assert clf.novelty_p_values([[40.0, -40.0, np.nan]]) < 0.02
    assert clf.predict([[40.0, -40.0, np.nan]]) == -2
    model_files.save(clf, tmp_path / "model.parzen")
    again = model_files.load(tmp_path / "model.parzen")
    np.testing.assert_array_equal(again.p_values(new), clf.p_values(new))
    np.testing.assert_array_equal(again.predict_proba(new), clf.predict_proba(new))


def test_whole_rows_keep_their_exact_p_values_beside_rows_with_gaps():
    X, Z, y = table()
    clf = LaplacianClassifier(bandwidth=0.7).fit(X, y)
    alone, mixed = clf.p_values(X[:4]), clf.p_values(np.vstack([X[:4], Z]))
    np.testing.assert_array_equal(mixed[:4], alone)
    left, codes, _ = clf._scored
    row = Z[np.isnan(Z).any(axis=1)][:1]
    log_odds = np.diff(left) * clf.exponent_
    at = np.diff(clf._log_densities(row))[0, 0] * clf.exponent_
    wanted = (1 + (log_odds[codes == 1, 0] <= at).sum()) / (1 + (codes == 1).sum())
    assert clf.p_values(row)[0, 1] == pytest.approx(wanted)


def test_gaps_are_judged_better_than_medians():
    _, Z, y = table(240, 0.4)
    median = make_pipeline(SimpleImputer(strategy="median"), LaplacianClassifier())
    ours, theirs = (
        clf.fit(Z[:120], y[:120]).score(Z[120:], y[120:]) for clf in (LaplacianClassifier(), median)
    )
    assert ours > theirs


def test_categories_may_be_none():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    level = np.where(rng.uniform(size=80) < 0.1, 1 - y, y)
    frame = pd.DataFrame({"a": rng.normal(size=80) + y, "b": np.array(["x", "y"], object)[level]})
    frame.loc[::4, "b"] = None
    frame.loc[::5, "a"] = np.nan
    clf = LaplacianClassifier(ColumnProduct()).fit(frame, y)
    assert clf.score(frame, y) > 0.7
    assert clf.predict_proba(pd.DataFrame({"a": [np.nan], "b": [None]})).shape == (1, 2)


def test_ordered_categories_may_be_missing():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    frame = pd.DataFrame(
        {"a": rng.normal(size=120) + y, "level": rng.integers(1, 4, 120) + 2.0 * y}
    )
    frame.loc[::4, "level"] = np.nan
    clf = LaplacianClassifier(ColumnProduct(ordered=["level"], unordered=[])).fit(frame, y)
    assert clf.score(frame, y) > 0.8
    np.testing.assert_allclose(clf.predict_proba(frame).sum(axis=1), 1.0, rtol=1e-12)


def test_what_needs_whole_rows_says_so():
    X, Z, y = table()
    for parameters, words in (
        ({"keep": 0.5}, "keep=0.5 and n_density_samples=None need every column"),
        ({"n_density_samples": 10}, "need every column"),
        ({"kernel": "epanechnikov"}, "is not a product of its columns"),
        ({"kernel": "laplacian"}, "convolved with itself"),
        ({"bandwidth": "lscv"}, "needs every column"),
    ):
        clf = LaplacianClassifier(**parameters)
        with pytest.raises(ValueError, match=words):
            clf.fit(Z, y)
        is_allowed = clf.__sklearn_tags__().input_tags.allow_nan
        assert is_allowed == ("bandwidth" in parameters)
    clf = LaplacianClassifier(bandwidth=0.7).fit(X, y)
    assert clf.__sklearn_tags__().input_tags.allow_nan
    for method in (clf.explain, clf.cosines):
        with pytest.raises(ValueError, match="no missing values"):
            method(Z)
    assert LaplacianClassifier(get("gaussian")).__sklearn_tags__().input_tags.allow_nan


def test_cosines_tell_of_any_kind_of_gap_and_of_bandwidths_for_columns():
    pd = pytest.importorskip("pandas")
    X, Z, y = table()
    clf = LaplacianClassifier(bandwidth=0.7).fit(X, y)
    with pytest.raises(ValueError, match="no missing values"):
        clf.cosines(pd.DataFrame(Z).astype("Float64"))
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", "v")})
    with pytest.raises(ValueError, match="cosines needs one bandwidth"):
        LaplacianClassifier(ColumnProduct()).fit(frame, y).cosines(frame)


@pytest.mark.parametrize("bandwidth", [0.7, np.array([0.5, 0.9])])
def test_a_row_with_gaps_changes_nothing_for_the_rows_beside_it(bandwidth):
    X, _, y = table()
    clf = LaplacianClassifier(bandwidth=bandwidth).fit(X, y)
    rows = np.vstack([X[:5] + 1.0, [[0.0, np.nan, 0.0]]])
    for method in (clf.novelty_p_values, clf.p_values, clf.predict_proba):
        np.testing.assert_allclose(method(rows)[:5], method(rows[:5]), rtol=1e-12)
