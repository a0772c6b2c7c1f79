"""Sparse matrices: the classifiers give what they give for the dense array, by blocks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.utils import get_tags

from parzen import (
    BMachineClassifier,
    KernelDensity,
    KernelNaiveBayes,
    L2Classifier,
    L2LinearClassifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    StackedDensityClassifier,
)

MODELS = [
    ParzenClassifier(bandwidth=1.0),
    LaplacianClassifier(bandwidth=1.0),
    L2Classifier(bandwidth=1.0),
    L2LinearClassifier(bandwidth=1.0, ridge=0.1),
    LSSVMClassifier(bandwidth=1.0),
    LSSVMClassifier("linear"),
    LSSVMClassifier("polynomial"),
    BMachineClassifier("linear"),
]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12)) * (rng.random((80, 12)) < 0.4)
    return X, np.where(X[:, 0] + X[:, 1] > 0, "b", "a")


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_answers_are_those_about_the_dense_array_within_the_working_memory(model, table):
    X, y = table
    assert get_tags(model).input_tags.sparse
    model.fit(X, y)
    wanted = model.predict(X), model.decision_function(X)
    model.fit(sp.coo_array(X), y)
    rows_seen = []
    with config_context(working_memory=0.005):  # 27 rows as a dense block
        for method, dense in zip(("predict", "decision_function"), wanted, strict=True):
            found = getattr(model, method)(sp.csr_matrix(X))
            rows_seen.append(len(found))
            if method == "predict":
                np.testing.assert_array_equal(found, dense)
            else:
                np.testing.assert_allclose(found, dense, rtol=1e-9, atol=1e-9)
    assert rows_seen == [80, 80]


def test_densities_and_no_rows(table):
    S = sp.csr_array(table[0])
    density = KernelDensity(bandwidth=1.0).fit(S)
    np.testing.assert_allclose(
        density.score_samples(S), KernelDensity(bandwidth=1.0).fit(table[0]).score_samples(table[0])
    )
    clf = ParzenClassifier(bandwidth=1.0).fit(S, table[1])
    assert clf.predict_proba(S[:0]).shape == (0, 2)


def test_a_sample_that_is_too_large_as_an_array_says_so(table):
    X, y = table
    with config_context(working_memory=0.001), pytest.raises(ValueError, match="TruncatedSVD"):
        ParzenClassifier(bandwidth=1.0).fit(sp.csr_array(X), y)


@pytest.mark.parametrize("model", [KernelNaiveBayes(), StackedDensityClassifier()], ids=repr)
def test_columns_that_are_looked_at_one_by_one_stay_dense(model, table):
    X, y = table
    assert not get_tags(model).input_tags.sparse
    with pytest.raises(ValueError, match=r"sparse .*toarray"):
        model.fit(sp.csr_array(X), y)
