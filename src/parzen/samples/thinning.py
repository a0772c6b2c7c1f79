"""A part of many rows, on which a criterion is estimated; all rows stay centres.

The rows are cut into equal stretches, and one is drawn from each: every part of a sorted sample
gives its share, and no order that repeats itself, such as alternating classes, is met in step.
Twenty groups of the drawn rows, formed at random, have scores of their own, whose spread gives the
standard error of the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from parzen._core import Ints
from parzen.samples.held_out import Split

GROUPS = 20  # Groups of the scored rows that the standard error comes from.


def evenly(n: int, most: int) -> Ints:
    """Places of all n rows, or of ``most`` rows at equal steps."""
    return np.arange(n) if n <= most else (np.arange(most) * n) // most


class Thinning(NamedTuple):
    """Takes ``most`` of some rows, always the same, or one group of these.

    Examples
    --------
    >>> Thinning(4).places(12), Thinning(40, group=1).places(120)
    (array([ 0,  4,  6, 10]), array([ 6, 18]))
    """

    most: int
    group: int | None = None

    def places(self, n: int) -> Ints:
        """Places among n rows."""
        draw = np.random.RandomState(0)
        ends = np.arange(self.most + 1) * n // self.most
        places = draw.randint(ends[:-1], ends[1:]) if n > self.most else np.arange(n)
        if self.group is None:
            return places
        return np.sort(draw.permutation(places)[self.group :: GROUPS])

    def splits(self, splits: Sequence[Split]) -> list[Split]:
        """The splits with some of their test rows, taken from all folds in proportion."""
        ends = np.cumsum([len(test) for _, test in splits])
        places = self.places(int(ends[-1]))
        parts = np.split(places, np.searchsorted(places, ends[:-1]))
        starts = np.append(0, ends[:-1])
        return [
            (train, test[part - start])
            for (train, test), part, start in zip(splits, parts, starts, strict=True)
        ]

    def standard_error(self, score_of: Callable[[Thinning], float]) -> float:
        """Standard error of a mean over the rows, from the means over the groups."""
        scores = [score_of(self._replace(group=group)) for group in range(GROUPS)]
        return float(np.std(scores, ddof=1) / np.sqrt(GROUPS))
