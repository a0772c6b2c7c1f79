"""Least squares in a box: min 1/2 |A x - b|^2 + l'x subject to 0 <= x <= u.

The programme of the B-machine (Basak's report, eq. 29, with A = K D(t), b = margin t, u = 1). The
report's own best bandwidths make K singular, and K'K would square that: it is never formed. Newton
steps from the interior with products of A itself, then coordinates at rest are set exactly on their
bounds. What is certified is

    gap = sum_i max(g_i x_i, -g_i (u_i - x_i)) / P(0),   g = A'(A x - b) + l,   P(0) = 1/2 |b|^2

bounds the distance of the objective from its optimum, relative to the objective of x = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._threads import effective_threads, few_blas_threads
from parzen.solvers._compress import CompressedMatrix
from parzen.solvers._interior import Interior, descend, duality_gap
from parzen.solvers._projected_cg import projected_cg
from parzen.solvers._solution import Solution, Status

Floats = NDArray[np.float64]

_ROUNDINGS = (0.3, 100.0)  # curvature of a bound, in units of that of A, that is taken for rest
_FILLED = 0.95  # share of the tolerance that the end on the bounds may use up,
_LEFT = 0.5  # and that steps before it may leave
_SMALL = 4000  # rows below which more BLAS threads slow down what is left to BLAS
_NEGLIGIBLE = 1e-14  # bounds of this share of the largest leave nothing to move
_FAR = 1e8  # from 1, beyond which numbers are scaled: single precision squares them


def box_least_squares(
    A: ArrayLike | CompressedMatrix,
    b: ArrayLike,
    *,
    upper: ArrayLike = 1.0,
    linear: ArrayLike = 0.0,
    tol: float = 1e-6,
    max_iter: int = 100,
    start: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Solution:
    """Minimise half the squared length of A x - b, plus linear'x, over 0 <= x <= upper.

    Parameters
    ----------
    A : array of shape (m, n) or CompressedMatrix
        The matrix, of any rank.
    b : array of shape (m,)
        The target.
    upper : float or array of shape (n,), default=1.0
        Positive upper bounds.
    linear : float or array of shape (n,), default=0.0
        A linear cost; a positive one makes the solution sparser.
    tol : float, default=1e-6
        Relative gap to reach.
    max_iter : int, default=100
        Most Newton steps.
    start : array of shape (n,), default=None
        A point to start from, such as the solution of a similar problem.
    n_jobs : int, default=None
        Threads for the factors; None for all.

    Returns
    -------
    Solution
        ``gap`` is relative to the objective at 0, and is computed with A itself.

    Notes
    -----
    A step takes a few products with A, and n r^2 + r^3 / 3 multiplications while r rows, fewer than
    0.4 n, stand for A well enough; otherwise n^3 / 3 in single precision (double for a very small
    ``tol``) after a QR factorisation of 2 n^3 / 3, and then fewer steps. A matrix with singular
    values of one size, as narrow kernels have, takes a few dozen products with A instead. Memory
    for three copies of A.
    Where A is singular the solution is not unique; the objective and A x are. Interruptible between
    steps.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.solvers import box_least_squares
    >>> solution = box_least_squares([[2.0, 0.0], [0.0, 1.0]], [1.0, -3.0])
    >>> solution.weights.round(6), round(solution.objective, 9)
    (array([0.5, 0. ]), 4.5)
    """
    target, u, cost = _checked(A, b, upper, linear)
    with few_blas_threads(max(len(target), len(u)), _SMALL):
        return _solve(A, target, u, cost, tol, max_iter, start, effective_threads(n_jobs))


def _solve(
    A: Any,
    target: Floats,
    u: Floats,
    cost: Floats,
    tol: float,
    max_iter: int,
    start: ArrayLike | None,
    threads: int,
) -> Solution:
    scale = 0.5 * float(target @ target)
    if not isinstance(A, CompressedMatrix):
        A = CompressedMatrix.of(np.asarray(A))
    if scale == 0.0:
        scale = 1.0
    x0 = None if start is None else np.asarray(start, dtype=np.float64)
    problem = _Problem(A, target, u, cost, scale)
    wide = u > _NEGLIGIBLE * u.max()
    if not wide.all():
        part = _solve(
            A.A[:, wide], target, u[wide], cost[wide], tol, max_iter,
            None if x0 is None else x0[wide], threads,
        )  # fmt: skip
        x = np.zeros(len(u))
        x[wide] = part.weights
        return problem.solution(x, tol, part.iterations)
    size, reach = np.sqrt(np.vdot(A.A, A.A) / A.A.size), float(u.max())
    if not all(1.0 / _FAR < value < _FAR for value in (size, reach)) and A.A.any():
        size = float(np.abs(A.A).max())
        part = _solve(
            A.A / size, target / size / reach, u / reach, cost / size / size / reach,
            tol, max_iter, None if x0 is None else x0 / reach, threads,
        )  # fmt: skip
        return problem.solution(reach * part.weights, tol, part.iterations)
    return _solve_as_it_is(problem, A, tol, max_iter, x0, threads)


def _solve_as_it_is(
    problem: _Problem,
    A: CompressedMatrix,
    tol: float,
    max_iter: int,
    x0: Floats | None,
    threads: int,
) -> Solution:
    target, u, cost = problem.b, problem.upper, problem.linear
    gap = tol * problem.scale
    quick = projected_cg(A.A, target, cost, u, x0, 0.5 * gap)
    if quick is not None and quick[1] <= max_iter:
        return problem.solution(quick[0], tol, quick[1])
    point = Interior.start(A, target, cost, u, x0, threads)
    descend(point, target=_LEFT * gap, max_steps=max_iter)
    best = problem.solution(np.clip(point.x, 0.0, u), tol, point.steps)
    return _on_bounds(problem, point, best, tol, max_iter) if best.converged else best


class _Problem:
    """The programme in its own matrix, where gaps are certified."""

    def __init__(
        self, matrix: CompressedMatrix, b: Floats, upper: Floats, linear: Floats, scale: float
    ) -> None:
        self.A, self.b, self.upper, self.linear, self.scale = matrix.A, b, upper, linear, scale

    def certify(self, x: Floats) -> tuple[float, float]:
        """Objective and relative gap at a point of the box."""
        r = self.A @ x - self.b
        g = self.A.T @ r + self.linear
        gap = duality_gap(g, x, self.upper - x) / self.scale
        return 0.5 * float(r @ r) + float(self.linear @ x), gap

    def solution(self, x: Floats, tol: float, steps: int) -> Solution:
        """The point with what can be said about it."""
        objective, gap = self.certify(x)
        status: Status = "optimal" if gap <= tol else "max_iter"
        return Solution(x, objective, gap, steps, status)


def _on_bounds(
    problem: _Problem, point: Interior, best: Solution, tol: float, max_iter: int
) -> Solution:
    """As good a solution whose coordinates at rest are on their bounds, if there is one."""
    gap = tol * problem.scale
    for share in _ROUNDINGS:
        rounded = problem.solution(
            point.on_bounds(share, _FILLED * gap, max_iter), tol, point.steps
        )
        if rounded.converged:
            return rounded
    return best


def _checked(
    A: Any, b: ArrayLike, upper: ArrayLike, linear: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    shape = A.A.shape if isinstance(A, CompressedMatrix) else np.shape(A)
    if len(shape) != 2 or min(shape) == 0:
        raise ValueError(f"A must be a matrix with rows and columns, got shape {shape}.")
    target = np.asarray(b, dtype=np.float64)
    if target.shape != (shape[0],):
        raise ValueError(f"b must have shape ({shape[0]},), got {target.shape}.")
    u = np.array(np.broadcast_to(np.asarray(upper, dtype=np.float64), (shape[1],)))
    if not (np.isfinite(u).all() and (u > 0).all()):
        raise ValueError("upper must be positive and finite; drop columns whose bound is 0.")
    cost = np.array(np.broadcast_to(np.asarray(linear, dtype=np.float64), (shape[1],)))
    return target, u, cost
