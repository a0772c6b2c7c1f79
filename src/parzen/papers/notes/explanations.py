"""What a reader should know of the notes on kernel classifiers."""

from __future__ import annotations

from parzen.papers.engine import About

ABOUT = About(
    proposes="Lecture notes: densities by kernels, the plug-in rule, the choice of kernel and "
    "width, least-squares cross-validation, naive Bayes, and how to estimate an error. They claim "
    "that the kernel hardly matters and the width does, and that naive Bayes often pays. They "
    "print no figures, so there is nothing to differ from.",
    estimators="`KernelDensity`, `ParzenClassifier`, `KernelNaiveBayes`, and the selectors of "
    "`parzen.bandwidth`.",
    protocol="50 random halves of each set, columns standardised. Widths by leave-one-out; ties go "
    "by the likelihood of the labels. Where every density is 0, as with compact kernels far out, "
    "the largest class is predicted.",
    learnt=(
        "In 20 and more columns compact kernels leave many rows without a neighbour, so there the "
        "kernel does matter: see WDBC and Ringnorm in 'kernels'.",
        "The hold-out error is unbiased for a classifier trained on the rows that it leaves; "
        "K-fold is biased by the smaller training sets, less as K grows, and never 0 because n - "
        "n/K rows train, not n: see the table 'folds'.",
    ),
)
