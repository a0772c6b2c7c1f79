"""The least-squares family on data and parameters that break carelessly written classifiers."""

from __future__ import annotations

import pickle
import warnings

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from parzen import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    LSSVMClassifier,
    RLSClassifier,
)
from parzen.bandwidth import CrossValidation

from ..conftest import LEAST_SQUARES

pytestmark = pytest.mark.filterwarnings("ignore:.*(grid|scale|equal|one distinct sample)")


@pytest.fixture(params=LEAST_SQUARES)
def machine(request):
    return request.param


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 25])
    return np.array([[0.0, 0.0], [2.0, 0.5]])[y] + rng.normal(size=(65, 2)), y


def assert_sound(clf, X):
    proba = clf.predict_proba(X)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[proba.argmax(axis=1)])


@pytest.mark.slow
def test_every_check_of_scikit_learn_passes(machine):
    few = CrossValidation(grid=[0.5, 1.0, 2.0], folds=2)
    takes_long = machine in (BMachineClassifier, KernelLassoClassifier)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(machine(bandwidth=few) if takes_long else machine(), on_fail=None)
    assert [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")] == []


def test_pipelines_searches_clones_and_files(machine, pair, tmp_path):
    X, y = pair
    pipe = make_pipeline(StandardScaler(), machine())
    step = machine.__name__.lower()
    search = GridSearchCV(pipe, {f"{step}__bandwidth": [0.5, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.7
    clf = machine(bandwidth=0.7).fit(X, y)
    joblib.dump(clf, tmp_path / "model.joblib")
    for other in (
        pickle.loads(pickle.dumps(clf)),
        joblib.load(tmp_path / "model.joblib"),
        clone(clf).fit(X, y),
        machine(bandwidth=0.7, n_jobs=2).fit(X, y),
    ):
        np.testing.assert_array_equal(other.predict_proba(X), clf.predict_proba(X))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_of_columns_are_kept(machine, pair, library):
    frames = pytest.importorskip(library)
    X, y = pair
    table = frames.DataFrame({"width": X[:, 0], "height": X[:, 1]})
    clf = machine(bandwidth=0.7).fit(table, y)
    assert clf.feature_names_in_.tolist() == ["width", "height"]
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(table[["height", "width"]])


def test_sample_weights_are_routed(machine, pair):
    X, y = pair
    with sklearn.config_context(enable_metadata_routing=True):
        clf = machine(bandwidth=0.7).set_fit_request(sample_weight=True)
        pipe = make_pipeline(clf).fit(X, y, sample_weight=np.full(len(y), 2.0))
    np.testing.assert_allclose(pipe[-1].class_count_, [80, 50])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_by_its_column(machine, pair, value):
    X, y = pair
    bad = X.copy()
    bad[3, 1] = value
    with pytest.raises(ValueError, match="in column 1"):
        machine().fit(bad, y)
    with pytest.raises(ValueError, match="in column 1"):
        machine(bandwidth=0.7).fit(X, y).predict(bad)


def test_one_class_only_is_a_constant_prediction(machine):
    clf = machine().fit(np.arange(10.0)[:, None], np.full(10, "only"))
    assert clf.predict([[0.0], [1e6]]).tolist() == ["only", "only"]
    np.testing.assert_array_equal(clf.predict_proba([[0.0], [1e6]]), np.ones((2, 1)))


def test_one_sample_in_a_class_works_with_a_warning_that_names_it(machine, pair):
    X, y = pair
    X, y = np.vstack([X, [[9.0, 9.0]]]), np.append(np.where(y == 0, "a", "b"), "alone")
    with pytest.warns(UserWarning, match="'alone' has one distinct sample"):
        clf = machine(bandwidth=0.7).fit(X, y)
    assert clf.predict([[9.0, 9.0]])[0] == "alone"
    assert_sound(clf, X)


def test_all_points_equal_and_duplicates_across_classes_are_an_even_bet(machine, pair):
    clf = machine().fit(np.full((10, 2), 3.0), np.arange(10) % 2)
    np.testing.assert_allclose(clf.predict_proba([[3.0, 3.0]]), [[0.5, 0.5]], atol=1e-6)
    X = np.vstack([pair[0], pair[0]])
    clf = machine(bandwidth=0.7).fit(X, np.repeat([0, 1], len(pair[0])))
    np.testing.assert_allclose(clf.predict_proba(X), 0.5, atol=1e-3)


def test_heavy_ties_and_two_rows_and_one_column_work(machine):
    X = np.random.default_rng(0).integers(0, 2, size=(80, 3)).astype(float)
    clf = machine().fit(X, X[:, 0].astype(int))
    assert_sound(clf, X)
    assert clf.score(X, X[:, 0].astype(int)) == 1.0
    few = machine(bandwidth=0.5).fit([[0.0], [1.0]], ["a", "b"])
    assert few.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


def test_more_columns_than_rows_and_ten_thousand_columns_work(machine):
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    X = rng.normal(size=(20, 10_000)) + 0.2 * y[:, None]
    clf = machine().fit(X, y)
    assert_sound(clf, X)
    assert clf.score(X, y) > 0.9


def test_collinear_and_constant_columns_and_offsets_work(machine, pair):
    X, y = pair
    for Z in (np.column_stack([X, np.ones(65), X[:, 0]]), X + 1e8):
        clf = machine(bandwidth=1.0).fit(Z, y)
        assert_sound(clf, Z)
        assert clf.score(Z, y) > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [-150, -30, 30, 150])
def test_scales_change_nothing(machine, pair, exponent):
    X, y = pair
    scale = 2.0 ** round(exponent / np.log10(2))
    expected, scaled = machine().fit(X, y), machine().fit(X * scale, y)
    assert scaled.bandwidth_ == pytest.approx(scale * expected.bandwidth_, rel=1e-10)
    np.testing.assert_allclose(
        scaled.predict_proba(X * scale), expected.predict_proba(X), atol=1e-6
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, int, bool])
def test_types_of_numbers_give_the_same_answers(machine, dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if dtype is bool else 9, size=(60, 3)).astype(float)
    y = (X[:, 0] > X[:, 1]).astype(int)
    plain = machine(bandwidth=1.0).fit(X, y)
    other = machine(bandwidth=1.0).fit(np.asfortranarray(X.astype(dtype)), y)
    np.testing.assert_array_equal(other.predict_proba(X.astype(dtype)), plain.predict_proba(X))


def test_no_queries_give_no_answers(machine, pair):
    clf = machine(bandwidth=0.7).fit(*pair)
    nothing = np.empty((0, 2))
    assert clf.predict(nothing).shape == (0,)
    assert clf.predict_proba(nothing).shape == (0, 2)
    assert clf.decision_function(nothing).shape == (0,)


@pytest.mark.parametrize("names", [["ja", "nein"], [True, False], [10, -3]], ids=str)
def test_labels_of_any_kind_come_back(machine, pair, names):
    X, y = pair
    labels = np.asarray(names)[y]
    assert (machine(bandwidth=0.7).fit(X, labels).predict(X) == labels).mean() > 0.7


def test_a_class_of_weight_zero_is_dropped_with_a_warning(machine, pair):
    X, y = np.vstack([pair[0], [[5.0, 5.0]]]), np.append(pair[1], 2)
    with pytest.warns(UserWarning, match="class 2 dropped"):
        clf = machine(bandwidth=0.7).fit(X, y, sample_weight=(y != 2).astype(float))
    np.testing.assert_array_equal(
        clf.predict_proba(X), machine(bandwidth=0.7).fit(*pair).predict_proba(X)
    )


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_weights_that_are_no_frequencies_are_refused(machine, pair, weight):
    weights = np.ones(65)
    weights[5] = weight
    with pytest.raises(ValueError, match=r"(?i)weight"):
        machine(bandwidth=0.7).fit(*pair, sample_weight=weights)


def test_weights_of_1e_minus_300_are_weights(machine, pair):
    X, y = pair
    everywhere = machine(bandwidth=0.7).fit(X, y, sample_weight=np.full(65, 1e-300))
    assert_sound(everywhere, X)  # next to no data: some regularise it all away
    one = np.where(np.arange(65) == 3, 1e-300, 1.0)
    hardly = machine(bandwidth=0.7).fit(X, y, sample_weight=one)
    absent = machine(bandwidth=0.7).fit(X[one == 1], y[one == 1])
    np.testing.assert_allclose(hardly.decision_function(X), absent.decision_function(X), atol=1e-3)


@pytest.mark.slow
def test_work_grows_no_faster_than_the_number_of_classes(machine, work_of):
    def work(n_classes, n=120):
        rng = np.random.default_rng(0)
        y = np.arange(n) % n_classes
        X = 3.0 * y[:, None] + rng.normal(size=(n, 2))
        clf, used = work_of(lambda: machine(bandwidth=0.5).fit(X, y))
        assert_sound(clf, X[:50])
        return used

    few, many = work(4), work(40)  # in proportion: 10 times, quadratic: 100 times
    assert many.calls < 20 * few.calls
    assert many.bytes < 30 * few.bytes


def test_ten_thousand_classes_are_refused_by_the_size_of_their_gram_matrix(machine):
    y = np.repeat(np.arange(10_000), 2)
    X = np.column_stack([y * 10.0, np.zeros(len(y))])
    X[::2] += 1.0
    for n_landmarks, size in ((None, "20000 x 20000"), ("auto", "16000 x 10000")):
        if n_landmarks is None and hasattr(machine(), "solver"):
            continue  # conjugate gradients need no Gram matrix
        with pytest.raises(ValueError, match=rf"{size} points takes .* MB.*working_memory"):
            machine(bandwidth=0.5, n_landmarks=n_landmarks).fit(X, y)


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.inf, np.nan, [[1.0]], "looo", None, True, []])
def test_a_bandwidth_that_is_none_is_refused_before_any_computation(machine, pair, bandwidth):
    clf = machine(bandwidth=bandwidth)
    with pytest.raises((ValueError, TypeError), match="bandwidth"):
        clf.fit(*pair)
    with pytest.raises(NotFittedError):
        clf.predict(pair[0])


@pytest.mark.parametrize(
    ("name", "value"),
    [("kernel", "gausian"), ("kernel", 3), ("folds", 1), ("folds", True), ("n_jobs", 0)],
)
def test_senseless_parameters_are_refused_by_name(machine, pair, name, value):
    with pytest.raises((ValueError, TypeError), match=name):
        machine(**{"bandwidth": 1.0, name: value}).fit(*pair)


def test_regularizers_are_checked_too(pair):
    for clf, name in (
        (BMachineClassifier(margin=0.0), "margin"),
        (BMachineClassifier(superfluity=-1.0), "superfluity"),
        (BMachineClassifier(sparsity=1.0), "sparsity"),
        (BMachineClassifier(tol=0.0), "tol"),
        (LSSVMClassifier(C="big"), "C="),
        (LSSVMClassifier(coding="ecoc"), "coding"),
        (RLSClassifier(regularization=-1.0), "regularization"),
        (RLSClassifier(solver="lu"), "solver"),
        (KernelMSEClassifier(threshold=0.0), "threshold"),
        (KernelFisherClassifier(absolute="yes"), "absolute"),
    ):
        with pytest.raises((ValueError, TypeError), match=name):
            clf.fit(*pair)


def test_a_gram_matrix_that_is_too_large_is_refused_with_size_and_cure(machine, pair):
    with (
        sklearn.config_context(working_memory=0.01),
        pytest.raises(ValueError, match=r"65 x 65 points takes .* MB.*working_memory"),
    ):
        machine(bandwidth=0.7).fit(*pair)


def test_senseless_kernels_are_refused(machine, pair):
    X, y = pair
    with pytest.raises(ValueError, match="must be square"):
        machine("precomputed").fit(X, y)
    with pytest.raises(ValueError, match="must return shape"):
        machine(lambda A, B: np.ones((2, 2))).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        machine(lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)


def test_only_box_and_lasso_weights_take_a_kernel_that_is_not_symmetric(machine, pair):
    def crooked(A, B):
        return np.exp(-0.5 * (A[:, :1] - 0.9 * B[:, 0]) ** 2)

    if machine in (BMachineClassifier, KernelLassoClassifier):
        assert machine(crooked).fit(*pair).score(*pair) > 0.7
        return
    with pytest.raises(ValueError, match="symmetric"):
        machine(crooked).fit(*pair)


def test_a_choice_at_the_edge_of_the_grid_says_to_widen_it(machine, pair):
    with pytest.warns(UserWarning, match="widen"):
        machine(bandwidth=CrossValidation((0.001, 0.01, 1.0))).fit(*pair)


def test_an_interrupted_fit_leaves_the_estimator_unfitted(machine, pair, monkeypatch):
    clf = machine(bandwidth=0.7).fit(*pair)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(clf, "_score_method", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(*pair)
    with pytest.raises(NotFittedError):
        clf.predict(pair[0])
    monkeypatch.undo()
    assert clf.fit(*pair).score(*pair) > 0.7
