"""The types of arrays that the whole library speaks of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]  # numbers of double precision, of any shape
Ints = NDArray[np.intp]  # class codes, or places of rows in an array
Bools = NDArray[np.bool_]  # marks of rows, columns or entries
