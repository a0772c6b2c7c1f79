"""Large samples of the L2 classifiers: where they are searched, and the sample on few carriers.

The programme on m rows is the whole one with all other weights held at 0: its quadratic term
concerns these rows only, and its linear term is the mean over all rows, n m kernel values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.l2 import L2Sample, OtherRowsInChunks
from parzen.samples import Draw, Sample, draw

Rows = NDArray[np.intp]

_MAX_SEARCH_LANDMARKS = 5_000  # bandwidths are compared on at most this many landmarks


class Searched(NamedTuple):
    """The rows that bandwidth and eta are compared on."""

    sample: Sample
    rows: Rows | None  # their places in the input; None for all
    landmarks: Rows | None  # those of them that may carry weights; None for all


def searched_on(
    count: int | None, random_state: Any, sample: Sample, ordered: L2Sample, rows: Rows | None
) -> Searched:
    """The part of a sample to search on; all of it where it is small."""
    if count is None:
        return Searched(sample, rows, None)
    drawn = draw(ordered.codes, ordered.weights, min(count, _MAX_SEARCH_LANDMARKS), random_state)
    return _part(sample, ordered, drawn, rows)


def on_carriers(ordered: L2Sample, places: Rows, chunks: Any) -> L2Sample:
    """The sample with weights at some places only; the rest is here, or in chunks elsewhere."""
    if chunks is None:
        return ordered.on(places, np.ones((1, len(ordered.codes)), dtype=bool))[0]
    X, codes = np.ascontiguousarray(ordered.X[places]), ordered.codes[places]
    background = OtherRowsInChunks(chunks, X, codes)
    return L2Sample(
        X, codes, background.frequencies, ordered.order[places], ordered.n_classes,
        ordered.n_rows, background,
    )  # fmt: skip


def _part(sample: Sample, ordered: L2Sample, drawn: Draw, rows: Rows | None) -> Searched:
    """Rows as they were given, copies and all, so that folds mean what they say."""
    places = np.flatnonzero(ordered.given(drawn.part))
    codes = sample.codes[places]
    weights = None if sample.weights is None else sample.weights[places]
    counts = np.bincount(codes, weights, len(sample.classes)).astype(np.float64)
    part = Sample(sample.X[places], codes, weights, sample.classes, counts)
    landmarks = np.flatnonzero(ordered.given(drawn.landmarks)[places])
    return Searched(part, places if rows is None else rows[places], landmarks)
