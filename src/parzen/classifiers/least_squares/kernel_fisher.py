"""Kernel Fisher discriminant (Xiong et al. 2005, section IV-A3).

    f(x) = m l' K (B Omega^-2 B') (k_X(x) - mu_X),     K_c = B Omega B' the centred Gram matrix

which is (phi(x) - mean)' S_m^+ (mean_+ - mean_-) with S_m the total scatter; l holds -1/m_- and
+1/m_+, and mu_X = K 1 / m. The threshold is the mean of all points. Eigenvalues of K_c below a
threshold are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parzen._core import Floats, declared
from parzen.classifiers.least_squares.method import LandmarkProblem, Solved, Start
from parzen.classifiers.least_squares.spectral import SpectralClassifier, SpectralMethod
from parzen.kernels import require_symmetric
from parzen.solvers import LandmarkFeatures, spectrum


@dataclass(frozen=True)
class KernelFisherMethod(SpectralMethod):
    """The direction of Fisher, or the least-squares fit in that direction."""

    comparable: bool  # whether scores are least-squares fits, to be compared between columns

    def solve(self, K: Floats, weights: Floats, T: Floats, thresholds: Floats) -> list[Solved]:
        """Every threshold takes some of the eigenvectors of the centred Gram matrix."""
        require_symmetric(K, self.owner)
        # A common factor of the frequencies changes nothing but an absolute threshold.
        unit = float(weights.mean())
        weights = weights / unit
        m = float(weights.sum())
        root = np.sqrt(weights)
        mu = K @ weights / m
        centred = K - mu[:, None] - mu[None, :] + weights @ mu / m
        values, B = spectrum(centred * np.multiply.outer(root, root))

        def centre(a: Floats) -> Floats:
            """Subtract from W^1/2 a its weighted mean: the transpose of centring kernel values."""
            scaled = root[:, None] * a
            return np.asarray(scaled - weights[:, None] * scaled.sum(axis=0) / m)

        positive = T > 0
        counts = weights @ positive

        # With frequencies the eigenvectors are those of W^1/2 K_c W^1/2 = B Omega B', a row's share
        # of l is w / m_+ or -w / m_-, and m W^1/2 on either side of B Omega^-2 B' stands for m.
        def solve_one(threshold: float) -> Solved:
            kept = self.kept(unit * values, threshold)
            if not kept.any() or np.abs(values).max() == 0:
                return Solved(np.zeros_like(T), np.zeros(T.shape[1]))
            U = B[:, kept]
            shares = np.where(positive, weights[:, None] / np.maximum(counts, 1e-300),
                              -weights[:, None] / np.maximum(m - counts, 1e-300))  # fmt: skip
            projected = K @ shares
            projected = root[:, None] * (projected - weights @ projected / m)
            v = m * centre(U @ ((U.T @ projected) / values[kept][:, None] ** 2))
            b = -mu @ v
            if not self.comparable:
                return Solved(v, b)
            p = counts / m
            return Solved(2 * p * (1 - p) * v, 2 * p * (1 - p) * b + 2 * p - 1)

        return [solve_one(float(t)) for t in thresholds]

    def solve_on_landmarks(self, problem: LandmarkProblem, thresholds: Floats) -> list[Solved]:
        """Every threshold takes some of the eigenvectors of the centred features on landmarks."""
        require_symmetric(problem.gram, self.owner)
        features = LandmarkFeatures(problem.factor, problem.gram, "free")
        values, means = features.values, features.target_means[0]

        def solve_one(threshold: float) -> Solved:
            kept = self.kept(values, threshold) & (values != 0)
            inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
            v, b = features.weights(inverse)
            if self.comparable or not kept.any():
                return Solved(v, b if kept.any() else np.zeros_like(b))
            # Least squares to -1, +1 is 2 p (1 - p) times the direction of Fisher.
            scale = 2.0 / (1.0 - means**2)
            return Solved(scale * v, scale * (b - means))

        return [solve_one(float(t)) for t in thresholds]


@declared
class KernelFisherClassifier(SpectralClassifier):
    """Fisher's discriminant in the space of a kernel, by a truncated pseudo-inverse.

    Read more in the :doc:`guide </guide/least_squares>`.

    Parameters
    ----------
    {kernel, bandwidth, threshold, scale, coding, absolute, folds, n_landmarks, random_state,
     priors, class_weight, costs, gamma, reject, reject_label, novelty, novelty_label, method, rtol,
     n_jobs}

    Attributes
    ----------
    {classes_, bandwidth_, threshold_, selection_, scale_, expansion_, support_, dual_coef_,
     intercept_, code_book_, probability_scale_, class_count_, priors_, decision_, density_,
     training_rows_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    Two classes: f as above, whatever the priors. More: every column of the code book is scaled and
    shifted to the least-squares fit 2 p (1 - p) f + 2 p - 1 of its targets, p the share of +1, so
    that the scores can be compared. Equal rows are merged first, so that weight k is k copies.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelFisherClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> KernelFisherClassifier(bandwidth=1.0).fit(X, y).predict([[0.5], [3.5]])
    array([0, 1])
    """

    def _score_method(self, n_classes: int, start: Start) -> KernelFisherMethod:
        return KernelFisherMethod(type(self).__name__, bool(self.absolute), n_classes > 2)
