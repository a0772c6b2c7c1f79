"""Regularised linear systems of a Gram matrix, and what leaving one row out does to them.

    (K + mu W^-1) a = t            kernel ridge: RLSC, Basak's report, eq. (39), mu = lambda N
    [0 1'; 1 K + mu W^-1][b; a] = [0; t]     with an offset: LS-SVM, mu = 1 / C

W holds frequencies: a row of weight 2 is two rows. One eigendecomposition of W^1/2 K W^1/2 serves
every mu. Leaving one unit of weight out of row i gives the score t_i - a_i / G_ii where the weight
is 1, with G the inverse of the whole system, of which the border's row and column are not used; no
refit is needed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_solve

from parzen._core import Bools, Floats, interruptible
from parzen.solvers.solution import Solution


def solve_ridge(
    K: Floats, ridge: Floats, targets: Floats, *, offset: bool
) -> tuple[Floats, Floats]:
    """Coefficients (n, m) and offsets (m,) of K + diag(ridge), by Cholesky.

    A kernel that is not positive definite may leave the system indefinite; then LU solves it, and
    a system that is singular has its shortest least-squares solution.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = solve_ridge(np.eye(2), np.ones(2), np.array([[1.0], [3.0]]), offset=True)
    >>> a.ravel(), b
    (array([-0.5,  0.5]), array([2.]))
    """
    system = K.copy()
    system.flat[:: len(K) + 1] += ridge
    sides = np.column_stack([targets, np.ones(len(K))]) if offset else targets
    try:
        L = interruptible(np.linalg.cholesky, system)
        solved = cho_solve((L.T, False), sides, check_finite=False)
    except np.linalg.LinAlgError:
        solved = _solve_indefinite(system, sides)
    return with_offset(solved, offset)


def _solve_indefinite(system: Floats, sides: Floats) -> Floats:
    try:
        return np.asarray(interruptible(np.linalg.solve, system, sides))
    except np.linalg.LinAlgError:
        return np.asarray(interruptible(np.linalg.lstsq, system, sides)[0])


def with_offset(solved: Floats, offset: bool) -> tuple[Floats, Floats]:
    """Coefficients that sum to zero, from the solutions for the targets and for ones."""
    if not offset:
        return solved, np.zeros(solved.shape[1])
    a, eta = solved[:, :-1], solved[:, -1]
    b = a.sum(axis=0) / eta.sum()
    return a - np.multiply.outer(eta, b), b


class RidgePath:
    """One eigendecomposition of a Gram matrix, for every regulariser.

    Parameters
    ----------
    K : array of shape (n, n)
        A symmetric Gram matrix.
    weights : array of shape (n,)
        Frequencies.
    """

    def __init__(self, K: Floats, weights: Floats) -> None:
        root = np.sqrt(weights)
        self.weights, self.root = weights, root
        self.values, self.vectors = spectrum(K * np.multiply.outer(root, root))

    def leave_one_out(self, mu: Floats, targets: Floats, *, offset: bool) -> Floats:
        """Scores (n, m) at each row after one unit of its weight was left out.

        Row i is regularised by mu[i], which may count the rows that remain.
        """
        inverse = 1.0 / (self.values + np.asarray(mu)[:, None])  # row i: the spectrum for row i
        weighted = self.vectors * inverse
        diagonal = self.weights * np.einsum("ij,ij->i", weighted, self.vectors)
        a = self.root[:, None] * (weighted @ (self.vectors.T @ (self.root[:, None] * targets)))
        if offset:
            # Column sums per row's own regulariser: eta = G 1, s = 1'G 1.
            ones = self.vectors.T @ self.root
            eta = self.root * (weighted @ ones)
            s = inverse @ ones**2
            b = (inverse * ones) @ (self.vectors.T @ (self.root[:, None] * targets)) / s[:, None]
            a = a - eta[:, None] * b
            diagonal = diagonal - eta**2 / s
        return left_out_scores(a, diagonal, np.asarray(mu) / self.weights, self.weights, targets)


def left_out_scores(
    a: Floats, diagonal: Floats, ridge: Floats, weights: Floats, targets: Floats
) -> Floats:
    """Scores of the rows, each after one unit of its weight was left out.

    ``a`` are the coefficients, ``diagonal`` is that of the inverse with its offset, and ``ridge``
    is what the diagonal of the system has beside the Gram matrix. With the fitted value
    f = t - ridge a and the leverage h of one unit of weight, a score is (f - h t) / (1 - h).
    """
    fitted = targets - ridge[:, None] * a
    h = (1.0 - ridge * diagonal) * np.minimum(weights, 1.0) / weights
    rest = np.maximum(1.0 - h, np.finfo(float).eps)[:, None]
    return np.asarray((fitted - h[:, None] * targets) / rest)


def conjugate_gradients(
    apply: Callable[[Floats], Floats], targets: Floats, *, tol: float, max_iter: int
) -> Solution:
    """Solve a positive definite system for several right-hand sides at once, without its matrix.

    ``gap`` is the largest residual relative to its right-hand side.
    """
    x, r = np.zeros_like(targets), targets.copy()
    p = r.copy()
    rho = np.einsum("ij,ij->j", r, r)
    start = np.where(rho > 0, rho, 1.0)
    steps, gap = 0, float(np.sqrt((rho / start).max()))
    while gap > tol and steps < max_iter:
        q = apply(p)
        curvature = np.einsum("ij,ij->j", p, q)
        alive = (curvature > 0) & (rho > 0)  # else solved, or singular to rounding
        if not alive.any():
            break
        with np.errstate(over="ignore"):
            step = np.divide(rho, curvature, out=np.zeros_like(rho), where=alive)
            further = x + step * p
        if not np.isfinite(further).all():  # the curvature has underflowed: no step is left
            break
        x = further
        r -= step * q
        new = np.einsum("ij,ij->j", r, r)
        p = r + np.divide(new, rho, out=np.zeros_like(rho), where=rho > 0) * p
        rho, steps = new, steps + 1
        gap = float(np.sqrt((rho / start).max()))
    return Solution.of(x, -0.5 * float((x * targets).sum()), gap, steps, tol)


def spectrum(K: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    # NumPy releases the interpreter's lock, SciPy does not.
    values, vectors = interruptible(np.linalg.eigh, K)
    return values, vectors


def significant(values: Floats, threshold: float, *, relative: bool) -> Bools:
    """Which eigenvalues a pseudo-inverse keeps.

    ``threshold`` is a share of the largest absolute eigenvalue, or an absolute bound; rounding
    errors are never kept.
    """
    size = np.abs(values)
    largest = float(size.max())
    bound = threshold * largest if relative else threshold
    return np.asarray(size > max(bound, len(values) * np.finfo(float).eps * largest))
