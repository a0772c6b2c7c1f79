"""A full bandwidth matrix by the plug-in rule of Duong and Hazelton (2003, 2005).

The asymptotic mean integrated squared error of a Gaussian density of bandwidth matrix H is

    AMISE(H) = (4 pi)^(-d/2) |H|^(-1/2) / N  +  1/4 sum_ijkl H_ij H_kl psi_(ijkl).

Its functionals psi_r = integral of f D^r f, |r| = 4, are estimated by sums of derivatives of
Gaussians over all pairs, in sphered columns. One pilot bandwidth g serves all functionals of an
order: it makes the sum of their squared errors (SAMSE) smallest,

    sum_r ( D^r phi(0) g^(-m-d) / N + g^2 / 2 sum_l psi_(r + 2 e_l) )^2,   |r| = m,

and needs functionals of the next order, which start at those of a normal density, of order 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.lapack import dgejsv
from scipy.optimize import minimize
from scipy.special import factorial
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Floats, as_matrix, steps, validate_weights
from parzen.bandwidth.selection import Selection
from parzen.bandwidth.selector import Selector
from parzen.kernels import ColumnProduct
from parzen.samples import KernelSample, column_deviations, varying_columns

Orders = tuple[int, ...]  # How often each column is differentiated.
Functionals = dict[Orders, float]

_MAX_COLUMNS = 6  # The number of functionals grows with the sixth power of the columns.
_MAX_NEWTON_STEPS = 20  # Steps of Newton's method, of which it takes three or four.
_LEAST_ROOT = 1e-6  # Smallest singular value of columns of one scale, to the largest of them.
_SINGULAR = (
    "the columns of X are collinear or constant, so a bandwidth matrix would be singular; leave a "
    "column out, or use one bandwidth."
)


def plug_in_matrix(X: ArrayLike, *, weights: ArrayLike | None = None, stages: int = 2) -> Floats:
    """Bandwidth matrix of a Gaussian density, like a covariance: its diagonal has squared widths.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    X : array of shape (n, d)
        Points, with 2 to 6 columns that are not collinear.
    weights : array of shape (n,), default=None
        Frequencies.
    stages : {1, 2}, default=2
        With 2 the pilot of the functionals comes from the functionals of the next order, and only
        those from the normal density.

    Returns
    -------
    H : array of shape (d, d)
        For ``KernelDensity(bandwidth=H)``.

    Notes
    -----
    Two passes over all pairs, with one term per functional: 12 in two columns, 280 in five.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import plug_in_matrix
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) @ [[1.0, 0.9], [0.0, 0.4]]
    >>> plug_in_matrix(X).round(2)
    array([[0.16, 0.15],
           [0.15, 0.17]])
    """
    points = as_matrix(X, "X").astype(np.float64)
    w = validate_weights(weights, points)
    w = np.ones(len(points)) if w is None else w
    points, w = points[w > 0], w[w > 0]
    n, d = float(w.sum()), points.shape[1]
    if not 2 <= d <= _MAX_COLUMNS:
        raise ValueError(
            f"a plug-in bandwidth matrix is for 2 to {_MAX_COLUMNS} columns, and X has {d}; use "
            + ("'sheather_jones'." if d == 1 else "metric='class' and one bandwidth.")
        )
    if len(points) <= d or n <= 1:
        raise ValueError(
            "a plug-in bandwidth matrix needs more rows than columns, and weights that add up to "
            f"more than 1; got {len(points)} rows of {d} columns, of total weight {n:g}."
        )
    factor, sphered = _sphered(points, w)
    if stages not in (1, 2):
        raise ValueError(f"stages={stages!r} must be 1 or 2.")
    psi = {r: _normal_functional(r) for r in _orders(4 + 2 * stages, d)}
    for order in (6, 4)[-stages:]:
        psi = _functionals(sphered, w, order, _pilot(order, d, n, psi))
    return np.asarray(factor.T @ _smallest_amise(psi, d, n) @ factor)


@dataclass(frozen=True)
class PlugInMatrix(Selector):
    """A bandwidth matrix for every class by `plug_in_matrix`, for two to six columns.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelDensity
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) @ [[1.0, 0.9], [0.0, 0.4]]
    >>> KernelDensity(bandwidth="plug_in_matrix").fit(X).bandwidth_.round(2)
    array([[0.16, 0.15],
           [0.15, 0.17]])
    """

    name: str = "plug_in_matrix"
    criterion: ClassVar[str] = "estimated mean integrated squared error"

    def _select(self, sample: KernelSample) -> Selection:
        fewest = int(np.argmin([len(rows) for rows in sample.class_rows()]))
        size, d = len(sample.class_rows()[fewest]), sample.X.shape[1]
        if sample.n_classes > 1 and size <= d:
            raise ValueError(
                f"bandwidth={self.name!r} needs more rows than columns in every class, and class "
                f"{fewest} (in the order of the labels) has {size} rows of {d} columns; choose "
                "another selector."
            )
        parts = [plug_in_matrix(part.X, weights=part.weights) for part in sample.by_class()]
        return Selection.by_formula(np.stack(parts), self.name, self.criterion)


def given_matrices(bandwidth: Any, *, labelled: bool) -> Floats | None:
    """Bandwidth matrices of shape (n_classes, d, d), or (d, d) where there are no classes.

    None where ``bandwidth`` is something else; refused unless symmetric and positive definite.
    """
    if isinstance(bandwidth, str | Selector):
        return None
    try:
        shape = np.shape(bandwidth)
    except ValueError:  # rows of unequal lengths
        return None
    if len(shape) < 2 or (len(shape) != 3 and (labelled or shape[0] != shape[1] or shape[0] == 1)):
        return None
    H = np.asarray(bandwidth, dtype=np.float64)
    H = H if H.ndim == 3 else H[None]
    symmetric = H.shape[1] == H.shape[2] and np.allclose(H, np.swapaxes(H, 1, 2))
    if not symmetric or not np.isfinite(H).all():
        raise ValueError(
            f"bandwidth has shape {shape}, that of bandwidth matrices; give square and symmetric "
            "ones of finite numbers, as covariances are."
        )
    widths = np.sqrt(np.maximum(np.diagonal(H, axis1=1, axis2=2), 0.0))
    if not widths.all():
        raise ValueError(
            "a bandwidth matrix must be positive definite, but its diagonal has an entry that is "
            "not positive."
        )
    # In units of the widths, because columns may be far apart in scale.
    smallest = float(np.linalg.eigvalsh(H / widths[:, :, None] / widths[:, None, :]).min())
    if not smallest > 0:
        raise ValueError(
            "a bandwidth matrix must be positive definite; with widths of 1 on its diagonal its "
            f"smallest eigenvalue is {smallest:g}."
        )
    return H


def gives_matrices(bandwidth: Any, *, labelled: bool) -> bool:
    """Whether ``bandwidth`` is matrices, or the selector that chooses them."""
    chosen = isinstance(bandwidth, PlugInMatrix) or (
        isinstance(bandwidth, str) and bandwidth == PlugInMatrix.name
    )
    return chosen or given_matrices(bandwidth, labelled=labelled) is not None


def refuse_matrices(kernel: Any, bandwidth: Any, *, labelled: bool) -> None:
    """Refuse matrices for a `ColumnProduct`."""
    if isinstance(kernel, ColumnProduct) and gives_matrices(bandwidth, labelled=labelled):
        raise ValueError(
            f"bandwidth={bandwidth!r} means a matrix, and a ColumnProduct has a bandwidth for "
            "every column; give shape (1, n_features), or 'silverman'."
        )


def _orders(order: int, d: int) -> Iterator[Orders]:
    """All derivatives of an order, by how often each column occurs in them."""
    for columns in combinations_with_replacement(range(d), order):
        yield tuple(np.bincount(columns, minlength=d).tolist())


def _sphered(X: Floats, w: Floats) -> tuple[Floats, Floats]:
    """The symmetric root of the covariance, and the rows in units of it.

    The root of a covariance of columns far apart in spread would have few digits. It is the
    symmetric factor of C D, where D are the deviations and C is the root of the correlations; the
    orthogonal factor Q of C D is known to all digits, by Jacobi rotations, whatever D is.
    """
    unit = column_deviations(X, w)
    if not varying_columns(X).all():
        raise ValueError(_SINGULAR)
    Z = (X - w @ X / w.sum()) / unit
    Z -= w @ Z / w.sum()  # a second pass takes out the rounding of a large offset
    _, root, vectors = np.linalg.svd(np.sqrt(w)[:, None] * Z, full_matrices=False)
    if not root[-1] > _LEAST_ROOT * root[0]:
        raise ValueError(_SINGULAR)
    root /= np.sqrt(w.sum() - 1)
    scaled = (vectors.T * root) @ vectors * unit
    _, left, right, _, _, failed = dgejsv(scaled, joba=0, jobt=1)
    if failed:
        raise ValueError(_SINGULAR)
    Q = left @ right.T
    return Q.T @ scaled, (Z @ (vectors.T / root) @ vectors) @ Q


def _normal_functional(r: Orders) -> float:
    """psi_r of the standard normal density."""
    if any(k % 2 for k in r):
        return 0.0
    halves = [k // 2 for k in r]
    signs = (-1.0) ** sum(halves)
    columns = factorial(r) / (2.0 ** (np.array(r) + 1) * factorial(halves) * np.sqrt(np.pi))
    return float(signs * np.prod(columns))


def _at_zero(r: Orders) -> float:
    """D^r phi(0) of the standard normal density."""
    if any(k % 2 for k in r):
        return 0.0
    halves = np.array(r) // 2
    columns = factorial(r) / (2.0**halves * factorial(halves) * np.sqrt(2 * np.pi))
    return float((-1.0) ** halves.sum() * np.prod(columns))


def _pilot(order: int, d: int, n: float, higher: Functionals) -> float:
    """The bandwidth at which the squared errors of the functionals of an order sum to least."""
    a1 = a2 = a3 = 0.0
    for r in _orders(order, d):
        if any(k % 2 for k in r):
            continue  # at 0 the derivative vanishes, and so does what the pilot trades off
        peak = _at_zero(r)
        curvature = sum(higher[(*r[:i], r[i] + 2, *r[i + 1 :])] for i in range(d))
        a1 += peak**2
        a2 += peak * curvature
        a3 += curvature**2
    # With p = m + d and y = g^(p + 2) the slope of the sum vanishes where
    # a3 y^2 - (p - 2) a2 y / N - 2 p a1 / N^2 = 0, of which y = 2 x / N is the positive root.
    slope = (order + d - 2) * a2
    x = (slope + np.sqrt(slope**2 + 8 * (order + d) * a1 * a3)) / (4 * a3)
    return float((2 * x / n) ** (1 / (order + d + 2)))


def _functionals(Z: Floats, w: Floats, order: int, g: float) -> Functionals:
    """Means of D^r phi_g, of even order, over all pairs, a row with itself among them."""
    n, d = Z.shape
    totals = dict.fromkeys(_orders(order, d), 0.0)
    rows = get_chunk_n_rows(row_bytes=8 * n * (d * (order + 1) + d + 1), max_n_rows=n)
    for batch in steps(list(gen_batches(n, rows))):
        u = (Z[batch, None, :] - Z[None, :, :]) / g
        hermite = [np.ones_like(u), u]
        for k in range(1, order):
            hermite.append(u * hermite[k] - k * hermite[k - 1])
        gauss = np.exp(-0.5 * (u**2).sum(axis=2)) * w
        for r in totals:
            term = gauss.copy()
            for column, k in enumerate(r):
                if k:
                    term *= hermite[k][:, :, column]
            totals[r] += float(w[batch] @ term.sum(axis=1))
    unit = (2 * np.pi) ** (-d / 2) * g ** (-order - d) / w.sum() ** 2
    return {r: float(unit * total) for r, total in totals.items()}


def _smallest_amise(psi: Functionals, d: int, n: float) -> Floats:
    """The matrix of the smallest AMISE, searched over its Cholesky factors."""
    tensor = np.empty((d, d, d, d))
    for columns in np.ndindex(d, d, d, d):
        tensor[columns] = psi[tuple(np.bincount(columns, minlength=d).tolist())]
    spread = (4 * np.pi) ** (-d / 2) / n
    lower = np.tril_indices(d)

    def amise(entries: Floats) -> tuple[float, Floats]:
        L = np.zeros((d, d))
        L[lower] = entries
        volume = abs(np.prod(np.diag(L)))
        H = L @ L.T
        bias = np.einsum("ijkl,kl->ij", tensor, H)
        slope = bias @ L
        slope -= spread / volume * np.linalg.inv(L).T
        return float(spread / volume + 0.25 * np.sum(H * bias)), slope[lower]

    start = (4 / ((d + 2) * n)) ** (1 / (d + 4)) * np.eye(d)  # normal scale
    found = minimize(amise, start[lower], jac=True, method="BFGS", options={"gtol": 1e-12})
    L = np.zeros((d, d))
    L[lower] = found.x
    return _polished(L @ L.T, tensor, spread)


def _polished(H: Floats, tensor: Floats, spread: float) -> Floats:
    """The zero of the gradient of AMISE near H, by Newton's method.

    A search by values alone ends where they differ by rounding, with half the digits of H.
    """
    d = len(H)
    rows, columns = np.tril_indices(d)
    units = np.zeros((len(rows), d, d))  # symmetric matrices of one entry
    units[np.arange(len(rows)), rows, columns] = units[np.arange(len(rows)), columns, rows] = 1.0
    bias = np.einsum("ijkl,mkl->mij", tensor, units)
    best, least = H, np.inf
    for _ in range(_MAX_NEWTON_STEPS):
        inverse, size = np.linalg.inv(H), spread / np.sqrt(np.linalg.det(H))
        # Twice the gradient of AMISE; below, its derivatives in each entry of the symmetric H.
        gradient = np.einsum("ijkl,kl->ij", tensor, H) - size * inverse
        error = float(np.abs(gradient).max())
        if not error < least:
            break
        best, least = H, error
        traces = np.einsum("ij,mij->m", inverse, units)[:, None, None]
        slopes = bias + size * (traces * inverse / 2 + inverse @ units @ inverse)
        step = np.linalg.lstsq(slopes[:, rows, columns].T, gradient[rows, columns])[0]
        H = H - np.einsum("m,mij->ij", step, units)
        if not np.linalg.eigvalsh(H)[0] > 0:
            break
    return best
