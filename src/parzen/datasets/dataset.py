"""A data set as the experiments use it: numbers, labels, where they came from, official splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.samples import Split


@dataclass(frozen=True)
class Dataset:
    """Samples in rows, integer labels, and the splits that a paper used, where they are known.

    Attributes
    ----------
    name : str
        The name by which :func:`parzen.datasets.load` finds it.
    X : array of shape (n_samples, n_features)
        The samples, as in the source.
    y : array of shape (n_samples,)
        Labels; -1 and +1 where a paper has two classes.
    source : str
        Where the rows came from.
    splits : tuple of (train, test) index arrays
        Official splits, empty when there are none.
    """

    name: str
    X: NDArray[Any]
    y: NDArray[Any]
    source: str
    splits: tuple[Split, ...] = field(default=(), repr=False)

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that occur."""
        return np.unique(self.y)

    def random_splits(self, n_train: int, n_splits: int, seed: int = 0) -> Iterator[Split]:
        """Seeded random splits of the paper's size, for data without official ones."""
        rng = np.random.default_rng(seed)
        for _ in range(n_splits):
            order = rng.permutation(len(self.X))
            yield order[:n_train], order[n_train:]

    def __repr__(self) -> str:
        rows, width = self.X.shape
        return (
            f"Dataset({self.name!r}, {rows} x {width}, {len(self.classes)} classes, {self.source})"
        )


class UnavailableError(LookupError):
    """The data set is known but cannot be had here; the message says what would provide it."""
