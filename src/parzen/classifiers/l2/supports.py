"""Which rows of a large sample carry the weights of the L2 classifier: supports of its parts.

The programme leaves most rows without a weight, and a row that a part of the sample has no use for
is of little use to the whole. So rows are dealt out to parts, every part is solved by itself at the
bandwidth that was chosen, and the rows that got a weight come together until there are enough of
them. In many dimensions, where the number of kernels counts, more of these carry a weight in the
end than of rows drawn at random; where parts choose few, rows are drawn besides.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, gen_batches

from parzen._core import effective_threads, run_tasks, steps
from parzen.l2 import L2Form, L2Sample, L2Solver
from parzen.samples import draw_rows, part_size

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

ROWS = 2_000  # of a part
_TOLERANCE = 1e-3  # of its programme
_AT_ONCE = 8  # parts that threads divide among them
_DRAWN = 5_000  # rows up to which others are drawn besides


class Programme(NamedTuple):
    """What is solved on every part."""

    form: L2Form
    bandwidths: Floats
    values: Floats
    eta: float
    relaxed: bool
    max_iter: int | None

    def weights(self, sample: L2Sample) -> Floats:
        """Weights of the sorted rows."""
        everything = np.ones((1, len(sample.X)), dtype=bool)
        solver = L2Solver(sample, everything, self.form, self.bandwidths[None], n_jobs=1)
        found = solver.solve(
            0, self.values[None], etas=[self.eta], relaxed=self.relaxed, tol=_TOLERANCE,
            max_iter=self.max_iter,
        )  # fmt: skip
        return np.asarray(found.programmes.weights[0, 0])


def carriers(
    sample: L2Sample,
    count: int,
    programme: Programme | None,
    random_state: Any,
    n_jobs: int | None,
) -> Rows:
    """Places of rows that may carry weights: drawn without a programme, when all would get some."""
    if programme is None or count >= len(sample.codes):
        return draw_rows(sample.codes, sample.weights, count, check_random_state(random_state))
    return merged_supports(sample, count, programme, random_state, n_jobs)


def merged_supports(
    sample: L2Sample, count: int, programme: Programme, random_state: Any, n_jobs: int | None
) -> Rows:
    """Places of at most ``count`` rows, or one of every class where these are more."""
    rng = check_random_state(random_state)
    pool = draw_rows(sample.codes, sample.weights, part_size(count), rng)
    parts = [pool[part] for part in dealt(sample.codes[pool], -(-len(pool) // ROWS), rng)]
    weights = np.zeros(len(sample.codes))
    for batch in steps(list(gen_batches(len(parts), _AT_ONCE))):
        tasks = [partial(programme.weights, _only(sample, part)) for part in parts[batch]]
        for part, found in zip(parts[batch], run_tasks(tasks, effective_threads(n_jobs))):
            weights[part] = np.maximum(weights[part], found)
        if np.count_nonzero(weights) >= count:
            break
    places = np.flatnonzero(weights)
    kept = places[heaviest(sample.codes[places], weights[places], count)]
    rest = pool[weights[pool] == 0]
    room = min(count, _DRAWN) - len(kept)
    if room > 0 and len(rest):
        more = draw_rows(sample.codes[rest], sample.weights[rest], room, rng)
        kept = np.concatenate([kept, rest[more]])
    return np.sort(kept)


def dealt(codes: Rows, n_parts: int, rng: Any) -> list[Rows]:
    """Places in each part, sorted; a class is spread evenly, at random, and in every part."""
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    classes = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    order = np.concatenate([np.resize(rows, max(len(rows), n_parts)) for rows in classes])
    return [np.sort(order[k::n_parts]) for k in range(n_parts)]


def heaviest(codes: Rows, weights: Floats, count: int) -> Rows:
    """Places of the largest weights, that of every class among them."""
    order = np.argsort(-weights, kind="stable")
    _, first = np.unique(codes[order], return_index=True)
    rest = np.delete(order, first)
    return np.concatenate([order[first], rest[: max(count - len(first), 0)]])


def _only(sample: L2Sample, places: Rows) -> L2Sample:
    """Some rows as a sample of their own."""
    return L2Sample(
        np.ascontiguousarray(sample.X[places]), sample.codes[places], sample.weights[places],
        np.arange(len(places)), sample.n_classes, len(places),
    )  # fmt: skip
