"""The least-squares support vector machine (Suykens & Vandewalle 1999; Basak's report, section 3).

[0  1'       ] [b]   [0]
[1  K + I / C] [a] = [t]        s(x) = b + sum_i a_i k(x, x_i)
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Floats, declared
from parzen.classifiers.least_squares.ridge import RidgeClassifier


@declared
class LSSVMClassifier(RidgeClassifier):
    """Least-squares support vector machine.

    Read more in the :doc:`guide </guide/least_squares>`.

    Parameters
    ----------
    {kernel, bandwidth}
    C : float, array or "cv", default=1.0
        Weight of the squared errors (the report's gamma), chosen in the same way.
    {scale, coding, solver, tol, max_iter, folds, n_landmarks, random_state, bandwidth_rows, priors,
     class_weight, costs, gamma, reject, reject_label, novelty, novelty_label, method, rtol, n_jobs}

    Attributes
    ----------
    {classes_, bandwidth_}
    C_ : float
        In use.
    {selection_, scale_, expansion_, support_, dual_coef_, intercept_, code_book_,
     probability_scale_, n_iter_, class_count_, priors_, decision_, density_, training_rows_,
     bandwidth_rows_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    Time n^3 / 3 for given parameters, and one eigendecomposition per candidate bandwidth; memory
    for a few Gram matrices, refused beyond scikit-learn's ``working_memory``. Equal rows are merged
    first, so that weight k is k copies to the last bit.

    Prediction sets are full conformal: a row joins the system by a rank-one update of its inverse.
    For exchangeable rows, and a bandwidth and a C that are given, the true label is missing in
    at most a share alpha of the rows of each class, also where ``bandwidth_rows`` chose them;
    nearly alpha where all rows did. The first call takes n^3 operations, and m rows take m n^2. On
    landmarks, with conjugate gradients, a bandwidth per class, a coding that leaves classes out, or
    no named kernel, scores are ranked among those of held-out training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import LSSVMClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> LSSVMClassifier(bandwidth=1.0).fit(X, y).decision_function([[0.5], [3.5]]).round(3)
    array([-0.68,  0.68])
    """

    _has_offset: ClassVar[bool] = True
    _regularizer: ClassVar[str] = "C"
    _grid: ClassVar[tuple[float, ...]] = tuple(10.0 ** np.arange(-2.0, 3.5, 0.5))

    C: float | ArrayLike | str = 1.0

    @staticmethod
    def _ridge(regularizer: float, size: Floats) -> Floats:
        """1 / C, whatever the size of the sample."""
        return np.full_like(size, 1.0 / regularizer)
