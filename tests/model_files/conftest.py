"""Fitted estimators of every kind."""

import warnings
from functools import cache, partial

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import parzen
from parzen import feature_space, kernels
from parzen.bandwidth import LSCV, CrossValidation
from parzen.table import TableEncoder

X, y = load_iris(return_X_y=True)
X, y = X[::3], y[::3]
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(
    colour=np.where(X[:, 0] > 5.5, "red", "bläu")
)
TWO = (y > 0).astype(int)


def estimators():
    """Every kind of estimator, by name, with rows to ask it about and labels to fit to."""
    conformal = kernels.ConformalKernel("gaussian", X[:3], [1.0, 0.5, 0.2, 0.1])
    conformal = partial(conformal, bandwidth=2.0)
    return {
        "density": (parzen.KernelDensity(bandwidth=LSCV(per="feature")), X, None),
        "density by class metric": (parzen.KernelDensity(metric="class"), X, None),
        "l2 density": (parzen.L2KernelDensity(), X, None),
        "parzen": (parzen.ParzenClassifier(), X, NAMES),
        "parzen, everything": (
            parzen.ParzenClassifier(
                kernel="cauchy", metric="class", novelty=0.05,
                reject=0.3, costs=1.0 - np.eye(3), class_weight={0: 1.0, 1: 2.0, 2: 1.0},
            ), X, y,
        ),
        "parzen, objects": (parzen.ParzenClassifier(bandwidth="scott"), X, NAMES.astype(object)),
        "parzen, booleans": (parzen.ParzenClassifier(), X.astype(np.float32), y > 0),
        "parzen, learned": (parzen.ParzenClassifier(metric="learned", novelty=0.05), X, NAMES),
        "stack": (
            parzen.StackedDensityClassifier("all", novelty=0.05), FRAME, NAMES,
        ),
        "naive Bayes": (parzen.KernelNaiveBayes(bandwidth="cv", novelty=0.05), X, y),
        "naive Bayes of a frame": (
            parzen.KernelNaiveBayes(categorical_features="from_dtype"), FRAME, NAMES,
        ),
        "l2": (parzen.L2Classifier(eta="cv", novelty=0.05, cv=StratifiedKFold(3)), X, NAMES),
        "l2, system": (parzen.L2LinearClassifier(bandwidth=1.0), X, TWO),
        "laplacian": (parzen.LaplacianClassifier(bandwidth="cv", novelty=0.05), X, NAMES),
        "laplacian, few": (
            parzen.LaplacianClassifier(
                kernel="epanechnikov", keep=0.3, random_state=np.random.RandomState(1)
            ), X, y,
        ),
        "b-machine": (parzen.BMachineClassifier(kernel="inverse_quadratic"), X, y),
        "ls-svm": (parzen.LSSVMClassifier(coding="minimum"), X, NAMES),
        "ls-svm, conformal": (parzen.LSSVMClassifier(kernel=conformal), X, y),
        "rls": (parzen.RLSClassifier(kernel=kernels.Polynomial(degree=2)), X, y),
        "rls, per class": (parzen.RLSClassifier(bandwidth=[0.5, 1.0, 2.0]), X, y),
        "rls, rows that choose": (parzen.RLSClassifier(bandwidth_rows=0.5, novelty=0.05), X, y),
        "l2, per feature": (
            parzen.L2Classifier(bandwidth=CrossValidation(per="feature", folds=3)), X, y,
        ),
        "ls-svm, decisions": (
            parzen.LSSVMClassifier(
                coding="pairwise", novelty=0.05, reject=0.3, priors="uniform", costs=1.0 - np.eye(3)
            ), X, NAMES,
        ),
        "kernel lasso": (parzen.KernelLassoClassifier(coding="error_correcting"), X, y),
        "kmse": (parzen.KernelMSEClassifier(), X, y),
        "kfd": (parzen.KernelFisherClassifier(threshold="cv"), X, TWO),
        "kernel map": (feature_space.EmpiricalKernelMap(), X, None),
        "embedding": (feature_space.LaplacianEmbedding(), X, None),
        "optimised kernel": (feature_space.KernelOptimizer(), X, TWO),
        "aligned kernel": (feature_space.AlignedKernel(), X, TWO),
        "normal scores": (parzen.NormalScores(), X, None),
        "rls, anova": (parzen.RLSClassifier(kernel=kernels.AnovaKernel(X)), X, y),
        "prediction sets": (
            parzen.ConformalClassifier(parzen.ParzenClassifier(bandwidth=0.5)), X, NAMES,
        ),
        "table": (TableEncoder(), FRAME, None),
        "pipeline": (make_pipeline(TableEncoder(), parzen.L2Classifier()), FRAME, NAMES),
        "scaled": (make_pipeline(StandardScaler(), parzen.ParzenClassifier()), X, y),
    }  # fmt: skip


ESTIMATORS = estimators()


@cache
def fitted(name):
    """An estimator of that name, fitted when a test first asks for it, and its rows."""
    estimator, rows, labels = ESTIMATORS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(rows, labels), rows


METHODS = (
    "predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples",
    "transform",
)  # fmt: skip


def answers(estimator, rows):
    """What an estimator says about rows, by method."""
    found = {}
    for name in METHODS:
        if hasattr(estimator, name):
            found[name] = np.asarray(getattr(estimator, name)(rows))
    return found
