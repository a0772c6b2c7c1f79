"""Why naive Bayes gave a label: its log-odds are a sum over columns, whose terms are their effects.

    log-odds = log(pi_c / pi_r) + sum_l log(f_cl(x_l) / f_rl(x_l))

Integrating a column out of a product leaves the product of the others, so the effects are exact. A
training row has a share of the density in every column; its share of the label is their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.classifiers.naive_bayes.columns import Column
from parzen.evidence import Duel, Explanation, largest_shares


def explain_naive_bayes(
    columns: Sequence[Column],
    X: Array,
    duel: Duel,
    classes: Array,
    codes: Ints,
    top: int,
    **options: Any,
) -> list[Explanation]:
    """Explain the rows of X; ``codes`` are the classes of the training rows."""
    logs = [column.log_densities(X[:, j], **options) for j, column in enumerate(columns)]
    effects = np.stack([duel.odds(each) for each in logs], axis=1)
    members = [np.flatnonzero(codes == c) for c in range(len(classes))]
    out = []
    for i, (b, r, odds) in enumerate(zip(duel.best, duel.second, duel.log_odds, strict=True)):
        ours, theirs = (_largest(columns, X[i], c, members[c], top) for c in (b, r))
        out.append(Explanation(classes[b], classes[r], float(odds), *ours, *theirs, effects[i]))
    return out


def _largest(
    columns: Sequence[Column], x: Array, c: int, members: Ints, top: int
) -> tuple[Ints, Floats]:
    """The rows of a class with the largest mean shares over the columns."""
    parts = [column.shares(x[j], c, members) for j, column in enumerate(columns)]
    present = [part for part in parts if part is not None]
    mean = np.mean(present, axis=0) if present else np.zeros(len(members))
    places, shares = largest_shares(mean, top)
    return members[places], shares
