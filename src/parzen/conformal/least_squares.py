"""A row joins a regularised linear system: scores of left-out rows by a rank-one update.

    (K + R) a + b 1 = t,  1' a = 0,       R = diag(r_i),  r_i = mu / w_i

Without one unit of weight of row i, r_i becomes s_i = mu / (w_i - 1), infinite for w_i <= 1:

    score of row i without itself = t_i - s_i a_i / (1 + (s_i - r_i) G_ii),     t_i - a_i / G_ii

G is the inverse of the system (with an offset, of the bordered one). A query x with targets t and
the score s(x), which is that of the fit, changes what the formula needs by

    u = G k(x),  delta = k(x, x) + mu - k(x)' G k(x),
    a_i + u_i (s(x) - t) / delta,      G_ii + u_i^2 / delta,      score of the query: s(x)

(Cherubin, Chatzikokolakis & Jaggi, 2021). One product of matrices serves all queries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parzen._core import Floats, Ints


@dataclass(frozen=True, eq=False)
class LeastSquaresBag:
    """The inverse of a system, from which the scores of every bag follow.

    Attributes
    ----------
    inverse : array of shape (n, n)
        G, restricted to the rows.
    row_sums : array of shape (n,) or None
        The column of the bordered inverse that belongs to the offset; None without one.
    corner : float
        The last entry of that column.
    weights : array of shape (n, columns)
        The a of the fit.
    targets : array of shape (n, columns)
        The t of the fit.
    frequencies : array of shape (n,)
        The w_i.
    ridge : float
        mu.
    """

    inverse: Floats
    row_sums: Floats | None
    corner: float
    weights: Floats
    targets: Floats
    frequencies: Floats
    ridge: float

    @classmethod
    def of(
        cls, K: Floats, targets: Floats, frequencies: Floats, ridge: float, *, offset: bool
    ) -> LeastSquaresBag:
        """Invert the system of a Gram matrix."""
        n, row_sums, corner = len(K), None, 0.0
        system = K + np.diag(ridge / frequencies)
        if offset:
            system = np.block([[system, np.ones((n, 1))], [np.ones((1, n)), 0.0]])
        inverse: Floats = np.asarray(np.linalg.inv(system), np.float64)
        if offset:
            inverse, row_sums, corner = inverse[:n, :n], inverse[:n, n], float(inverse[n, n])
        return cls(inverse, row_sums, corner, inverse @ targets, targets, frequencies, ridge)

    def joined(self, across: Floats, own: Floats) -> JoinedQueries:
        """Queries with the kernels (m, n) to the rows and (m,) to themselves."""
        u = across @ self.inverse
        quadratic = np.einsum("ij,ij->i", u, across)
        if self.row_sums is not None:  # in the bordered system the kernels are (k(x), 1)
            quadratic += 2.0 * across @ self.row_sums + self.corner
            u = u + self.row_sums
        return JoinedQueries(self, u, own + self.ridge - quadratic)


@dataclass(frozen=True, eq=False)
class JoinedQueries:
    """The u and delta of a block of queries, by which they change the formula of a row."""

    bag: LeastSquaresBag
    u: Floats  # (m, n)
    delta: Floats  # (m,)

    def scores(self, residuals: Floats, rows: Ints) -> Floats:
        """Scores of rows without themselves, shape (m, rows, columns).

        ``residuals`` are the queries' scores minus their targets, shape (m, columns).
        """
        bag, u = self.bag, self.u[:, rows]
        a = bag.weights[rows] + u[:, :, None] * (residuals / self.delta[:, None])[:, None, :]
        diagonal = np.diagonal(bag.inverse)[rows] + u**2 / self.delta[:, None]
        r = bag.ridge / bag.frequencies[rows]
        rest = bag.frequencies[rows] - 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            s = bag.ridge / rest
            some = s / (1.0 + (s - r) * diagonal)
        factor = np.where(rest > 0, some, 1.0 / diagonal)
        return np.asarray(bag.targets[rows] - a * factor[:, :, None])
