"""One bandwidth for all classes, or one per class by coordinate search.

Only its own class's densities depend on a class's bandwidth, so one table of log-sums (rows,
classes, bandwidths) serves every combination: each step moves the one class whose best bandwidth
lowers the criterion most, and stops when none does. It runs twice, from the best common bandwidth
and from the classes' likeliest ones, and keeps the better result.

Errors are counts, and many bandwidths have the same: such ties are broken by the negative log
posterior of the rows' own classes, which the same sums give, or go to an end of the grid.

The table is kept where it fits into ``working_memory``; otherwise each step is another pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeVar

import numpy as np
from sklearn import get_config

from parzen._core import Floats, Ints
from parzen.bandwidth.losses import LogLoss, Loss, own_log_losses
from parzen.bandwidth.search import Path, path_of
from parzen.samples import TIE, End, HeldOutSums, KernelSample, Scheme, best_place

Ties = Literal["likelihood", "largest", "smallest"]
S = TypeVar("S")  # a sample in the form that a scheme takes

_BYTES_PER_MEBIBYTE = 2**20  # scikit-learn's working_memory is in mebibytes.


def common_path(
    scheme: Callable[[S, Floats], Iterable[HeldOutSums]],
    loss: Loss,
    ties: Ties,
    sample: S,
    grid: Floats,
) -> Path:
    """Score one bandwidth for all classes on the rows that the scheme holds out."""
    losses = _with_tie_breaker(loss, ties)
    total, mass = np.zeros(1), 0.0  # counts stay exact until the division
    for rows in scheme(sample, grid):
        total = total + np.array([each.common(rows) for each in losses])
        mass += float(rows.share.sum())
    scores, *tie_scores = total / mass
    return path_of(scores, tie_scores[0] if tie_scores else None, _end(ties))


def path_per_class(
    scheme: Scheme, loss: Loss, ties: Ties, sample: KernelSample, grid: Floats
) -> Path:
    """Coordinate search over the classes' bandwidths."""
    table = _table(scheme, sample, grid)
    common = common_path(lambda *_: table(), loss, ties, sample, grid).places
    starts = [np.full(sample.n_classes, common), _likeliest(table(), sample.n_classes, len(grid))]
    first, second = (_descend(table, loss, start, ties) for start in starts)
    return second if second.score < first.score - TIE * abs(first.score) else first


def _descend(
    table: Callable[[], Iterable[HeldOutSums]], loss: Loss, places: Ints, ties: Ties
) -> Path:
    """Move one class at a time; every step lowers the score, or keeps it and breaks a tie."""
    places = places.copy()
    rows = np.arange(len(places))
    while True:
        scores, tie_scores = _class_scores(table(), loss, places, ties)
        now = scores[rows, places]
        best = np.array(
            [
                best_place(
                    scores[c], _end(ties), tie_scores=None if tie_scores is None else tie_scores[c]
                )
                for c in rows
            ]
        )
        moves = np.flatnonzero(best != places)
        if len(moves) == 0:
            return Path(places, float(now[0]), scores, tie_scores=tie_scores)
        gains = np.nan_to_num(now - scores[rows, best])[moves]
        # The first of gains that are equal up to rounding: the order of the rows has no effect.
        c = moves[np.argmax(gains >= gains.max() - TIE * np.nan_to_num(abs(now[0])))]
        places[c] = best[c]


def _class_scores(
    table: Iterable[HeldOutSums], loss: Loss, places: Ints, ties: Ties
) -> tuple[Floats, Floats | None]:
    """(classes, bandwidths): the criterion, and what breaks its ties, when one class moves."""
    losses = _with_tie_breaker(loss, ties)
    classes = np.arange(len(places))
    total, mass = np.zeros(1), 0.0
    for part in table:
        current = part.log_joint()[:, classes, places]
        total = total + np.array(
            [[each.by_class(part, current, int(c)) for c in classes] for each in losses]
        )
        mass += float(part.share.sum())
    scores, *tie_scores = total / mass
    return scores, tie_scores[0] if tie_scores else None


def _with_tie_breaker(loss: Loss, ties: Ties) -> tuple[Loss, ...]:
    return (loss, LogLoss()) if ties == "likelihood" else (loss,)


def _end(ties: Ties) -> End:
    """The end of the grid that is preferred where nothing else decides."""
    return "smallest" if ties == "smallest" else "largest"


def _likeliest(table: Iterable[HeldOutSums], n_classes: int, n_bandwidths: int) -> Ints:
    """The place of each class's largest likelihood."""
    losses = own_log_losses(table, n_classes, n_bandwidths)
    return np.array([best_place(row) for row in losses])


def _table(
    scheme: Scheme, sample: KernelSample, grid: Floats
) -> Callable[[], Iterable[HeldOutSums]]:
    """The chunks of the table: kept, or computed anew at every use."""

    def chunks() -> Iterator[HeldOutSums]:
        return scheme(sample, grid)

    size = 8 * len(sample) * sample.n_classes * len(grid)
    if size > get_config()["working_memory"] * _BYTES_PER_MEBIBYTE:
        return chunks
    kept = list(chunks())
    return lambda: kept
