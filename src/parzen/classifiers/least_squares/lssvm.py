"""The least-squares support vector machine (Suykens & Vandewalle 1999; Basak's report, section 3).

    [0  1'       ] [b]   [0]
    [1  K + I / C] [a] = [t]        s(x) = b + sum_i a_i k(x, x_i)

More classes: one against the rest, or minimum output codes, where the bits of a class's number are
the targets of ceil(log2 n_classes) machines, and the class that agrees best with their scores wins.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.bandwidth import Selector
from parzen.classifiers.least_squares.ridge import RidgeClassifier
from parzen.classifiers.least_squares.sample import ScoreSample
from parzen.sums import DEFAULT_RTOL

Floats = NDArray[np.float64]

_CODINGS = ("one_vs_rest", "minimum")


class LSSVMClassifier(RidgeClassifier):
    """Least-squares support vector machine.

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
    C : float, array or "cv", default=1.0
        Weight of the squared errors (the report's gamma), chosen in the same way.
    coding : {"one_vs_rest", "minimum"}, default="one_vs_rest"
        How more than two classes become targets.
    solver : {"auto", "cholesky", "cg"}, default="auto"
        Conjugate gradients need no Gram matrix and no landmarks; "auto" takes them beyond 10 000
        rows where ``n_landmarks=None``. Another solver than "auto" solves for all rows.
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
    C_ : float
        In use.
    selection_ : ScoreSelection or None
        How they were chosen.
    expansion_ : KernelExpansion or GramExpansion
        The fitted model.
    dual_coef_ : array of shape (n_support, n_columns)
        The weights a.
    intercept_ : array of shape (n_columns,)
        The offsets b.
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
    Time n^3 / 3 for given parameters, and one eigendecomposition per candidate bandwidth; memory
    for a few Gram matrices, refused beyond scikit-learn's ``working_memory``. Equal rows are merged
    first, so that weight k is k copies to the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import LSSVMClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> LSSVMClassifier(bandwidth=1.0).fit(X, y).decision_function([[0.5], [3.5]]).round(3)
    array([-0.68,  0.68])
    """

    _regularizer: ClassVar[str] = "C"
    _grid: ClassVar[tuple[float, ...]] = tuple(10.0 ** np.arange(-2.0, 3.5, 0.5))
    _offset: ClassVar[bool] = True

    def __init__(
        self,
        kernel: Any = "gaussian",
        bandwidth: float | ArrayLike | str | Selector = "cv",
        C: float | ArrayLike | str = 1.0,
        *,
        coding: str = "one_vs_rest",
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
        self.C = C
        self.coding = coding
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.folds = folds
        self.n_landmarks = n_landmarks
        self.random_state = random_state
        self.method = method
        self.rtol = rtol
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.coding not in _CODINGS:
            raise ValueError(f"coding={self.coding!r} is unknown; choose one of {_CODINGS}.")

    def _ridge(self, regularizer: float, size: Floats) -> Floats:
        return np.full_like(size, 1.0 / regularizer)

    def _targets(self, sample: ScoreSample, *, per_class: bool) -> Floats:
        if self.coding == "one_vs_rest" or len(sample.classes) == 2:
            return super()._targets(sample, per_class=per_class)
        if per_class:
            raise ValueError(
                f"bandwidth={self.bandwidth!r} is one per class, and coding='minimum' has no "
                "machine for each class; use coding='one_vs_rest', or one bandwidth."
            )
        return minimum_codes(len(sample.classes))[sample.codes]

    def _class_scores(self, scores: Floats, n_classes: int) -> Floats:
        if self.coding == "minimum" and n_classes > 2:
            return scores @ minimum_codes(n_classes).T
        return super()._class_scores(scores, n_classes)


def minimum_codes(n_classes: int) -> Floats:
    """The bits of the numbers 0 .. C - 1 as -1 and +1, shape (C, ceil(log2 C)).

    Examples
    --------
    >>> minimum_codes(3)
    array([[-1., -1.],
           [ 1., -1.],
           [-1.,  1.]])
    """
    bits = max(1, int(n_classes - 1).bit_length())
    numbers = np.arange(n_classes)[:, None] >> np.arange(bits)
    return np.where(numbers & 1, 1.0, -1.0)
