from parzen.classifiers.laplacian.laplacian_classifier import (
    LaplacianClassifier as LaplacianClassifier,
)
from parzen.classifiers.laplacian.selection import LaplacianKFoldError
