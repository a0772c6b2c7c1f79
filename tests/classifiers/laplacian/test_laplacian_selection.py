"""The one-pass error of every fold and bandwidth equals that of a classifier fitted per fold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import ShuffleSplit, StratifiedKFold

from parzen import LaplacianClassifier
from parzen.classifiers import LaplacianKFoldError
from parzen.classifiers.laplacian import fold_weights as fold_weights, folds as folds

GRID = np.geomspace(0.1, 5.0, 9)


def refitted_errors(X, y, splits, grid, weights=None, **parameters):
    errors = []
    for s in grid:
        folds = []
        for train, test in splits:
            w = np.ones(len(X)) if weights is None else weights
            clf = LaplacianClassifier(bandwidth=s, **parameters).fit(X[train], y[train], w[train])
            wrong = clf.predict(X[test]) != y[test]
            folds.append(np.average(wrong, weights=w[test]))
        errors.append(np.mean(folds))
    return np.array(errors)


@pytest.mark.parametrize("power", [0.5, 0.0])
@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "radial_laplacian"])
def test_three_folds_equal_refits(blobs, kernel, power):
    X, y = blobs
    selector = LaplacianKFoldError(grid=GRID, power=power)
    clf = LaplacianClassifier(bandwidth=selector, kernel=kernel, power=power)
    path = clf.fit(X, y).selection_
    splits = list(StratifiedKFold(3).split(X, y))
    expected = refitted_errors(X, y, splits, GRID, kernel=kernel, power=power)
    np.testing.assert_allclose(path.scores, expected, atol=1e-12)
    best = np.flatnonzero(expected <= expected.min() + 1e-12)[-1]
    assert clf.bandwidth_ == pytest.approx(GRID[best])


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    [
        {"power": 0.0},
        {"power": 0.3, "keep": 0.4, "reduction": "weights"},
        {"keep": 0.3, "reduction": "random"},
        {"keep": 5, "reduction": "l2"},
        {"n_density_samples": 20},
        {"n_density_samples": 20, "keep": 0.3, "reduction": "random"},
        {"n_density_samples": 30, "keep": 0.5, "reduction": "l2", "power": 1.0},
        {"n_density_samples": 20, "power": 0.0},
    ],
)
@pytest.mark.parametrize("by", ["name", "selector"])
def test_the_folds_judge_the_classifier_as_it_is(blobs, parameters, by):
    X, y = blobs
    X, y = np.concatenate([X, X[::7]]), np.concatenate([y, y[::7]])
    w = np.random.default_rng(1).integers(1, 3, size=len(X)).astype(float)
    selector = LaplacianKFoldError(grid=GRID) if by == "selector" else "cv"
    clf = LaplacianClassifier(bandwidth=selector, random_state=0, **parameters).fit(X, y, w)
    path = clf.selection_
    grid = path.grid if by == "selector" else path.grid[::12]
    scores = path.scores if by == "selector" else path.scores[::12]
    splits = list(StratifiedKFold(3).split(X, y))
    expected = refitted_errors(X, y, splits, grid, w, random_state=0, **parameters)
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_a_power_given_to_the_selector_prevails(blobs):
    X, y = blobs
    path = {}
    for power in (None, 0.0):
        selector = LaplacianKFoldError(grid=GRID, power=power)
        path[power] = LaplacianClassifier(bandwidth=selector).fit(X, y).selection_.scores
    splits = list(StratifiedKFold(3).split(X, y))
    np.testing.assert_allclose(path[None], refitted_errors(X, y, splits, GRID), atol=1e-12)
    expected = refitted_errors(X, y, splits, GRID, power=0.0)
    np.testing.assert_allclose(path[0.0], expected, atol=1e-12)


@pytest.mark.parametrize(
    "sizes",
    [[40, 25, 15], [300, 4, 4, 4, 4], [60, 50, 40, 30, 30, 30, 30], [30] * 9, [6] * 40],
    ids=["blobs", "one large class", "some large", "equal", "many"],
)
@pytest.mark.parametrize("n_folds", [2, 3, 5])
@pytest.mark.filterwarnings("ignore:the bandwidth chosen by")
def test_all_folds_and_bandwidths_take_two_passes_over_the_pairs(sizes, n_folds, monkeypatch):
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(0).normal(size=(len(y), 2)) + y[:, None]
    pairs = []

    def counted(function):
        def count(X, Y, *arguments, **options):
            pairs.append(len(X) * len(Y))
            return function(X, Y, *arguments, **options)

        return count

    selector = LaplacianKFoldError(grid=GRID, folds=n_folds)
    for module, passes in ((fold_weights, 1), (folds, 2)):
        for name in ("kernel_sums", "labelled_kernel_sums"):
            monkeypatch.setattr(module, name, counted(getattr(module, name)))
        pairs.clear()
        selector.select(X, y)
        assert (passes - 1) * len(X) ** 2 < sum(pairs) <= passes * len(X) ** 2


@pytest.mark.parametrize("memory", [1024, 0.05])
def test_many_classes_and_folds_in_little_memory_equal_refits(memory):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(120, 2)) + 3.0 * rng.normal(size=(20, 2))[y]
    with config_context(working_memory=memory):
        clf = LaplacianClassifier(bandwidth=LaplacianKFoldError(grid=GRID, folds=6)).fit(X, y)
    expected = refitted_errors(X, y, list(StratifiedKFold(6).split(X, y)), GRID)
    np.testing.assert_allclose(clf.selection_.scores, expected, atol=1e-12)


def test_large_and_small_classes_together_equal_refits():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), [60, 45, 9, 9, 6, 3])
    X = rng.normal(size=(len(y), 2)) + 2.0 * rng.normal(size=(6, 2))[y]
    clf = LaplacianClassifier(bandwidth=LaplacianKFoldError(grid=GRID)).fit(X, y)
    expected = refitted_errors(X, y, list(StratifiedKFold(3).split(X, y)), GRID)
    np.testing.assert_allclose(clf.selection_.scores, expected, atol=1e-12)


def test_a_splitter_and_weights_equal_refits(blobs):
    X, y = blobs
    w = np.random.default_rng(1).uniform(0.2, 3.0, size=len(X))
    splitter = ShuffleSplit(4, random_state=0)
    clf = LaplacianClassifier(bandwidth=LaplacianKFoldError(grid=GRID, folds=splitter)).fit(X, y, w)
    expected = refitted_errors(X, y, list(splitter.split(X, y)), GRID, w)
    np.testing.assert_allclose(clf.selection_.scores, expected, atol=1e-12)


def test_cv_by_name_uses_three_folds_the_power_and_a_grid_in_the_datas_scale(blobs):
    X, y = blobs
    for power in (0.5, 0.0):
        by_name = LaplacianClassifier(bandwidth="cv", power=power).fit(X, y)
        selector = LaplacianKFoldError(power=power)
        by_object = LaplacianClassifier(bandwidth=selector, power=power).fit(X, y)
        assert by_name.bandwidth_ == by_object.bandwidth_
        assert by_name.selection_.name == "cv"
        scaled = LaplacianClassifier(bandwidth="cv", power=power).fit(1e3 * X, y)
        assert scaled.bandwidth_ == pytest.approx(1e3 * by_name.bandwidth_, rel=1e-10)
    assert selector.folds == 3


def test_the_choice_at_the_edge_of_a_given_grid_warns(blobs):
    with pytest.warns(UserWarning, match="widen"):
        LaplacianClassifier(bandwidth=LaplacianKFoldError(grid=[0.001, 0.01, 0.5])).fit(*blobs)


def test_a_class_smaller_than_the_folds_is_judged_by_the_others():
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(2, 2)) + 4.0])
    y = np.repeat([0, 1], [30, 2])
    clf = LaplacianClassifier(bandwidth="cv").fit(X, y)
    assert np.isfinite(clf.selection_.scores).all()


@pytest.mark.parametrize("power", [-0.5, np.inf, np.nan])
def test_a_wrong_power_is_refused(power):
    with pytest.raises(ValueError, match=r"power=.* must be a number >= 0 or None"):
        LaplacianKFoldError(power=power)


def test_one_bandwidth_per_class_is_refused():
    with pytest.raises(ValueError, match="per='class' is not available"):
        LaplacianKFoldError(per="class")


def test_one_bandwidth_per_feature_is_learned():
    X = np.random.default_rng(3).uniform(-2, 2, size=(300, 3))
    y = (np.floor(X[:, 0]) % 2).astype(int)
    h = LaplacianClassifier(bandwidth=LaplacianKFoldError(per="feature")).fit(X, y).bandwidth_
    assert h.shape == (1, 3)
    assert h[0, 0] < 0.5 * h[0, 1:].min()  # noise is smoothed away


def test_other_selectors_work_too(blobs):
    X, y = blobs
    for name in ("scott", "lscv", "likelihood", "loo", "conditional_likelihood", "kfold"):
        assert LaplacianClassifier(bandwidth=name).fit(X, y).bandwidth_ > 0
