"""Classifiers: one file each over a common base."""

from parzen.classifiers.base import DensityClassifier
from parzen.classifiers.conformal import ConformalClassifier
from parzen.classifiers.l2 import L2Classifier, L2LinearClassifier
from parzen.classifiers.laplacian import LaplacianClassifier, LaplacianKFoldError
from parzen.classifiers.least_squares import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    LSSVMClassifier,
    RLSClassifier,
)
from parzen.classifiers.naive_bayes import KernelNaiveBayes
from parzen.classifiers.plug_in import ParzenClassifier
from parzen.classifiers.stack import StackedDensityClassifier

__all__ = [
    "BMachineClassifier",
    "ConformalClassifier",
    "DensityClassifier",
    "KernelFisherClassifier",
    "KernelLassoClassifier",
    "KernelMSEClassifier",
    "KernelNaiveBayes",
    "L2Classifier",
    "L2LinearClassifier",
    "LSSVMClassifier",
    "LaplacianClassifier",
    "LaplacianKFoldError",
    "ParzenClassifier",
    "RLSClassifier",
    "StackedDensityClassifier",
]
