"""Projected Newton steps by conjugate gradients, for least squares in a box and a narrow kernel.

    A_F'A_F d = -g_F  on the free coordinates F,    x <- the box's nearest point to x + d

A narrow kernel's matrix is near the identity: few coordinates are bound, and a few products with A
solve for the others, where a factorisation would cost n^3. Wide kernels need another solver: this
one gives up as soon as a round does not reduce the gap enough.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from parzen._core import Floats
from parzen.solvers.box.interior import duality_gap
from parzen.solvers.box.newton_matrix import preconditioned_cg

# Largest squared singular value of a narrow kernel's matrix, relative to their mean.
_MAX_SPREAD = 30.0
_MAX_ROUNDS = 8  # Rounds of a Newton step and a projection onto the box.
_MAX_ITERATIONS = 40  # Iterations of conjugate gradients in a round.
_ROUND_ACCURACY = 1e-2  # Residual at which a round ends, relative to its gradient.
_MIN_CURVATURE = 1e-30  # A direction of less relative curvature has no minimum along it.
_MAX_GAP_RATIO = 0.3  # A round that leaves more than this share of the gap ends the attempt.


def projected_cg(
    A: Floats, b: Floats, linear: Floats, upper: Floats, x: Floats | None, target: float
) -> tuple[Floats, int] | None:
    """A point with a gap of at most ``target`` and the rounds taken; None where it gives up."""
    x = np.zeros(len(upper)) if x is None else np.clip(x, 0.0, upper)
    last = np.inf
    for rounds in range(_MAX_ROUNDS):
        g = A.T @ (A @ x - b) + linear
        gap = duality_gap(g, x, upper - x)
        if gap <= target:
            return x, rounds
        if gap > _MAX_GAP_RATIO * last or (rounds == 0 and not _has_even_singular_values(A, g)):
            return None
        last = gap
        # Coordinates on a bound whose gradient points out of the box stay there.
        free = ~(((x <= 0) & (g >= 0)) | ((x >= upper) & (g <= 0)))
        d, _ = preconditioned_cg(
            A, 0.0, -g * free, partial(np.multiply, free),
            accuracy=_ROUND_ACCURACY, max_iterations=_MAX_ITERATIONS, min_curvature=_MIN_CURVATURE,
        )  # fmt: skip
        x = np.clip(x + d, 0.0, upper)
    return None


def _has_even_singular_values(A: Floats, direction: Floats) -> bool:
    """Whether no singular value of A is much larger than the others, by a few power iterations."""
    v = direction / max(float(np.linalg.norm(direction)), np.finfo(float).tiny)
    most = _MAX_SPREAD * float(np.vdot(A, A)) / A.shape[1]
    for _ in range(3):
        v = A.T @ (A @ v)
        size = float(np.linalg.norm(v))  # a lower bound on the largest squared singular value
        if not 0.0 < size <= most:
            return False
        v /= size
    return True
