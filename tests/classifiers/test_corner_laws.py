"""Weights are copies, the order of rows does not matter, one row is answered as in a batch.

In samples where a criterion has ties or a scale is lost: equal rows, offsets, single precision.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import parzen
from parzen import feature_space

pytestmark = pytest.mark.filterwarnings("ignore")

DENSITIES = [parzen.ParzenClassifier, parzen.LaplacianClassifier, parzen.KernelNaiveBayes]
ESTIMATORS = [
    *(make(bandwidth=name) for make in DENSITIES
      for name in ("conditional_likelihood", "lscv", "training")),
    *(make(kernel=kernel) for make in DENSITIES for kernel in ("uniform", "radial_laplacian")),
    *(parzen.L2Classifier(bandwidth=name, tol=1e-13) for name in ("silverman", "lscv")),
    parzen.KernelDensity(bandwidth="lscv"),
    parzen.L2KernelDensity(bandwidth="lscv", tol=1e-13),
    parzen.LSSVMClassifier(bandwidth=0.7),
]  # fmt: skip
CORNERS = ["constant column", "offset", "float32", "all equal", "one member", "equal class"]


def corner(kind):
    rng = np.random.default_rng(1)
    y = np.arange(14) % 2
    X = rng.normal(size=(14, 2)) + y[:, None]
    if kind == "constant column":
        X = np.column_stack([X, np.full(14, 0.1)])
    elif kind == "offset":
        X += 1e8
    elif kind == "float32":
        X = X.astype(np.float32)
    elif kind == "all equal":
        X[:] = X[0]
    elif kind == "one member":
        y = (np.arange(14) == 3).astype(int)
    else:
        X[y == 0] = X[0]
    queries = X[:5] + (0.3 * rng.normal(size=(5, X.shape[1]))).astype(X.dtype)
    return X, y, rng.integers(1, 4, 14), queries, rng.permutation(14)


def answers(model, queries):
    return getattr(model, "predict_proba", getattr(model, "score_samples", None))(queries)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("kind", CORNERS)
def test_the_laws_hold_in_corners(estimator, kind):
    X, y, weights, queries, order = corner(kind)
    model = clone(estimator).fit(X, y, sample_weight=weights)
    expected = answers(model, queries)
    rows = np.repeat(order, weights[order])
    copies = answers(clone(estimator).fit(X[rows], y[rows]), queries)
    alone = np.concatenate([answers(model, queries[i : i + 1]) for i in range(len(queries))])
    digits = 1e-4 if kind == "float32" else 1e-9
    for found in (copies, alone):
        np.testing.assert_allclose(found, expected, rtol=digits, atol=digits)


@pytest.mark.parametrize(
    "make", [feature_space.LaplacianEmbedding, feature_space.EmpiricalKernelMap,
             feature_space.KernelOptimizer, feature_space.AlignedKernel],
)  # fmt: skip
@pytest.mark.parametrize("kind", CORNERS)
def test_transforms_are_finite(make, kind):
    X, y, _, queries, _ = corner(kind)
    if make is feature_space.AlignedKernel and kind == "all equal":
        with pytest.raises(ValueError, match="maps the classes to the same point"):
            make().fit(X, y)
        return
    model = make().fit(X, y)
    assert np.isfinite(model.transform(queries)).all()


@pytest.mark.parametrize("spreads", [[0.3, 1e3, 3e-3, 30.0], [1e9, 1e-9, 1.0, 1e3]])
@pytest.mark.parametrize("seed", range(2))
def test_weights_are_copies_for_matrices_of_columns_far_apart_in_spread(seed, spreads):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4)) * spreads
    y, copies = np.arange(30) % 2, rng.integers(1, 4, 30)
    model = parzen.ParzenClassifier("radial_laplacian", "plug_in_matrix")
    weighted = model.fit(X, y, sample_weight=copies).predict_proba(X)
    rows = rng.permutation(np.repeat(np.arange(30), copies))
    copied = model.fit(X[rows], y[rows]).predict_proba(X)
    assert weighted.min() < 0.4  # it is no constant that agrees
    np.testing.assert_allclose(weighted, copied, atol=1e-9)
