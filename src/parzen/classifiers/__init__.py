"""Classifiers: one file each over a common base."""

from parzen.classifiers._base import DensityClassifier
from parzen.classifiers._l2 import L2Classifier
from parzen.classifiers._labels import Sample
from parzen.classifiers._laplacian import LaplacianClassifier
from parzen.classifiers._laplacian_selection import LaplacianKFoldError
from parzen.classifiers._naive_bayes import KernelNaiveBayes
from parzen.classifiers._parzen import ParzenClassifier

__all__ = [
    "DensityClassifier",
    "KernelNaiveBayes",
    "L2Classifier",
    "LaplacianClassifier",
    "LaplacianKFoldError",
    "ParzenClassifier",
    "Sample",
]
