"""Class densities in one dimension, and their difference.

    d_gamma(x) = f_1(x) - gamma f_0(x),   gamma = pi_0 / pi_1          Kim & Scott (2010), eq. (1)

is positive where the classifier decides for the second class. Stems are the weighted kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen._core import Floats, OneOf
from parzen.plots.figure import Display, colour, widened


@dataclass(eq=False, kw_only=True)
class DensitiesDisplay(Display):
    """Densities f_c of the classes along the line, and f_1 - gamma f_0 where there are two.

    Attributes
    ----------
    x : array of shape (resolution,)
        The grid.
    densities : array of shape (resolution, n_classes)
        f_c on the grid.
    gamma : float or None
        pi_0 / pi_1 of two classes.
    classes : array of shape (n_classes,)
        The labels.
    truth : array of shape (resolution, n_classes) or None
        The true densities, where they are known.
    kernels : (points, signed weights) or None
        Kernels of a sparse classifier: weight a_i for the second class, -gamma a_i for the first.
    lines_, truth_, stems_ : artists
        What ``plot`` drew.
    {ax_, figure_}

    Examples
    --------
    >>> from parzen import L2Classifier
    >>> from parzen.datasets import make_mixture
    >>> from parzen.plots import DensitiesDisplay
    >>> X, y = make_mixture(200, random_state=0)
    >>> display = DensitiesDisplay.from_estimator(L2Classifier(bandwidth=0.6).fit(X, y), X)
    >>> bool(abs(display.densities[:, 1].sum() * (display.x[1] - display.x[0]) - 1) < 0.01)
    True
    """

    x: Floats
    densities: Floats
    gamma: float | None
    classes: NDArray[Any]
    truth: Floats | None = None
    kernels: tuple[Floats, Floats] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        *,
        truth: Callable[[Floats], ArrayLike] | None = None,
        resolution: int = 400,
        margin: float = 0.2,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Evaluate a fitted classifier of densities with one feature, and draw it.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``predict_log_proba``, ``score_samples`` and ``priors_``.
        X : array of shape (n_samples, 1)
            Its range, widened by ``margin``, is the range of the picture.
        truth : callable, default=None
            Takes x of shape (n,) to the true densities, shape (n, n_classes).
        resolution : int, default=400
            Grid points.
        margin : float, default=0.2
            Share of the range added on each side.
        {ax, options}
        """
        check_is_fitted(estimator)
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 1:
            raise ValueError(f"densities are drawn in one dimension, X has shape {points.shape}.")
        x = np.linspace(*widened(points[:, 0], margin), resolution)
        logs = (
            estimator.predict_log_proba(x[:, None]) + estimator.score_samples(x[:, None])[:, None]
        )
        priors = estimator.priors_
        display = cls(
            x=x,
            densities=np.exp(logs - np.log(priors)),
            gamma=float(priors[0] / priors[1]) if len(priors) == 2 else None,
            classes=np.asarray(estimator.classes_),
            truth=None if truth is None else np.asarray(truth(x), dtype=np.float64),
            kernels=_signed_kernels(estimator),
        )
        return display.plot(ax, **options)

    @property
    def difference(self) -> Floats:
        """f_1 - gamma f_0 on the grid."""
        return self._difference(self.densities)

    def plot(self, ax: Any = None, *, what: str = "densities", show_kernels: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        what : {"densities", "difference"}, default="densities"
            The densities of the classes, or their difference with the kernels as stems.
        show_kernels : bool, default=True
            Whether to draw the stems.
        """
        OneOf("densities", "difference").check("what", what)
        if what == "difference":
            _ = self.difference  # refuses more than two classes before drawing
        self._begin(ax)
        self.truth_: list[Any] = []
        self.stems_ = None
        if what == "densities":
            self._plot_densities()
        else:
            self._plot_difference(show_kernels)
        self.ax_.set_xlabel("x")
        self.ax_.legend(frameon=False)
        return self

    def _plot_densities(self) -> None:
        if self.truth is not None:
            for c, column in enumerate(self.truth.T):
                self.truth_ += self.ax_.plot(self.x, column, color=colour(c), lw=4, alpha=0.3)
        self.lines_ = [
            self.ax_.plot(self.x, column, color=colour(c), label=f"class {self.classes[c]}")[0]
            for c, column in enumerate(self.densities.T)
        ]

    def _plot_difference(self, show_kernels: bool) -> None:
        self.ax_.axhline(0.0, color="black", lw=0.5)
        if self.truth is not None:
            truth = self._difference(self.truth)
            self.truth_ += self.ax_.plot(self.x, truth, color="0.6", lw=4, label="truth")
        self.lines_ = self.ax_.plot(self.x, self.difference, color="tab:blue", label="estimate")
        if show_kernels and self.kernels is not None:
            points, weights = self.kernels
            self.stems_ = self.ax_.stem(
                points, weights, basefmt=" ", linefmt="tab:orange", markerfmt=".",
                label=f"{len(points)} kernels",
            )  # fmt: skip

    def _difference(self, densities: Floats) -> Floats:
        if self.gamma is None:
            raise ValueError("a difference of densities needs two classes.")
        return np.asarray(densities[:, 1] - self.gamma * densities[:, 0])


def _signed_kernels(estimator: Any) -> tuple[Floats, Floats] | None:
    coefficients = getattr(estimator, "dual_coef_", None)
    if coefficients is None or np.ndim(coefficients) != 2 or len(coefficients) != 1:
        return None
    return estimator.support_vectors_[:, 0], np.asarray(coefficients)[0]
