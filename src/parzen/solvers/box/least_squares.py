"""Least squares in a box: min 1/2 |A x - b|^2 + l'x subject to 0 <= x <= u.

The programme of the B-machine (Basak's report, eq. 29, with A = K D(t), b = margin t, u = 1). The
report's own best bandwidths make K singular, and K'K would square that: it is never formed. Newton
steps from the interior use products with A itself; then the coordinates that belong on a bound are
set exactly on it. The certified gap,

    gap = sum_i max(g_i x_i, -g_i (u_i - x_i)) / P(0),   g = A'(A x - b) + l,   P(0) = 1/2 |b|^2

bounds the distance of the objective from its optimum, relative to the objective at x = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Floats, blas_threads, effective_threads
from parzen.solvers.box.compress import CompressedMatrix
from parzen.solvers.box.interior import Interior, descend, duality_gap
from parzen.solvers.box.projected_cg import projected_cg
from parzen.solvers.solution import Solution

# A coordinate is set on its bound if its barrier's curvature is at least this share of that of A;
# the second share, which leaves more coordinates free, is tried where the first fails.
_CURVATURE_SHARES = (0.3, 100.0)
_GAP_SHARE_ON_BOUNDS = 0.95  # Share of the tolerated gap that the point on the bounds may have.
_GAP_SHARE_INSIDE = 0.5  # Share of the tolerated gap that the steps from the interior may leave.
# Sizes beyond this, or below its inverse, are scaled: their squares would leave single precision.
_MAX_MAGNITUDE = 1e8


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
        Threads for the factors; None for all. The result does not depend on it.

    Returns
    -------
    Solution
        ``gap`` is relative to the objective at 0 (to 1 where b is 0), and is computed with A
        itself.

    Notes
    -----
    A step takes a few products with A, and n r^2 + r^3 / 3 multiplications while r rows, fewer than
    0.4 n, approximate A well enough; otherwise n^3 / 3 in single precision (double for a very small
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
    matrix = A if isinstance(A, CompressedMatrix) else CompressedMatrix.of(_matrix(A))
    programme = _checked(matrix, b, upper, linear)
    x0 = None if start is None else _per_column("start", start, len(programme.upper))
    # More BLAS threads are no faster beside those of the factors, and would change bits.
    with blas_threads(1, len(programme.upper)):
        return _solve(programme, tol, max_iter, x0, effective_threads(n_jobs))


def _solve(
    programme: _BoxProgramme, tol: float, max_iter: int, x0: Floats | None, threads: int
) -> Solution:
    A, u = programme.A, programme.upper
    size = np.sqrt(np.vdot(A, A) / A.size)
    if not np.isfinite(size) and not np.isfinite(A).all():
        raise ValueError("A must be finite; it contains NaN or infinity.")
    if (
        min(size, u.min()) > 1 / _MAX_MAGNITUDE and max(size, u.max()) < _MAX_MAGNITUDE
    ) or not A.any():
        return _solve_in_range(programme, tol, max_iter, x0, threads)
    part = _solve_in_range(
        programme.in_own_units(), tol, max_iter, None if x0 is None else x0 / u, threads
    )
    return programme.solution(u * part.weights, tol, part.iterations)


def _solve_in_range(
    programme: _BoxProgramme, tol: float, max_iter: int, x0: Floats | None, threads: int
) -> Solution:
    target, u, cost = programme.b, programme.upper, programme.linear
    gap = tol * programme.scale
    # Cheap for narrow kernels, and given up after a few products with A for all others.
    by_projection = projected_cg(programme.A, target, cost, u, x0, 0.5 * gap)
    if by_projection is not None and by_projection[1] <= max_iter:
        return programme.solution(by_projection[0], tol, by_projection[1])
    point = Interior.start(programme.matrix, target, cost, u, x0, threads)
    descend(point, target=_GAP_SHARE_INSIDE * gap, max_steps=max_iter)
    best = programme.solution(np.clip(point.x, 0.0, u), tol, point.steps)
    return _on_bounds(programme, point, best, tol, max_iter) if best.converged else best


class _BoxProgramme(NamedTuple):
    """The programme with the matrix A itself, not an approximation: gaps are certified here."""

    matrix: CompressedMatrix
    b: Floats
    upper: Floats
    linear: Floats
    scale: float  # what gaps are relative to

    @property
    def A(self) -> Floats:
        return self.matrix.A

    def in_own_units(self) -> _BoxProgramme:
        """The same programme in a box of ones, with a matrix whose largest element is one."""
        size, reach = float(np.abs(self.A).max()), float(self.upper.max())
        u = self.upper / reach
        A = self.A / size * u
        units = (size, reach, float(np.abs(A).max()))
        b, linear, scale = self.b, self.linear * u * reach, self.scale
        # One unit after the other, since their product may be out of range. The linear cost and
        # the scale are of the second order in the units, and so are divided twice.
        for unit in units:
            b, linear, scale = b / unit, linear / unit, scale / unit
        for unit in units:
            linear, scale = linear / unit, scale / unit
        matrix = CompressedMatrix.of(A / units[2])
        return _BoxProgramme(matrix, b, np.ones(len(u)), linear, scale)

    def solution(self, x: Floats, tol: float, steps: int) -> Solution:
        """A point of the box with its objective, relative gap and status."""
        r = self.A @ x - self.b
        g = self.A.T @ r + self.linear
        objective = 0.5 * float(r @ r) + float(self.linear @ x)
        gap = duality_gap(g, x, self.upper - x) / self.scale
        return Solution.of(x, objective, gap, steps, tol)


def _on_bounds(
    programme: _BoxProgramme, point: Interior, best: Solution, tol: float, max_iter: int
) -> Solution:
    """A solution with coordinates exactly on their bounds, if it converges; otherwise ``best``."""
    gap = tol * programme.scale
    for share in _CURVATURE_SHARES:
        on_bounds = programme.solution(
            point.on_bounds(share, _GAP_SHARE_ON_BOUNDS * gap, max_iter), tol, point.steps
        )
        if on_bounds.converged:
            return on_bounds
    return best


def _matrix(A: ArrayLike) -> Array:
    A = np.asarray(A)
    if A.ndim != 2 or min(A.shape) == 0:
        raise ValueError(f"A must be a matrix with rows and columns, got shape {A.shape}.")
    return A


def _checked(
    matrix: CompressedMatrix, b: ArrayLike, upper: ArrayLike, linear: ArrayLike
) -> _BoxProgramme:
    m, n = matrix.A.shape
    target = np.asarray(b, dtype=np.float64)
    if target.shape != (m,):
        raise ValueError(f"b must have shape ({m},), got {target.shape}.")
    scale = 0.5 * float(np.vdot(target, target))
    if not target.any():
        scale = 1.0
    elif not np.finfo(float).tiny <= scale < np.inf:
        raise ValueError("b must be finite, and its squares within the range of the numbers.")
    u, cost = _per_column("upper", upper, n), _per_column("linear", linear, n)
    if not (u > 0).all():
        raise ValueError("upper must be positive; drop columns whose bound is 0.")
    return _BoxProgramme(matrix, target, u, cost, scale)


def _per_column(name: str, values: ArrayLike, n: int) -> Floats:
    each = np.asarray(values, dtype=np.float64)
    if each.shape not in ((), (n,)) or not np.isfinite(each).all():
        raise ValueError(f"{name} must be one finite number, or one for each of {n} columns.")
    return np.full(n, each)
