"""What KMSE and KFD share: a pseudo-inverse that leaves out small eigenvalues."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from parzen._core import Bools, Constraints, Flag, Floats, declared
from parzen.classifiers.least_squares.method import ScoreMethod
from parzen.classifiers.least_squares.score_classifier import ScoreClassifier
from parzen.solvers import significant


@dataclass(frozen=True)
class SpectralMethod(ScoreMethod):
    """Weights by the significant eigenvalues of a Gram matrix."""

    owner: str  # the estimator, for errors
    absolute: bool  # whether a threshold is no share of the largest eigenvalue

    def kept(self, values: Floats, threshold: float) -> Bools:
        """The eigenvalues that the pseudo-inverse keeps."""
        return significant(values, threshold, relative=not self.absolute)


@declared
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

    threshold: float | ArrayLike | str = 1e-3
    _: KW_ONLY
    absolute: bool = False
