"""The logarithm of the Matern profile, M(r) = 2^(1-nu) / Gamma(nu) r^nu K_nu(r), with M(0) = 1.

K_nu overflows long before M does anything unusual. Three ranges keep every digit:

    r -> 0     M = 1 - r^2 / (4 (nu - 1)) + ...
    nu < 40    SciPy's exponentially scaled K_nu
    nu >= 40   Debye's uniform expansion of K_nu (DLMF 10.41.4), divided by its own value at r = 0,
               so that Gamma(nu) and r^nu cancel on paper and not in floating point
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import Polynomial as Series
from scipy.special import gammaln, kve

from parzen.kernels.pairs import FloatArray

# Orders nu from which on Debye's expansion is used.
_LARGE_ORDER = 40.0
# Distances below which two terms of the power series are exact to rounding.
_SMALL_ARGUMENT = 1e-6
# Distances above which SciPy's K_nu fails.
_LARGE_ARGUMENT = 1e8
# Terms of Debye's expansion; the next is below rounding at the smallest large order.
_N_DEBYE_TERMS = 9


def log_matern(r: FloatArray, nu: float) -> FloatArray:
    """Return log M(r) for nu > 1, in the precision of ``r``."""
    # An infinite distance would end as infinity minus infinity.
    distance = np.minimum(r, 0.5 * np.finfo(r.dtype).max).astype(np.float64)
    rule = _by_debye if nu >= _LARGE_ORDER else _by_bessel
    return np.asarray(rule(distance, nu), dtype=r.dtype)


def _by_bessel(r: FloatArray, nu: float) -> FloatArray:
    positive = np.maximum(r, _SMALL_ARGUMENT)
    # kve fails at very large arguments, where it falls as r^(-1/2).
    safe = np.minimum(positive, _LARGE_ARGUMENT)
    log_bessel = np.log(kve(nu, safe)) - 0.5 * np.log(positive / safe) - positive
    log_value = (1.0 - nu) * np.log(2.0) - gammaln(nu) + nu * np.log(positive) + log_bessel
    log_start = -(np.minimum(r, _SMALL_ARGUMENT) ** 2) / (4.0 * (nu - 1.0))
    return np.where(r < _SMALL_ARGUMENT, log_start, log_value)


def _by_debye(r: FloatArray, nu: float) -> FloatArray:
    z = r / nu
    w = np.hypot(1.0, z)
    excess = z * (z / (1.0 + w))
    exponent = -nu * (excess - np.log1p(0.5 * excess))
    series = _debye_series(nu)
    correction = np.log(series(1.0 / w) / series(1.0))
    return np.asarray(exponent - 0.5 * np.log(w) + correction)


@lru_cache(maxsize=64)
def _debye_series(nu: float) -> Series:
    """Return sum_k (-1)^k U_k(p) / nu^k as a polynomial in p."""
    p_squared = Series([0.0, 0.0, 1.0])
    term, total = Series([1.0]), Series([1.0])
    for k in range(1, _N_DEBYE_TERMS):
        term = (
            0.5 * p_squared * (1.0 - p_squared) * term.deriv()
            + ((1.0 - 5.0 * p_squared) * term).integ() / 8.0
        )
        total = total + term * (-1.0 / nu) ** k
    return total
