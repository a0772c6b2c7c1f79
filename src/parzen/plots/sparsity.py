"""Accuracy against the share of training rows that carry a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from parzen.plots.figure import Display
from parzen.plots.kernels import kernel_share


@dataclass(eq=False, kw_only=True)
class SparsityDisplay(Display):
    """One curve, or point, per classifier.

    Attributes
    ----------
    kept, accuracy : dict of str to array
        Share of kernels kept and accuracy, by name; the entries of a curve in its order.
    lines_ : list of artists
        What ``plot`` drew.
    {ax_, figure_}

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from parzen import L2Classifier, ParzenClassifier
    >>> from parzen.plots import SparsityDisplay
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> fitted = {"Parzen": ParzenClassifier(bandwidth=0.2).fit(X, y),
    ...           "L2": L2Classifier(bandwidth=0.2).fit(X, y)}
    >>> display = SparsityDisplay.from_estimators(fitted, X, y, n_train=len(X))
    >>> display.kept["Parzen"][0], bool(display.kept["L2"][0] < 0.5)
    (np.float64(1.0), True)
    """

    kept: dict[str, NDArray[np.float64]]
    accuracy: dict[str, NDArray[np.float64]]

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: ArrayLike,
        y: ArrayLike,
        *,
        n_train: int,
        ax: Any = None,
    ) -> Self:
        """Fitted classifiers as points.

        Parameters
        ----------
        estimators : dict of str to classifier
            Fitted on ``n_train`` rows each.
        X, y : array
            Test data.
        n_train : int
            Rows they were fitted on.
        {ax}
        """
        kept = {k: np.array([kernel_share(e, n_train)]) for k, e in estimators.items()}
        accuracy = {k: np.array([e.score(X, y)]) for k, e in estimators.items()}
        return cls(kept=kept, accuracy=accuracy).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        X_test: ArrayLike,
        y_test: ArrayLike,
        *,
        parameter: str,
        values: Iterable[Any],
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """A curve: the classifier fitted with each value of a parameter.

        Parameters
        ----------
        estimator : classifier
            Cloned for every value.
        X, y, X_test, y_test : array
            Training and test data.
        parameter : str
            E.g. ``"eta"`` or ``"smoothing"`` of `L2Classifier`, ``"keep"`` of
            `LaplacianClassifier`, ``"margin"`` of `BMachineClassifier`.
        values : iterable
            Its values.
        name : str, default=None
            Name of the curve; None for the class and the parameter.
        {ax}
        """
        fits = [clone(estimator).set_params(**{parameter: v}).fit(X, y) for v in values]
        label = name or f"{type(estimator).__name__}, {parameter}"
        kept = np.array([kernel_share(fit, len(np.asarray(y))) for fit in fits])
        accuracy = np.array([fit.score(X_test, y_test) for fit in fits])
        return cls(kept={label: kept}, accuracy={label: accuracy}).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
            Several displays may share axes.
        """
        self._begin(ax)
        self.lines_ = []
        for name, kept in self.kept.items():
            order = np.argsort(kept, kind="stable")
            self.lines_ += self.ax_.plot(kept[order], self.accuracy[name][order], "o-", label=name)
        self.ax_.set(xlabel="kernels kept", ylabel="accuracy", xlim=(0, None))
        self.ax_.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        self.ax_.legend(frameon=False)
        return self
