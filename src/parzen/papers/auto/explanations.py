"""What a reader should know of the study of the automatic classifier."""

from __future__ import annotations

from parzen.papers.engine import About

ABOUT = About(
    proposes="No paper, but a study of the library's own automatic classifier. Its members are "
    "kernel densities and kernel least squares; their log-posteriors g are added with weights v "
    "that make the log-loss on left-out rows smallest. The sum is called the stack.",
    formula=r"P(c \mid x) = \operatorname{softmax}_c \Bigl( a_c + \sum_m v_m \, g_c^{(m)}(x) "
    r"\Bigr), \qquad v_m \ge 0",
    estimators="`StackedDensityClassifier`. The column 'core' is its default; 'density' and 'fast' "
    "are other values of its parameter `families`.",
    protocol="Five splits of each data set: those published with it, or random ones. The tables "
    "'papers' have the data sets of the papers, on which the densities were designed; the tables "
    "'unseen' have sets that no choice of the densities had looked at. 'svc' searches 80 pairs of "
    "C and width, and two codings of columns of few values, by five folds of the training rows; "
    "its probabilities are calibrated by a sigmoid on five more folds. 'forest' has 500 trees; it, "
    "'boosting' (`HistGradientBoostingClassifier`) and 'lightgbm' run with the settings of their "
    "libraries. 'mean rank': the methods are ranked on every set, 1 for the best. Wilcoxon: the "
    "signed-rank test over the sets.",
)
