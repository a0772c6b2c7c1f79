"""Which rows of a large sample carry the weights of the L2 classifier: supports of its parts.

The programme leaves most rows without a weight, and a row that a part of the sample has no use for
is of little use to the whole. So rows are dealt out to parts, every part is solved by itself at the
bandwidth that was chosen, and the rows that got a weight come together until there are enough of
them. In many dimensions, where the number of kernels counts, more of these carry a weight in the
end than of rows drawn at random; where parts choose few, rows are drawn besides.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state, gen_batches

from parzen._core import Floats, Ints, effective_threads, run_tasks, steps
from parzen.l2 import Carriers
from parzen.samples import draw_rows, part_size

PART_ROWS = 2_000  # Rows of a part of the sample that is solved alone.
_PARTS_AT_ONCE = 8  # Threads share this many parts before the supports are counted again.
_MAX_DRAWN_ROWS = 5_000  # Rows are drawn beside the supports up to this many carriers of weights.


def merged_supports(
    sample: Carriers,
    count: int,
    part_weights: Callable[[Carriers], Floats],
    random_state: Any,
    n_jobs: int | None,
) -> Ints:
    """Places of at most ``count`` rows, or one of every class where these are more.

    ``part_weights`` gives the weights of a part of the sample.
    """
    rng = check_random_state(random_state)
    pool = draw_rows(sample.codes, sample.frequencies, part_size(count), rng)
    parts = [pool[part] for part in dealt(sample.codes[pool], -(-len(pool) // PART_ROWS), rng)]
    weights = np.zeros(len(sample.codes))
    for batch in steps(list(gen_batches(len(parts), _PARTS_AT_ONCE))):
        tasks = [partial(part_weights, sample.rows(rows)) for rows in parts[batch]]
        for rows, found in zip(parts[batch], run_tasks(tasks, effective_threads(n_jobs))):
            weights[rows] = np.maximum(weights[rows], found)
        if np.count_nonzero(weights) >= count:
            break
    places = np.flatnonzero(weights)
    kept = places[heaviest(sample.codes[places], weights[places], count)]
    rest = pool[weights[pool] == 0]
    n_drawn = min(count, _MAX_DRAWN_ROWS) - len(kept)
    if n_drawn > 0 and len(rest):
        more = draw_rows(sample.codes[rest], sample.frequencies[rest], n_drawn, rng)
        kept = np.concatenate([kept, rest[more]])
    return np.sort(kept)


def dealt(codes: Ints, n_parts: int, rng: Any) -> list[Ints]:
    """Places in each part, sorted; a class is spread evenly, at random, and in every part."""
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    classes = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    order = np.concatenate([np.resize(rows, max(len(rows), n_parts)) for rows in classes])
    return [np.sort(order[k::n_parts]) for k in range(n_parts)]


def heaviest(codes: Ints, weights: Floats, count: int) -> Ints:
    """Places of the largest weights, that of every class among them."""
    order = np.argsort(-weights, kind="stable")
    _, first = np.unique(codes[order], return_index=True)
    rest = np.delete(order, first)
    return np.concatenate([order[first], rest[: max(count - len(first), 0)]])
