"""A fit that is interrupted, at any of its calls, leaves nothing that answers wrongly."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from parzen import feature_space

ESTIMATORS = [
    feature_space.KernelOptimizer(cores=5, random_state=0), feature_space.AlignedKernel(),
    feature_space.EmpiricalKernelMap(), feature_space.LaplacianEmbedding(),
]  # fmt: skip


def sample(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    return X, (X[:, 0] > 0).astype(int)


def fit_until(estimator, last, n):
    """Fit, and raise KeyboardInterrupt at that call of a function of ours; how many there were."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        if event == "call" and "/parzen/" in frame.f_code.co_filename:
            calls += 1
            if calls == last:
                raise KeyboardInterrupt

    sys.setprofile(count)
    try:
        estimator.fit(*sample(n))
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_an_interrupted_fit_is_none(estimator):
    calls = [fit_until(clone(estimator).fit(*sample(30)), None, 20) for _ in range(2)][-1]
    for last in np.unique(np.linspace(1, calls, 20).astype(int)):
        model = clone(estimator).fit(*sample(30))
        try:
            fit_until(model, last, 20)
            rows = 20  # raised where Python swallows it: in a destructor
        except KeyboardInterrupt:
            rows = 30  # while parameters were checked, the first fit holds
        try:
            check_is_fitted(model)
        except NotFittedError:
            continue
        X, y = sample(rows)
        expected = clone(estimator).fit(X, y).transform(X)
        np.testing.assert_array_equal(model.transform(X), expected)
