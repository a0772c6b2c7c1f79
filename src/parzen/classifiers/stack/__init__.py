from parzen.classifiers.stack.bayes import BayesRule
from parzen.classifiers.stack.evidence import FitRows
from parzen.classifiers.stack.kernels import KernelRule
from parzen.classifiers.stack.least_squares import LOG_ODDS_PER_SCORE, LeastSquaresRule
from parzen.classifiers.stack.pool import MIN_LOG_POSTERIOR, Expert
from parzen.classifiers.stack.reference import Reference
from parzen.classifiers.stack.stacked_classifier import (
    StackedDensityClassifier as StackedDensityClassifier,
)
from parzen.classifiers.stack.table import Blocks, Indicators, StackTable
