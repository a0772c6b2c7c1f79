"""One bandwidth for all classes, or one per class by coordinate search.

Only its own class's densities depend on a class's bandwidth, so one table of log-sums (rows,
classes, bandwidths) serves every combination: each step moves the one class whose best bandwidth
lowers the criterion most, and stops when none does. It starts from the best common bandwidth
and from the classes' likeliest ones, and keeps the better end.

The table is kept where it fits into ``working_memory``; otherwise each step is another pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config

from parzen.bandwidth.losses import Loss, own_log_losses
from parzen.bandwidth.search import Path
from parzen.samples import TIE, Floats, HeldOutSums, KernelSample, Scheme, best_place

_MEBIBYTE = 2**20


def common_path(table: Iterable[HeldOutSums], loss: Loss) -> Path:
    """Scores of one bandwidth for all classes."""
    scores = _mean(table, loss.common)
    place = best_place(scores)
    return Path(np.array(place), float(scores[place]), scores)


def path_per_class(scheme: Scheme, loss: Loss, sample: KernelSample, grid: Floats) -> Path:
    """Coordinate search over the classes' bandwidths."""
    table = _table(scheme, sample, grid)
    common = common_path(table(), loss).places
    starts = [np.full(sample.n_classes, common), _likeliest(table(), sample.n_classes, len(grid))]
    ends = [_descend(table, loss, start) for start in starts]
    first, second = ends
    return second if second.score < first.score - TIE * abs(first.score) else first


def _descend(
    table: Callable[[], Iterable[HeldOutSums]], loss: Loss, places: NDArray[np.intp]
) -> Path:
    """Move one class at a time; every step lowers the score, or keeps it and widens a class."""
    places = places.copy()
    rows = np.arange(len(places))
    while True:
        scores = _mean(table(), partial(_class_scores, loss=loss, places=places))
        now = scores[rows, places]
        best = np.array([best_place(row) for row in scores])
        moves = np.flatnonzero(best != places)
        if len(moves) == 0:
            return Path(places, float(now[0]), scores)
        gains = np.nan_to_num(now - scores[rows, best])[moves]
        # The first of equal gains: rounding, and so the order of the rows, has no say.
        c = moves[np.argmax(gains >= gains.max() - TIE * np.nan_to_num(abs(now[0])))]
        places[c] = best[c]


def _mean(table: Iterable[HeldOutSums], total: Callable[[HeldOutSums], Floats]) -> Floats:
    """Share-weighted mean of a loss over all rows; counts stay exact until the division."""
    parts = [(total(rows), rows.share.sum()) for rows in table]
    return np.asarray(sum(part for part, _ in parts) / sum(share for _, share in parts))


def _class_scores(part: HeldOutSums, loss: Loss, places: NDArray[np.intp]) -> Floats:
    """(classes, bandwidths): the criterion when one class moves and the others stay."""
    classes = np.arange(len(places))
    current = part.log_joint()[:, classes, places]
    return np.array([loss.by_class(part, current, int(c)) for c in classes])


def _likeliest(table: Iterable[HeldOutSums], n_classes: int, n_bandwidths: int) -> NDArray[np.intp]:
    """The place of each class's largest likelihood."""
    losses = own_log_losses(table, n_classes, n_bandwidths)
    return np.array([best_place(row) for row in losses])


def _table(
    scheme: Scheme, sample: KernelSample, grid: Floats
) -> Callable[[], Iterable[HeldOutSums]]:
    """The chunks of the table: kept, or computed anew whenever they are asked for."""

    def chunks() -> Iterator[HeldOutSums]:
        return scheme(sample, grid)

    size = 8 * len(sample) * sample.n_classes * len(grid)
    if size > get_config()["working_memory"] * _MEBIBYTE:
        return chunks
    kept = list(chunks())
    return lambda: kept
