"""Every classifier, with every kernel, on data that break carelessly written ones."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from parzen.bandwidth import LeaveOneOutError, Selector

pytestmark = pytest.mark.filterwarnings("ignore:.*(scale|grid|equal|compare bandwidths)")


def assert_sound(clf, X):
    """Probabilities are probabilities, and the labels follow from them."""
    proba = clf.predict_proba(X)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[proba.argmax(axis=1)])


# Entries


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_by_the_name_of_its_column(make, pair, value):
    pd = pytest.importorskip("pandas")
    X, y = pair
    if np.isnan(value) and make().__sklearn_tags__().input_tags.allow_nan:
        pytest.skip("missing values are allowed")
    bad = X.copy()
    bad[3, 1] = value
    kind = "NaN" if np.isnan(value) else "infinity"
    with pytest.raises(ValueError, match=f"{kind} in column 1"):
        make().fit(bad, y)
    frame = pd.DataFrame(bad, columns=["width", "height"])
    with pytest.raises(ValueError, match="height"):
        make().fit(frame, y)
    with pytest.raises(ValueError, match=f"{kind} in column 1"):
        make().fit(X, y).predict(bad)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array])
def test_sparse_input_is_dense_input_or_refused_with_a_sentence(make, pair, form):
    X, y = pair
    if get_tags(make()).input_tags.sparse:
        np.testing.assert_array_equal(
            make().fit(form(X), y).predict_proba(form(X)), make().fit(X, y).predict_proba(X)
        )
    else:
        with pytest.raises((TypeError, ValueError), match=r"sparse .*toarray"):
            make().fit(form(X), y)


LAYOUTS = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "Fortran order": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "list": lambda X: X.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_any_layout_gives_the_same_answers(make, pair, layout):
    X, y = pair
    X = X.astype(np.float16).astype(np.float64)  # exact in every type
    plain = make(bandwidth=0.7).fit(X, y)
    other = make(bandwidth=0.7).fit(layout(X), y)
    np.testing.assert_allclose(other.predict_proba(layout(X)), plain.predict_proba(X), atol=2e-5)


@pytest.mark.parametrize("dtype", [int, np.uint8, bool])
def test_integers_and_booleans_are_numbers(make, dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if dtype is bool else 9, size=(60, 3))
    y = (X[:, 0] > X[:, 1]).astype(int)
    plain = make(bandwidth=0.7).fit(X.astype(float), y)
    other = make(bandwidth=0.7).fit(X.astype(dtype), y)
    np.testing.assert_array_equal(
        other.predict_proba(X.astype(dtype)), plain.predict_proba(X.astype(float))
    )


def test_read_only_and_memory_mapped_arrays_work(make, pair, tmp_path):
    X, y = pair
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    labels = y.copy()
    labels.flags.writeable = False
    expected = make(bandwidth=0.7).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(
        make(bandwidth=0.7).fit(mapped, labels).predict_proba(mapped), expected
    )


def test_no_queries_give_no_answers(make, pair):
    X, y = pair
    clf = make(bandwidth=0.7).fit(X, y)
    nothing = np.empty((0, 2))
    assert clf.predict(nothing).shape == (0,)
    assert clf.predict_proba(nothing).shape == (0, 2)
    assert clf.decision_function(nothing).shape == (0,)


@pytest.mark.parametrize("exponent", [-150, -100, -30, 30, 100, 150])
def test_scales_from_the_smallest_to_the_largest_change_nothing(make, pair, exponent):
    X, y = pair
    scale = 2.0 ** round(exponent / np.log10(2))
    expected = make().fit(X, y)
    scaled = make().fit(X * scale, y)
    np.testing.assert_allclose(
        scaled.predict_proba(X * scale), expected.predict_proba(X), atol=1e-9
    )
    np.testing.assert_array_equal(scaled.predict(X * scale), expected.predict(X))


# Samples


@pytest.mark.slow
def test_one_sample_in_a_class_works_with_one_warning_that_names_it(make, kernel, pair):
    X, y = pair
    X, y = np.vstack([X, [[9.0, 9.0]]]), np.append(np.where(y == 0, "a", "b"), "alone")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = make(kernel=kernel).fit(X, y)
    assert len([w for w in caught if "'alone'" in str(w.message)]) == 1
    assert clf.predict([[9.0, 9.0]])[0] == "alone"
    assert_sound(clf, X)


def test_one_class_only_is_a_constant_prediction(make, kernel):
    X = np.random.default_rng(0).normal(size=(20, 2))
    clf = make(kernel=kernel).fit(X, np.full(20, "only"))
    queries = np.array([[0.0, 0.0], [1e6, 0.0]])
    assert clf.predict(queries).tolist() == ["only", "only"]
    np.testing.assert_array_equal(clf.predict_proba(queries), np.ones((2, 1)))


def test_a_class_of_equal_points_is_finite_and_warned_about(make, kernel, pair):
    X, y = pair
    X = np.where((y == 1)[:, None], X[y == 1][0], X)
    with pytest.warns(UserWarning, match=r"class 1 .*single kernel"):
        clf = make(kernel=kernel).fit(X, y)
    assert_sound(clf, X)


def test_all_points_equal_is_finite(make, kernel):
    X, y = np.full((10, 2), 3.0), np.arange(10) % 2
    with pytest.warns(UserWarning, match="equal|single kernel"):
        clf = make(kernel=kernel).fit(X, y)
    assert_sound(clf, X)
    np.testing.assert_allclose(clf.predict_proba([[3.0, 3.0]]), [[0.5, 0.5]])


def test_heavy_ties_are_finite(make, kernel):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(80, 3)).astype(float)
    assert_sound(make(kernel=kernel).fit(X, X[:, 0].astype(int)), X)


def test_duplicates_across_classes_are_an_even_bet(make, kernel, pair):
    X = np.vstack([pair[0], pair[0]])
    y = np.repeat([0, 1], len(pair[0]))
    clf = make(kernel=kernel).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X), 0.5, atol=1e-9)
    assert (clf.with_decision(priors="uniform").predict(X[:1]) == 0).all()


SHAPES = {
    "constant column": lambda X: np.column_stack([X, np.ones(len(X))]),
    "collinear columns": lambda X: np.column_stack([X, X[:, 0], X.sum(axis=1)]),
    "one column": lambda X: X[:, :1],
    "a large offset": lambda X: X + 1e8,
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_awkward_columns_work(make, kernel, pair, shape):
    X, y = shape(pair[0]), pair[1]
    clf = make(kernel=kernel).fit(X, y)
    assert_sound(clf, X)
    assert clf.score(X, y) > 0.7


@pytest.mark.slow
def test_fewer_rows_than_columns_works(make, kernel):
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    X = rng.normal(size=(12, 40)) + 2.0 * y[:, None]
    clf = make(kernel=kernel).fit(X, y)
    assert_sound(clf, X)
    assert clf.score(X, y) > 0.7


def test_two_rows_are_enough(make, kernel):
    clf = make(kernel=kernel).fit([[0.0], [1.0]], ["a", "b"])
    assert_sound(clf, [[0.0], [1.0]])
    if kernel != "uniform":  # to a flat kernel that wide both points look alike
        assert clf.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


@pytest.mark.slow
def test_thousands_of_columns_work_or_are_refused_with_the_reason(make):
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    clf = make()
    # The automatic classifier has many members that learn from every column.
    columns = 2000 if "families" in clf.get_params() else 10_000
    X = rng.normal(size=(20, columns)) + 0.2 * y[:, None]
    if getattr(clf, "metric", None) == "class":
        with pytest.raises(ValueError, match=r"GiB; reduce the features"):
            clf.fit(X, y)
        return
    proba = clf.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    if "eta" in clf.get_params():
        return  # with eta = 1 the L2 criterion keeps too few kernels (Kim & Scott, section 5.5)
    np.testing.assert_array_equal(proba.argmax(axis=1), y)


# Labels


@pytest.mark.parametrize(
    "names",
    [["ja", "nein"], [True, False], [10, -3], [1.0, 7.0], np.array(["x", "yy"], dtype=object)],
    ids=str,
)
def test_labels_of_any_kind_come_back(make, pair, names):
    X, y = pair
    labels = np.asarray(names)[y]
    clf = make(bandwidth=0.7).fit(X, labels)
    assert clf.predict(X).dtype == labels.dtype
    assert (clf.predict(X) == labels).mean() > 0.7


@pytest.mark.slow
def test_thousands_of_classes_take_work_and_memory_in_proportion(make, work_of):
    def work(n_classes):
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(n_classes), 2)
        X = np.column_stack([y * 10.0, np.zeros(len(y))]) + rng.normal(size=(len(y), 2))
        clf = make(bandwidth=0.5)
        predicted, used = work_of(lambda: clf.fit(X, y).predict(X[:200]))
        # A covariance of two rows is all prior; standardised columns make the noise as large.
        hard = clf.get_params().get("metric") == "class" or "families" in clf.get_params()
        assert hard or (predicted == y[:200]).mean() > 0.95
        return used

    few, many = work(300), work(3000)
    assert many.calls < 1000 * 3000  # quadratic: at least 9e6
    assert many.bytes < 30 * few.bytes  # in proportion: 10 times, quadratic: 100 times


# Weights


def test_a_class_of_weight_zero_is_dropped_with_a_warning(make, blobs):
    X, y = blobs
    with pytest.warns(UserWarning, match=r"class 2 dropped"):
        clf = make(bandwidth=0.7).fit(X, y, sample_weight=(y != 2).astype(float))
    expected = make(bandwidth=0.7).fit(X[y != 2], y[y != 2])
    assert clf.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(clf.predict_proba(X), expected.predict_proba(X))


def test_weights_of_1e_minus_300_are_weights(make, blobs):
    X, y = blobs
    clf = make(bandwidth=0.7).fit(X, y, sample_weight=np.full(len(y), 1e-300))
    expected = make(bandwidth=0.7).fit(X, y)
    if clf.get_params().get("metric") == "class" or "families" in clf.get_params():
        assert_sound(clf, X)  # what is learned from 1e-300 observations is all prior
        return
    np.testing.assert_allclose(
        clf.predict_proba(X), expected.predict_proba(X), rtol=1e-9, atol=1e-12
    )


def test_a_bandwidth_is_chosen_with_weights_of_1e_minus_300(make, blobs):
    X, y = blobs
    clf = make().fit(X, y, sample_weight=np.full(len(y), 1e-300))
    assert_sound(clf, X)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_weights_that_are_no_frequencies_are_refused(make, blobs, weight):
    X, y = blobs
    weights = np.ones(len(y))
    weights[5] = weight
    with pytest.raises(ValueError, match=r"(?i)weight"):
        make(bandwidth=0.7).fit(X, y, sample_weight=weights)


def test_weights_that_add_up_to_infinity_are_refused(make, blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="sample_weight adds up to infinity"):
        make(bandwidth=0.7).fit(X, y, sample_weight=np.full(len(y), 1e308))


def test_no_weight_at_all_is_refused(make, blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="weight"):
        make(bandwidth=0.7).fit(X, y, sample_weight=np.zeros(len(y)))


# Parameters


@pytest.mark.parametrize(
    "bandwidth",
    [
        0.0,
        -1.0,
        np.inf,
        np.nan,
        [1.0, 2.0],
        [1.0, 0.0, 1.0],
        [[1.0, 2.0, 3.0]],
        "loooo",
        None,
        True,
    ],
    ids=str,
)
def test_a_bandwidth_that_is_none_is_refused_before_any_computation(make, blobs, bandwidth):
    if "bandwidth" not in make().get_params():
        pytest.skip("has no bandwidth to choose")
    X, y = blobs
    clf = make(bandwidth=bandwidth)
    with pytest.raises((ValueError, TypeError), match="bandwidth"):
        clf.fit(X, y)
    with pytest.raises(NotFittedError):
        clf.predict(X)


def test_an_unknown_name_lists_what_is_allowed(make, blobs):
    if "bandwidth" not in make().get_params():
        pytest.skip("has no bandwidth to choose")
    with pytest.raises(ValueError, match=r"'likelihood'"):
        make(bandwidth="silvermann").fit(*blobs)
    with pytest.raises(ValueError, match=r"biweight, cauchy.* gaussian.* uniform\.$"):
        make(kernel="gausian").fit(*blobs)
    with pytest.raises(ValueError, match=r"not a density"):
        make(kernel="polynomial").fit(*blobs)


BAD_DECISIONS = {
    "priors": [[0.5, 0.5], [0.5, 0.6, 0.1], [-0.5, 1.0, 0.5], "uniformly"],
    "class_weight": ["uniform", {0: -1.0}],
    "costs": [
        [[0, 1], [1, 0]],
        np.ones((3, 3)),
        -np.ones((3, 3)),
        np.eye(3),
        np.full((3, 3), np.nan),
    ],
    "gamma": [1.0, -1.0, "1"],
    "reject": [-0.1, "often"],
    "novelty": [1.0, -0.1, "rare"],
    "reject_label": [2],
    "n_jobs": [0, 1.5],
}


@pytest.mark.parametrize(
    ("name", "value"), [(k, v) for k, values in BAD_DECISIONS.items() for v in values], ids=str
)
def test_senseless_decisions_are_refused_by_name(make, blobs, name, value):
    parameters = {name: value, "reject": 0.1} if name == "reject_label" else {name: value}
    with pytest.raises((ValueError, TypeError), match=name):
        make(bandwidth=1.0, **parameters).fit(*blobs)


def test_gamma_excludes_priors_and_costs(make, pair):
    for other in ({"priors": "uniform"}, {"costs": [[0, 1], [1, 0]]}, {"class_weight": "balanced"}):
        with pytest.raises(ValueError, match="gamma"):
            make(bandwidth=1.0, gamma=1.0, **other).fit(*pair)


def test_a_choice_at_the_edge_of_the_grid_says_to_widen_it(make, pair):
    if "bandwidth" not in make().get_params():
        pytest.skip("has no bandwidth to choose")
    selector = LeaveOneOutError(grid=[0.001, 0.01, 0.8])
    assert isinstance(selector, Selector)
    with pytest.warns(UserWarning, match="widen"):
        make(bandwidth=selector).fit(*pair)
