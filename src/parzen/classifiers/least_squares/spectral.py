"""What KMSE and KFD share: a pseudo-inverse that leaves out small eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._core import Constraints, Flag
from parzen.bandwidth import Selector
from parzen.classifiers.least_squares.method import ScoreMethod
from parzen.classifiers.least_squares.score_classifier import ScoreClassifier
from parzen.solvers import significant
from parzen.sums import DEFAULT_RTOL

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SpectralMethod(ScoreMethod):
    """Weights by the significant eigenvalues of a Gram matrix."""

    owner: str  # the estimator, for errors
    absolute: bool  # whether a threshold is no share of the largest eigenvalue

    def kept(self, values: Floats, threshold: float) -> NDArray[np.bool_]:
        """The eigenvalues that the pseudo-inverse keeps."""
        return significant(values, threshold, relative=not self.absolute)


class SpectralClassifier(ScoreClassifier):
    """Base of the classifiers that invert what is significant of a Gram matrix."""

    _regularizer: ClassVar[str] = "threshold"
    _grid: ClassVar[tuple[float, ...]] = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
    _constraints: ClassVar[Constraints] = {"absolute": Flag()}
    _descriptions: ClassVar[str] = """
    kernel : str, Kernel, callable or "precomputed", default="gaussian"
        A symmetric kernel, scaled to 1 at distance 0; a function k(X, Y), such as an optimised
        kernel; or "precomputed".
    threshold : float, array or "cv", default=1e-3
        Eigenvalues below this share of the largest are left out.
    absolute : bool, default=False
        Take the threshold as it is, as the paper's E.
    threshold_ : float
        In use.
    """

    def __init__(
        self,
        kernel: Any = "gaussian",
        bandwidth: float | ArrayLike | str | Selector = "cv",
        threshold: float | ArrayLike | str = 1e-3,
        *,
        scale: str | None = "auto",
        coding: str = "one_vs_rest",
        absolute: bool = False,
        folds: int = 5,
        n_landmarks: int | str | None = "auto",
        random_state: Any = 0,
        priors: ArrayLike | str | None = None,
        class_weight: dict[Any, float] | str | None = None,
        costs: ArrayLike | None = None,
        gamma: float | None = None,
        reject: float | None = None,
        reject_label: Any = None,
        novelty: float | None = None,
        novelty_label: Any = None,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            kernel, bandwidth, scale=scale, coding=coding, folds=folds, n_landmarks=n_landmarks,
            random_state=random_state, priors=priors, class_weight=class_weight, costs=costs,
            gamma=gamma, reject=reject, reject_label=reject_label, novelty=novelty,
            novelty_label=novelty_label, method=method, rtol=rtol, n_jobs=n_jobs,
        )  # fmt: skip
        self.threshold = threshold
        self.absolute = absolute
