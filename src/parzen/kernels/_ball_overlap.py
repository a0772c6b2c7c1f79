"""The overlap of two unit balls whose centres are 2q apart, as a fraction of one ball.

    volume / V_d = I_x((d+1)/2, 1/2),   x = 1 - q^2,

with the regularised incomplete beta function. Where that underflows, the substitution
t = x exp(-v/a) in its integral, a = (d+1)/2, leaves

    I_x(a, 1/2) = x^a / (a B(a, 1/2)) * integral of exp(-v) (1 - x exp(-v/a))^(-1/2) dv,

whose integrand is nearly constant apart from exp(-v): Gauss-Laguerre gives it to full precision.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincc, betaln, roots_laguerre

from parzen.kernels._pairs import FloatArray

_UNDERFLOW = 1e-100
_NODES, _WEIGHTS = roots_laguerre(12)


def log_ball_overlap(q: FloatArray, n_features: int) -> FloatArray:
    """Return the log of the shared fraction for 0 <= q < 1."""
    a = 0.5 * (n_features + 1)
    # The complement in q^2 = 1 - x keeps the digits of small distances.
    fraction = np.asarray(betaincc(0.5, a, q**2))
    tiny = fraction < _UNDERFLOW
    log_fraction = np.log(np.where(tiny, 1.0, fraction))
    log_fraction[tiny] = _log_tail((1.0 - q[tiny]) * (1.0 + q[tiny]), a)
    return np.asarray(log_fraction)


def _log_tail(x: FloatArray, a: float) -> FloatArray:
    integral = sum(w / np.sqrt(1.0 - x * np.exp(-t / a)) for t, w in zip(_NODES, _WEIGHTS))
    return np.asarray(a * np.log(x) - np.log(a) - betaln(a, 0.5) + np.log(integral))
