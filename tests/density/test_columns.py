"""Columns that end or close, against quadrature and SciPy's von Mises density."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, norm, vonmises

import parzen
from parzen import KernelDensity


@pytest.mark.parametrize("bounds", [(0.0, None), (None, 4.0), (0.0, 4.0)])
def test_a_bounded_density_keeps_all_its_mass_inside(bounds):
    x = np.random.default_rng(0).uniform(0, 4, size=(200, 1))
    density = KernelDensity(bandwidth=0.3, bounds={0: bounds}).fit(x)
    grid = np.linspace(-4, 8, 24_001)
    values = np.exp(density.score_samples(grid[:, None]))
    assert np.trapezoid(values, grid) == pytest.approx(1, abs=1e-3)
    outside = (grid < (bounds[0] or -9)) if bounds[0] is not None else grid > 4
    assert (values[outside] == 0).all()


def test_reflection_is_the_density_of_the_mirrored_sample_twice():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.exponential(size=50), rng.normal(size=50)])
    density = KernelDensity(bandwidth=[[0.4, 0.7]], bounds={0: (0, None)}).fit(X)
    mirrored = np.concatenate([X, X * [-1, 1]])
    plain = KernelDensity(bandwidth=[[0.4, 0.7]]).fit(mirrored)
    at = X[:7] + 0.1
    expected = plain.score_samples(at) + np.log(2)
    np.testing.assert_allclose(density.score_samples(at), expected, rtol=1e-12)


def test_a_closed_column_has_von_mises_kernels():
    rng = np.random.default_rng(2)
    hours, y = rng.uniform(0, 24, 60), rng.normal(size=60)
    density = KernelDensity(bandwidth=[[2.0, 0.5]], periods={0: 24}).fit(np.c_[hours, y])
    at = np.array([[0.5, 0.1], [23.9, -1.0], [100.0, 0.3]])
    angle = 2 * np.pi / 24
    circle = vonmises.pdf((at[:, :1] - hours) * angle, (1 / (2.0 * angle)) ** 2) * angle
    expected = np.log((circle * norm.pdf(at[:, 1:], y, 0.5)).mean(axis=1))
    np.testing.assert_allclose(density.score_samples(at), expected, rtol=1e-12)


def test_draws_follow_the_density_and_stay_within_the_columns():
    rng = np.random.default_rng(3)
    X = np.c_[rng.exponential(size=300), rng.vonmises(0, 3, 300) % (2 * np.pi)]
    density = KernelDensity(bandwidth=0.3, bounds={0: (0, None)}, periods={1: 2 * np.pi}).fit(X)
    drawn = density.sample(4000, random_state=0)
    assert drawn.min() >= 0
    assert drawn[:, 1].max() <= 2 * np.pi
    more = density.sample(4000, random_state=1)
    for column in range(2):
        assert kstest(drawn[:, column], more[:, column]).pvalue > 1e-3
    assert np.abs(drawn[:, 0].mean() - X[:, 0].mean()) < 0.15


def test_columns_are_named_and_added_to():
    table = pd.DataFrame({"hour": [1.0, 2.0, 23.0], "price": [0.1, 5.0, 2.0]})
    density = KernelDensity(bandwidth=1.0, bounds={"price": (0, None)}, periods={"hour": 24})
    whole = density.fit(table).score_samples(table)
    density.fit(table[:2]).partial_fit(table[2:])
    np.testing.assert_allclose(density.score_samples(table), whole, rtol=1e-12)


def test_model_files_keep_the_columns(tmp_path):
    X = np.random.default_rng(4).uniform(size=(30, 2))
    density = KernelDensity(bandwidth=0.2, bounds={0: (0, 1)}, periods={1: 1.0}).fit(X)
    parzen.save(density, tmp_path / "d.parzen")
    again = parzen.load(tmp_path / "d.parzen")
    np.testing.assert_array_equal(again.score_samples(X), density.score_samples(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bounds": {0: (0.5, None)}}, "outside the bounds"),
        ({"bounds": {0: (1, 0)}}, "low < high"),
        ({"bounds": {0: 3}}, "must be a pair"),
        ({"bounds": {5: (0, 1)}}, "columns are 0 to 1"),
        ({"periods": {0: -1}}, "positive number"),
        ({"periods": {0: 1.0}, "bounds": {0: (0, 1)}}, "ends or closes"),
        ({"periods": {0: 1.0}, "kernel": "epanechnikov"}, "kernel='gaussian'"),
        ({"periods": {0: 1.0}, "bandwidth": "lscv"}, "silverman"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        KernelDensity(**options).fit(np.random.default_rng(0).uniform(size=(20, 2)))


def test_a_float32_entry_on_a_bound_is_inside_it():
    X = np.array([[0.02], [0.05], [0.1]], dtype=np.float32)
    density = KernelDensity(bandwidth=0.05, bounds={0: (0, 0.1)}).fit(X)
    assert np.isfinite(density.score_samples(X)).all()


def test_whole_numbers_of_numpy_are_periods():
    X = np.array([[1.0], [23.0], [12.0]])
    found = KernelDensity(bandwidth=2.0, periods={0: np.int64(24)}).fit(X).score_samples(X)
    np.testing.assert_array_equal(
        found, KernelDensity(bandwidth=2.0, periods={0: 24}).fit(X).score_samples(X)
    )


@pytest.mark.parametrize("name", ["bounds", "periods"])
def test_columns_that_are_no_dict_are_refused(name):
    with pytest.raises(TypeError, match=rf"{name}=\[\(0, 1\)\] must be a dict"):
        KernelDensity(**{name: [(0, 1)]}).fit(np.eye(2))


def test_a_rule_for_one_column_is_refused_on_a_circle():
    with pytest.raises(ValueError, match="periods= needs bandwidth="):
        KernelDensity("sheather_jones", periods={0: 24}).fit(np.arange(9.0)[:, None])
