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
from parzen.evidence import Duel, Explanation, explain_by_class


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

    def shares_of(queries: Array, c: int) -> tuple[Ints, Floats]:
        rows = np.flatnonzero(codes == c)
        parts = (column.shares(queries[:, j], c, rows) for j, column in enumerate(columns))
        return rows, sum(parts, np.zeros((len(queries), len(rows))))

    return explain_by_class(shares_of, X, duel, effects, classes, len(codes), top)
