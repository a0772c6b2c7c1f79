"""Classifiers by least squares to targets, on any kernel.

An estimator (`ScoreClassifier`) checks its parameters and gathers them in frozen `ScoreOptions`,
with the one thing in which the family differs, a `ScoreMethod`: how weights follow from a Gram
matrix. `fit_gram` or `fit_on_landmarks` turn options and a sample into `FittedScores`, which the
estimator keeps. Decisions are those of every classifier of the library.
"""

from parzen.classifiers.least_squares.bmachine import BMachineClassifier
from parzen.classifiers.least_squares.gram_expansion import GramExpansion
from parzen.classifiers.least_squares.kernel_fisher import KernelFisherClassifier
from parzen.classifiers.least_squares.kernel_lasso import KernelLassoClassifier
from parzen.classifiers.least_squares.kernel_mse import KernelMSEClassifier
from parzen.classifiers.least_squares.lssvm import LSSVMClassifier
from parzen.classifiers.least_squares.rls import RLSClassifier
from parzen.classifiers.least_squares.sample import SplitSample, TrainingRows

__all__ = [
    "BMachineClassifier",
    "GramExpansion",
    "KernelFisherClassifier",
    "KernelLassoClassifier",
    "KernelMSEClassifier",
    "LSSVMClassifier",
    "RLSClassifier",
    "TrainingRows",
]
