"""Table 3 of Basak's report with every method tuned inside each of its 30 splits."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from parzen.bandwidth import CrossValidation
from parzen.classifiers import BMachineClassifier, LSSVMClassifier
from parzen.papers.bmachine import printed as printed
from parzen.papers.bmachine.resampling import SETS, extent
from parzen.papers.engine import Column, Study, self_tuning

_SIGMAS, _COSTS = 2.0 ** np.arange(-3.0, 4.0), 10.0 ** np.arange(-1.0, 4.0)


def _cubic() -> Any:
    cubic = SVC(kernel="poly", degree=3, gamma=1.0, coef0=1.0, max_iter=100_000)
    return GridSearchCV(cubic, {"C": _COSTS / 10}, cv=5)


def _bmachine(kernel: str) -> Column:
    return self_tuning(
        lambda: BMachineClassifier(
            kernel,
            CrossValidation((0.5, 1.0, 2.0, 3.0, 5.0)),
            (0.2, 0.4, 0.7, 1.0),
            tol=1e-5,
            folds=3,
            n_jobs=1,
        )
    )


STUDY = Study(
    __name__,
    SETS,
    {
        **{name: _bmachine(kernel) for name, kernel in printed.KERNELS.items()},
        "SVM": self_tuning(
            lambda: GridSearchCV(SVC(), {"gamma": 1 / (2 * _SIGMAS**2), "C": _COSTS}, cv=5)
        ),
        "SVM, cubic": self_tuning(_cubic),
        "LS-SVM": self_tuning(
            lambda: LSSVMClassifier(bandwidth=CrossValidation(_SIGMAS), C=_COSTS, n_jobs=1)
        ),
    },
    extent,
    ("Iris",),
)
