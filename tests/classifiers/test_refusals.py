"""Parameters that no classifier can follow: the sentence names the parameter and the cure."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import (
    KernelNaiveBayes,
    L2Classifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
)
from parzen.bandwidth import CrossValidation, LeaveOneOutError

X = np.random.default_rng(0).normal(size=(30, 2))
TWO, THREE = np.arange(30) % 2, np.arange(30) % 3


@pytest.mark.parametrize(
    ("classifier", "y", "message"),
    [
        (ParzenClassifier(priors="equal"), TWO, "priors='equal' is unknown; give None, 'uniform'"),
        (ParzenClassifier(priors=["a", "b"]), TWO, r"priors=\['a', 'b'\] is no array of numbers"),
        (ParzenClassifier(priors=[0.5, 0.6]), TWO, "priors must be >= 0 and sum to 1"),
        (ParzenClassifier(priors=[1.0]), TWO, "priors must have one entry per class"),
        (ParzenClassifier(priors="uniform", class_weight="balanced"), TWO,
         "priors and class_weight say the same thing; give one of them"),
        (ParzenClassifier(class_weight={0: 0.0, 1: 0.0}), TWO, "numbers >= 0, not all zero"),
        (ParzenClassifier(class_weight="even"), TWO, "class_weight='even' is unknown"),
        (ParzenClassifier(gamma=2.0), THREE, "gamma is for two classes, but y has 3; use priors"),
        (ParzenClassifier(gamma=2.0, priors="uniform"), TWO, "stands for priors and costs"),
        (ParzenClassifier(costs=[[0, 1]]), TWO, r"of shape \(2, 2\), got \(1, 2\)"),
        (ParzenClassifier(costs=[[0, -1], [1, 0]]), TWO, "finite and not negative, got -1"),
        (ParzenClassifier(costs=[[2, 1], [1, 0]]), TWO,
         r"costs\[0, 0\] exceeds costs\[0, 1\]: a right decision must not cost the most"),
        (ParzenClassifier(costs=[[1, 1], [1, 1]]), TWO, "costs are the same for every decision"),
        (ParzenClassifier(bandwidth=[np.eye(2)] * 3), TWO, "there are 2 classes and 2 features"),
        (ParzenClassifier(bandwidth=[[1.0, 1.0]], metric="class"), TWO, "not per feature"),
        (ParzenClassifier(bandwidth=LeaveOneOutError(per="feature"), metric="class"), TWO,
         "metric='class' takes a selector with per='all' or 'class'"),
        (KernelNaiveBayes(bandwidth=CrossValidation(per="class")), TWO,
         "per='class' is not available in KernelNaiveBayes"),
        (LSSVMClassifier(bandwidth=CrossValidation(per="class")), TWO, "per='class'"),
        (LSSVMClassifier(C=True), TWO, "C must be a number, several, or"),
        (LSSVMClassifier(C=[[1.0]]), TWO, r"C must be a number or a 1-D array, got shape \(1, 1\)"),
        (LSSVMClassifier(C=["a"]), TWO, "C must be a number, several, or"),
        (LaplacianClassifier(keep=True), TWO, "keep must be None, a share .* or a number"),
        (LaplacianClassifier(keep=0), TWO, "keep=0 must be at least 1 kernel per class"),
        (LaplacianClassifier(keep=1.5), TWO, r"keep=1.5 must be a share in \(0, 1\]"),
        (LaplacianClassifier(keep=5, bandwidth_rows=0.5), TWO, "needs keep=None"),
        (L2Classifier(constraint=None), TWO, "constraint=None: weights without constraints"),
        (L2Classifier(constraint="free"), TWO, "constraint='free' is unknown"),
        (L2Classifier(grid=0), TWO, "grid=0 must be at least 1"),
        (L2Classifier(grid="wide"), TWO, "grid='wide' must be None, an integer or an array"),
        (L2Classifier(grid=[]), TWO, r"grid must be a 1-D array of values, got shape \(0,\)"),
        (L2Classifier(grid=[1.0, -1.0]), TWO, "grid must hold positive finite numbers only"),
        (L2Classifier(grid=[[1.0, 2.0]]), THREE, "but there are 3 classes"),
        (L2Classifier(bandwidth=CrossValidation(per="class")), TWO, "per='class' is not available"),
    ],
    ids=lambda value: repr(value) if hasattr(value, "fit") else None,
)  # fmt: skip
def test_a_parameter_that_cannot_be_followed_is_named(classifier, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        classifier.fit(X, y)


def test_what_was_not_computed_is_not_there():
    plain = L2Classifier(bandwidth=1.0).fit(X, TWO)
    with pytest.raises(AttributeError, match="nothing was cross-validated; use bandwidth='cv'"):
        plain.cv_results_  # noqa: B018
    sure = L2Classifier(bandwidth=1.0, priors=[1.0, 0.0]).fit(X, TWO)
    with pytest.raises(ValueError, match=r"the prior of classes_\[1\] is 0, so gamma is infinite"):
        sure.oracle_bound(0.1)
