"""Regularised least-squares classification (Basak's report, eq. 39): (K + lambda N I) a = t."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.bandwidth import Selector
from parzen.classifiers.least_squares.ridge import RidgeClassifier
from parzen.sums import DEFAULT_RTOL

Floats = NDArray[np.float64]


class RLSClassifier(RidgeClassifier):
    """Regularised least squares: kernel ridge regression on targets -1 and +1.

    Parameters
    ----------
    kernel : str, Kernel, callable or "precomputed", default="gaussian"
        A Mercer kernel, scaled to 1 at distance 0; a function k(X, Y); or "precomputed".
    bandwidth : float, array, str or Selector, default="cv"
        Width of the kernel: a number; one per class in the order of ``classes_``, that of the
        class's machine against the rest; one per feature, shape (1, n_features); or both,
        (n_classes, n_features). ``"cv"`` is the choice from a default grid of smallest
        exact leave-one-out error of this classifier; `CrossValidation` takes a grid,
        or folds in place of leaving one out.
        Any other selector of `parzen.bandwidth`, or its name, takes the plug-in rule's.
    regularization : float, array or "cv", default=0.01
        The lambda of (39), chosen in the same way.
    solver : {"auto", "cholesky", "cg"}, default="auto"
        Conjugate gradients need no Gram matrix; "auto" takes them beyond 10 000 rows.
    tol : float, default=1e-8
        Relative residual of conjugate gradients.
    max_iter : int, default=1000
        Most steps of conjugate gradients.
    folds : int, default=5
        Folds for the scale of the probabilities where leaving one out is too expensive ("cg").
    n_landmarks : int, None or "auto", default="auto"
        Rows that carry weights, drawn from every class by frequency; the loss is that of all rows.
        None for all rows; "auto" takes 1000 beyond 10 000 rows.
    random_state : int, RandomState or None, default=0
        Draws the landmarks; None for other ones at every fit.
    method, rtol
        How kernel sums at new points are computed: see `ParzenClassifier`.
    n_jobs : int, default=None
        Threads; None for all cores that the process may use. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    bandwidth_ : float or array
        In use, in one of the shapes above.
    regularization_ : float
        In use.
    selection_ : ScoreSelection or None
        How they were chosen.
    expansion_ : KernelExpansion or GramExpansion
        The fitted model.
    dual_coef_ : array of shape (n_support, n_columns)
        The weights a; one column for two classes, otherwise one class against the rest each.
    intercept_ : array of shape (n_columns,)
        Zeros.
    support_ : array of shape (n_support,)
        Places of the distinct training rows.
    probability_scale_ : float
        The a of softmax(a s).
    n_iter_ : int
        Steps of conjugate gradients, those of the folds included; 1 for a direct solution.
    class_count_ : array of shape (n_classes,)
        Sum of the frequencies of each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Names of the columns, when the input had any.

    Notes
    -----
    (39) is the minimum of (38) with lambda in place of lambda / 2. N is the sum of the frequencies,
    and leaving one out leaves N - 1. Cost as for LSSVMClassifier.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import RLSClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> RLSClassifier(bandwidth=1.0).fit(X, y).predict([[0.5], [3.5]])
    array([0, 1])
    """

    _regularizer: ClassVar[str] = "regularization"
    _grid: ClassVar[tuple[float, ...]] = tuple(10.0 ** np.arange(-6.0, 0.5, 0.5))
    _offset: ClassVar[bool] = False

    def __init__(
        self,
        kernel: Any = "gaussian",
        bandwidth: float | ArrayLike | str | Selector = "cv",
        regularization: float | ArrayLike | str = 0.01,
        *,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        folds: int = 5,
        n_landmarks: int | str | None = "auto",
        random_state: Any = 0,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.regularization = regularization
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.folds = folds
        self.n_landmarks = n_landmarks
        self.random_state = random_state
        self.method = method
        self.rtol = rtol
        self.n_jobs = n_jobs

    def _ridge(self, regularizer: float, size: Floats) -> Floats:
        return np.asarray(regularizer * size)
