"""Columns of kernel naive Bayes: constant ones tell nothing; factors are those of refits."""

import numpy as np
import pytest

from parzen import KernelNaiveBayes
from parzen.classifiers.naive_bayes import NumericColumn


@pytest.mark.parametrize("value", [0.0, 1.0, 1e8, -3e-12])
@pytest.mark.parametrize("bandwidth", ["cv", "silverman", "lscv", 0.5])
def test_a_constant_column_changes_nothing_wherever_a_query_lies(value, bandwidth):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=40) > 0
    without = KernelNaiveBayes(bandwidth=bandwidth).fit(X, y).predict_proba(X)
    wider = KernelNaiveBayes(bandwidth=bandwidth).fit(np.c_[X, np.full(40, value)], y)
    for beside in (0.0, 0.1, 1e6):
        rows = np.c_[X, np.full(40, value + beside)]
        np.testing.assert_array_equal(wider.predict_proba(rows), without)


@pytest.mark.parametrize("background", [0.0, 0.1])
def test_densities_at_factors_are_those_of_columns_with_such_bandwidths(background):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 1)), rng.integers(0, 3, 60)
    X[::7] = np.nan
    X[y == 2] = np.nan  # a class without entries
    weights = rng.integers(1, 4, 60)
    factors = np.array([0.25, 1.0, 3.0])
    h = np.array([0.3, 0.7, 1.0])
    base = KernelNaiveBayes(bandwidth=h, background=background)
    (column,) = base.fit(X, y, sample_weight=weights).columns_
    assert isinstance(column, NumericColumn)
    x = np.array([0.0, np.nan, 1.5, 40.0])
    got = column.at_factors(x, factors, n_jobs=1)
    for b, factor in enumerate(factors):
        scaled = KernelNaiveBayes(bandwidth=factor * h, background=background)
        (other,) = scaled.fit(X, y, sample_weight=weights).columns_
        np.testing.assert_allclose(got[:, :, b], other.log_densities(x), rtol=1e-12, atol=1e-12)
