"""Dask objects in, lazy dask arrays out, with the numbers of a single machine."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

from parzen import (  # noqa: E402
    BMachineClassifier,
    KernelDensity,
    KernelFisherClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    L2Classifier,
    L2LinearClassifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
    kernel_sums,
)
from parzen.distributed import spread as _spread  # noqa: E402


@pytest.fixture(autouse=True)
def one_process():
    with dask.config.set(scheduler="synchronous"):
        yield


def _moons(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("form", [{}, {"log": True}, {"scaled": True}])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_over_pairs_of_chunks(form, weighted):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(50, 3)), rng.normal(size=(130, 3))
    X[7] += 500.0
    W = rng.uniform(size=(130, 2)) if weighted else None
    options = {"bandwidths": [0.5, 1.0], **form}
    wanted = kernel_sums(X, Y, W, **options)
    chunked = da.from_array(X, chunks=(20, 2)), da.from_array(Y, chunks=(13, 3))
    got = kernel_sums(*chunked, W, **options)
    lazy = got[0] if form.get("scaled") else got
    assert isinstance(lazy, da.Array)
    assert lazy.chunks[0] == (20, 20, 10)
    if form.get("scaled"):
        ratio = np.asarray(got.mantissa) * np.exp(np.asarray(got.log_scale) - wanted.log_scale)
        np.testing.assert_allclose(ratio, wanted.mantissa, rtol=1e-9)
    else:
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-12)


def test_leaving_one_out_over_chunks():
    X, y = _moons(90)
    W = np.eye(2)[y]
    lazy = da.from_array(X, chunks=(25, 2))
    got = kernel_sums(lazy, lazy, da.from_array(W, chunks=(40, 1)), bandwidths=0.3,
                      exclude_self=True, log=True)  # fmt: skip
    wanted = kernel_sums(X, X, W, bandwidths=0.3, exclude_self=True, log=True)
    np.testing.assert_allclose(got.compute(), wanted, rtol=1e-12)


@pytest.mark.parametrize(
    "model", [ParzenClassifier(), RLSClassifier(bandwidth=1.0, regularization=0.1)]
)
def test_classifiers_answer_lazily_and_alike(model):
    X, y = _moons(200)
    model.fit(X, y)
    queries = _moons(70, 1)[0]
    lazy = da.from_array(queries, chunks=(30, 1))
    for name in ("predict", "predict_proba", "decision_function", "p_values", "predict_set"):
        got = getattr(model, name)(lazy)
        assert got.chunks[0] == (30, 30, 10)
        np.testing.assert_allclose(got.compute(), getattr(model, name)(queries), rtol=1e-12)
    assert model.predict(lazy).dtype == model.predict(queries).dtype


def test_methods_under_a_condition_answer_lazily_too():
    X, y = _moons(100)
    lazy = da.from_array(X, chunks=(30, 2))
    model = LaplacianClassifier(bandwidth=0.5).fit(X, y)
    got = model.score_samples(lazy)
    assert got.chunks[0] == (30, 30, 30, 10)
    np.testing.assert_allclose(got.compute(), model.score_samples(X), rtol=1e-12)
    with pytest.raises(AttributeError, match="needs keep=None"):
        LaplacianClassifier(bandwidth=0.5, keep=0.5).fit(X, y).score_samples(lazy)


def test_fitting_on_chunks_is_fitting_on_the_sample(monkeypatch):
    monkeypatch.setattr(_spread, "MIN_PAIRS", 0)
    calls = []
    run = _spread._run
    monkeypatch.setattr(_spread, "_run", lambda *a: calls.append(a[1:3]) or run(*a))
    X, y = _moons(150)
    w = np.random.default_rng(2).integers(1, 3, 150)
    lazy = [da.from_array(a, chunks=40) for a in (X, y, w)]
    got = ParzenClassifier().fit(lazy[0], lazy[1], sample_weight=lazy[2])
    wanted = ParzenClassifier().fit(X, y, sample_weight=w)
    assert got.bandwidth_ == wanted.bandwidth_
    assert len(calls) > 1
    queries = _moons(60, 1)[0]
    np.testing.assert_array_equal(got.predict(queries), wanted.predict(queries))
    for selector in ("lscv", "likelihood"):
        density = KernelDensity(selector, kernel="cauchy").fit(lazy[0])
        exact = KernelDensity(selector, kernel="cauchy").fit(X)
        assert density.bandwidth_ == exact.bandwidth_


def test_dataframes_keep_their_column_names():
    dd = pytest.importorskip("dask.dataframe")
    X, y = _moons(120)
    frame = pd.DataFrame(X, columns=["a", "b"])
    lazy = dd.from_pandas(frame, npartitions=3)
    model = ParzenClassifier(bandwidth=0.3).fit(lazy, dd.from_pandas(pd.Series(y), npartitions=3))
    assert list(model.feature_names_in_) == ["a", "b"]
    np.testing.assert_array_equal(model.predict(lazy).compute(), model.predict(frame))
    density = KernelDensity(0.3).fit(lazy)
    np.testing.assert_allclose(
        density.score_samples(lazy).compute(), density.score_samples(frame), rtol=1e-12
    )
    with pytest.raises(ValueError, match="feature names"):
        model.predict(lazy.rename(columns={"a": "c"}))


def test_bad_input_is_refused_with_a_sentence():
    X = da.from_array(_moons(40)[0], chunks=(20, 2))
    with pytest.raises(ValueError, match="same array as X and as Y"):
        kernel_sums(X, X + 0, bandwidths=1.0, exclude_self=True)
    with pytest.raises(ValueError, match="weights have 3 rows, but Y has 40"):
        kernel_sums(X, X, np.ones(3), bandwidths=1.0)
    with pytest.raises(ValueError, match="Y has no points"):
        kernel_sums(X, X[X[:, 0] > 1e9], bandwidths=1.0).compute()


@pytest.mark.parametrize("options", [{}, {"log": True}, {"exclude_self": True}])
def test_sums_of_dataframes_and_of_chunks_of_unknown_length(options):
    X = np.sort(_moons(60)[0], axis=0)
    w = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=3)
    some = da.from_array(X, chunks=(20, 2))
    some = some[some[:, 0] > X[25, 0]]  # nothing is left of the first chunk
    for lazy, rows in ((frame, slice(None)), (some, slice(26, None))):
        for weights in (None, w[rows], da.from_array(w[rows], chunks=7)):
            found = kernel_sums(lazy, lazy, weights, bandwidths=0.3, **options)
            here = None if weights is None else w[rows]
            wanted = kernel_sums(X[rows], X[rows], here, bandwidths=0.3, **options)
            np.testing.assert_allclose(found.compute(), wanted, rtol=1e-12)
    series = dd.from_pandas(pd.Series(w), npartitions=3)
    found = kernel_sums(X, frame, series, bandwidths=0.3)
    np.testing.assert_allclose(found.compute(), kernel_sums(X, X, w, bandwidths=0.3), rtol=1e-12)


def test_dask_is_not_imported_before_it_is_needed():
    code = (
        "import parzen, sys; assert 'dask' not in sys.modules and 'distributed' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


LANDMARKED = [
    RLSClassifier, LSSVMClassifier, KernelLassoClassifier, KernelMSEClassifier,
    KernelFisherClassifier, BMachineClassifier, L2Classifier,
]  # fmt: skip


def _exactly(make, **parameters):
    """A classifier whose solution is determined beyond the digits that are compared."""
    iterative = make in (BMachineClassifier, L2Classifier, KernelLassoClassifier)
    tight = {"tol": 1e-13} if iterative else {}
    return make(**parameters, **tight)


@pytest.mark.parametrize("make", LANDMARKED)
def test_chunks_with_every_row_a_landmark_are_the_exact_fit(make):
    X, y = _moons(150)
    w = np.random.default_rng(2).integers(0, 3, len(X)).astype(float)
    X[30:40] = X[:10]  # copies in the same chunk and in others
    X[100:105], y[100:105] = X[:5], y[:5]
    exact = _exactly(make, bandwidth=0.5, n_landmarks=None).fit(X, y, w)
    chunked = _exactly(make, bandwidth=0.5, n_landmarks=len(X)).fit(
        da.from_array(X, chunks=(40, 2)), da.from_array(y, chunks=60), da.from_array(w, chunks=40)
    )
    np.testing.assert_allclose(
        chunked.decision_function(X), exact.decision_function(X), rtol=1e-7, atol=1e-8
    )
    np.testing.assert_array_equal(chunked.class_count_, exact.class_count_)


@pytest.mark.slow
@pytest.mark.parametrize("make", LANDMARKED)
@pytest.mark.parametrize("h", [[0.4, 0.7], [[0.4, 0.7]], [[0.4, 0.7], [0.5, 0.3]]], ids=repr)
def test_chunks_take_every_form_of_a_bandwidth(make, h):
    X, y = _moons(80)
    X[30:40] = X[:10]
    exact = _exactly(make, bandwidth=h, n_landmarks=None).fit(X, y)
    chunked = _exactly(make, bandwidth=h, n_landmarks=len(X)).fit(
        da.from_array(X, chunks=(40, 2)), y
    )
    np.testing.assert_allclose(
        chunked.decision_function(X), exact.decision_function(X), rtol=1e-7, atol=1e-8
    )


@pytest.mark.slow
@pytest.mark.parametrize("make", LANDMARKED)
def test_chunks_on_landmarks_are_not_gathered(make, monkeypatch):
    def gathered(values):
        raise AssertionError("the sample came to the client")

    monkeypatch.setattr("parzen.distributed.gather", gathered)
    X, y = _moons(400)
    frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=3)
    labels = dd.from_pandas(pd.Series(np.array(["no", "yes"])[y]), npartitions=3)
    clf = make(bandwidth=0.5, n_landmarks=40).fit(frame, labels)
    assert list(clf.feature_names_in_) == ["a", "b"]
    assert len(clf.support_) <= 41
    points = clf.support_vectors_ if make is L2Classifier else clf.expansion_.points
    np.testing.assert_array_equal(points, X[clf.support_])
    assert np.mean(clf.predict(frame).compute() == np.array(["no", "yes"])[y]) > 0.7
    again = make(bandwidth=0.5, n_landmarks=40).fit(frame, labels)
    np.testing.assert_array_equal(again.support_, clf.support_)


def test_chunks_of_a_small_sample_are_gathered_and_fitted_exactly():
    X, y = _moons(150)
    exact = RLSClassifier(bandwidth=0.5).fit(X, y)
    chunked = RLSClassifier(bandwidth=0.5).fit(da.from_array(X, chunks=(40, 2)), y)
    np.testing.assert_array_equal(chunked.decision_function(X), exact.decision_function(X))


def test_chunks_with_labels_of_another_length_are_refused():
    X, y = _moons(150)
    with pytest.raises(ValueError, match="y has 149 rows, but X has 150"):
        RLSClassifier(bandwidth=0.5, n_landmarks=20).fit(da.from_array(X, chunks=(40, 2)), y[1:])


def test_chunks_take_labels_in_one_column_as_samples_in_memory_do():
    X, y = _moons(150)
    chunks = da.from_array(X, chunks=(40, 2))
    clf = RLSClassifier(bandwidth=0.5, n_landmarks=20, random_state=0)
    flat = clf.fit(chunks, y).predict_proba(X)
    for column in (y[:, None], da.from_array(y[:, None], chunks=30)):
        np.testing.assert_array_equal(clf.fit(chunks, column).predict_proba(X), flat)
    with pytest.raises(ValueError, match="y should be a 1d array"):
        clf.fit(chunks, np.column_stack([y, y]))


@pytest.mark.parametrize("classifier", [LSSVMClassifier, L2LinearClassifier, L2Classifier])
def test_rows_of_a_chunked_sample_have_no_names_of_a_former_fit(classifier):
    X, y = _moons(60)
    clf = classifier(bandwidth=0.7, n_landmarks=12)
    clf.fit(pd.DataFrame(X, index=[f"row {i}" for i in range(60)]), y)
    assert clf.explain(X[:1])[0].supporting_names is not None
    clf.fit(da.from_array(X, chunks=(20, 2)), da.from_array(y, chunks=20))
    assert clf.explain(X[:1])[0].supporting_names is None
