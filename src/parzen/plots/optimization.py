"""Separability J and centred alignment A_c of a kernel against the steps of its optimisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import ArrayLike

from parzen._core import Floats, OneOf
from parzen.plots.figure import Display

MEASURES = ("separability", "alignment")


@dataclass(eq=False, kw_only=True)
class OptimizationDisplay(Display):
    """One measure along the steps, on the training data and on data the steps did not see.

    Attributes
    ----------
    training, unseen : dict of {"separability", "alignment"} to array of shape (n_steps + 1,)
        The paths; ``unseen`` is empty without other data.
    lines_ : list of artists
        What ``plot`` drew.
    {ax_, figure_}

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from parzen.feature_space import KernelOptimizer
    >>> from parzen.plots import OptimizationDisplay
    >>> X, y = make_moons(90, noise=0.2, random_state=0)
    >>> optimizer = KernelOptimizer(n_steps=20, random_state=0).fit(X, y)
    >>> OptimizationDisplay.from_estimator(optimizer).training["alignment"].shape
    (21,)
    """

    training: dict[str, Floats]
    unseen: dict[str, Floats]

    @classmethod
    def from_estimator(
        cls,
        optimizer: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """The path of a fitted `KernelOptimizer`.

        Parameters
        ----------
        optimizer : KernelOptimizer
            Fitted.
        X, y : array, default=None
            Data that the optimisation did not see.
        {ax, options}
        """
        training = {m: getattr(optimizer, f"{m}_path_") for m in MEASURES}
        unseen = {} if X is None else {m: getattr(optimizer, f"{m}_path")(X, y) for m in MEASURES}
        return cls(training=training, unseen=unseen).plot(ax, **options)

    def plot(self, ax: Any = None, *, measure: str = "separability") -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        measure : {"separability", "alignment"}, default="separability"
            J or A_c.
        """
        OneOf(*MEASURES).check("measure", measure)
        self._begin(ax)
        self.lines_ = self.ax_.plot(self.training[measure], label="training")
        if self.unseen:
            self.lines_ += self.ax_.plot(self.unseen[measure], "--", label="unseen")
            self.ax_.legend(frameon=False)
        self.ax_.set(xlabel="step", ylabel=measure)
        return self
