"""Classifiers: one file each over a common base."""

from parzen.classifiers._base import DensityClassifier
from parzen.classifiers._bmachine import BMachineClassifier
from parzen.classifiers._kernel_fisher import KernelFisherClassifier
from parzen.classifiers._kernel_mse import KernelMSEClassifier
from parzen.classifiers._l2 import L2Classifier
from parzen.classifiers._labels import Sample
from parzen.classifiers._laplacian import LaplacianClassifier
from parzen.classifiers._laplacian_selection import LaplacianKFoldError
from parzen.classifiers._lssvm import LSSVMClassifier
from parzen.classifiers._naive_bayes import KernelNaiveBayes
from parzen.classifiers._parzen import ParzenClassifier
from parzen.classifiers._rls import RLSClassifier
from parzen.classifiers._stacked import StackedDensityClassifier

__all__ = [
    "BMachineClassifier",
    "DensityClassifier",
    "KernelFisherClassifier",
    "KernelMSEClassifier",
    "KernelNaiveBayes",
    "L2Classifier",
    "LSSVMClassifier",
    "LaplacianClassifier",
    "LaplacianKFoldError",
    "ParzenClassifier",
    "RLSClassifier",
    "Sample",
    "StackedDensityClassifier",
]
