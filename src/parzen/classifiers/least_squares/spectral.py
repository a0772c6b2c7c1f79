"""What KMSE and KFD share: a pseudo-inverse that leaves out small eigenvalues."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.bandwidth import Selector
from parzen.classifiers.least_squares.score_classifier import ScoreClassifier
from parzen.sums import DEFAULT_RTOL

Floats = NDArray[np.float64]


class SpectralClassifier(ScoreClassifier):
    """Base of the classifiers that invert what is significant of a Gram matrix."""

    _regularizer: ClassVar[str] = "threshold"
    _grid: ClassVar[tuple[float, ...]] = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)

    def __init__(
        self,
        kernel: Any = "gaussian",
        bandwidth: float | ArrayLike | str | Selector = "cv",
        threshold: float | ArrayLike | str = 1e-3,
        *,
        absolute: bool = False,
        folds: int = 5,
        n_landmarks: int | str | None = "auto",
        random_state: Any = 0,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.threshold = threshold
        self.absolute = absolute
        self.folds = folds
        self.n_landmarks = n_landmarks
        self.random_state = random_state
        self.method = method
        self.rtol = rtol
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.absolute, bool | np.bool_):
            raise TypeError(f"absolute must be True or False, got {self.absolute!r}.")
