"""Gaussian sums by Fourier transforms: the stated absolute error, and right tails all the same."""

from __future__ import annotations

import multiprocessing

import numpy as np
import pytest

from parzen import KernelDensity, kernel_sums
from parzen.classifiers import ParzenClassifier
from parzen.kernels import get
from parzen.sums import fourier as _fourier, labelled_kernel_sums, nufft as _nufft, reference
from parzen.sums.call import Call
from parzen.sums.methods import strategy_for

pytest.importorskip("finufft")


def _sample(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * np.arange(1, d + 1) + 50.0


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_error_is_a_trillionth_of_peak_and_mass(d, dtype):
    rng = np.random.default_rng(d)
    X, Y = _sample(60, d, 1).astype(dtype), _sample(900, d, 2).astype(dtype)
    W = np.stack([rng.normal(size=900), rng.uniform(size=900)], axis=1)
    h = [0.3 * d, 0.5 * d, 5.0]
    got = kernel_sums(X, Y, W, bandwidths=h, method="fourier")
    wanted = reference.kernel_sums(X, Y, W.astype(dtype), bandwidths=h)
    unit = np.abs(W).sum(axis=0)[:, None] * np.exp(get("gaussian").log_normalizer(np.array(h), d))
    error = np.abs(got - wanted) / unit
    assert float(error.max()) <= (1e-12 if dtype == np.float64 else 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
def test_logarithms_are_right_in_the_tails_and_far_away(d, rtol):
    X = np.concatenate([_sample(50, d, 3), _sample(5, d, 4) + 1e6, 50 + 12 * _sample(20, d, 5)])
    Y = _sample(700, d, 6)
    h = [0.4 * d, 1.0 * d]
    got = kernel_sums(X, Y, bandwidths=h, log=True, method="fourier", rtol=rtol)
    wanted = reference.kernel_sums(X, Y, bandwidths=h, log=True)
    assert float((np.abs(got - wanted) / (1 + 1e-15 / rtol * np.abs(wanted))).max()) <= rtol


@pytest.mark.parametrize("d", [1, 2])
def test_an_offset_costs_no_digits(d):
    X, Y = (np.round(2.0**10 * _sample(n, d, n)) / 2.0**10 for n in (40, 500))
    there = kernel_sums(X, Y, bandwidths=0.5, method="fourier")
    moved = kernel_sums(X + 2.0**40, Y + 2.0**40, bandwidths=0.5, method="fourier")
    np.testing.assert_allclose(moved, there, atol=1e-12 * 500, rtol=0)


@pytest.mark.parametrize("log", [True, False])
def test_leaving_one_out(log):
    X = np.concatenate([_sample(600, 2), [[90.0, 90.0], [90.5, 90.0], [-10.0, 0.0]]])
    labels = np.arange(len(X)) % 3
    W = np.eye(3)[labels] * np.arange(1, len(X) + 1)[:, None]
    options = {"bandwidths": [0.5, 0.9], "exclude_self": True}
    got = kernel_sums(X, X, W, log=log, method="fourier", rtol=1e-6, **options)
    wanted = reference.kernel_sums(X, X, W, log=log, **options)
    np.testing.assert_allclose(got, wanted.astype(float), rtol=1e-6)
    if log:
        by_label = labelled_kernel_sums(
            X, X, labels, 3, np.arange(1.0, len(X) + 1), method="fourier", rtol=1e-6, **options
        )
        np.testing.assert_allclose(by_label, wanted.astype(float), rtol=1e-6)


def test_scaled_sums_of_signed_weights():
    rng = np.random.default_rng(7)
    X, Y = np.concatenate([_sample(40, 2, 8), [[1e4, 0.0]]]), _sample(500, 2, 9)
    W = rng.normal(size=(500, 2))
    got = kernel_sums(X, Y, W, bandwidths=0.8, scaled=True, method="fourier", rtol=1e-8)
    exact = kernel_sums(X, Y, W, bandwidths=0.8, scaled=True, method="dense")
    size = kernel_sums(X, Y, np.abs(W), bandwidths=0.8, scaled=True, method="dense")
    difference = got.mantissa * np.exp(got.log_scale - exact.log_scale) - exact.mantissa
    assert (np.abs(difference) <= 1e-8 * size.mantissa).all()


def test_weights_per_bandwidth():
    rng = np.random.default_rng(10)
    X, Y = _sample(30, 2, 11), _sample(400, 2, 12)
    W = rng.uniform(size=(400, 2, 3))
    got = kernel_sums(X, Y, W, bandwidths=[0.5, 1.0, 9.0], method="fourier", rtol=1e-6)
    wanted = reference.kernel_sums(X, Y, W, bandwidths=[0.5, 1.0, 9.0])
    np.testing.assert_allclose(got, wanted.astype(float), rtol=1e-6)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    monkeypatch.setattr(_nufft, "_ROWS_PER_TRANSFORM", 1000)
    X = _sample(20_000, 1)
    options = {"bandwidths": 0.1, "method": "fourier", "log": True}
    np.testing.assert_array_equal(
        kernel_sums(X, X, n_jobs=1, **options), kernel_sums(X, X, n_jobs=3, **options)
    )


def _sums_in_child(X, queue):
    queue.put(float(kernel_sums(X, X, bandwidths=0.1, method="fourier", n_jobs=2).sum()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_child_finishes(monkeypatch):
    monkeypatch.setattr(_nufft, "_ROWS_PER_TRANSFORM", 1000)
    X = _sample(5000, 1)
    wanted = float(kernel_sums(X, X, bandwidths=0.1, method="fourier", n_jobs=2).sum())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_sums_in_child, args=(X, queue))
    child.start()
    assert queue.get(timeout=30) == wanted
    child.join(30)


def test_auto_takes_it_for_many_points_and_a_modest_tolerance():
    X = _sample(200_000, 2)
    call = Call.prepare(X, X, "gaussian", 0.3, exclude_self=False, mode="log")
    assert strategy_for(call, "auto", 1e-6).name == "fourier"
    assert strategy_for(call, "auto", 1e-12).name != "fourier"
    assert strategy_for(call, "auto", 0.0).name == "dense"


def test_estimators_with_it():
    rng = np.random.default_rng(13)
    X = _sample(3000, 2)
    y = (X[:, 0] + rng.normal(size=3000) > 50).astype(int)
    queries = np.concatenate([_sample(200, 2, 14), [[900.0, 0.0]]])
    options = {"method": "fourier", "rtol": 1e-6}
    density = KernelDensity(bandwidth=0.4, **options).fit(X)
    assert density.sums_method_ == "fourier"
    exact = KernelDensity(bandwidth=0.4).fit(X).score_samples(queries)
    np.testing.assert_allclose(density.score_samples(queries), exact, rtol=1e-6)
    rule = ParzenClassifier(bandwidth=0.4, **options).fit(X, y)
    wanted = ParzenClassifier(bandwidth=0.4).fit(X, y)
    np.testing.assert_allclose(
        rule.predict_proba(queries), wanted.predict_proba(queries), rtol=0, atol=1e-6
    )


def test_where_it_cannot_serve_a_sentence_says_why(monkeypatch):
    X = _sample(50, 4)
    with pytest.raises(ValueError, match="up to 3 features, not 4"):
        kernel_sums(X, X, bandwidths=1.0, method="fourier")
    with pytest.raises(ValueError, match="gaussian kernel only, not 'cauchy'"):
        kernel_sums(X[:, :2], X[:, :2], kernel="cauchy", bandwidths=1.0, method="fourier")
    with pytest.raises(ValueError, match=r"MiB for the frequencies.*working_memory is 1024 MiB"):
        kernel_sums(X[:, :2], X[:, :2], bandwidths=1e-7, method="fourier")
    monkeypatch.setattr(_fourier, "has_finufft", lambda: False)
    with pytest.raises(ValueError, match=r"finufft.*pip install parzen\[fourier\].*'auto'"):
        kernel_sums(X[:, :2], X[:, :2], bandwidths=1.0, method="fourier")
