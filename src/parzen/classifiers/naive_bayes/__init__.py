from parzen.classifiers.naive_bayes.columns import (
    AbsentColumn,
    CategoricalColumn,
    ColumnDensities,
    NumericColumn,
)
from parzen.classifiers.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
