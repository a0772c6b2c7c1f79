"""How a bandwidth was chosen: the criterion along the grid, and the choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from parzen._core import Floats, last_estimator
from parzen.bandwidth import Selection
from parzen.plots.figure import Display


@dataclass(eq=False, kw_only=True)
class BandwidthPathDisplay(Display):
    """A criterion over a grid of bandwidths: one curve, or one per class or second parameter.

    Attributes
    ----------
    grid : array of shape (n_bandwidths,)
        Bandwidths, ascending.
    curves : dict of str to array of shape (n_bandwidths,)
        The criterion by the name of its curve.
    chosen : list of (bandwidth, score)
        The choices.
    criterion : str
        What was minimised.
    axis : str
        What the grid holds.
    lines_, choices_ : artists
        What ``plot`` drew.
    {ax_, figure_}

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from parzen import ParzenClassifier
    >>> from parzen.plots import BandwidthPathDisplay
    >>> clf = ParzenClassifier().fit(*make_moons(100, noise=0.3, random_state=0))
    >>> display = BandwidthPathDisplay.from_estimator(clf)
    >>> display.criterion
    'leave-one-out error'
    """

    grid: Floats
    curves: dict[str, Floats]
    chosen: list[tuple[float, float]]
    criterion: str
    axis: str = "bandwidth"

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **options: Any) -> Self:
        """The path by which a fitted estimator of this library chose its bandwidth.

        Parameters
        ----------
        estimator : estimator
            Fitted with a bandwidth that it chose; or a pipeline that ends in one.
        {ax, options}
        """
        last = last_estimator(estimator)
        selection = getattr(last, "selection_", None)
        if selection is None:
            raise ValueError(
                f"{type(last).__name__} was given its bandwidth; fit it with a selector, e.g. 'cv'."
            )
        return cls.from_selection(selection, ax=ax, **options)

    @classmethod
    def from_selection(cls, selection: Selection, *, ax: Any = None, **options: Any) -> Self:
        """The path of a selector of `parzen.bandwidth`.

        Parameters
        ----------
        selection : Selection
            What ``select`` returned; a rule has no path.
        {ax, options}
        """
        if len(selection.grid) == 0:
            raise ValueError(f"{selection.name!r} is a rule: it tried no grid of bandwidths.")
        display = cls(
            grid=selection.positions(),
            curves=selection.curves(),
            chosen=selection.choices(),
            criterion=selection.criterion,
            axis=selection.axis,
        )
        return display.plot(ax, **options)

    def plot(self, ax: Any = None, *, label: str | None = None, color: str | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
            Several paths may share axes.
        label, color : str, default=None
            Name and colour of a single curve.
        """
        self._begin(ax)
        self.lines_ = []
        for name, scores in self.curves.items():
            shown = label if len(self.curves) == 1 and label is not None else name
            self.lines_ += self.ax_.plot(self.grid, scores, color=color, label=shown or None)
        mark = color or (self.lines_[0].get_color() if len(self.lines_) == 1 else "black")
        bandwidths, scores = np.transpose(self.chosen)
        (self.choices_,) = self.ax_.plot(bandwidths, scores, "o", color=mark)
        self.ax_.set(xscale="log", xlabel=self.axis, ylabel=self.criterion)
        if any(self.curves) or label is not None:
            self.ax_.legend(frameon=False)
        return self
