"""The L2 criterion for one kernel: Kim & Scott (2010), eqs. (3), (7) and section 5.1.

    ISE = int (d_hat - d)^2 = a'Qa - 2 c'a + const,    Q_ij = M_ij k_rho(x_i, x_j),   c from k_tau

For a stable kernel (gaussian, cauchy) with bandwidths s_g per class and the low-pass width lambda,
rho = s_g (+) s_h (+) lambda (+) lambda and tau = s_g (+) lambda (+) lambda, lambda = k times the
geometric mean of the s_g. Gaussians may have a bandwidth per class and feature. For the other
kernels lambda is 0, the bandwidth is common, k_rho is the self-convolution k * k and tau is the
bandwidth itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import numpy as np

from parzen._core import Floats
from parzen.kernels import Gaussian, Kernel, StableKernel
from parzen.l2.metric import log_peaks

LinearTerm = Literal["loo", "resubstitution"]

LINEAR_TERMS = ("loo", "resubstitution")


class Widths(NamedTuple):
    """Bandwidths of the quadratic and of the linear term, and the logs of their kernels' peaks."""

    rho: Floats  # (n_classes, n_classes), and the features where each has its own
    tau: Floats  # (n_classes,), and the features
    log_rho: Floats
    log_tau: Floats


@dataclass(frozen=True)
class L2Form:
    """What of the programme does not depend on the data.

    Attributes
    ----------
    kernel : Kernel
        A density kernel.
    smoothing : float
        The paper's k.
    linear_term : {"loo", "resubstitution"}
        Whether a point is left out of the estimate of the linear term at itself.
    separate : bool
        Each class alone, instead of the difference of the classes.
    """

    kernel: Kernel
    smoothing: float = 0.0
    linear_term: LinearTerm = "loo"
    separate: bool = False

    def check(self) -> None:
        """Refuse a smoothing that the kernel does not have."""
        if self.smoothing > 0 and not self.is_stable:
            raise ValueError(
                f"smoothing={self.smoothing!r} needs a kernel whose convolutions are known, "
                f"gaussian or cauchy, got {self.kernel.name!r}; use smoothing=0."
            )

    def check_bandwidths(self, bandwidths: Floats) -> None:
        """Refuse a bandwidth per class where the kernel has no convolution at two of them."""
        if bandwidths.ndim == 2 and not isinstance(self.kernel, Gaussian):
            raise ValueError(
                f"bandwidth has different proportions of the features in different classes, which "
                f"only the gaussian kernel can convolve, got kernel={self.kernel.name!r}; give "
                "rows that are multiples of each other, shape (1, features), or a number."
            )
        if not self.is_stable and not (bandwidths == bandwidths[0]).all():
            raise ValueError(
                f"a bandwidth per class needs a kernel with a convolution at two bandwidths, "
                f"gaussian or cauchy, got {self.kernel.name!r}; give one bandwidth."
            )

    @property
    def is_stable(self) -> bool:
        """Whether the kernel's convolutions are of its own family."""
        return isinstance(self.kernel, StableKernel)

    def widths(self, bandwidths: Floats, n_features: int) -> Widths:
        """Widths for one bandwidth per class, or per class and feature."""
        if self.is_stable:
            return self._stable_widths(bandwidths, n_features)
        self.check_bandwidths(bandwidths)
        s, n = float(bandwidths[0]), len(bandwidths)
        log_rho = self.kernel.convolved(n_features).log_normalizer(s, n_features)
        log_tau = self.kernel.log_normalizer(s, n_features)
        return Widths(
            np.full((n, n), s), np.full(n, s), np.full((n, n), log_rho), np.full(n, log_tau)
        )

    def _stable_widths(self, s: Floats, d: int) -> Widths:
        kernel = cast(StableKernel, self.kernel)
        tau = self._stable_tau(s)
        rho = np.asarray(kernel.join_bandwidths(s[:, None], tau[None, :]))
        if s.ndim == 2:
            return Widths(rho, tau, log_peaks(kernel, rho), log_peaks(kernel, tau))
        return Widths(
            rho, tau, np.asarray(kernel.log_normalizer(rho, d)),
            np.asarray(kernel.log_normalizer(tau, d)),
        )  # fmt: skip

    def _stable_tau(self, s: Floats) -> Floats:
        kernel = cast(StableKernel, self.kernel)
        smooth = self.smoothing * np.exp(np.log(s).mean(axis=0))
        return np.asarray(kernel.join_bandwidths(s, kernel.join_bandwidths(smooth, smooth)))

    def log_peak(self, bandwidths: Floats, n_features: int) -> float:
        """Log of the largest peak of k_rho: the unit of objectives."""
        if not self.is_stable:
            return float(self.widths(bandwidths[:1], n_features).log_rho[0, 0])
        kernel = cast(StableKernel, self.kernel)
        own = np.asarray(kernel.join_bandwidths(bandwidths, self._stable_tau(bandwidths)))
        if own.ndim == 2:
            return float(log_peaks(kernel, own).max())
        return float(kernel.log_normalizer(float(own.min()), n_features))

    def largest_eta(self, bandwidth: float, n_features: int) -> float:
        """k_tau(0) / k_rho(0), where the linear term no longer outweighs the quadratic one."""
        widths = self.widths(np.array([bandwidth]), n_features)
        with np.errstate(over="ignore"):
            return float(np.exp(widths.log_tau[0] - widths.log_rho[0, 0]))
