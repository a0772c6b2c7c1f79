"""What a reader should know of the notes on kernel classifiers."""

from __future__ import annotations

from parzen.papers.engine import About

ABOUT = About(
    proposes="Lecture notes: densities by kernels, the plug-in rule, the choice of kernel and "
    "width, least-squares cross-validation, naive Bayes, and how to estimate an error. They claim "
    "that the kernel hardly matters and the width does, and that naive Bayes often pays. They "
    "print no numbers, so there is nothing to differ from.",
    estimators="`KernelDensity`, `ParzenClassifier`, `KernelNaiveBayes`, and the selectors of "
    "`parzen.bandwidth`.",
    protocol="50 random halves of each set, columns standardised. Leave-one-out chooses the width; "
    "of widths with the same error it takes the one with the largest likelihood of the labels. "
    "Where every density is 0, as with a compact kernel (one that is 0 beyond its width) far from "
    "all rows, the largest class is predicted.",
    learnt=(
        "In 20 and more columns compact kernels leave many rows without a neighbour, so there the "
        "kernel does matter: see WDBC and Ringnorm in the table 'kernels'.",
        "The hold-out error is unbiased for a classifier that is trained on the other rows only. "
        "K folds train on n − n/K of the n rows, so their error is a little too large: less so "
        "as K grows, but never exactly right. See the table 'folds'.",
    ),
)
