"""The methods of Basak's report with the parameters that its Table 2 gives.

The report's (27) is exp(-r^2 / 2 s^2), but the figures of its column "BM Gauss" are those of
exp(-r^2 / s^2). Those of the LS-SVM are had with standardised columns, exp(-r^2 / sigma^2) and
minimum output codes, the last by the report's own word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from parzen.classifiers import BMachineClassifier, LSSVMClassifier
from parzen.kernels import Kernel
from parzen.papers.bmachine import printed as printed
from parzen.papers.engine import Column, Floats, Parameters, Study

AS_WRITTEN = "BM Gauss, (27)"
JUMPING = "BM Gauss+expo, with a jump"


@dataclass(frozen=True)
class JumpingKernel(Kernel):
    """The kernel of (50) with exp(-r / 2 s) in its tail, so that it jumps at sqrt(2) s.

    Examples
    --------
    >>> JumpingKernel()([[0.0]], [[1.0], [2.0]]).round(4)
    array([[0.6065, 0.3679]])
    """

    name: ClassVar[str] = "jumping"
    is_density: ClassVar[bool] = False

    def log_shape(self, scaled: NDArray[np.floating[Any]], n_features: int) -> Floats:
        """The logarithm as a function of r^2 / s^2."""
        return np.asarray(np.where(scaled <= 2.0, -0.5 * scaled, -0.5 * np.sqrt(scaled)))

    def half_width(self, n_features: int) -> float:
        """Where the kernel has fallen to one half, in bandwidths."""
        return float(2.0 * np.log(2.0))

    def is_mercer(self, n_features: int) -> bool:
        """It is not positive definite."""
        return False


def column(method: str) -> Column:
    """A method that takes the report's parameters for a set."""

    def make(p: Parameters) -> Any:
        a, b = p["first"], p["second"]
        if method in _KERNELS:
            kernel = _KERNELS[method]
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


# Readings of a method that are not the report's, by the method whose parameters they have.
_READINGS = {AS_WRITTEN: "BM Gauss", JUMPING: "BM Gauss+expo"}
_KERNELS: dict[str, str | Kernel] = {
    **printed.KERNELS, AS_WRITTEN: "gaussian", JUMPING: JumpingKernel()
}  # fmt: skip
COLUMNS = {m: column(m) for m in (*printed.COLUMNS, *_READINGS)}


class PrintedStudy(Study):
    """Parameters are those of the report where it has the method, so nothing is chosen."""

    def _parameters(self, title: str, method: str, chosen: list[Parameters]) -> Parameters:
        if method in COLUMNS:
            name = _READINGS.get(method, method)
            given = printed.PARAMETERS[title][printed.COLUMNS.index(name)]
            first, second = given if isinstance(given, list) else (None, given)
            return {"first": first, "second": second}
        return super()._parameters(title, method, chosen)
