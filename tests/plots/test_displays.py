"""What the other displays compute and draw."""

from __future__ import annotations

import sys
from importlib import util

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_iris, make_moons
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from parzen import L2Classifier, LSSVMClassifier, ParzenClassifier, StackedDensityClassifier
from parzen.bandwidth import LSCV, CrossValidation, get_selector
from parzen.datasets import make_mixture
from parzen.feature_space import EmpiricalKernelMap, KernelOptimizer
from parzen.plots import (
    BandwidthPathDisplay,
    BoundaryDisplay,
    CoverageDisplay,
    DensitiesDisplay,
    EmbeddingDisplay,
    ExplanationDisplay,
    OptimizationDisplay,
    ReliabilityDisplay,
    SparsityDisplay,
    StackDisplay,
)


@pytest.fixture(scope="module")
def mixture():
    X, y = make_mixture(200, random_state=0)
    return X, y, L2Classifier(bandwidth=0.6).fit(X, y)


def test_the_difference_is_the_weighted_sum_of_the_kernels(mixture):
    X, _, clf = mixture
    display = DensitiesDisplay.from_estimator(clf, X, what="difference")
    gaps = (display.x[:, None] - clf.support_vectors_[:, 0]) / clf.bandwidth_
    kernels = np.exp(-0.5 * gaps**2) / (clf.bandwidth_ * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(display.difference, kernels @ clf.dual_coef_[0], atol=1e-12)
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), display.difference)
    assert len(display.stems_.markerline.get_xdata()) == len(clf.support_)


def test_the_truth_is_drawn_beside_the_estimate(mixture):
    X, _, clf = mixture

    def truth(x):
        return np.column_stack([np.exp(-x * x), np.exp(-((x - 8) ** 2))])

    display = DensitiesDisplay.from_estimator(clf, X, truth=truth)
    assert len(display.truth_) == len(display.lines_) == 2
    np.testing.assert_allclose(display.truth_[0].get_ydata(), np.exp(-(display.x**2)))


def test_densities_need_one_dimension_and_a_difference_two_classes():
    X, y = load_iris(return_X_y=True)
    clf = ParzenClassifier(bandwidth=0.3).fit(X[:, :1], y)
    display = DensitiesDisplay.from_estimator(clf, X[:, :1])
    assert len(display.lines_) == 3
    with pytest.raises(ValueError, match="two classes"):
        display.plot(what="difference")
    with pytest.raises(ValueError, match="one dimension"):
        DensitiesDisplay.from_estimator(clf, X)


def test_a_path_shows_the_criterion_and_the_choice():
    X, y = make_moons(120, noise=0.3, random_state=0)
    found = LSCV().select(X, y)
    display = BandwidthPathDisplay.from_selection(found)
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), found.scores)
    assert display.choices_.get_xdata()[0] == pytest.approx(found.bandwidth)
    assert display.choices_.get_ydata()[0] == pytest.approx(found.scores.min())
    assert display.ax_.get_xscale() == "log"


def test_a_path_per_class_has_a_curve_and_a_choice_for_each():
    X, y = make_moons(120, noise=0.3, random_state=0)
    clf = ParzenClassifier(bandwidth=LSCV(per="class")).fit(X, y)
    display = BandwidthPathDisplay.from_estimator(clf)
    assert len(display.lines_) == 2
    np.testing.assert_allclose(display.choices_.get_xdata(), clf.bandwidth_)


def test_bandwidths_per_feature_are_chosen_by_a_common_factor():
    X, y = make_moons(120, noise=0.3, random_state=0)
    clf = ParzenClassifier(bandwidth=LSCV(per="feature")).fit(X * [1.0, 50.0], y)
    display = BandwidthPathDisplay.from_estimator(clf)
    assert display.chosen[0][1] == pytest.approx(clf.selection_.score)


def test_the_path_of_the_l2_classifier_has_a_curve_per_eta():
    X, y = make_moons(80, noise=0.3, random_state=0)
    clf = L2Classifier(grid=np.array([0.1, 0.3, 1.0]), eta="cv", eta_grid=[1.0, 1.5]).fit(X, y)
    display = BandwidthPathDisplay.from_estimator(clf)
    assert list(display.curves) == ["eta = 1", "eta = 1.5"]
    assert np.all(np.diff(display.grid) > 0)
    chosen = display.chosen[0]
    assert chosen[0] == clf.bandwidth_
    assert chosen[1] == pytest.approx(clf.selection_.scores.min())


@pytest.mark.parametrize("h", [[0.2, 0.5], [[0.2, 0.5]], [[0.2, 0.5], [0.3, 0.4]]], ids=repr)
def test_bandwidths_per_class_and_feature_are_drawn_by_their_mean(h):
    X, y = make_moons(80, noise=0.3, random_state=0)
    clf = L2Classifier(bandwidth=h, eta="cv", eta_grid=[1.0, 1.5]).fit(X, y)
    display = BandwidthPathDisplay.from_estimator(clf)
    assert display.chosen[0][0] == pytest.approx(np.exp(np.log(h).mean()))


def test_the_path_of_a_least_squares_machine_is_drawn_too():
    X, y = make_moons(80, noise=0.3, random_state=0)
    clf = LSSVMClassifier(bandwidth=CrossValidation([0.3, 1.0]), C=[1.0, 10.0]).fit(X, y)
    display = BandwidthPathDisplay.from_estimator(clf)
    assert display.chosen[0][1] == pytest.approx(clf.selection_.scores.min())


def test_a_given_bandwidth_or_a_rule_has_no_path():
    X, y = make_moons(60, random_state=0)
    with pytest.raises(ValueError, match="was given its bandwidth"):
        BandwidthPathDisplay.from_estimator(ParzenClassifier(bandwidth=1.0).fit(X, y))
    with pytest.raises(ValueError, match="is a rule"):
        BandwidthPathDisplay.from_selection(get_selector("silverman").select(X, y))


def test_sparsity_is_counted_and_accuracy_scored():
    X, y = make_moons(150, noise=0.2, random_state=0)
    display = SparsityDisplay.from_estimator(
        L2Classifier(bandwidth=0.3), X[:100], y[:100], X[100:], y[100:],
        parameter="smoothing", values=[0, 1],
    )  # fmt: skip
    (name,) = display.kept
    for i, k in enumerate((0, 1)):
        clf = L2Classifier(bandwidth=0.3, smoothing=k).fit(X[:100], y[:100])
        assert display.kept[name][i] == len(clf.support_) / 100
        assert display.accuracy[name][i] == clf.score(X[100:], y[100:])
    assert np.all(np.diff(display.lines_[0].get_xdata()) >= 0)


def test_an_embedding_shows_each_class_where_it_is_mapped():
    X, y = load_iris(return_X_y=True)
    space = EmpiricalKernelMap("gaussian", 2.0, n_components=3).fit(X)
    display = EmbeddingDisplay.from_estimator(space, X, y, components=(0, 2))
    np.testing.assert_allclose(
        display.points_[1].get_offsets(), space.transform(X)[y == 1][:, [0, 2]]
    )
    assert display.ax_.get_ylabel() == "axis 3"
    with pytest.raises(ValueError, match="3 axes"):
        EmbeddingDisplay.from_estimator(space, X, y, components=(0, 3))


def test_reliability_agrees_with_scikit_learn():
    X, y = make_moons(600, noise=0.4, random_state=0)
    clf = ParzenClassifier(bandwidth=0.3).fit(X[:300], y[:300])
    display = ReliabilityDisplay.from_estimator(clf, X[300:], y[300:], n_bins=8)
    p = clf.predict_proba(X[300:])[:, 1]
    observed, predicted = calibration_curve(y[300:], p, n_bins=8, strategy="quantile")
    np.testing.assert_allclose(display.observed, observed)
    np.testing.assert_allclose(display.predicted, predicted)
    assert display.counts.sum() == 300
    np.testing.assert_array_equal(display.line_.get_ydata(), display.observed)


def test_reliability_of_many_classes_judges_the_largest_probability():
    proba = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.2, 0.2, 0.6]])
    display = ReliabilityDisplay.from_predictions(
        ["a", "c", "c", "c"], proba, classes=["a", "b", "c"], n_bins=2
    )
    np.testing.assert_allclose(display.predicted, [0.6, 0.8])
    np.testing.assert_allclose(display.observed, [1.0, 0.5])
    assert display.calibration_error == pytest.approx(0.35)


def test_the_optimisation_is_drawn_on_training_and_unseen_data():
    X, y = make_moons(120, noise=0.2, random_state=0)
    optimizer = KernelOptimizer(n_steps=15, random_state=0).fit(X[:80], y[:80])
    display = OptimizationDisplay.from_estimator(optimizer, X[80:], y[80:])
    training, unseen = display.lines_
    np.testing.assert_array_equal(training.get_ydata(), optimizer.separability_path_)
    np.testing.assert_allclose(unseen.get_ydata(), optimizer.separability_path(X[80:], y[80:]))
    display.plot(measure="alignment")
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), optimizer.alignment_path_)


def test_without_matplotlib_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    monkeypatch.setattr("parzen.plots.figure.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'parzen\[plot\]'"):
        EmbeddingDisplay.from_points(np.zeros((2, 2)), [0, 1])


@pytest.mark.slow
def test_importing_the_plots_does_not_import_matplotlib():
    import subprocess

    code = "import sys, parzen.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_no_figure_is_made_when_axes_are_given():
    _, ax = plt.subplots()
    before = plt.get_fignums()
    EmbeddingDisplay.from_points(np.eye(2), [0, 1], ax=ax)
    assert plt.get_fignums() == before


def test_a_stack_shows_its_pool_and_the_most_relevant_columns():
    X, y = load_iris(return_X_y=True)
    clf = StackedDensityClassifier("fast").fit(X, y)
    display = StackDisplay.from_estimator(clf, most_columns=3)
    pool, relevance = display.axes_
    assert [bar.get_width() for bar in pool.patches] == pytest.approx(clf.weights_.tolist())
    assert [tick.get_text() for tick in pool.get_yticklabels()] == [e.name for e in clf.experts_]
    widths = [bar.get_width() for bar in relevance.patches]
    assert widths == pytest.approx(sorted(clf.metric_, reverse=True)[:3])
    with pytest.raises(TypeError, match="no stack"):
        StackDisplay.from_estimator(ParzenClassifier(bandwidth=1.0).fit(X, y))


def test_an_explanation_shows_rows_and_columns_of_the_last_step():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = [f"flower {i}" for i in range(150)]
    plain = ParzenClassifier(bandwidth=0.5).fit(X.set_axis(names), y)
    display = ExplanationDisplay.from_estimator(plain, X.iloc[[70]], top=3, most_columns=2)
    one = plain.explain(X.iloc[[70]], top=3)[0]
    rows, columns = display.axes_
    widths = [bar.get_width() for bar in rows.patches]
    assert widths == pytest.approx([*one.supporting_shares, *-one.opposing_shares])
    ticks = [tick.get_text() for tick in rows.get_yticklabels()]
    assert ticks == [names[i] for i in [*one.supporting, *one.opposing]]
    order = np.argsort(-np.abs(one.column_effects))[:2]
    assert [bar.get_width() for bar in columns.patches] == pytest.approx(one.column_effects[order])
    assert [t.get_text() for t in columns.get_yticklabels()] == X.columns[order].tolist()

    scaled = make_pipeline(StandardScaler(), ParzenClassifier(bandwidth=0.5)).fit(X, y)
    display = ExplanationDisplay.from_estimator(scaled, X.iloc[[70]])
    one = scaled[-1].explain(scaled[:-1].transform(X.iloc[[70]]))[0]
    np.testing.assert_array_equal(display.explanation.column_effects, one.column_effects)
    assert display.columns == X.columns.tolist()
    with pytest.raises(ValueError, match="one row, got 2"):
        ExplanationDisplay.from_estimator(plain, X[:2])


def test_coverage_and_size_are_those_of_the_sets():
    X, y = make_moons(300, noise=0.4, random_state=0)
    labels = np.array(["no", "yes"])[y]
    clf = make_pipeline(StandardScaler(), ParzenClassifier(bandwidth=0.3))
    clf.fit(X[:100], labels[:100])
    display = CoverageDisplay.from_estimator(clf, X[100:], labels[100:], levels=[0.6, 0.9, 0.95])
    points = clf[:-1].transform(X[100:])
    for i, alpha in enumerate((0.4, 0.1, 0.05)):
        sets = clf[-1].predict_set(points, alpha=alpha)
        assert display.coverage[i] == np.mean(sets[np.arange(200), y[100:]])
        assert display.sizes[i] == sets.sum(axis=1).mean()
    np.testing.assert_array_equal(display.line_.get_ydata(), display.coverage)
    np.testing.assert_array_equal(display.size_line_.get_ydata(), display.sizes)
    with pytest.raises(ValueError, match="between 0 and 1"):
        CoverageDisplay.from_estimator(clf, X, labels, levels=[90])
    with pytest.raises(TypeError, match="no prediction sets"):
        CoverageDisplay.from_estimator(GaussianNB().fit(X, y), X, y)


def test_wrong_shapes_are_refused():
    X, y = make_moons(40, noise=0.2, random_state=0)
    model = ParzenClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"proba must have shape \(40, 2\), got \(40, 3\)"):
        ReliabilityDisplay.from_predictions(y, np.ones((40, 3)) / 3, classes=[0, 1])
    with pytest.raises(ValueError, match="at must have one value per feature, 2"):
        BoundaryDisplay.from_estimator(model, X, y, at=[0.0])
