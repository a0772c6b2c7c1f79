"""The matrix D + M'M of a Newton step, factorised without ever being formed.

A triangular M, the factor of A = QM itself, is joined with the root of D by Householder's
reflections, which square nothing:

    D + M'M = T'T,     [M; D^1/2] = QT

A compressed M, of few rows, goes through S = I + M D^-1 M', of as few rows, whose eigenvalues are
all at least 1: (D + M'M)^-1 q = q/D - D^-1 M' S^-1 M D^-1 q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

Floats = NDArray[np.float64]
Solver = Callable[[Floats], Floats]

_BLOCK = 32  # columns that LAPACK works on at a time
_MANY = 0.8  # above this share of the columns no smaller factor is computed
_IMMENSE = 1e15


@dataclass(frozen=True, eq=False)
class NewtonMatrix:
    """M'M plus a diagonal that changes from step to step.

    ``triangular`` says that M is square and that nothing below its diagonal is meant; of its
    columns only ``kept`` take part, the others are held by an immense D. The dtype of M is that of
    the arithmetic.
    """

    M: NDArray[Any]
    triangular: bool = False
    kept: NDArray[np.intp] | None = None

    @classmethod
    def factor(cls, A: Floats, dtype: type) -> NewtonMatrix:
        """The triangular M with M'M = A'A, in single or double precision."""
        m, n = A.shape
        M = np.zeros((max(m, n), n), dtype=dtype, order="F")
        M[:m] = A
        (geqrf,) = get_lapack_funcs(("geqrf",), (M,))
        return cls(geqrf(M, lwork=_BLOCK * n, overwrite_a=1)[0][:n], triangular=True)

    def columns(self, kept: NDArray[np.bool_]) -> NewtonMatrix:
        """The matrix of some of the columns."""
        if not self.triangular:
            return NewtonMatrix(self.M[:, kept])
        places = np.flatnonzero(kept) if self.kept is None else self.kept[kept]
        if len(places) > _MANY * len(self.M):
            return NewtonMatrix(self.M, True, places)
        return self.factor(np.triu(self.M)[:, places], self.M.dtype.type)

    def solver(self, D: Floats) -> Solver | None:
        """Solve (D + M'M) d = q for any q; None when rounding leaves no factor."""
        return self._by_reflections(D) if self.triangular else self._by_rows(D)

    def _by_reflections(self, D: Floats) -> Solver | None:
        n, dtype = len(self.M), self.M.dtype
        tpqrt, potrs = get_lapack_funcs(("tpqrt", "potrs"), (self.M,))
        taking_part = slice(None) if self.kept is None else self.kept
        root = np.zeros((n, n), dtype=dtype, order="F")
        diagonal = np.full(n, _IMMENSE, dtype=dtype)
        diagonal[taking_part] = np.sqrt(D)
        root.flat[:: n + 1] = diagonal
        T, _, _, info = tpqrt(n, min(_BLOCK, n), self.M, root, overwrite_b=1)
        if info != 0 or not T.diagonal().all():
            return None

        def solve(q: Floats) -> Floats:
            right = np.zeros(n, dtype=dtype)
            right[taking_part] = q
            return np.asarray(potrs(T, right, lower=0)[0][taking_part], dtype=np.float64)

        return solve

    def _by_rows(self, D: Floats) -> Solver | None:
        M = self.M
        S = dsyrk(1.0, (M / np.sqrt(D)).T, trans=1, lower=1)
        S.flat[:: len(M) + 1] += 1.0
        factor, info = dpotrf(S, lower=1, clean=0, overwrite_a=1)
        if info != 0:
            return None

        def solve(q: Floats) -> Floats:
            scaled = q / D
            y = dpotrs(factor, M @ scaled, lower=1)[0]
            return np.asarray(scaled - (M.T @ y) / D)

        return solve
