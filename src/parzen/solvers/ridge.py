"""The unconstrained L2 programme: (K + ridge W^-1) b = h, Kim & Scott (2010), eq. (10).

K alone is nearly singular, and solved exactly it is useless: a ridge, or few steps of conjugate
gradients, regularise in place of the constraints. Frequencies w are copies of a row: its total
weight is b, so the ridge is divided by w. With the eigenvectors of W^(1/2) K W^(1/2) in hand every
ridge costs O(n^2), its leave-one-out decisions included.
"""

from __future__ import annotations

import numpy as np

from parzen._core import Floats
from parzen.solvers.linear_systems import conjugate_gradients, significant, spectrum
from parzen.solvers.solution import Solution

_CANCELLATION = 1e-11  # A score below this share of its terms' sizes is rounding, and set to 0.


class RidgeSystem:
    """The system for one kernel matrix, ready for any ridge.

    Parameters
    ----------
    K : array of shape (n, n)
        Positive semi-definite, with a diagonal of about one.
    h : array of shape (n, targets)
        Right-hand sides.
    weights : array of shape (n,)
        Frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> system = RidgeSystem(np.eye(2), np.array([[1.0], [2.0]]), np.ones(2))
    >>> system.solve(1.0).weights.ravel()
    array([0.5, 1. ])
    """

    def __init__(self, K: Floats, h: Floats, weights: Floats) -> None:
        self._K, self._h, self._w = K, h, weights
        self._root = np.sqrt(weights)
        self._values, self._vectors = spectrum(self._root[:, None] * K * self._root)
        self._rotated = self._vectors.T @ (self._root[:, None] * h)

    def solve(self, ridge: float) -> Solution:
        """The solution; its gap is the relative residual.

        Without a ridge it is the shortest least-squares solution: eigenvalues that are rounding
        errors count as zero.
        """
        u = self._vectors @ (self._inverse(ridge)[:, None] * self._rotated)
        return _solution(self._K, self._h, self._root[:, None] * u, self._w, ridge, 1)

    def leave_one_out(
        self, ridges: Floats, kernel: Floats, shifts: Floats, signs: Floats
    ) -> Floats:
        """Decisions sum_j b_j k(x_i, x_j) at every row i, one copy of which is left out.

        Parameters
        ----------
        ridges : array of shape (ridges,)
        kernel : array of shape (n, n)
            k between the points.
        shifts : array of shape (n, n)
            What leaving row i out adds to the right-hand side of row j, at [j, i].
        signs : array of shape (targets, n)
            Sign of the shifts of row i in each right-hand side.

        Returns
        -------
        array of shape (ridges, n, targets)
        """
        # Let G be the inverse and p_i the shifted right-hand side. Without row i the solution is
        # G p_i minus the multiple of column i of G that makes its i-th entry zero,
        #     b = G p_i - G e_i (e_i'G p_i) / G_ii,
        # and its decision at x_i is k_i'b. All terms are diagonal forms in the eigenvectors V:
        # k_i'G p_i = sum_v D_v M_vi P_vi, and likewise k_i'G e_i (other) and G_ii (own).
        V, root, w = self._vectors, self._root[:, None], self._w
        M = V.T @ (root * kernel)
        shifted = V.T @ (root * shifts)
        D = 1.0 / (np.maximum(self._values, 0.0) + ridges[:, None])
        # Of w copies w - 1 stay; of less than one copy nothing does.
        own = D @ (V**2).T + np.maximum(w - 1.0, 0.0) / ridges[:, None]
        other = D @ (V.T * M)
        out = np.empty((len(ridges), *self._h.shape))
        for t in range(self._h.shape[1]):
            P = self._rotated[:, t, None] + signs[t] * shifted
            both = M * P
            minus = other * (D @ (V.T * P)) / own
            scores = D @ both - minus
            noise = _CANCELLATION * (D @ np.abs(both) + np.abs(minus))
            out[:, :, t] = np.where(np.abs(scores) > noise, scores, 0.0)
        return out

    def _inverse(self, ridge: float) -> Floats:
        """Eigenvalues of the inverse; without a ridge, of the pseudo-inverse."""
        if ridge == 0:
            kept = significant(self._values, 0.0, relative=True)
            return np.divide(1.0, self._values, out=np.zeros_like(self._values), where=kept)
        # Rounding may leave eigenvalues just below zero.
        return np.asarray(1.0 / (np.maximum(self._values, 0.0) + ridge))


def early_stopped(K: Floats, h: Floats, weights: Floats, steps: int) -> Solution:
    """The iterate of conjugate gradients for K b = h after a number of steps."""
    root = np.sqrt(weights)[:, None]
    found = conjugate_gradients(
        lambda p: root * (K @ (root * p)), root * h, tol=0.0, max_iter=steps
    )
    return _solution(K, h, root * found.weights, weights, 0.0, found.iterations)


def _solution(K: Floats, h: Floats, b: Floats, w: Floats, ridge: float, steps: int) -> Solution:
    image = K @ b + ridge * b / w[:, None]
    size = float(np.linalg.norm(h))
    gap = float(np.linalg.norm(image - h)) / size if size > 0 else 0.0
    return Solution(b, float(np.sum(b * (0.5 * image - h))), gap, steps, "optimal")
