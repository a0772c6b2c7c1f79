"""Regularised least-squares classification (Basak's report, eq. 39): (K + lambda N I) a = t."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Floats, declared
from parzen.classifiers.least_squares.ridge import RidgeClassifier


@declared
class RLSClassifier(RidgeClassifier):
    """Regularised least squares: kernel ridge regression on targets -1 and +1.

    Read more in the :doc:`guide </guide/least_squares>`.

    Parameters
    ----------
    {kernel, bandwidth}
    regularization : float, array or "cv", default=0.01
        The lambda of (39), chosen in the same way.
    {scale, coding, solver, tol, max_iter, folds, n_landmarks, random_state, bandwidth_rows, priors,
     class_weight, costs, gamma, reject, reject_label, novelty, novelty_label, method, rtol, n_jobs}

    Attributes
    ----------
    {classes_, bandwidth_}
    regularization_ : float
        In use.
    {selection_, scale_, expansion_, support_, dual_coef_, intercept_, code_book_,
     probability_scale_, n_iter_, class_count_, priors_, decision_, density_, training_rows_,
     bandwidth_rows_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    (39) is the minimum of (38) with lambda in place of lambda / 2. N is the sum of the frequencies,
    and leaving one out leaves N - 1. Cost as for LSSVMClassifier.

    Prediction sets are full conformal: a row joins the system by a rank-one update of its inverse.
    For exchangeable rows, and a bandwidth and a regularization that are given, the true label is
    missing in at most a share alpha of the rows of each class, also where ``bandwidth_rows`` chose
    them; nearly alpha where all rows did. The first call takes n^3 operations, and m rows take
    m n^2. On landmarks, with conjugate gradients, a bandwidth per class, a coding that leaves
    classes out, or no named kernel, scores are ranked among those of held-out training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import RLSClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> RLSClassifier(bandwidth=1.0).fit(X, y).predict([[0.5], [3.5]])
    array([0, 1])
    """

    _has_offset: ClassVar[bool] = False
    _regularizer: ClassVar[str] = "regularization"
    _grid: ClassVar[tuple[float, ...]] = tuple(10.0 ** np.arange(-6.0, 0.5, 0.5))

    regularization: float | ArrayLike | str = 0.01

    @staticmethod
    def _ridge(regularizer: float, size: Floats) -> Floats:
        """Lambda N, in proportion to the size of the sample."""
        return np.asarray(regularizer * size)
