"""The fitted model where the kernel is a function or a Gram matrix: b + sum_i W_i k(x, x_i)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Array, Floats
from parzen.kernels import PRECOMPUTED, gram


@dataclass(frozen=True, eq=False, kw_only=True)
class GramExpansion:
    """A weighted sum of kernel values per column, with the kernel a function or precomputed.

    Attributes
    ----------
    points : array of shape (n_points, n_features)
        The points that carry a kernel; their places in the sample when precomputed.
    kernel : callable or "precomputed"
        The kernel.
    weights : array of shape (n_points, n_columns)
        Their weights.
    offset : array of shape (n_columns,)
        b.
    """

    points: Array
    kernel: Any
    weights: Floats
    offset: Floats

    def sums_method(self, method: str, rtol: float) -> str:
        """Dense sums, the one method that takes any function for a kernel."""
        if method not in ("auto", "dense") and rtol > 0:
            raise ValueError(
                f"method={method!r} needs a kernel with a name, got kernel={self.kernel!r}; "
                "use method='dense' or 'auto'."
            )
        return "dense"

    def scores(self, X: Floats, **options: Any) -> Floats:
        """Scores of the queries, in batches that fit the working memory."""
        if len(self.points) == 0:
            return np.tile(self.offset, (len(X), 1))
        if isinstance(self.kernel, str) and self.kernel == PRECOMPUTED:
            return np.asarray(X[:, self.points] @ self.weights + self.offset)
        out = np.empty((len(X), self.weights.shape[1]))
        rows = get_chunk_n_rows(row_bytes=16 * len(self.points), max_n_rows=max(1, len(X)))
        for batch in gen_batches(len(X), rows):
            out[batch] = gram(X[batch], self.points, self.kernel, 1.0) @ self.weights
        return out + self.offset
