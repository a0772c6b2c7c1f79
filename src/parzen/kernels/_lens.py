"""The overlap of two cones, or of two paraboloids, whose unit balls are 2q apart.

For a shape f(t) = (1 - t)(1 + t)^bulge (bulge 0: cone, 1: paraboloid), in the prolate spheroidal
coordinates u = cosh mu, v = cos nu of the two centres, it is proportional to

    q^d  int int  (u^2 - v^2) (sinh mu sin nu)^(d-2) f(q(u+v)) f(q(u-v)) dmu dnu

over the half lens v >= 0, q(u+v) <= 1. The distances to the centres are q(u+v) and q(u-v), so
these coordinates leave no singularity at the apex of a cone, and Gauss-Legendre converges fast.
In one dimension the overlap is a polynomial on each side of q = 1/2.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from parzen.kernels._pairs import FloatArray

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS
_NEGLIGIBLE = 40.0


def log_cone_overlap(q: FloatArray, n_features: int) -> FloatArray:
    """Return, up to a constant, the log overlap of two cones for 0 < q < 1."""
    if n_features > 1:
        return _log_lens_integral(q, n_features, bulge=0)
    r = 2.0 * q
    inner = 4.0 - 6.0 * r**2 + 3.0 * r**3
    return np.asarray(np.log(np.where(r < 1.0, inner, (2.0 - r) ** 3)))


def log_paraboloid_overlap(q: FloatArray, n_features: int) -> FloatArray:
    """Return, up to a constant, the log overlap of two paraboloids for 0 < q < 1."""
    if n_features > 1:
        return _log_lens_integral(q, n_features, bulge=1)
    r = 2.0 * q
    return np.asarray(3.0 * np.log(2.0 - r) + np.log(r**2 + 6.0 * r + 4.0))


def _log_lens_integral(q: FloatArray, d: int, bulge: int) -> FloatArray:
    q = q[:, None, None]
    # In many dimensions almost all of the mass lies near the rim of the lens: what is smaller
    # than exp(-40) of the integrand's peak is left out, so that the nodes go where the mass is.
    reach = float(np.exp(-_NEGLIGIBLE / (d - 2))) if d > 2 else 0.0

    # kappa = pi/2 - nu is 0 at the rim; the square of the node resolves the tip of the lens.
    kappa_most = np.arcsin(_largest_v(q, reach))
    s = _NODES[:, None]
    kappa = kappa_most * (1.0 - s) * (1.0 + s)
    kappa_weight = 2.0 * kappa_most * s * _WEIGHTS[:, None]

    v = np.sin(kappa)
    room = np.maximum((1.0 - q) / q - v, np.finfo(float).tiny)
    mu_most = np.log1p(room + np.sqrt(room * (room + 2.0)))
    mu_least = np.arcsinh(np.sinh(mu_most) * reach)
    mu = mu_least + (mu_most - mu_least) * _NODES
    mu_weight = (mu_most - mu_least) * _WEIGHTS

    # 1 - q(u+v) and 1 - q(u-v), without the cancellation of their definitions.
    far = 2.0 * q * np.sinh(0.5 * (mu_most + mu)) * np.sinh(0.5 * (mu_most - mu))
    near = far + 2.0 * q * v
    sinh, sin = np.sinh(mu), np.cos(kappa)
    values = (sinh**2 + sin**2) * far * near * ((2.0 - far) * (2.0 - near)) ** bulge
    log_terms = (d - 2) * np.log(sinh * sin) + np.log(values * kappa_weight * mu_weight)
    return np.asarray(d * np.log(q[:, 0, 0]) + logsumexp(log_terms, axis=(1, 2)))


def _largest_v(q: FloatArray, reach: float) -> FloatArray:
    """Return the v where the lens's surface is ``reach`` times as far off the axis as its rim."""
    if reach == 0.0:
        return np.minimum((1.0 - q) / q, 1.0)
    squares = (1.0 - q**2) * (1.0 - reach) * (1.0 + reach)
    axial = squares / (np.sqrt(q**2 + squares) + q)
    largest = 2.0 * axial / (1.0 + np.sqrt(np.maximum(1.0 - 4.0 * q * axial, 0.0)))
    return np.asarray(np.minimum(largest, 1.0))
