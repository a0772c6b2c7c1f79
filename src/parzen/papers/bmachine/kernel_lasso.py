"""The LASSO on a Gram matrix, a rival in Basak's report: eq. (40), (41)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV

from parzen.classifiers import KernelLassoClassifier
from parzen.papers.engine import Column, Parameters

_BANDWIDTHS, _PENALTIES = (0.3, 0.5, 1.0, 2.0, 3.0, 5.0), tuple(10.0 ** np.arange(-5.0, -1.0))


def kernel_lasso() -> Column:
    """Bandwidth and penalty by five folds of the first training set."""

    def select(X: NDArray[Any], y: NDArray[Any], quick: bool) -> Parameters:
        step = 3 if quick else 1
        grid = {"bandwidth": _BANDWIDTHS[::step], "penalty": _PENALTIES[1::step]}
        search = GridSearchCV(KernelLassoClassifier(bandwidth=1.0), grid, cv=5)
        return dict(search.fit(X, y).best_params_)

    return Column(lambda p: KernelLassoClassifier(**p), select)
