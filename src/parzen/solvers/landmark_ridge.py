"""Kernel ridge regression with an offset on landmarks, and the scores of rows without their fold.

    minimise  sum_i w_i (t_i - b - sum_l a_l k(x_i, z_l))^2 + mu a'K a,     K = k(z, z)

The normal equations are sums over rows: those of every fold are kept apart, so that leaving a fold
out is a subtraction. Time n M^2 for M landmarks, and M^3 / 3 for every fold and mu, and once more
for every mu whose coefficients are wanted; memory (folds + 4) M^2 numbers and the kernel values of
the scored rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk, ssyrk
from sklearn.utils import gen_batches

from parzen._core import Floats, Ints, steps

Values = Floats | NDArray[np.float32]

_BATCH = 4096  # Kernel values of this many rows are in memory at once.
# Added to the diagonal, as a share of its mean and times the root of the number of landmarks: what
# the rounding of the sums may have taken from a small eigenvalue. Rounding errors are like noise,
# and the norm of a matrix of noise grows with that root.
_JITTER = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1.5e-7}
_JITTER_STEPS = 10.0 ** np.arange(4)  # Factors on the jitter, tried until Cholesky succeeds.


class LandmarkRidge(NamedTuple):
    """The left-out scores of one regulariser, and what makes its coefficients."""

    left_out: Floats  # (scored, m)
    solve: Callable[[], tuple[Floats, Floats]]  # coefficients (M, m) and offset (m,)


def landmark_ridges(
    kernel_rows: Callable[[Ints], Values],
    K: Values,
    targets: Floats,
    weights: Floats,
    fold_of_row: Ints,
    scored_rows: Ints,
    regularizers: Sequence[float],
) -> list[LandmarkRidge]:
    """Left-out scores for every regulariser; the system of all rows is solved when it is asked for.

    ``kernel_rows`` gives the kernel of some rows with the landmarks, K that of the landmarks. In
    single precision they cost half; sums over batches of rows are double in any case.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(6.0)[:, None]
    >>> kernel = lambda rows: np.exp(-np.abs(x[rows] - x[::2].T))
    >>> found = landmark_ridges(kernel, kernel(np.arange(0, 6, 2)), np.sign(x - 2.5), np.ones(6),
    ...                         np.arange(6) % 3, np.arange(6), [0.1])
    >>> found[0].left_out.shape, [part.shape for part in found[0].solve()]
    ((6, 1), [(3, 1), (1,)])
    """
    folds = np.unique(fold_of_row)
    parts = {
        k: _normal_equations(kernel_rows, targets, weights, np.flatnonzero(fold_of_row == k))
        for k in steps(folds.tolist())
    }
    total, right = (reduce(np.add, [part[i] for part in parts.values()]) for i in (0, 1))
    queries = kernel_rows(scored_rows)
    penalty, jitter = np.zeros_like(total), _JITTER[K.dtype] * float(np.sqrt(len(K)))
    penalty[:-1, :-1] = K.T  # K is symmetric; K.T is stored by columns, as the sums are
    found = []
    for mu in regularizers:
        scores = np.empty((len(scored_rows), targets.shape[1]))
        for k, (A, r) in parts.items():
            here = np.flatnonzero(fold_of_row[scored_rows] == k)
            if len(here):
                without = _solve(total - A + mu * penalty, right - r, jitter)
                scores[here] = queries[here] @ without[:-1] + without[-1]
        solve = partial(_coefficients, total, mu, penalty, right, jitter)
        found.append(LandmarkRidge(scores, solve))
    return found


def _coefficients(
    total: Floats, mu: float, penalty: Floats, right: Floats, jitter: float
) -> tuple[Floats, Floats]:
    solved = _solve(total + mu * penalty, right, jitter)
    return solved[:-1], solved[-1]


def _normal_equations(
    kernel_rows: Callable[[Ints], Values], targets: Floats, weights: Floats, rows: Ints
) -> tuple[Floats, Floats]:
    """The lower triangle of F'WF, and F'Wt, of some rows, F = [kernel values, 1]."""
    A: Floats | None = None
    r: Floats | None = None
    for batch in gen_batches(len(rows), _BATCH):
        some = rows[batch]
        values: NDArray[Any] = kernel_rows(some)
        w = weights[some].astype(np.float64)
        kind = values.dtype
        columns = np.column_stack([w[:, None] * targets[some], w]).astype(kind)
        sides = (values.T @ columns).astype(np.float64, copy=False)
        if (w != 1.0).any():
            values = values * np.sqrt(w).astype(kind)[:, None]
        syrk = ssyrk if kind == np.float32 else dsyrk
        M = values.shape[1]
        product = np.zeros((M + 1, M + 1), order="F")
        product[:-1, :-1] = syrk(1.0, values.T, lower=1)
        product[-1] = [*sides[:, -1], w.sum()]
        side = np.vstack([sides[:, :-1], w @ targets[some]])
        A, r = (product, side) if A is None or r is None else (A + product, r + side)
    assert A is not None
    assert r is not None
    return A, r


def _solve(A: Floats, right: Floats, least: float) -> Floats:
    """The solution of a symmetric system that is positive definite but for rounding.

    The lower triangle is read.
    """
    size = float(np.trace(A)) / len(A)
    for step in _JITTER_STEPS:
        system = A.copy(order="F")
        system[np.diag_indices(len(A))] += least * step * size
        try:
            return np.asarray(cho_solve(cho_factor(system, lower=True, overwrite_a=True), right))
        except LinAlgError:
            continue
    whole = np.tril(A) + np.tril(A, -1).T
    return np.asarray(np.linalg.lstsq(whole, right, rcond=None)[0])
