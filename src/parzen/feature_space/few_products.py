"""Products of a large matrix with one or two vectors, each vector a row.

The time is that of reading the matrix. Where half the digits of its entries are enough, the matrix
may be in single precision, which is read in half the time. Sums are in double precision.
"""

from __future__ import annotations

import numpy as np

from parzen import _native
from parzen._core import Array, Floats


def few_products(left: Floats, matrix: Array) -> Floats:
    """Return ``left @ matrix``."""
    out = np.empty((len(left), matrix.shape[1]))
    _native.few_products(left, matrix, out)
    return out


def few_transposed_products(right: Floats, matrix: Array) -> Floats:
    """Return ``right @ matrix.T``."""
    out = np.empty((len(right), len(matrix)))
    _native.few_transposed_products(right, matrix, out)
    return out
