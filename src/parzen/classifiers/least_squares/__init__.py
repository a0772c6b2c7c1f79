from parzen.classifiers.least_squares.bmachine import BMachineClassifier
from parzen.classifiers.least_squares.gram_expansion import GramExpansion
from parzen.classifiers.least_squares.kernel_fisher import (
    KernelFisherClassifier as KernelFisherClassifier,
)
from parzen.classifiers.least_squares.kernel_mse import KernelMSEClassifier
from parzen.classifiers.least_squares.lssvm import LSSVMClassifier
from parzen.classifiers.least_squares.rls import RLSClassifier
from parzen.classifiers.least_squares.selection import ScoreSelection
