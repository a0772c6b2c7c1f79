"""The maximum of J as a generalised eigenproblem, with a ridge:

    M_0 alpha = J (N_0 + rho D) alpha,   D = diag(0, d, ..., d),  d the mean diagonal of N_0

Without a ridge the largest eigenvalue only shows how well p coefficients can memorise the sample
(J = 200 on it, 0.1 off it). The constant is not penalised: a large ridge leaves the base kernel.
The ridge is chosen by the separability of rows that had no part in M_0 and N_0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.linalg import eigh

from parzen._core import Floats
from parzen.feature_space.scatter import ScatterForms
from parzen.solvers import Solution

RIDGES = tuple(10.0**k for k in range(-5, 3))  # Candidates, in units of N_0's mean diagonal.


def solve_ridge(forms: ScatterForms, ridge: float) -> Solution:
    """The largest generalised eigenvector, |alpha| = 1."""
    M, N = forms.between, forms.within
    p = len(M)
    level = float(np.mean(np.diagonal(N)[1:])) if p > 1 else 0.0
    if level <= 0.0 or not np.any(M):
        return Solution(np.eye(1, p)[0], 0.0, 0.0, 0, "optimal")
    rounding = p * np.finfo(np.float64).eps * float(forms.power.sum())
    penalty = np.full(p, max(ridge * level, rounding))
    penalty[0] = rounding
    right = N + np.diag(penalty)
    values, vectors = eigh(M, right, subset_by_index=[p - 1, p - 1])
    alpha = vectors[:, 0] / np.linalg.norm(vectors[:, 0])
    alpha = alpha * (1.0 if alpha[np.argmax(np.abs(alpha))] > 0 else -1.0)
    residual = M @ alpha - values[0] * (right @ alpha)
    scale = float(np.linalg.norm(M @ alpha)) or 1.0
    return Solution(alpha, float(values[0]), float(np.linalg.norm(residual)) / scale, 1, "optimal")


def choose_ridge(
    folds: Iterable[tuple[ScatterForms, ScatterForms]], ridges: Sequence[float]
) -> tuple[float, Floats]:
    """The ridge with the largest mean tr S_b / tr S_t on held-out rows, and the means.

    ``folds`` holds the forms of the rows inside and outside each fold. Of equal means the largest
    ridge is taken.
    """
    shares = []
    for inside, outside in folds:
        row = []
        for ridge in ridges:
            between, within = outside.scatters(solve_ridge(inside, ridge).weights)
            row.append(between / (between + within) if between > 0.0 else 0.0)
        shares.append(row)
    mean = np.mean(shares, axis=0)
    best = len(ridges) - 1 - int(np.argmax(mean[::-1]))
    return float(ridges[best]), mean
