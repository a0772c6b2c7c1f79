"""Do two samples come from one density? A permutation test on a distance of their densities.

With V_ab the mean of (k*k)(x, y) over pairs of a row of sample a and a row of sample b,

    "cauchy_schwarz"   -log( V_xy / sqrt(V_xx V_yy) ),      the Cauchy-Schwarz divergence
    "l2"               V_xx + V_yy - 2 V_xy,                the integrated squared difference.

If the samples come from one density, every division of the pooled rows is as likely as the one that
was seen, so the rank of its distance among those of random divisions gives an exact p-value. The
bandwidth is chosen from the pooled rows, which a division leaves as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from parzen._core import Floats, Integer, OneOf, as_matrix
from parzen.bandwidth import Selector, resolve_bandwidth
from parzen.kernels import Kernel, get_density
from parzen.sums import kernel_sums

_DISTANCES = ("cauchy_schwarz", "l2")


@dataclass(frozen=True)
class TwoSampleResult:
    """The outcome of a test of two samples.

    Attributes
    ----------
    statistic : float
        The distance of the two densities; squared differences are in units of the peak of k * k.
    pvalue : float
        Share of divisions of the pooled rows, the one seen among them, with at least that distance.
    bandwidth : float or array
        The bandwidth of both densities.
    """

    statistic: float
    pvalue: float
    bandwidth: float | Floats


def two_sample_test(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    divergence: str = "cauchy_schwarz",
    bandwidth: float | ArrayLike | str | Selector = "silverman",
    kernel: str | Kernel = "gaussian",
    n_permutations: int = 199,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> TwoSampleResult:
    """Test whether two samples come from one density, as two windows of a stream would.

    Read more in the :doc:`guide </guide/decisions>`.

    Parameters
    ----------
    X, Y : arrays of shape (n, d) and (m, d)
        The samples.
    divergence : {"cauchy_schwarz", "l2"}, default="cauchy_schwarz"
        The distance of the densities.
    bandwidth : float, array of shape (1, d), str or Selector, default="silverman"
        Given, or chosen from the pooled rows.
    kernel : str or Kernel, default="gaussian"
        Any density kernel.
    n_permutations : int, default=199
        Random divisions; the smallest p-value is 1 / (n_permutations + 1).
    random_state : int, RandomState or None, default=None
        Where the divisions come from.
    n_jobs : int, default=None
        Threads.

    Notes
    -----
    One pass over all pairs of pooled rows serves every division.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.compare import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> before, after = rng.normal(size=(200, 2)), rng.normal(size=(200, 2)) * [1.0, 2.5]
    >>> two_sample_test(before, after, random_state=0).pvalue
    0.005
    """
    OneOf(*_DISTANCES).check("divergence", divergence)
    Integer(1).check("n_permutations", n_permutations)
    first, second = as_matrix(X, "X"), as_matrix(Y, "Y")
    if first.shape[1] != second.shape[1] or min(len(first), len(second)) < 2:
        raise ValueError(
            f"X and Y must have the same columns and at least two rows each, got shapes "
            f"{first.shape} and {second.shape}."
        )
    pooled = np.concatenate([first, second]).astype(np.float64)
    density = get_density(kernel)
    h, _ = resolve_bandwidth(bandwidth, pooled, None, n_classes=1, kernel=density, n_jobs=n_jobs)
    scaled = pooled / h if h.ndim == 2 else pooled
    rng = check_random_state(random_state)
    divisions = np.zeros((len(pooled), n_permutations + 1))
    divisions[: len(first), 0] = 1.0
    for column in range(1, n_permutations + 1):
        divisions[rng.permutation(len(pooled))[: len(first)], column] = 1.0
    width = 1.0 if h.ndim == 2 else float(np.ravel(h)[0])
    distances = _distances(scaled, divisions, density, width, divergence, n_jobs)
    # Divisions that differ by rounding alone are as far apart as the one seen.
    seen = distances[0]
    least = seen - 1e-12 * abs(seen) if np.isfinite(seen) else seen
    rank = np.count_nonzero(distances >= least)
    found = float(np.ravel(h)[0]) if h.size == 1 else h
    return TwoSampleResult(float(distances[0]), float(rank / (n_permutations + 1)), found)


def _distances(
    pooled: Floats,
    divisions: Floats,
    kernel: Kernel,
    bandwidth: float,
    divergence: str,
    n_jobs: int | None,
) -> Floats:
    """The distance of the two parts of each division, a column of zeros and ones."""
    d = pooled.shape[1]
    overlap = kernel.convolved(d)
    weights = np.column_stack([divisions, np.ones(len(pooled))])
    sums = kernel_sums(
        pooled, pooled, weights, kernel=overlap, bandwidths=[bandwidth], n_jobs=n_jobs
    )[:, :, 0]
    unit = np.exp(-overlap.log_normalizer(bandwidth, d))
    inside, rows = sums[:, :-1] * unit, sums[:, -1] * unit
    n = divisions.sum(axis=0)
    m = len(pooled) - n
    xx = (divisions * inside).sum(axis=0)
    x_all = rows @ divisions
    V_xx, V_xy = xx / n**2, np.maximum(x_all - xx, 0.0) / (n * m)
    V_yy = (rows.sum() - 2 * x_all + xx) / m**2
    if divergence == "l2":
        return np.asarray(V_xx + V_yy - 2 * V_xy)
    with np.errstate(divide="ignore"):
        return np.asarray(0.5 * np.log(V_xx) + 0.5 * np.log(V_yy) - np.log(V_xy))
