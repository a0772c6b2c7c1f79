"""Kernel minimum squared error (Xiong et al. 2005, eq. 21).

    f(x) = (1 + k_X(x))' (1 1' + K)^+ t  =  b + sum_i a_i k(x, x_i),    b = sum_i a_i

The offset is a constant feature, so it is 1 added to every kernel value. Eigenvalues of 1 1' + K
below a threshold are left out of the pseudo-inverse.
"""

from __future__ import annotations

import numpy as np

from parzen._core import Bools, Floats, declared
from parzen.classifiers.least_squares.method import LandmarkProblem, Solved, Start
from parzen.classifiers.least_squares.spectral import SpectralClassifier, SpectralMethod
from parzen.kernels import require_symmetric
from parzen.solvers import LandmarkFeatures, spectrum


class KernelMSEMethod(SpectralMethod):
    """The pseudo-inverse of 1 1' + K."""

    def solve(self, K: Floats, weights: Floats, T: Floats, thresholds: Floats) -> list[Solved]:
        """Every threshold takes some of the eigenvectors."""
        require_symmetric(K, self.owner)
        root = np.sqrt(weights)
        values, vectors = spectrum((K + 1.0) * np.multiply.outer(root, root))

        def solve_one(threshold: float) -> Solved:
            kept = self.kept(values, threshold)
            U = vectors[:, kept]
            inner = U.T @ (root[:, None] * T) / values[kept][:, None]
            a = root[:, None] * (U @ inner)
            return Solved(a, a.sum(axis=0))

        return [solve_one(float(t)) for t in thresholds]

    def solve_on_landmarks(self, problem: LandmarkProblem, thresholds: Floats) -> list[Solved]:
        """Every threshold takes some of the eigenvectors of the features on landmarks."""
        require_symmetric(problem.gram, self.owner)
        features = LandmarkFeatures(problem.factor, problem.gram, "feature")
        values = features.values

        def solve_one(threshold: float) -> Solved:
            kept = self.kept(values, threshold)
            inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
            return Solved(*features.weights(inverse))

        return [solve_one(float(t)) for t in thresholds]

    def kept(self, values: Floats, threshold: float) -> Bools:
        """The eigenvalues that the pseudo-inverse keeps; at least one."""
        kept = super().kept(values, threshold)
        if not kept.any():
            raise ValueError(
                f"threshold={threshold:g} leaves no eigenvalue; the largest is "
                f"{np.abs(values).max():g}."
            )
        return kept


@declared
class KernelMSEClassifier(SpectralClassifier):
    """Least squares on targets -1 and +1 in the space of a kernel, by a truncated pseudo-inverse.

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
    One eigendecomposition per bandwidth and fold serves every threshold. Equal rows are merged
    first, so that weight k is k copies.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelMSEClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> KernelMSEClassifier(bandwidth=1.0).fit(X, y).decision_function(X).round(6)
    array([-1., -1.,  1.,  1.])
    """

    def _score_method(self, n_classes: int, start: Start) -> KernelMSEMethod:
        return KernelMSEMethod(type(self).__name__, bool(self.absolute))
