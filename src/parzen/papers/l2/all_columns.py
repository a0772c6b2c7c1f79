"""L2 weights where constant columns count among the dimensions, as the paper's Table 1 suggests.

In the criterion the linear term outweighs the quadratic one by a ratio of peaks, which is sqrt(2)^d
without smoothing, and eta divides it. Constant columns change no distance but d. The library leaves
them out. On Adult and Web their number differs from split to split, so that one eta would stand for
several programmes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parzen._core import Floats
from parzen.classifiers import L2Classifier
from parzen.kernels import Gaussian
from parzen.l2 import L2Form
from parzen.samples import varying_columns


def l2_with_all_columns(sigma: float | Sequence[float], **options: Any) -> L2Classifier:
    """A classifier that counts constant columns in d.

    The library does so where each class has its own bandwidth.
    """
    return L2Classifier(bandwidth=np.broadcast_to(sigma, 2), n_jobs=1, **options)


def ratio_of_constant_columns(X: Floats, smoothing: float = 0.0) -> float:
    """The factor that the constant columns have in the ratio of peaks, for the Gaussian.

    Examples
    --------
    >>> round(ratio_of_constant_columns(np.array([[0.0, 5.0, 7.0], [1.0, 5.0, 7.0]])), 12)
    2.0
    """
    form, n_varying = L2Form(Gaussian(), smoothing), int(varying_columns(X).sum())
    return form.largest_eta(1.0, X.shape[1]) / form.largest_eta(1.0, n_varying)
