"""Kernel minimum squared error (Xiong et al. 2005, eq. 21).

    f(x) = (1 + k_X(x))' (1 1' + K)^+ t  =  b + sum_i a_i k(x, x_i),    b = sum_i a_i

The offset is a constant feature, so it is 1 added to every kernel value. Eigenvalues of 1 1' + K
below a threshold are left out of the pseudo-inverse.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers.least_squares.landmarks import LandmarkProblem
from parzen.classifiers.least_squares.score_classifier import LandmarkSystem, System
from parzen.classifiers.least_squares.spectral import SpectralClassifier
from parzen.kernels import require_symmetric
from parzen.solvers import LandmarkFeatures, significant, spectrum

Floats = NDArray[np.float64]


class KernelMSEClassifier(SpectralClassifier):
    """Least squares on targets -1 and +1 in the space of a kernel, by a truncated pseudo-inverse.

    Parameters
    ----------
    kernel : str, Kernel, callable or "precomputed", default="gaussian"
        A symmetric kernel, scaled to 1 at distance 0; a function k(X, Y), such as an optimised
        kernel; or "precomputed".
    bandwidth : float, array, str or Selector, default="cv"
        Width of the kernel: a number; one per class in the order of ``classes_``, that of the
        class's machine against the rest; one per feature, shape (1, n_features); or both,
        (n_classes, n_features). ``"cv"`` is the choice from a default grid of smallest
        K-fold error of this classifier; `CrossValidation` takes a grid
        or other folds.
        Any other selector of `parzen.bandwidth`, or its name, takes the plug-in rule's.
    threshold : float, array or "cv", default=1e-3
        Eigenvalues below this share of the largest are left out.
    absolute : bool, default=False
        Take the threshold as it is, as the paper's E.
    folds : int, default=5
        Folds for choosing candidates and the scale of the probabilities.
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
    threshold_ : float
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
        The a of softmax(a f).
    class_count_ : array of shape (n_classes,)
        Sum of the frequencies of each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Names of the columns, when the input had any.

    Notes
    -----
    One eigendecomposition per bandwidth and fold serves every threshold. More classes: one against
    the rest. Equal rows are merged first, so that weight k is k copies.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelMSEClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> KernelMSEClassifier(bandwidth=1.0).fit(X, y).decision_function(X).round(6)
    array([-1., -1.,  1.,  1.])
    """

    def _landmark_system(self, problem: LandmarkProblem) -> LandmarkSystem:
        require_symmetric(problem.gram, type(self).__name__)
        features = LandmarkFeatures(problem.factor, problem.gram, "feature")
        values = features.values

        def solve(threshold: float) -> tuple[Floats, Floats]:
            kept = self._kept(values, threshold)
            return features.weights(np.divide(1.0, values, out=np.zeros_like(values), where=kept))

        return solve

    def _system(self, K: Floats, weights: Floats) -> System:
        require_symmetric(K, type(self).__name__)
        root = np.sqrt(weights)
        values, vectors = spectrum((K + 1.0) * np.multiply.outer(root, root))

        def solve(targets: Floats, threshold: float) -> tuple[Floats, Floats]:
            kept = self._kept(values, threshold)
            U = vectors[:, kept]
            inner = U.T @ (root[:, None] * targets) / values[kept][:, None]
            a = root[:, None] * (U @ inner)
            return a, a.sum(axis=0)

        return solve

    def _kept(self, values: Floats, threshold: float) -> NDArray[np.bool_]:
        kept = significant(values, threshold, relative=not self.absolute)
        if not kept.any():
            raise ValueError(
                f"threshold={threshold:g} leaves no eigenvalue; the largest is "
                f"{np.abs(values).max():g}."
            )
        return kept
