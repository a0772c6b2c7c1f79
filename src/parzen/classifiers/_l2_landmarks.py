"""Which rows of a large sample carry the weights of the L2 classifier, and where it is searched.

The programme on m landmarks is the whole one with all other weights held at 0: its quadratic term
concerns the landmarks only, and its linear term is the mean over all rows, n m kernel values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from parzen.classifiers._labels import Sample
from parzen.landmarks import MOST_DENSITIES, Draw, draw, draw_rows, landmark_count
from parzen.solvers import L2Sample

Rows = NDArray[np.intp]


class Searched(NamedTuple):
    """The rows that bandwidth and eta are compared on."""

    sample: Sample
    rows: Rows | None  # their places in the input; None for all
    landmarks: Rows | None  # those of them that may carry weights; None for all


def on_landmarks(
    n_landmarks: Any, random_state: Any, sample: Sample, ordered: L2Sample, present: Rows | None
) -> tuple[L2Sample, Searched]:
    """The sample on its landmarks, and the part of it to search on; all of it where it is small."""
    count = landmark_count(n_landmarks, len(ordered.codes), most=MOST_DENSITIES)
    if count is None:
        return ordered, Searched(sample, present, None)
    drawn = draw(ordered.codes, ordered.weights, count, random_state)
    everything = np.ones((1, len(ordered.codes)), dtype=bool)
    carriers, _ = ordered.on(drawn.landmarks, everything)
    return carriers, _part(sample, ordered, drawn, present)


def on_chunks(
    count: int, random_state: Any, sample: Sample, ordered: L2Sample, present: Rows, chunks: Any
) -> tuple[L2Sample, Searched]:
    """The same where ``sample`` is what was drawn from chunks, which stay where they are."""
    from parzen.distributed import ChunkBackground

    rng = check_random_state(random_state)
    places = draw_rows(ordered.codes, ordered.weights, count, rng)
    X, codes = np.ascontiguousarray(ordered.X[places]), ordered.codes[places]
    background = ChunkBackground(chunks, X, codes)
    carriers = L2Sample(
        X, codes, background.frequencies, ordered.order[places], ordered.n_classes,
        ordered.n_rows, background,
    )  # fmt: skip
    everything = np.arange(len(ordered.codes))
    return carriers, _part(sample, ordered, Draw(everything, places), present)


def _part(sample: Sample, ordered: L2Sample, drawn: Draw, present: Rows | None) -> Searched:
    """Rows as they were given, copies and all, so that folds mean what they say."""
    rows = np.flatnonzero(ordered.given(drawn.part))
    codes, weights = sample.codes[rows], None if sample.weights is None else sample.weights[rows]
    counts = np.bincount(codes, weights, len(sample.classes)).astype(np.float64)
    part = Sample(sample.X[rows], codes, weights, sample.classes, counts)
    landmarks = np.flatnonzero(ordered.given(drawn.landmarks)[rows])
    return Searched(part, rows if present is None else present[rows], landmarks)
