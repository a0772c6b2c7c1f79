"""Kernel Fisher discriminant (Xiong et al. 2005, section IV-A3).

    f(x) = m l' K (B Omega^-2 B') (k_X(x) - mu_X),     K_c = B Omega B' the centred Gram matrix

which is (phi(x) - mean)' S_m^+ (mean_+ - mean_-) with S_m the total scatter; l holds -1/m_- and
+1/m_+, and mu_X = K 1 / m. The threshold is the mean of all points. Eigenvalues of K_c below a
threshold are left out.
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


class KernelFisherClassifier(SpectralClassifier):
    """Fisher's discriminant in the space of a kernel, by a truncated pseudo-inverse.

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
        The weights.
    intercept_ : array of shape (n_columns,)
        The offsets.
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
    Two classes: f as above, whatever the priors. More: one against the rest, each scaled and
    shifted to the least-squares fit 2 p (1 - p) f + 2 p - 1 of its targets, p the share of the
    class, so that the scores can be compared. Equal rows are merged first, so that weight k is k
    copies.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelFisherClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> KernelFisherClassifier(bandwidth=1.0).fit(X, y).predict([[0.5], [3.5]])
    array([0, 1])
    """

    def _landmark_system(self, problem: LandmarkProblem) -> LandmarkSystem:
        require_symmetric(problem.gram, type(self).__name__)
        features = LandmarkFeatures(problem.factor, problem.gram, "free")
        values, means = features.values, features.target_means[0]

        def solve(threshold: float) -> tuple[Floats, Floats]:
            kept = significant(values, threshold, relative=not self.absolute) & (values != 0)
            inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
            v, b = features.weights(inverse)
            if len(self.classes_) > 2 or not kept.any():
                return v, b if kept.any() else np.zeros_like(b)
            # Least squares to -1, +1 is 2 p (1 - p) times the direction of Fisher.
            scale = 2.0 / (1.0 - means**2)
            return scale * v, scale * (b - means)

        return solve

    def _system(self, K: Floats, weights: Floats) -> System:
        require_symmetric(K, type(self).__name__)
        # A common factor of the frequencies changes nothing but an absolute threshold.
        unit = float(weights.mean())
        weights = weights / unit
        m = float(weights.sum())
        root = np.sqrt(weights)
        mu = K @ weights / m
        centred = K - mu[:, None] - mu[None, :] + weights @ mu / m
        values, B = spectrum(centred * np.multiply.outer(root, root))

        def centre(a: Floats) -> Floats:
            """The transpose of subtracting the mean, in frequencies."""
            scaled = root[:, None] * a
            return np.asarray(scaled - weights[:, None] * scaled.sum(axis=0) / m)

        def solve(targets: Floats, threshold: float) -> tuple[Floats, Floats]:
            kept = significant(unit * values, threshold, relative=not self.absolute)
            if not kept.any() or np.abs(values).max() == 0:
                return np.zeros_like(targets), np.zeros(targets.shape[1])
            U = B[:, kept]
            positive = targets > 0
            counts = weights @ positive
            shares = np.where(positive, weights[:, None] / np.maximum(counts, 1e-300),
                              -weights[:, None] / np.maximum(m - counts, 1e-300))  # fmt: skip
            projected = K @ shares
            projected = root[:, None] * (projected - weights @ projected / m)
            v = m * centre(U @ ((U.T @ projected) / values[kept][:, None] ** 2))
            b = -mu @ v
            if len(self.classes_) == 2:
                return v, b
            p = counts / m
            return 2 * p * (1 - p) * v, 2 * p * (1 - p) * b + 2 * p - 1

        return solve
