"""The protocol of Kim & Scott (2010), piece by piece, on small settings."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from parzen import L2Classifier, ParzenClassifier, datasets
from parzen.compare.cache import Cache
from parzen.compare.tasks import Runner
from parzen.kernels import get
from parzen.papers import paper, reproduce
from parzen.papers.engine.benchmark import Benchmark, scaled
from parzen.papers.engine.columns import Column, consensus, svm_errors
from parzen.papers.engine.paper import Setting
from parzen.papers.engine.study import Extent, choose
from parzen.papers.l2 import (
    banana as _l2_banana,
    grids,
    printed as printed,
    scaling,
    study as l2,
    theory,
)
from parzen.papers.l2.all_columns import l2_with_all_columns, ratio_of_constant_columns
from parzen.papers.l2.linear_rule import LinearL2, LinearParzen
from parzen.papers.l2.methods import COLUMNS, FEW_SIGMAS, SIGMAS
from parzen.papers.l2.pairs import PairwiseL2


@pytest.fixture
def tiny(monkeypatch):
    """The paper with two small generated sets in place of its eighteen."""
    sets = {
        "Banana": Benchmark("mixture", "Banana", 60, 100, 6, 1),
        "Ringnorm": Benchmark("ringnorm", "Ringnorm", 150, 400, 4, 20),
        "Heart": Benchmark("no such set", "Heart", 10, 10, 2, 1),
    }
    study = replace(l2.STUDY, sets=sets, quick_sets=("Banana", "Ringnorm"))
    monkeypatch.setattr(l2, "STUDY", study)
    load = datasets.load

    def lacking(name):
        if name == "no such set":
            raise datasets.UnavailableError("it is in no package.")
        return load(name)

    monkeypatch.setattr(datasets, "load", lacking)
    return sets


@pytest.mark.slow
def test_tables_2_to_4_are_made_and_absent_sets_named(tiny, tmp_path):
    found = reproduce("l2", table=3, quick=True, out=tmp_path, n_jobs=1)
    table = found.table(3)
    assert [row.name for row in table.rows] == ["Banana", "Ringnorm"]
    assert list(table.rows[0].cells) == list(printed.COLUMNS)
    assert table.rows[0].cells["Parzen"].mean == 100.0
    assert table.rows[0].cells["L2QP-0"].mean < 60.0
    assert table.skipped["Heart"] == "it is in no package."
    again = reproduce("l2", table=3, quick=True, out=tmp_path, n_jobs=1)
    assert again == found
    assert (tmp_path / "l2_table_3_quick.json").is_file()


@pytest.mark.slow
def test_linear_arithmetic_calls_all_distant_points_positive(tiny, tmp_path):
    row = reproduce("l2", table="ringnorm", quick=True, out=tmp_path, n_jobs=1).tables[0].rows[0]
    assert row.cells["Parzen, linear"].mean < 0.5 * row.cells["Parzen"].mean
    assert row.cells["L2QP-0, σ per class"].mean < row.cells["L2QP-0"].mean


def test_medians_of_the_first_training_sets_are_used_on_all_splits(tiny, tmp_path, monkeypatch):
    used = []
    column = COLUMNS["Parzen"]
    spy = Column(lambda p: used.append(p["sigma"]) or column.make(p), column.select)
    study = replace(l2.STUDY, columns={"Parzen": spy}, extent=lambda *a: Extent(3, 6))
    monkeypatch.setattr(l2, "STUDY", study)
    setting = Setting(Runner(Cache(tmp_path)), False, tmp_path)
    found = study.measure(setting, ["Banana"], ["Parzen"])["Banana"]["Parzen"]
    chosen = [
        choose(l2.__name__, "Banana", "Parzen", i, False, "", 1)["parameters"]["sigma"]
        for i in range(3)
    ]
    assert used == [np.median(chosen)] * 6
    data, (splits, official) = tiny["Banana"].load(), tiny["Banana"].splits(6)
    assert official == 0
    train, test = splits[4]
    y = np.where(data.y > 0, 0, 1)
    clf = ParzenClassifier(bandwidth=used[0]).fit(data.X[train], y[train])
    assert found.error[4] == pytest.approx(1 - clf.score(data.X[test], y[test]))


def test_the_error_of_the_folds_is_that_of_a_grid_search():
    X, y = make_moons(80, noise=0.3, random_state=0)
    sigmas, costs = np.array([0.25, 1.0]), np.array([0.5, 8.0])
    search = GridSearchCV(
        SVC(), {"gamma": 1 / (2 * sigmas**2), "C": costs}, cv=StratifiedKFold(5)
    ).fit(X, y)
    for p, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
        i = int(np.flatnonzero(np.isclose(1 / (2 * sigmas**2), p["gamma"]))[0])
        j = int(np.flatnonzero(costs == p["C"])[0])
        assert svm_errors(X, y, sigmas, costs)[i, j] == pytest.approx(1 - score)


@pytest.mark.slow
def test_a_tie_goes_to_the_largest_sigma_and_the_smallest_cost():
    X = np.array([[-5.0], [-4.0], [-6.0], [-5.5], [-4.5], [5.0], [4.0], [6.0], [5.5], [4.5]])
    y = np.repeat([0, 1], 5)
    chosen = COLUMNS["S-SVM"].select(X, y, False)
    errors = svm_errors(X, y, 2.0 ** np.arange(-2, 8), 2.0 ** np.arange(-5, 16, 2))
    best = errors <= errors.min()
    i = int(np.flatnonzero(best.any(axis=1))[-1])
    assert chosen == {"sigma": 2.0 ** (i - 2), "C": 2.0 ** (2 * int(np.argmax(best[i])) - 5)}


def test_medians_keep_pairs_and_whole_numbers_and_words():
    assert consensus([{"s": [1.0, 4.0]}, {"s": [2.0, 9.0]}, {"s": [3.0, 5.0]}]) == {"s": [2.0, 5.0]}
    assert consensus([{"k": 3}, {"k": 5}, {"k": 9}]) == {"k": 5}
    assert consensus([{"w": "a"}]) == {"w": "a"}


def test_the_linear_rule_is_the_right_one_where_nothing_underflows():
    X, y = make_moons(200, noise=0.3, random_state=0)
    linear, right = LinearParzen(0.3).fit(X[:100], y[:100]), ParzenClassifier(bandwidth=0.3)
    np.testing.assert_array_equal(
        linear.predict(X[100:]), right.fit(X[:100], y[:100]).predict(X[100:])
    )


def test_official_splits_come_first_and_repetitions_are_dropped(monkeypatch):
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    one, two = (np.arange(10), np.arange(10, 20)), (np.arange(10, 20), np.arange(10))
    data = datasets.Dataset("toy", X, y, "here", (one, two, (one[0][::-1], one[1])))
    monkeypatch.setattr(datasets, "load", lambda name: data)
    benchmark = Benchmark("toy-with-splits", "Toy", 10, 5, 100, 1)
    splits, official = benchmark.splits(4)
    assert official == 2
    assert [len(test) for _, test in splits] == [10, 10, 5, 5]
    np.testing.assert_array_equal(splits[0][0], one[0])
    assert benchmark.note(4) == "2 official, 2 seeded"
    np.testing.assert_array_equal(benchmark.splits(3)[0][2][0], splits[2][0])


def test_scalings():
    X = np.array([[0.0, 5.0], [4.0, 5.0], [2.0, 5.0]])
    np.testing.assert_allclose(scaled(X, "range"), [[-1, 0], [1, 0], [0, 0]])
    np.testing.assert_allclose(scaled(X, "standard")[:, 0].std(ddof=1), 1.0)
    assert scaled(X, "none") is not None


def test_an_unknown_paper_or_table_is_refused_with_what_there_is(tmp_path):
    with pytest.raises(ValueError, match="unknown paper 'l3'; there are notes, l2"):
        reproduce("l3", out=tmp_path)
    with pytest.raises(ValueError, match=r"no table 9; there are: 1, 2, 3, 4"):
        reproduce("l2", table=9, out=tmp_path)
    with pytest.raises(ValueError, match="no table five"):
        reproduce("l2", table="1,five", out=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_figures_are_saved_with_what_is_seen_in_numbers(tiny, tmp_path):
    found = reproduce("l2", figure=1, quick=True, out=tmp_path, n_jobs=1)
    assert found.tables == []
    assert (tmp_path / found.figures[0].files[0]).stat().st_size > 1000
    assert "nonzero weights" in found.figures[0].notes[0]


@pytest.fixture
def crescents(monkeypatch, tiny):
    """Two small crescents in place of Banana; the training rows of the n-th split."""
    monkeypatch.setattr(_l2_banana, "SETS", {"Banana": tiny["Heart"]})  # in no package
    monkeypatch.setattr(_l2_banana, "_CRESCENTS", 300)
    monkeypatch.setattr(_l2_banana, "_TRAINING", 80)
    monkeypatch.setattr(_l2_banana, "SMOOTHINGS", (0.0, 1.0))
    X, y = make_moons(300, noise=0.3, random_state=0)
    orders = [np.random.default_rng(seed).permutation(300) for seed in range(2)]
    return [(X[r[:80]], y[r[:80]], X[r[80:]], y[r[80:]]) for r in orders]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_boundaries_of_banana_count_the_kernels_that_are_drawn(crescents, tmp_path):
    (figure,) = reproduce("l2", figure=2, quick=True, out=tmp_path, n_jobs=1).figures
    assert (tmp_path / figure.files[0]).stat().st_size > 1000
    assert "two crescents instead of Banana: it is in no package." in figure.notes
    X, y, _, _ = crescents[0]
    for k, printed_count in ((0, 77), (1, 66)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            clf = L2Classifier(smoothing=k, grid=SIGMAS[::3]).fit(X, y)
        counted = f"{len(clf.support_)} of 80 kernels (printed {printed_count})"
        assert f"L2QP-{k}, σ {clf.bandwidth_:.3f}: {counted}" in figure.notes
    assert figure.notes[3].startswith("S-SVM, ")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the bandwidth chosen")
def test_sparsity_against_smoothing_is_measured_on_the_test_rows(crescents, tmp_path):
    (figure,) = reproduce("l2", figure="sparsity", quick=True, out=tmp_path, n_jobs=1).figures
    assert (tmp_path / figure.files[0]).stat().st_size > 1000
    kept, errors = [], []
    for X, y, X_test, y_test in crescents:
        clf = L2Classifier(smoothing=1.0, grid=SIGMAS[::3]).fit(X, y)
        kept.append(100 * len(clf.support_) / 80)
        errors.append(100 * (1 - clf.score(X_test, y_test)))
    shown = f"k = 1: {np.mean(kept):.1f} % of the kernels, error {np.mean(errors):.1f} %"
    assert any(note.startswith(shown) for note in figure.notes)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the bandwidth chosen")
def test_the_variants_of_section_5_are_measured_beside_the_programme(tiny, tmp_path):
    found = reproduce("l2", table="variants,variants_kept", quick=True, out=tmp_path, n_jobs=1)
    cells = found.table("variants_kept").rows[0].cells
    assert list(cells) == list(l2.VARIANTS)
    assert cells["L2LE-0, ridge"].mean == cells["L2LE-0, CG"].mean == 100.0
    assert cells["L2QP-0, A'"].mean <= cells["L2QP-0"].mean < 100.0
    errors = found.table("variants").rows[0].cells
    # Ten steps of conjugate gradients nearly solve a system of one dimension, and fit its noise.
    assert max(cell.mean for name, cell in errors.items() if name != "L2LE-0, CG") < 20.0


def test_every_paper_can_be_asked_for_its_tables_and_figures():
    assert paper("l2").figure_numbers() == ["1", "2", "sparsity", "theory"]


@pytest.mark.slow
def test_several_tables_are_computed_at_once(tiny, tmp_path):
    found = reproduce("l2", table="1, ringnorm", quick=True, out=tmp_path, n_jobs=1)
    assert [t.number for t in found.tables] == ["1", "ringnorm"]
    assert "--table 1,ringnorm --quick" in found.command
    assert (tmp_path / "l2_table_1_ringnorm_quick.json").is_file()


def test_the_simulation_of_section_3_shows_what_is_proved(tmp_path):
    few, many = ([theory.measured(n, seed) for seed in range(12)] for n in (40, 320))

    def mean(found, name):
        return np.mean([one[name] for one in found])

    for found in (few, many):
        values = np.array([one["own kernel left out"] for one in found])
        assert abs(values.mean()) < 4 * values.std() / np.sqrt(len(values))
        assert all(one["deviation"] < one["bound"] for one in found)
    assert mean(few, "own kernel kept") - mean(few, "own kernel left out") > 0.005
    for name in ("deviation", "bound", "classifier", "density", "error"):
        assert 0.0 < mean(many, name) < mean(few, name)


def test_the_squared_error_of_the_simulation_is_the_integral():
    X, y = theory.draw(60, 0)
    clf = L2Classifier(bandwidth=0.5).fit(X, y)
    x, weights = clf.support_vectors_[:, 0], clf.dual_coef_[0]
    line = np.linspace(-12, 12, 20_001)
    estimate = norm.pdf(line[:, None], x, 0.5) @ weights
    truth = norm.pdf(line, 1, 1) - 0.7 * norm.pdf(line, -1, 1)
    integral = np.trapezoid((estimate - truth) ** 2, line)
    assert theory._squared_error(x, weights, 0.5, 0.7) == pytest.approx(integral, rel=1e-9)


@pytest.mark.slow
def test_the_grid_finds_the_point_that_meets_both_printed_figures(tiny, tmp_path, monkeypatch):
    """Printed figures that a point of the grid has are found there, on all splits."""
    monkeypatch.setattr(grids, "SETS", {"Banana": tiny["Banana"]})
    monkeypatch.setattr(grids, "TITLES", ("Banana",))
    monkeypatch.setattr(grids, "COLUMNS", ("L2QP-0",))
    monkeypatch.setattr(grids, "_SEARCHED", {"L2QP-0": ("L2QP-0",)})
    monkeypatch.setattr(grids, "_ALL_SPLITS", 3)
    X, y = tiny["Banana"].sample()
    wanted = SIGMAS[30]
    found = []
    for train, test in tiny["Banana"].splits(3)[0]:
        clf = L2Classifier(bandwidth=wanted).fit(X[train], y[train])
        found.append((100 - 100 * clf.score(X[test], y[test]), 100 * len(clf.support_) / 60))
    for name, value in zip(("_ERROR", "_KEPT"), np.mean(found, axis=0), strict=True):
        cell = {"printed": value, "printed_sd": 0.2}
        monkeypatch.setattr(grids, name, {"Banana": {"L2QP-0": cell}})
    table = reproduce("l2", table="grid", out=tmp_path, n_jobs=1).tables[0]
    cell = table.rows[0].cells["L2QP-0"]
    assert cell.agrees
    assert cell.n == 3
    assert cell.parameters["sigma"] == pytest.approx(wanted, rel=1e-3)
    assert cell.values == pytest.approx([kept for _, kept in found], abs=1e-3)


@pytest.mark.slow
def test_figures_of_a_point_halfway_are_found_between_the_points_of_the_grid(
    tiny, tmp_path, monkeypatch
):
    monkeypatch.setattr(grids, "SETS", {"Banana": tiny["Banana"]})
    monkeypatch.setattr(grids, "TITLES", ("Banana",))
    monkeypatch.setattr(grids, "COLUMNS", ("L2QPη-0",))
    monkeypatch.setattr(grids, "_SPLITS", 3)
    monkeypatch.setattr(grids, "_ALL_SPLITS", 3)
    X, y = tiny["Banana"].sample()
    wanted = float(np.mean(10.0 ** np.array([-0.2, 0.1])))  # between the seventh and the eighth
    eta = 2.0 ** (4 / 18)  # the fifth of ten
    found_by_hand = []
    for train, test in tiny["Banana"].splits(3)[0]:
        clf = L2Classifier(bandwidth=wanted, eta=eta).fit(X[train], y[train])
        found_by_hand.append(
            (100 - 100 * clf.score(X[test], y[test]), 100 * len(clf.support_) / 60)
        )
    for name, value in zip(("_ERROR", "_KEPT"), np.mean(found_by_hand, axis=0), strict=True):
        cell = {"printed": value, "printed_sd": 0.01}
        monkeypatch.setattr(grids, name, {"Banana": {"L2QPη-0": cell}})
    found = reproduce("l2", table="grid,between", out=tmp_path, n_jobs=1)
    cells = {table.number: table.rows[0].cells["L2QPη-0"] for table in found.tables}
    assert not cells["grid"].agrees
    assert cells["between"].agrees
    assert cells["between"].mean == pytest.approx(np.mean(found_by_hand, axis=0)[1], abs=1e-3)


def test_the_hard_margin_may_have_larger_costs_than_the_soft_one():
    soft, hard = (grids.points(kind, 2) for kind in ("SVM", "H-SVM"))
    assert max(p["C"] for p in soft) == 2.0**15 < min(p["C"] for p in hard)
    assert {p["sigma"] for p in soft} == {p["sigma"] for p in hard}


def test_another_scale_is_that_of_standardised_columns(tiny, tmp_path, monkeypatch):
    sets = {"Banana": replace(tiny["Banana"], scaling="standard")}
    study = replace(scaling.STUDY, sets=sets, extent=lambda *a: Extent(1, 4))
    monkeypatch.setattr(scaling, "STUDY", study)
    monkeypatch.setattr(l2, "RESCALED", study)
    monkeypatch.setattr(l2, "METHODS", ("Parzen",))
    found = reproduce("l2", table="scaling", out=tmp_path, n_jobs=1).table("scaling")
    cell = found.rows[0].cells["Parzen"]
    data = datasets.load("mixture")
    Z = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0, ddof=1)
    errors = []
    for train, test in sets["Banana"].splits(4)[0]:
        K = rbf_kernel(Z[test], Z[train], gamma=1 / (2 * cell.parameters["sigma"] ** 2))
        sums = np.stack([K[:, data.y[train] == c].sum(axis=1) for c in data.classes])
        errors.append(100 * np.mean(data.classes[sums.argmax(axis=0)] != data.y[test]))
    assert cell.values == pytest.approx(errors, abs=1e-3)


def test_the_criterion_is_that_of_class_means_in_feature_space():
    """Section 4.2, with another sign before its last term, which the line after it has too."""
    X, y = datasets.make_mixture(40, random_state=0)
    s, gamma = 0.7, float(np.sum(y == -1) / np.sum(y == 1))
    machine = L2Classifier(bandwidth=s, scale=None).fit(X, y)
    K, wide = (get("gaussian")(X, X, bandwidth=h) for h in (s, np.sqrt(2) * s))
    plus, minus = y == 1, y == -1
    n_plus, n_minus = plus.sum(), minus.sum()

    def criterion(a):
        first = np.where(plus, a, 0.0) - gamma * np.where(minus, a, 0.0)
        left_out = K - np.diag(np.diag(K))
        h = (left_out[:, plus].sum(axis=1) / (n_plus - plus)
             - gamma * left_out[:, minus].sum(axis=1) / (n_minus - minus))  # fmt: skip
        return 0.5 * first @ wide @ first - first @ h

    def by_means(a):
        of_plus, of_minus = np.where(plus, a, 0.0), np.where(minus, a, 0.0)
        m_plus, m_minus = plus / n_plus, minus / n_minus
        first = of_plus - gamma * of_minus
        towards_plus = n_plus / (n_plus - 1) * m_plus - gamma * m_minus
        towards_minus = m_plus - gamma * n_minus / (n_minus - 1) * m_minus
        linear = of_plus @ K @ towards_plus - gamma * of_minus @ K @ towards_minus
        return 0.5 * first @ wide @ first - linear

    constant = (1 / (n_plus - 1) + gamma**2 / (n_minus - 1)) * K[0, 0]
    weights = np.zeros(len(X))
    weights[machine.support_] = machine.weights_
    rng = np.random.default_rng(0)
    for _ in range(20):
        a = rng.exponential(size=len(X)) ** 2
        a = np.where(plus, a / a[plus].sum(), a / a[minus].sum())
        assert by_means(a) + constant == pytest.approx(criterion(a))
        assert by_means(a) > by_means(weights)


def test_parzen_is_the_nearest_mean_in_feature_space_up_to_an_offset():
    X, y = datasets.make_mixture(60, random_state=1)
    K = get("gaussian")(X, X, bandwidth=0.5)
    means = [(y == c) / np.sum(y == c) for c in (1, -1)]
    squares = [np.diag(K) - 2 * K @ m + m @ K @ m for m in means]
    offset = 0.5 * (means[1] @ K @ means[1] - means[0] @ K @ means[0])
    densities = [K @ m for m in means]
    nearer = 0.5 * (squares[1] - squares[0])
    np.testing.assert_allclose(nearer, densities[0] - densities[1] + offset, atol=1e-12)
    rule = ParzenClassifier(bandwidth=0.5, scale=None, priors="uniform").fit(X, y)
    np.testing.assert_array_equal(rule.predict(X) == 1, nearer - offset > 0)


@pytest.fixture
def with_copies():
    """Overlapping classes in four columns, one of them constant, with copies of some rows."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [30, 50])
    X = rng.normal(size=(80, 4)) + y[:, None]
    X[:, 2] = 7.0
    X[10:16], X[60:70] = X[10], X[60]
    return X, y


def weights_by_row(X, rows, weights):
    """Total weight of every row with all its copies."""
    codes = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    return np.bincount(codes[rows], weights=weights, minlength=codes.max() + 1)


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_pairs_of_rows_find_the_weights_of_the_library_with_constant_columns(
    with_copies, smoothing
):
    X, y = with_copies
    by_rows = PairwiseL2(0.4, 1.5, smoothing, tol=1e-10).fit(X, y)
    merged = l2_with_all_columns(0.4, eta=1.5, smoothing=smoothing, tol=1e-10).fit(X, y)
    found = weights_by_row(X, by_rows.support_, by_rows.weights_[by_rows.support_])
    wanted = weights_by_row(X, merged.support_, merged.weights_)
    np.testing.assert_allclose(found, wanted, atol=1e-7)
    queries = np.random.default_rng(6).normal(size=(500, 4)) * [2.0, 2.0, 0.0, 2.0] + [0, 0, 7, 0]
    np.testing.assert_array_equal(by_rows.predict(queries), merged.predict(queries))


@pytest.mark.parametrize(("smoothing", "ratio"), [(0.0, np.sqrt(2.0)), (1.0, np.sqrt(4.0 / 3.0))])
def test_a_constant_column_counts_among_the_dimensions(with_copies, smoothing, ratio):
    X, y = with_copies
    varying = np.delete(X, 2, axis=1)
    assert ratio_of_constant_columns(X, smoothing) == pytest.approx(ratio)
    assert ratio_of_constant_columns(varying, smoothing) == 1.0
    a = l2_with_all_columns(0.4, eta=1.5, smoothing=smoothing).fit(X, y)
    b = l2_with_all_columns(0.4, eta=1.5 / ratio, smoothing=smoothing).fit(varying, y)
    np.testing.assert_allclose(a.weights_, b.weights_, atol=1e-6)
    column = COLUMNS[f"L2QPη-{smoothing:.0f}"]
    chosen = column.select(X, y, False)
    etas = np.geomspace(1.0, np.sqrt(2.0) ** 4, 10)
    assert chosen["eta"] in etas
    own = L2Classifier(smoothing=smoothing, eta="cv", eta_grid=etas / ratio, grid=FEW_SIGMAS).fit(
        varying, y
    )
    assert chosen["sigma"] == own.bandwidth_
    assert chosen["eta"] == pytest.approx(own.eta_ * ratio)
    made = column.make(chosen).fit(X, y)
    wanted = l2_with_all_columns(chosen["sigma"], eta=chosen["eta"], smoothing=smoothing).fit(X, y)
    np.testing.assert_array_equal(made.weights_, wanted.weights_)
    plain = L2Classifier(bandwidth=chosen["sigma"], eta=chosen["eta"], smoothing=smoothing)
    assert not np.array_equal(plain.fit(X, y).weights_, made.weights_)


def test_copies_that_start_with_equal_weights_do_not_all_keep_one(with_copies):
    X, y = with_copies
    clf = PairwiseL2(0.2, 100.0, tol=1e-8).fit(X, y)
    weights = clf.weights_[60:70]  # ten copies of one row
    assert 0 < np.count_nonzero(weights) < 10
    np.testing.assert_allclose([clf.weights_[:30].sum(), clf.weights_[30:].sum()], 1.0)
    assert (clf.weights_ >= 0).all()


def test_linear_arithmetic_counts_constant_columns_too(with_copies):
    X, y = with_copies
    linear, own = LinearL2(0.4, 1.0).fit(X, y), l2_with_all_columns(0.4, smoothing=1.0).fit(X, y)
    plain = L2Classifier(bandwidth=0.4, smoothing=1.0).fit(X, y)
    np.testing.assert_array_equal(linear.support_, own.support_)
    counts = np.bincount(y)[y[own.support_]]
    np.testing.assert_allclose(linear.weights_[own.support_], own.weights_ * counts)
    assert not np.array_equal(plain.support_, own.support_)


@pytest.mark.slow
def test_pairs_of_rows_are_tried_where_no_point_of_the_grid_meets_the_figures(
    tiny, tmp_path, monkeypatch
):
    """Figures of a solver that stops early are met by pairs of rows, and not by the optimum."""
    monkeypatch.setattr(grids, "SETS", {"Banana": tiny["Banana"]})
    monkeypatch.setattr(grids, "TITLES", ("Banana",))
    monkeypatch.setattr(grids, "LARGE", ())
    monkeypatch.setattr(grids, "COLUMNS", ("L2QP-0", "Parzen"))
    monkeypatch.setattr(grids, "_SPLITS", 3)
    monkeypatch.setattr(grids, "_ALL_SPLITS", 3)
    X, y = tiny["Banana"].sample()
    wanted, by_hand = SIGMAS[33], []
    for train, test in tiny["Banana"].splits(3)[0]:
        clf = PairwiseL2(wanted).fit(X[train], y[train])
        wrong = 100 * np.mean(clf.predict(X[test]) != y[test])
        by_hand.append((wrong, 100 * len(clf.support_) / len(train)))
    for name, value in zip(("_ERROR", "_KEPT"), np.mean(by_hand, axis=0), strict=True):
        cells = {
            "L2QP-0": {"printed": value, "printed_sd": 0.01},
            "Parzen": {"printed": -1.0, "printed_sd": 0.01},
        }
        monkeypatch.setattr(grids, name, {"Banana": cells})
    found = reproduce("l2", table="grid,pairs", out=tmp_path, n_jobs=1)
    rows = {table.number: table.rows[0].cells for table in found.tables}
    assert not rows["grid"]["L2QP-0"].agrees
    assert rows["grid"]["Parzen"].parameters.keys() == {"sigma", "error"}
    assert list(rows["pairs"]) == ["L2QP-0"]
    assert rows["pairs"]["L2QP-0"].agrees
    assert rows["pairs"]["L2QP-0"].parameters["sigma"] == pytest.approx(wanted, rel=1e-3)
    assert rows["pairs"]["L2QP-0"].values == pytest.approx([kept for _, kept in by_hand], abs=1e-3)


def test_table_1_counts_the_columns_that_are_constant_in_a_training_set():
    X = np.column_stack([np.arange(12.0), np.zeros(12), np.r_[np.ones(1), np.zeros(11)]])
    benchmark = SimpleNamespace(
        n_splits=2,
        sample=lambda: (X, np.repeat([0, 1], 6)),
        splits=lambda n: ([(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))], 0),
    )
    assert l2._constant_columns(benchmark) == [1, 2]
