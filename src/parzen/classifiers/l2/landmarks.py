"""Large samples of the L2 classifiers: where they are searched, and the sample on few carriers.

The programme on m rows is the whole one with all other weights held at 0: its quadratic term
concerns these rows only, and its linear term is the mean over all rows, n m kernel values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parzen._core import Ints
from parzen.l2 import Carriers, OtherRowsInChunks
from parzen.samples import Merged, Sample, draw

_MAX_SEARCH_LANDMARKS = 5_000  # bandwidths are compared on at most this many landmarks


class Searched(NamedTuple):
    """The rows that bandwidth and eta are compared on."""

    sample: Sample
    rows: Ints | None  # their places in the input; None for all
    landmarks: Ints | None  # those of them that may carry weights; None for all


def searched_on(
    count: int | None, random_state: Any, sample: Sample, merged: Merged, rows: Ints | None
) -> Searched:
    """The part of a sample to search on; all of it where it is small.

    Its rows are as they were given, copies and all, so that folds mean what they say.
    """
    if count is None:
        return Searched(sample, rows, None)
    distinct, n_landmarks = merged.sample, min(count, _MAX_SEARCH_LANDMARKS)
    drawn = draw(distinct.codes, distinct.frequencies, n_landmarks, random_state)
    places = np.flatnonzero(np.isin(merged.into, drawn.part))
    landmarks = np.flatnonzero(np.isin(merged.into[places], drawn.landmarks))
    return Searched(sample.rows(places), places if rows is None else rows[places], landmarks)


def on_carriers(ordered: Carriers, places: Ints, chunks: Any) -> Carriers:
    """The sample with weights at some places only; the rest is here, or in chunks elsewhere."""
    if chunks is None:
        return ordered.among(places, np.ones((1, len(ordered)), dtype=bool))[0]
    part = ordered.rows(places)
    others = OtherRowsInChunks(chunks, part.X, part.codes)
    return part.beside(others, others.frequencies)
