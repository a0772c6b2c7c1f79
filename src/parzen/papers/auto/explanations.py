"""What a reader should know of the study of the automatic classifier."""

from __future__ import annotations

from parzen.papers.engine import About

ABOUT = About(
    proposes="No paper, but the library's own classifier: densities and least-squares machines, "
    "stacked by the log-loss of rows that were left out.",
    estimators="`StackedDensityClassifier`.",
    protocol="Data sets of the papers and sets that were not looked at before, five random splits "
    "each; rivals are tuned by folds on the training rows.",
)
