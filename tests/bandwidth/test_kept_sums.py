"""Bandwidths chosen along a stream from sums that are kept: those of a choice from all rows."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons

import parzen
from parzen import KernelDensity, ParzenClassifier
from parzen.bandwidth import (
    ConditionalLikelihood,
    EndOfGridWarning,
    KeptSums,
    LeaveOneOutError,
    Likelihood,
    kept_sums,
)
from parzen.kernels import ColumnProduct

SELECTORS = [LeaveOneOutError, ConditionalLikelihood, Likelihood]
STREAMS = {
    "window of whole batches": {"window": 120, "rechoose": 40},
    "window that cuts batches": {"window": 101, "rechoose": 30},
    "many small batches": {"window": 150, "rechoose": 3},
    "forgetting": {"forget": 0.05, "rechoose": 25},
    "all rows": {"rechoose": 40},
    "class weights": {"window": 120, "rechoose": 40, "class_weight": "balanced"},
    "priors and forgetting": {"forget": 0.1, "rechoose": 20, "priors": [0.3, 0.7]},
}


@pytest.fixture
def drifting():
    X, y = make_moons(400, noise=0.3, random_state=0)
    return X + np.linspace(0, 2, 400)[:, None], y


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
    clf = ParzenClassifier(bandwidth=KeptSums(selector.name), **stream)
    other = ParzenClassifier(bandwidth=0.3, **stream)
    size = stream["rechoose"]
    for start in range(0, (90 if size < 10 else len(X)) - size + 1, size):
        rows = slice(start, start + size)
        for each in (clf, other):
            each.partial_fit(X[rows], y[rows], classes=[0, 1])
        assert_same_choice(clf.selection_, afresh(selector, other, clf.selection_.grid))


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "cauchy"])
def test_a_density_chooses_from_kept_sums_too(kernel):
    X = np.random.default_rng(0).normal(size=(300, 3))
    density = KernelDensity(KeptSums("likelihood"), kernel=kernel, window=100, rechoose=20)
    for rows in np.split(np.arange(300), 15):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndOfGridWarning)
            density.partial_fit(X[rows])
            other = Likelihood(grid=density.selection_.grid).select(density.points_, kernel=kernel)
        assert_same_choice(density.selection_, other)


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
    selector = KeptSums(ConditionalLikelihood(grid=grid))
    clf = ParzenClassifier(kernel, selector, window=120, rechoose=30)
    for rows in np.split(np.arange(240), 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndOfGridWarning)
            clf.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
            kept = clf._rows_so_far()
            other = ConditionalLikelihood(grid=grid).select(kept.X, kept.codes, kernel=kernel)
        np.testing.assert_allclose(
            clf.selection_.scores, other.scores, rtol=1e-10 if dtype == np.float64 else 1e-4
        )


def test_a_choice_takes_the_kernels_of_new_rows_only(monkeypatch):
    pairs, compute = [], kept_sums.labelled_kernel_sums

    def counting(X, Y, *arguments, **options):
        pairs.append(len(X) * len(Y))
        return compute(X, Y, *arguments, **options)

    monkeypatch.setattr(kept_sums, "labelled_kernel_sums", counting)
    X, y = make_moons(900, noise=0.3, random_state=0)
    selector = KeptSums(LeaveOneOutError(grid=np.geomspace(0.05, 1, 20)))
    clf = ParzenClassifier(bandwidth=selector, window=400, rechoose=25)
    for rows in np.split(np.arange(900), 36):
        pairs.clear()
        clf.partial_fit(X[rows], y[rows], classes=[0, 1])
    assert sum(pairs) == 2 * 25 * 400 - 25**2  # batches of other sizes have left
    (table,) = selector._kept._now
    assert sum(part.nbytes for part in table.sums.values()) == 8 * 400 * 2 * 20 * 16


def test_copies_pickles_and_model_files_start_without_sums(drifting, tmp_path):
    X, y = drifting
    clf = ParzenClassifier(bandwidth=KeptSums(), window=100, rechoose=50)
    for start in range(0, 300, 50):
        clf.partial_fit(X[start : start + 50], y[start : start + 50], classes=[0, 1])
    parzen.save(clf, tmp_path / "stream.parzen")
    copies = [pickle.loads(pickle.dumps(clf)), parzen.load(tmp_path / "stream.parzen")]
    for other in copies:
        assert other.bandwidth == clf.bandwidth
        assert not other.bandwidth._kept._now
        other.partial_fit(X[300:350], y[300:350])
    clf.partial_fit(X[300:350], y[300:350])
    for other in copies:
        assert_same_choice(other.selection_, clf.selection_)
    for alike in (clone(clf).bandwidth, copy.deepcopy(clf.bandwidth)):
        assert alike == clf.bandwidth
        assert not alike._kept._now


def test_missing_entries_are_judged_from_all_rows(drifting):
    X, y = drifting
    X[::7, 0] = np.nan
    kept = ParzenClassifier(bandwidth=KeptSums(), window=100, rechoose=50)
    other = ParzenClassifier(bandwidth="loo", window=100, rechoose=50)
    for start in range(0, 200, 50):
        for clf in (kept, other):
            clf.partial_fit(X[start : start + 50], y[start : start + 50], classes=[0, 1])
    assert kept.bandwidth_ == other.bandwidth_


@pytest.mark.parametrize("selector", ["lscv", "kfold", "silverman", LeaveOneOutError(per="class")])
def test_selectors_without_such_sums_are_refused(selector):
    with pytest.raises(ValueError, match="has no sums to keep; give 'loo'"):
        KeptSums(selector)


def test_what_does_not_fit_is_refused(drifting):
    X, y = drifting
    with pytest.raises(ValueError, match="judges a classifier"):
        KernelDensity(KeptSums("loo")).fit(X)
    with pytest.raises(ValueError, match="does not choose a bandwidth for every column"):
        ParzenClassifier(ColumnProduct(), KeptSums()).fit(X, y)


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
    kept, afresh = KeptSums(ConditionalLikelihood(grid=grid)), ConditionalLikelihood(grid=grid)
    first = rng.uniform(0.5, 2.0, 96)
    factors = np.where(y == 0, 0.5, 3.0)
    for weights in (first, factors * first, rng.uniform(0.5, 2.0, 96), None, first[::-1].copy()):
        found = kept.select(X, y, sample_weight=weights)
        assert_same_choice(found, afresh.select(X, y, sample_weight=weights))
    assert_same_choice(kept.select(X[:, ::-1], y), afresh.select(X[:, ::-1], y))
    assert_same_choice(kept.select(X[10:, :1], y[10:]), afresh.select(X[10:, :1], y[10:]))


@pytest.mark.filterwarnings("ignore::parzen.bandwidth.EndOfGridWarning")
@pytest.mark.parametrize("kernel", ["uniform", "gaussian"])
def test_light_rows_keep_their_digits_when_the_heavy_ones_leave(kernel):
    """In units of the heavy rows their sums are below the normal numbers."""
    X, y = make_moons(96, noise=0.3, random_state=0)
    grid, weights = np.geomspace(0.5, 2.0, 7), np.where(np.arange(96) < 32, 9e13, 1e-305)
    weights[32:] *= np.random.default_rng(0).uniform(0.3, 1.0, 64)
    kept, afresh = (
        make(ConditionalLikelihood(grid=grid)) for make in (KeptSums, lambda selector: selector)
    )
    for rows in (slice(0, 64), slice(32, 96)):
        how = {"kernel": kernel, "sample_weight": weights[rows]}
        found = kept.select(X[rows], y[rows], **how)
        assert_same_choice(found, afresh.select(X[rows], y[rows], **how))
