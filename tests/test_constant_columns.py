"""A constant column tells nothing: what is chosen and decided is as without it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

import parzen
from parzen import bandwidth

pytestmark = pytest.mark.filterwarnings("ignore")

SELECTORS = [name for name in bandwidth.selector_names() if "sheather" not in name]
# Kernels of the distance whose value at a distance does not depend on the number of columns.
RADIAL = ["uniform", "epanechnikov", "radial_laplacian"]
DENSITY_SELECTORS = ["silverman", "scott", "lscv", "likelihood", "cv"]
ESTIMATORS = [
    *(parzen.ParzenClassifier(bandwidth=name) for name in SELECTORS),
    *(parzen.ParzenClassifier(bandwidth=bandwidth.LSCV(per=per)) for per in ("class", "feature")),
    *(parzen.ParzenClassifier(bandwidth=bandwidth.Rule(per=per)) for per in ("class", "feature")),
    *(parzen.ParzenClassifier(kernel=kernel) for kernel in [*RADIAL, "laplacian"]),
    *(parzen.ParzenClassifier(metric=metric) for metric in ("class", "learned")),
    *(parzen.LaplacianClassifier(bandwidth=name) for name in SELECTORS[:-1]),
    parzen.LaplacianClassifier(kernel="laplacian"),
    parzen.LaplacianClassifier(bandwidth="cv", keep=0.5),
    *(parzen.KernelNaiveBayes(bandwidth=name) for name in ("silverman", "lscv", "loo", "cv")),
    *(parzen.L2Classifier(bandwidth=name) for name in ("silverman", "lscv", "cv")),
    *(parzen.L2Classifier(kernel=kernel, bandwidth="loo") for kernel in [*RADIAL, "laplacian"]),
    parzen.L2LinearClassifier(),
    parzen.L2LinearClassifier(bandwidth=0.7),
    parzen.LSSVMClassifier(), parzen.RLSClassifier(), parzen.KernelMSEClassifier(),
    parzen.KernelFisherClassifier(), parzen.BMachineClassifier(), parzen.KernelLassoClassifier(),
    pytest.param(parzen.StackedDensityClassifier(), marks=pytest.mark.slow),
    *(parzen.KernelDensity(bandwidth=name) for name in DENSITY_SELECTORS),
    *(parzen.L2KernelDensity(bandwidth=name) for name in ("silverman", "lscv")),
]  # fmt: skip


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 10)
    X = rng.normal(size=(30, 3)) * [1.0, 1.5, 0.7] + 0.8 * y[:, None]
    return X, y, rng.normal(size=(9, 3)) + 1.0


def beside(X, value):
    return np.column_stack([X, np.full(len(X), value)])


def answers(estimator, X, y, queries):
    """Probabilities, scores, or log-densities relative to the first query's."""
    model = clone(estimator).fit(X, y)
    if not is_classifier(model):
        logs = model.score_samples(queries)
        return logs - logs[0]
    decide = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    return getattr(model, decide)(queries)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_a_constant_column_changes_no_answer(estimator, table):
    X, y, Q = table
    value = 1e8
    if isinstance(estimator, parzen.L2LinearClassifier):
        y = y.clip(max=1)
    expected = answers(estimator, X, y, Q)
    found = answers(estimator, beside(X, value), y, beside(Q, value))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "uniform", "cauchy"])
@pytest.mark.parametrize("value", [5.0, 1e8])
def test_a_query_beside_a_sample_of_equal_rows_is_not_decided_by_rounding(kernel, value):
    X, y = np.full((6, 2), value), np.array([0, 1, 0, 1, 0, 0])
    for make in (parzen.ParzenClassifier, parzen.LaplacianClassifier, parzen.KernelNaiveBayes):
        clf = make(kernel=kernel).fit(X, y)
        proba = clf.predict_proba([[value, value], [value + 0.1, value - 0.1]])
        np.testing.assert_allclose(proba[1], proba[0], rtol=1e-9)


def test_bandwidths_of_classes_get_a_common_one_for_a_constant_column(table):
    X, y, _ = table
    alone = bandwidth.Rule(per="class").select(X, y).bandwidth
    found = bandwidth.Rule(per="class").select(beside(X, 3.0), y).bandwidth
    np.testing.assert_allclose(found[:, :3], np.tile(alone[:, None], 3), rtol=1e-12)
    assert np.ptp(found[:, 3]) == 0


@pytest.mark.parametrize("name", ["silverman", "cv"])
def test_the_selection_of_the_l2_classifier_keeps_its_units(name, table):
    X, y, _ = table
    raw = X * [1.0, 100.0, 1.0]
    alone = parzen.L2Classifier(bandwidth=name).fit(raw, y).selection_.bandwidth
    found = parzen.L2Classifier(bandwidth=name).fit(beside(raw, 3.0), y).selection_.bandwidth
    columns = ... if np.ndim(alone) == 0 else (slice(None), slice(3))
    np.testing.assert_allclose(np.asarray(found)[columns], alone, rtol=1e-12)
