"""Bandwidths chosen along a stream from sums that are kept: those of a choice from all rows."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine, make_moons

import parzen
from parzen import KernelDensity, KernelNaiveBayes, ParzenClassifier
from parzen.bandwidth import (
    ConditionalLikelihood,
    EndOfGridWarning,
    LeaveOneOutError,
    Likelihood,
    Rule,
    kept_moments,
    kept_sums,
)
from parzen.bandwidth.kept_sums import KeptSums
from parzen.kernels import ColumnProduct, get
from parzen.samples import leave_one_out_sums

SELECTORS = [LeaveOneOutError, ConditionalLikelihood, Likelihood]
STREAMS = {
    "window of whole batches": {"window": 120, "rechoose": 40},
    "window that cuts batches": {"window": 101, "rechoose": 30},
    "many small batches": {"window": 150, "rechoose": 3},
    "forgetting": {"forget": 0.05, "rechoose": 25},
    "window and forgetting": {"window": 80, "forget": 0.02, "rechoose": 25},
    "all rows": {"rechoose": 40},
    "class weights": {"window": 120, "rechoose": 40, "class_weight": "balanced"},
    "priors and forgetting": {"forget": 0.1, "rechoose": 20, "priors": [0.3, 0.3, 0.4]},
}


@pytest.fixture(autouse=True)
def small_streams_keep_sums_too(request, monkeypatch):
    if not request.node.name.startswith("test_sums_are_kept_where"):
        monkeypatch.setattr(kept_sums, "_LEAST_ROWS", 2)
        monkeypatch.setattr(kept_sums, "_ROWS_PER_NEW_ROW", 1)


@pytest.fixture
def drifting():
    """Two classes that move; a third one comes late and leaves again."""
    X, y = make_moons(400, noise=0.3, random_state=0)
    y[200:320:5] = 2
    return X + np.linspace(0, 2, 400)[:, None], y


def batches(stream, n_rows):
    size = stream["rechoose"]
    ends = range(max(size, 30), 90 if size < 10 else n_rows + 1, size)
    return [slice(0, ends[0]), *(slice(end - size, end) for end in ends[1:])]


def feed(clf, X, y, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EndOfGridWarning)
        clf.partial_fit(X[rows], y[rows], classes=np.unique(y))


def tables_of(clf):
    return [table for part in clf._kept_sums._tables.values() for table in part]


def assert_same_choice(found, other):
    assert found.bandwidth == other.bandwidth
    assert found.at_edge == other.at_edge
    np.testing.assert_allclose(found.scores, other.scores, rtol=1e-10)
    if other.tie_scores is not None:
        np.testing.assert_allclose(found.tie_scores, other.tie_scores, rtol=1e-10)


def afresh(selector, clf, grid):
    """The choice from the rows of a classifier that still count."""
    weighted = clf._weighted(clf._rows_so_far(), clf.expansion_.kernel)
    return selector(grid=grid).select(
        weighted.X, weighted.codes, kernel=weighted.kernel, sample_weight=weighted.weights,
        priors=weighted.priors,
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore::parzen.bandwidth.EndOfGridWarning")
@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_the_choice_is_that_from_all_rows_that_count(drifting, selector, stream):
    X, y = drifting
    clf = ParzenClassifier(bandwidth=selector.name, **stream)
    other = ParzenClassifier(bandwidth=0.3, **stream)
    for rows in batches(stream, len(X)):
        for each in (clf, other):
            feed(each, X, y, rows)
        if rows.start:  # the first choice is that of fit
            assert_same_choice(clf.selection_, afresh(selector, other, clf.selection_.grid))
    assert clf._kept_sums._tables


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_naive_bayes_chooses_from_kept_sums_of_every_column(drifting, selector, stream):
    X, y = drifting
    grid = np.geomspace(0.02, 2, 24)
    clf = KernelNaiveBayes(bandwidth=selector(grid=grid), **stream)
    for rows in batches(stream, len(X)):
        feed(clf, X, y, rows)
        known = clf._rows_so_far()
        options = {name: stream.get(name) for name in ("class_weight", "priors")}
        other = KernelNaiveBayes(bandwidth=selector(grid=grid), **options)
        if len(np.unique(known.codes)) == 3:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                other.fit(known.X, known.codes, known.weights)
            np.testing.assert_array_equal(clf.bandwidth_, other.bandwidth_)
    tables = tables_of(clf)
    assert len(tables) == 2 * (len(np.unique(known.codes)) if selector is Likelihood else 1)
    for table in tables:
        (plain,) = leave_one_out_sums(table.sample, table.grid)
        found = table.held_out()
        np.testing.assert_allclose(found.log_sums, plain.log_sums, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(found.counts, plain.counts, rtol=1e-12)


@pytest.mark.parametrize("rule", ["silverman", "scott"])
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_rules_of_naive_bayes_are_those_of_all_rows(drifting, rule, stream):
    """Missing entries, a large offset, equal entries of a class, and a column that is constant."""
    X, y = drifting
    rng = np.random.default_rng(0)
    X = np.c_[X, 1e5 + rng.normal(size=400), rng.normal(size=400), rng.normal(size=400)]
    X[rng.random(X.shape) < 0.1] = np.nan
    X[y == 1, 3] = 0.25
    X[:180, 4] = 1.5
    clf = KernelNaiveBayes(bandwidth=rule, **stream)
    for rows in batches(stream, len(X)):
        feed(clf, X, y, rows)
        known = clf._rows_so_far()
        for j, c in np.ndindex(5, 3):
            own = (known.codes == c) & ~np.isnan(known.X[:, j])
            if len(np.unique(known.X[own, j])) > 1:
                w = None if known.weights is None else known.weights[own]
                afresh = Rule(rule).select(known.X[own, j][:, None], sample_weight=w).bandwidth
                np.testing.assert_allclose(clf.bandwidth_[c, j], afresh, rtol=1e-10)
        seen = ~np.isnan(known.X[:, 3])
        w = None if known.weights is None else known.weights[seen]
        column = Rule().select(known.X[seen, 3][:, None], sample_weight=w).bandwidth
        np.testing.assert_allclose(clf.bandwidth_[1, 3], column, rtol=1e-10)
    assert clf._kept_sums._moments is not None


def test_a_rule_looks_at_new_rows_only(monkeypatch):
    counts, compute = [], kept_moments.ColumnMoments.of
    monkeypatch.setattr(
        kept_moments.ColumnMoments, "of", lambda X, w: counts.append(len(X)) or compute(X, w)
    )
    X, y = make_moons(900, noise=0.3, random_state=0)
    clf = KernelNaiveBayes(window=400, rechoose=25)
    for rows in np.split(np.arange(900), 36):
        counts.clear()
        feed(clf, X, y, rows)
    assert sum(counts) == 25


def test_rules_of_entries_beyond_the_range_of_squares_are_right():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)) * [1e200, 1e-200], np.tile([0, 1], 150)
    clf = KernelNaiveBayes(window=100, rechoose=20)
    for rows in np.split(np.arange(300), 15):
        feed(clf, X, y, rows)
    plain = KernelNaiveBayes().fit(X[200:], y[200:])
    np.testing.assert_allclose(clf.bandwidth_, plain.bandwidth_, rtol=1e-10)


@pytest.mark.parametrize("rows", [slice(0, 1), slice(1, None, 2)], ids=["first row", "a class"])
@pytest.mark.parametrize(("dtype", "far"), [(np.float32, 1e9), (np.float64, 1e17)])
def test_rules_of_entries_beside_far_larger_ones_are_right(rows, dtype, far):
    X = np.random.default_rng(0).normal(size=(300, 1)).astype(dtype)
    y = np.tile([0, 1], 150)
    X[rows] *= dtype(far)
    clf = KernelNaiveBayes(window=100, rechoose=20)
    for batch in np.split(np.arange(300), 15):
        feed(clf, X, y, batch)
    plain = KernelNaiveBayes().fit(X[200:], y[200:])
    np.testing.assert_allclose(clf.bandwidth_, plain.bandwidth_, rtol=1e-6)


@pytest.mark.parametrize("name", ["loo", "conditional_likelihood", "likelihood"])
def test_naive_bayes_on_the_default_grid_chooses_as_one_without_earlier_sums(drifting, name):
    X, y = drifting
    clf = KernelNaiveBayes(bandwidth=name, window=120, rechoose=40)
    for rows in batches({"rechoose": 40}, len(X)):
        other = copy.deepcopy(clf)
        for each in (clf, other):
            feed(each, X, y, rows)
        np.testing.assert_array_equal(clf.bandwidth_, other.bandwidth_)


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "cauchy"])
def test_a_density_chooses_from_kept_sums_too(kernel):
    X = np.random.default_rng(0).normal(size=(300, 3))
    density = KernelDensity("likelihood", kernel=kernel, window=100, rechoose=20)
    for rows in np.split(np.arange(300), 15):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndOfGridWarning)
            density.partial_fit(X[rows])
            other = Likelihood(grid=density.selection_.grid).select(density.points_, kernel=kernel)
        assert_same_choice(density.selection_, other)
    assert density._kept_sums._tables


def test_bounds_are_judged_as_without_kept_sums():
    X = np.random.default_rng(0).exponential(size=(300, 1))
    density = KernelDensity("likelihood", bounds={0: (0, None)}, window=100, rechoose=50)
    for rows in np.split(np.arange(300), 6):
        density.partial_fit(X[rows])
    plain = KernelDensity("likelihood", bounds={0: (0, None)}).fit(X[200:])
    assert density.bandwidth_ == plain.bandwidth_


@pytest.mark.parametrize("kernel", ["gaussian", "uniform"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_that_leave_the_range_of_numbers_are_exact(kernel, dtype):
    """Neighbours a million bandwidths nearer than all others come, and go again."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 2)).astype(dtype)
    X[60:120] = X[:60] + dtype(1e-3) * rng.normal(size=(60, 2)).astype(dtype)
    y = np.tile([0, 0, 1], 80)
    y[:120] = np.tile([0, 1, 2], 40)  # the third class leaves
    grid = 2.0 ** np.arange(-12, 3)
    clf = ParzenClassifier(kernel, ConditionalLikelihood(grid=grid), window=120, rechoose=30)
    for rows in np.split(np.arange(240), 8):
        feed(clf, X, y, rows)
        kept = clf._rows_so_far()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndOfGridWarning)
            other = ConditionalLikelihood(grid=grid).select(kept.X, kept.codes, kernel=kernel)
        np.testing.assert_allclose(
            clf.selection_.scores, other.scores, rtol=1e-10 if dtype == np.float64 else 1e-4
        )


def counted_pairs(monkeypatch):
    pairs, compute = [], kept_sums.labelled_kernel_sums

    def counting(X, Y, *arguments, **options):
        pairs.append(len(X) * len(Y))
        return compute(X, Y, *arguments, **options)

    monkeypatch.setattr(kept_sums, "labelled_kernel_sums", counting)
    return pairs


def test_a_choice_takes_the_kernels_of_new_rows_only(monkeypatch):
    pairs = counted_pairs(monkeypatch)
    X, y = make_moons(900, noise=0.3, random_state=0)
    selector = LeaveOneOutError(grid=np.geomspace(0.05, 1, 20))
    clf = ParzenClassifier(bandwidth=selector, window=400, rechoose=25)
    for rows in np.split(np.arange(900), 36):
        pairs.clear()
        feed(clf, X, y, rows)
    assert sum(pairs) == 2 * 25 * 400 - 25**2  # batches of other sizes have left
    ((table,),) = clf._kept_sums._tables.values()
    assert table.n_bytes() == 8 * 400 * 2 * 20 * 16


def test_columns_in_units_that_differ_keep_their_sums(monkeypatch):
    """``scale="auto"`` takes powers of two, which stay while the spreads change little."""
    pairs = counted_pairs(monkeypatch)
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(np.tile(np.arange(178), 3))
    X, y = X[order] + 0.01 * np.random.default_rng(1).normal(size=(534, 13)), y[order]
    clf = ParzenClassifier(window=200, rechoose=20)
    counts = []
    for start in range(0, 520, 20):
        pairs.clear()
        feed(clf, X, y, slice(start, start + 20))
        counts.append(sum(pairs))
    assert (np.log2(clf.scale_) % 1 == 0).all()
    assert min(counts[12:]) < 0.25 * 200**2
    plain = LeaveOneOutError(grid=clf.selection_.grid)
    rows = clf._rows_so_far()
    assert_same_choice(clf.selection_, plain.select(rows.X / clf.scale_, rows.codes))


@pytest.mark.parametrize(
    ("window", "rechoose", "keeps"), [(1600, 160, True), (1600, 400, False), (800, 80, False)]
)
@pytest.mark.parametrize(
    ("make", "name"),
    [(ParzenClassifier, "likelihood"), (KernelNaiveBayes, "conditional_likelihood")],
)
def test_sums_are_kept_where_that_takes_less_time(make, name, window, rechoose, keeps):
    X, y = make_moons(4 * window // 3, noise=0.3, random_state=0)
    X[:, 1] *= 0.01  # the columns differ in scale
    clf = make(bandwidth=name, window=window, rechoose=rechoose)
    for rows in batches({"rechoose": rechoose}, len(X)):
        feed(clf, X, y, rows)
    assert bool(clf._kept_sums._tables) == keeps
    other = pickle.loads(pickle.dumps(clf))
    for each in (clf, other):
        feed(each, X, y, slice(0, rechoose))
    np.testing.assert_array_equal(clf.bandwidth_, other.bandwidth_)


@pytest.mark.parametrize(("mebibytes", "fits"), [(1, False), (6, True)])
def test_sums_that_do_not_fit_into_the_working_memory_are_not_kept(drifting, mebibytes, fits):
    X, y = drifting
    kept = ParzenClassifier(window=120, rechoose=40)
    other = ParzenClassifier(window=120, rechoose=40)
    for rows in batches({"rechoose": 40}, len(X)):
        with config_context(working_memory=mebibytes):
            feed(kept, X, y, rows)
        feed(other, X, y, rows)
    tables = tables_of(kept)
    assert bool(tables) == fits
    assert sum(table.n_bytes() for table in tables) <= mebibytes * 2**20
    assert_same_choice(kept.selection_, other.selection_)


def test_sums_of_a_stream_that_grows_fit_into_the_working_memory():
    """The more rows there are, the more batches they are in."""
    X, y = make_moons(750, noise=0.3, random_state=0)
    clf = ParzenClassifier(bandwidth=LeaveOneOutError(grid=[0.1, 0.3, 1]), rechoose=5)
    feed(clf, X, y, slice(0, 5))
    with config_context(working_memory=1):
        for start in range(5, 750, 5):
            feed(clf, X, y, slice(start, start + 5))
            sums = [part for table in tables_of(clf) for part in table.sums.values()]
            assert sum(part.nbytes for part in sums) <= 2**20


@pytest.mark.parametrize("make", [ParzenClassifier, KernelNaiveBayes])
def test_copies_pickles_and_model_files_start_without_sums(drifting, tmp_path, make):
    X, y = drifting
    clf = make(bandwidth="conditional_likelihood", window=100, rechoose=50)
    for start in range(0, 300, 50):
        feed(clf, X, y, slice(start, start + 50))
    parzen.save(clf, tmp_path / "stream.parzen")
    copies = [
        pickle.loads(pickle.dumps(clf)),
        copy.deepcopy(clf),
        parzen.load(tmp_path / "stream.parzen"),
    ]
    for other in copies:
        assert not getattr(other, "_kept_sums", kept_sums.KeptSums())._tables
        feed(other, X, y, slice(300, 350))
    feed(clf, X, y, slice(300, 350))
    for other in copies:
        np.testing.assert_array_equal(other.bandwidth_, clf.bandwidth_)
    assert not hasattr(clone(clf), "_kept_sums")


@pytest.mark.parametrize("make", [ParzenClassifier, KernelNaiveBayes])
def test_fit_and_the_first_batch_choose_as_without_a_stream(drifting, make):
    X, y = drifting
    plain = make(bandwidth="loo").fit(X, y)
    first = make(bandwidth="loo", rechoose=50).partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(first.bandwidth_, plain.bandwidth_)
    again = first.partial_fit(X[:50], y[:50]).fit(X, y)
    np.testing.assert_array_equal(again.bandwidth_, plain.bandwidth_)
    assert not hasattr(again, "_kept_sums")


@pytest.mark.parametrize(
    "clf",
    [
        ParzenClassifier(ColumnProduct(), "loo"),
        ParzenClassifier(bandwidth=LeaveOneOutError(per="class")),
        ParzenClassifier(bandwidth="kfold"),
        KernelNaiveBayes(bandwidth="cv"),
        KernelNaiveBayes(bandwidth="lscv"),
    ],
)
def test_other_choices_are_those_of_a_fit_to_all_rows(drifting, clf):
    X, y = drifting
    stream = clone(clf).set_params(window=150, rechoose=50)
    for rows in batches({"rechoose": 50}, 300):
        feed(stream, X, y, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EndOfGridWarning)
        plain = clone(clf).fit(X[150:300], y[150:300])
    np.testing.assert_allclose(stream.bandwidth_, plain.bandwidth_, rtol=1e-12)


class LatestRowsError(LeaveOneOutError):
    """The error of the second half of the rows."""

    def _held_out(self, sample, grid):
        return leave_one_out_sums(sample, grid, np.arange(len(sample) // 2, len(sample)))


class Halved(Rule):
    """Half of Silverman's rule."""

    def _select(self, sample):
        found = super()._select(sample)
        return replace(found, bandwidth=found.bandwidth / 2)


@pytest.mark.parametrize("clf", [ParzenClassifier(), KernelNaiveBayes()])
@pytest.mark.parametrize("selector", [LatestRowsError(grid=np.geomspace(0.02, 2, 24)), Halved()])
def test_selectors_of_others_choose_by_themselves(drifting, clf, selector):
    X, y = drifting
    clf = clone(clf).set_params(bandwidth=selector)
    plain = clone(clf).fit(X[150:300], y[150:300])
    clf.set_params(window=150, rechoose=50)
    for rows in batches({"rechoose": 50}, 300):
        feed(clf, X, y, rows)
    np.testing.assert_allclose(clf.bandwidth_, plain.bandwidth_, rtol=1e-12)


def test_missing_entries_are_judged_from_all_rows(drifting):
    X, y = drifting
    X[::7, 0] = np.nan
    clf = ParzenClassifier(bandwidth="loo", window=100, rechoose=50)
    for start in range(0, 300, 50):
        feed(clf, X, y, slice(start, start + 50))
    plain = ParzenClassifier(bandwidth="loo").fit(X[200:300], y[200:300])
    assert clf.bandwidth_ == plain.bandwidth_


def next_choice(kept, selector):
    """The selector that makes the next choice from the sums that are kept."""
    kept.begin(n_new=1, n_rows=1)
    return kept.serve(selector, get("gaussian"))


@pytest.mark.parametrize("unit", [1e-3, 1.0, 700.0])
@pytest.mark.parametrize("steps", [8, 4, 1])
def test_a_rounded_grid_has_the_steps_of_the_grid_between_powers_of_two(unit, steps):
    grid = unit * 2.0 ** (np.arange(0, 5 * steps + 1) / steps)
    found = kept_sums._rounded(grid)
    low = np.ceil(np.log2(unit))
    np.testing.assert_allclose(found, 2.0 ** (low + np.arange(5 * steps + 1) / steps), rtol=1e-14)
    assert kept_sums._rounded(1.1 * grid[[0, -1]]).shape == (6,)


@pytest.mark.filterwarnings("ignore::parzen.bandwidth.EndOfGridWarning")
def test_sums_of_the_same_rows_with_other_weights_are_computed_anew():
    X, y = make_moons(96, noise=0.3, random_state=0)
    rng, grid = np.random.default_rng(1), np.geomspace(0.1, 1.0, 9)
    kept, afresh = KeptSums(), ConditionalLikelihood(grid=grid)
    first = rng.uniform(0.5, 2.0, 96)
    factors = np.where(y == 0, 0.5, 3.0)
    for weights in (first, factors * first, rng.uniform(0.5, 2.0, 96), None, first[::-1].copy()):
        found = next_choice(kept, afresh).select(X, y, sample_weight=weights)
        assert_same_choice(found, afresh.select(X, y, sample_weight=weights))
    for rows, columns in ((slice(None), slice(None, None, -1)), (slice(10, None), slice(1))):
        found = next_choice(kept, afresh).select(X[rows, columns], y[rows])
        assert_same_choice(found, afresh.select(X[rows, columns], y[rows]))


@pytest.mark.filterwarnings("ignore::parzen.bandwidth.EndOfGridWarning")
@pytest.mark.parametrize("kernel", ["uniform", "gaussian"])
def test_light_rows_keep_their_digits_when_the_heavy_ones_leave(kernel):
    """In units of the heavy rows their sums are below the normal numbers."""
    X, y = make_moons(96, noise=0.3, random_state=0)
    grid, weights = np.geomspace(0.5, 2.0, 7), np.where(np.arange(96) < 32, 9e13, 1e-305)
    weights[32:] *= np.random.default_rng(0).uniform(0.3, 1.0, 64)
    kept, afresh = KeptSums(), ConditionalLikelihood(grid=grid)
    for rows in (slice(0, 64), slice(32, 96)):
        how = {"kernel": kernel, "sample_weight": weights[rows]}
        found = next_choice(kept, afresh).select(X[rows], y[rows], **how)
        assert_same_choice(found, afresh.select(X[rows], y[rows], **how))
