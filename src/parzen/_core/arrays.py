"""The types of arrays that the whole library speaks of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]  # numbers of double precision, of any shape
Rows = NDArray[np.intp]  # places of rows in an array
Mask = NDArray[np.bool_]  # which entries are meant
