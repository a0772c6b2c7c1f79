"""Equal rows of a class as one row with the sum of their frequencies.

What counts kernels then counts the same for a weight and for copies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers.base.labels import Sample
from parzen.l2 import L2Sample


def first_of_equal_rows(sample: Sample) -> tuple[NDArray[np.intp], Sample]:
    """The first of each set of equal rows, in order, and the sample of these.

    Examples
    --------
    >>> X = np.array([[2.0], [1.0], [2.0], [2.0]])
    >>> sample = Sample(X, np.array([0, 0, 0, 1]), None, np.arange(2), np.array([3.0, 1.0]))
    >>> rows, merged = first_of_equal_rows(sample)
    >>> rows, merged.weights
    (array([0, 1, 3]), array([2., 1., 1.]))
    """
    found = L2Sample.merged(sample.X, sample.codes, sample.weights, len(sample.classes))
    if len(found.order) == len(sample.X):
        return np.arange(len(sample.X)), sample
    places = np.argsort(found.order)
    rows = found.order[places]
    return rows, sample._replace(
        X=sample.X[rows], codes=sample.codes[rows], weights=found.weights[places]
    )
