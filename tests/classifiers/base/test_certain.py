"""Certain decisions by trees: the labels of exact sums, in every setting."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from parzen import (
    KernelNaiveBayes,
    L2Classifier,
    L2LinearClassifier,
    LaplacianClassifier,
    ParzenClassifier,
    RLSClassifier,
)
from parzen.classifiers.base import certain as _certain, certain_signed_codes
from parzen.sums.forest import UNDECIDED


def sample(n=3000, d=2, classes=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, d)) + 1.2 * rng.normal(size=(classes, d))[y]
    queries = np.concatenate([rng.normal(size=(300, d)) * 1.5, rng.normal(size=(20, d)) * 40])
    return X.astype(dtype), y, queries.astype(dtype)


def assert_same_labels(estimator, X, y, queries):
    fitted = estimator.fit(X, y)
    fitted.set_params(method="dense")
    exact = fitted.predict(queries)
    fitted.set_params(method="tree")
    np.testing.assert_array_equal(fitted.predict(queries), exact)
    return fitted, exact


COSTS = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"priors": [0.7, 0.2, 0.1]},
        {"costs": COSTS},
        {"reject": 0.3},
        {"costs": COSTS, "reject": 0.5},
        {"novelty": 0.1},
        {"reject": 0.2, "novelty": 0.05},
        {"metric": "class", "bandwidth": 0.3},
        {"bandwidth": [0.2, 0.5, 1.0]},
        {"bandwidth": [[0.3, 0.6]]},
    ],
    ids=str,
)
@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "laplacian", "epanechnikov", "uniform"])
def test_labels_equal_those_of_exact_sums(kernel, options):
    X, y, queries = sample()
    assert_same_labels(
        ParzenClassifier(**({"kernel": kernel, "bandwidth": 0.4} | options)), X, y, queries
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("h", [1e-3, 0.05, 0.5, 5.0])
@pytest.mark.parametrize("d", [1, 5, 10])
def test_labels_are_exact_in_any_dimension_and_at_any_bandwidth(d, h, dtype):
    X, y, queries = sample(d=d, classes=2, dtype=dtype)
    assert_same_labels(ParzenClassifier(bandwidth=h), X, y, queries)


def test_ties_go_to_exact_sums_and_so_to_the_first_class():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(400, 2))
    X, y = np.concatenate([half, half]), np.repeat([1, 0], 400)
    fitted, _ = assert_same_labels(ParzenClassifier(bandwidth=0.5), X, y, half[:50])
    assert (fitted.predict(half[:50]) == 0).all()
    codes = _certain.certain_codes(
        fitted.expansion_, fitted.decision_, half[:50], method="tree", rtol=1e-12, n_jobs=1
    )
    assert (codes == UNDECIDED).all()


def test_sample_weights_count_as_frequencies():
    X, y, queries = sample()
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    fitted = ParzenClassifier(bandwidth=0.3, method="tree").fit(X, y, sample_weight=weights)
    tree = fitted.predict(queries)
    np.testing.assert_array_equal(tree, fitted.set_params(method="dense").predict(queries))


@pytest.mark.parametrize(
    "estimator",
    [
        L2Classifier(bandwidth=0.5),
        L2LinearClassifier(bandwidth=0.5, ridge=1.0),
        LaplacianClassifier(bandwidth=0.5),
        LaplacianClassifier(bandwidth=0.5, costs=COSTS, reject=0.6),
        KernelNaiveBayes(bandwidth=0.5),
    ],
    ids=lambda e: repr(e)[:40],
)
def test_other_classifiers_keep_their_labels(estimator):
    X, y, queries = sample(n=400)
    assert_same_labels(estimator, X, y, queries)


@pytest.mark.parametrize("classes", [2, 3])
def test_signed_weights_are_decided_as_two_columns(classes):
    X, y, queries = sample(n=600, classes=classes)
    estimator = L2LinearClassifier(bandwidth=0.5, ridge=1.0)
    fitted, exact = assert_same_labels(estimator, X, y, queries)
    assert (fitted.expansion_.weights < 0).any()
    codes = certain_signed_codes(fitted.expansion_, queries, method="tree", rtol=1e-12, n_jobs=1)
    certain = codes >= 0
    assert certain.mean() > 0.9
    np.testing.assert_array_equal(fitted.classes_[codes[certain]], exact[certain])


def test_many_threads_may_ask_a_model_for_its_first_labels_at_once():
    X, y, queries = sample(n=6000)
    fitted = ParzenClassifier(bandwidth=0.3, method="tree", n_jobs=1).fit(X, y)
    exact = ParzenClassifier(bandwidth=0.3, method="dense", n_jobs=1).fit(X, y).predict(queries)
    with ThreadPoolExecutor(4) as pool:
        for labels in pool.map(lambda _: fitted.predict(queries), range(8)):
            np.testing.assert_array_equal(labels, exact)


def test_auto_takes_trees_for_large_samples_and_says_so():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60_000)
    X = rng.normal(size=(60_000, 2)) + y[:, None]
    queries = rng.normal(size=(3000, 2))
    auto = ParzenClassifier(bandwidth=0.1).fit(X, y)
    codes = _certain.certain_codes(auto.expansion_, auto.decision_, queries, **auto._sums_options())
    assert codes is not None
    exact = ParzenClassifier(bandwidth=0.1, method="dense").fit(X, y).predict(queries)
    np.testing.assert_array_equal(auto.predict(queries), exact)
    few = ParzenClassifier(bandwidth=0.1).fit(X[:5000], y[:5000])
    assert few.sums_method_ == "dense"
    assert auto.sums_method_ in ("dense", "tree", "fourier")


def test_a_pickled_model_decides_alike():
    X, y, queries = sample()
    fitted = ParzenClassifier(bandwidth=0.3, method="tree").fit(X, y)
    labels = fitted.predict(queries)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(queries), labels)


def test_a_method_that_knows_nothing_of_the_kernel_is_refused():
    X, y, _ = sample(n=100)
    with pytest.raises(ValueError, match="method='trees' is unknown"):
        ParzenClassifier(method="trees").fit(X, y)
    with pytest.raises(ValueError, match="rtol=-1"):
        ParzenClassifier(rtol=-1).fit(X, y)
    with pytest.raises(ValueError, match="no bounds for kernel 'polynomial'; use method='dense'"):
        RLSClassifier(kernel="polynomial", method="tree").fit(X, y)
    with pytest.raises(ValueError, match="needs a kernel with a name"):
        RLSClassifier(kernel="precomputed", method="tree").fit(X @ X.T, y)
