"""The methods of Basak's report with the parameters that its Table 2 gives.

The report's (27) is exp(-r^2 / 2 s^2), but the figures of its column "BM Gauss" are those of
exp(-r^2 / s^2). Those of the LS-SVM are had with standardised columns, exp(-r^2 / sigma^2) and
minimum output codes, the last by the report's own word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from parzen.classifiers import BMachineClassifier, LSSVMClassifier
from parzen.papers.bmachine import printed as printed
from parzen.papers.engine import Column, Parameters, Study

AS_WRITTEN = "BM Gauss, (27)"


def column(method: str) -> Column:
    """A method that takes the report's parameters for a set."""

    def make(p: Parameters) -> Any:
        a, b = p["first"], p["second"]
        if method in printed.KERNELS or method == AS_WRITTEN:
            kernel = printed.KERNELS.get(method, "gaussian")
            width = float(a / np.sqrt(2)) if method == "BM Gauss" else float(a)
            return BMachineClassifier(kernel, width, float(b), tol=1e-5, folds=2, n_jobs=1)
        if method == "LS-SVM":
            width = float(np.sqrt(a / 2))
            machine = LSSVMClassifier(bandwidth=width, C=float(b), coding="minimum", n_jobs=1)
            return make_pipeline(StandardScaler(), machine)
        if method == "SVM":
            return SVC(C=b, gamma=1 / (2 * a**2))
        return SVC(C=b, kernel="poly", degree=3, gamma=1.0, coef0=1.0)

    return Column(make)


COLUMNS = {m: column(m) for m in (*printed.COLUMNS, AS_WRITTEN)}


class PrintedStudy(Study):
    """Parameters are those of the report where it has the method, so nothing is chosen."""

    def _parameters(self, title: str, method: str, chosen: list[Parameters]) -> Parameters:
        if method in COLUMNS:
            name = "BM Gauss" if method == AS_WRITTEN else method
            given = printed.PARAMETERS[title][printed.COLUMNS.index(name)]
            first, second = given if isinstance(given, list) else (None, given)
            return {"first": first, "second": second}
        return super()._parameters(title, method, chosen)
