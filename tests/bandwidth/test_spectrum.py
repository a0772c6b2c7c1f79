"""Least-squares cross-validation by the structure factor: the pairs' answer without the pairs."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn

from parzen.bandwidth import LSCV, lscv as _lscv, spectrum as _spectrum
from parzen.samples import KernelSample
from parzen.sums import FOURIER_REACH, Frame

pytest.importorskip("finufft")


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_both_terms_equal_the_sums_over_pairs(d, weighted):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(700, d)) * np.arange(1, d + 1) + 30
    w = rng.integers(1, 4, 700).astype(float) if weighted else None
    part = KernelSample.of(X, None, "gaussian", w, None, 1)
    grid = 0.5 * d * 2.0 ** (np.arange(16) / 4)
    assert _spectrum.seconds(X, grid) < np.inf
    for got, wanted in zip(_lscv._by_structure_factor(part, grid), _lscv._by_pairs(part, grid)):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def test_the_choice_does_not_depend_on_finufft(monkeypatch):
    X = np.random.default_rng(0).normal(size=(3000, 2))
    with_it = LSCV().select(X)
    monkeypatch.setattr(_spectrum, "has_finufft", lambda: False)
    without = LSCV().select(X)
    assert with_it.bandwidth == without.bandwidth
    np.testing.assert_allclose(with_it.scores, without.scores, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("c", [1e-12, 1e12])
def test_the_choice_moves_with_the_scale(c):
    X = np.random.default_rng(1).normal(size=(20_000, 2))
    assert LSCV().select(c * X).bandwidth == pytest.approx(
        c * LSCV().select(X).bandwidth, rel=1e-10
    )


def test_a_grid_too_fine_for_the_memory_goes_over_the_pairs():
    X = np.random.default_rng(2).normal(size=(300, 2))
    assert _spectrum.seconds(X, np.array([1e-6, 1.0])) == np.inf
    assert LSCV(grid=[1e-6, 0.3, 1.0, 3.0]).select(X).bandwidth == 0.3


def test_only_bandwidths_too_small_for_the_memory_go_over_the_pairs(monkeypatch):
    X = np.random.default_rng(3).normal(size=(4000, 2))
    asked, pairs = [], _lscv._by_pairs
    monkeypatch.setattr(
        _lscv, "_by_pairs", lambda part, grid: asked.extend(grid) or pairs(part, grid)
    )
    grid = np.array([1e-6, 1e-5, 0.1, 0.3, 1.0])
    mixed = LSCV(grid=grid).select(X)
    assert asked == [1e-6, 1e-5]
    monkeypatch.setattr(_lscv, "_structure_factor_is_faster", lambda part, grid: False)
    np.testing.assert_allclose(mixed.scores, LSCV(grid=grid).select(X).scores, rtol=1e-10)


@pytest.mark.parametrize("d", [2, 3])
def test_a_bandwidth_fits_where_its_frequencies_and_those_of_its_convolution_do(d):
    X = np.random.default_rng(4).normal(size=(50, d))
    grid = np.geomspace(0.3, 3.0, 7)
    widest = np.sqrt(2.0) * grid.max()
    needed = [
        Frame.around(X, margin=FOURIER_REACH, narrow=h, wide=min(4 * h, widest)).n_bytes
        for h in grid
    ]
    for place in (1, 4):
        for share, expected in ((1.0, place), (0.999, place + 1)):
            with sklearn.config_context(working_memory=share * needed[place] / 2**20):
                assert _spectrum.fits(X, grid).tolist() == [i >= expected for i in range(7)]
    with sklearn.config_context(working_memory=1e-9):
        assert _spectrum.fits(X[:, :1], grid).all()
        assert _spectrum.fits(np.hstack([X, X]), grid).all()
        assert _spectrum.seconds(X, grid) == np.inf
    assert _spectrum.seconds(np.hstack([X, X]), grid) == np.inf
