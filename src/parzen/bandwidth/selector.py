"""The base of all selectors: gather the sample, search the grid, return a Selection.

A new selector is one frozen dataclass that says its name, its criterion and how it scores a grid.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Bools, Floats, as_bandwidths, as_matrix, warn
from parzen.bandwidth.grid import WIDENING, default_grid
from parzen.bandwidth.rules import silverman
from parzen.bandwidth.search import Path, search_grid
from parzen.bandwidth.selection import Selection
from parzen.kernels import Kernel
from parzen.samples import KernelSample

Per = Literal["all", "class", "feature"]


@dataclass(frozen=True)
class Selector(ABC):
    """Chooses a bandwidth from data. Immutable; compared and pickled by value."""

    criterion: ClassVar[str]
    needs_labels: ClassVar[bool] = False
    rounds_units: ClassVar[bool] = False  # whether ``scale="auto"`` takes powers of two
    scopes: ClassVar[tuple[str, ...]] = ("all", "class", "feature")

    @property
    @abstractmethod
    def name(self) -> str:
        """The name under which the selector is found."""

    def select(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        kernel: str | Kernel = "gaussian",
        sample_weight: ArrayLike | None = None,
        priors: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> Selection:
        """Choose a bandwidth for the plug-in rule, or for the density where there are no labels.

        Parameters
        ----------
        X : array of shape (n, d)
            Points.
        y : array of shape (n,), default=None
            Labels; classes are in their sorted order. None for one class.
        kernel : str or Kernel, default="gaussian"
            Any density kernel.
        sample_weight : array of shape (n,), default=None
            Frequencies.
        priors : array of shape (C,), default=None
            Class priors; None for the classes' shares of the sample. Where y holds whole numbers
            below C, they are the classes' places, and a class may be without rows.
        n_jobs : int, default=None
            Threads; the choice does not depend on it.

        Returns
        -------
        Selection
            Columns that are constant have no part in the choice. Where there are any, bandwidths
            per class become bandwidths per class and column.
        """
        self._refuse_density(y is None)
        X = as_matrix(X, "X")
        sample = KernelSample.of(X, y, kernel, sample_weight, priors, n_jobs)
        part, varies = sample.varying()
        return for_all_columns(self._select(part), varies)

    def _refuse_density(self, unlabelled: bool) -> None:
        if unlabelled and self.needs_labels:
            raise ValueError(
                f"bandwidth={self.name!r} estimates the error of a classifier and needs labels; "
                "for a density use 'lscv', 'likelihood', 'silverman' or 'scott'."
            )

    @abstractmethod
    def _select(self, sample: KernelSample) -> Selection:
        """Choose for a checked sample without constant columns, unless all of them are constant."""


def for_all_columns(found: Selection, varies: Bools | None) -> Selection:
    """What was chosen by the columns that vary; None where these are all."""
    if varies is None:
        return found
    return replace(found, bandwidth=with_constant_columns(found.bandwidth, varies))


def with_constant_columns(bandwidth: float | Floats, varies: Bools) -> float | Floats:
    """Bandwidths for all columns; constant columns share one, the geometric mean of the others.

    It is the same for all classes, so that a constant column cancels between them.
    """
    h = np.asarray(bandwidth, dtype=np.float64)
    if h.ndim == 0:
        return bandwidth
    if h.ndim == 3:
        size = np.exp(np.linalg.slogdet(h)[1].mean() / h.shape[1])
        out = np.tile(size * np.eye(len(varies)), (len(h), 1, 1))
        out[np.ix_(np.ones(len(h), dtype=bool), varies, varies)] = h
        return out
    out = np.full((len(h), len(varies)), np.exp(np.log(h).mean()))
    out[:, varies] = h[:, None] if h.ndim == 1 else h
    return out


@dataclass(frozen=True)
class GridSelector(Selector):
    """A selector that scores a grid of bandwidths.

    Parameters
    ----------
    grid : sequence of float, default=None
        Bandwidths to try, taken as they are; None derives them from the data and widens them once
        if the choice is at their edge.
    per : {"all", "class", "feature"}, default="all"
        One bandwidth; one per class; or one per feature, a common factor times relative
        bandwidths. Then the grid is one of common factors.
    """

    grid: Sequence[float] | Floats | None = None
    per: Per = "all"

    def __post_init__(self) -> None:
        if self.grid is not None:
            values = np.unique(as_bandwidths(self.grid))
            object.__setattr__(self, "grid", tuple(map(float, values)))
        if self.per not in self.scopes:
            raise ValueError(
                f"per={self.per!r} is not available for {type(self).__name__}; choose one of "
                f"{', '.join(map(repr, self.scopes))}."
            )

    @abstractmethod
    def _scorer(self, sample: KernelSample) -> Callable[[Floats], Path]:
        """The function that scores a grid, for one bandwidth or for one per class."""

    def _default_grid(self, sample: KernelSample) -> Floats:
        """Bandwidths to try where none were given."""
        return default_grid(sample)

    def _can_compare(self, sample: KernelSample) -> bool:
        """Whether the criterion depends on the bandwidth for this sample."""
        return bool((sample.same_class_weight_without_self() > 0).any())

    @abstractmethod
    def _relative(self, sample: KernelSample) -> Floats:
        """Relative bandwidths of the features, of geometric mean 1."""

    def _select(self, sample: KernelSample) -> Selection:
        if not self._can_compare(sample):
            return self._fall_back(sample)
        relative = None
        if self.per == "feature":
            relative = self._relative(sample)
            sample = replace(sample, X=sample.X / relative.astype(sample.X.dtype))
        found = search_grid(
            self._scorer(sample),
            self._default_grid(sample) if self.grid is None else np.array(self.grid),
            widening=WIDENING if self.grid is None else 0,
            name=self.name,
            criterion=self.criterion,
        )
        found = self._with_accuracy(sample, found)
        if relative is None:
            return found
        return replace(found, bandwidth=found.bandwidth * relative[None, :])

    def _with_accuracy(self, sample: KernelSample, found: Selection) -> Selection:
        """The selection, with how many rows were scored where these were not all."""
        return found

    def _fall_back(self, sample: KernelSample) -> Selection:
        """Silverman's rule on all points, where the criterion cannot tell bandwidths apart."""
        h = silverman(sample.X, kernel=sample.kernel, weights=sample.weights)
        shape = {"class": (sample.n_classes,), "feature": (1, sample.X.shape[1])}.get(self.per)
        if sample.n_classes > 1:
            warn(
                f"{self.name!r} has no two points of a class to compare bandwidths on; "
                f"Silverman's rule on all points gives {h:.4g}. Add samples or give a number.",
            )
        bandwidth = h if shape is None else np.full(shape, h)
        return Selection.by_formula(bandwidth, "silverman", "rule of thumb")
