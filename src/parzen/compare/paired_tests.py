"""Are two classifiers different? Tests on arrays of their scores.

    t = mean(d) / sqrt((1/N + rho) var(d)),     d = a - b over N resamplings

rho = 0 is the resampled paired t-test (Dietterich; Basak's report, eq. 51). Its splits share most
of their rows, so the differences are correlated and the test is far too sure of itself: it finds
differences between equal classifiers in a large share of cases. Nadeau and Bengio's correction,
rho = test size / train size, repairs most of that. Over many data sets the unit is the data set:
Wilcoxon for two classifiers, Friedman with critical differences for more (Demsar 2006).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from parzen._core import Floats, Number


@dataclass(frozen=True)
class PairedResult:
    """The outcome of a test of two classifiers.

    Attributes
    ----------
    statistic : float
        Student's t, with the sign of ``difference``; Wilcoxon's smaller sum of ranks has no sign.
    pvalue : float
        Two-sided.
    difference : float
        Mean (t-tests) or median (Wilcoxon) of the first scores minus the second: positive where
        the first are larger, so that of two errors a negative one means that the first is better.
    df : float
        Degrees of freedom; NaN where there are none.
    """

    statistic: float
    pvalue: float
    difference: float
    df: float = float("nan")


@dataclass(frozen=True, eq=False)
class FriedmanResult:
    """The outcome of a test of several classifiers over several data sets.

    Attributes
    ----------
    statistic, pvalue : float
        Friedman's chi-squared with k - 1 degrees of freedom.
    f_statistic, f_pvalue : float
        Iman and Davenport's less conservative form.
    average_ranks : array of shape (k,)
        1 is the best.
    critical_difference : float
        Average ranks further apart than this differ (Nemenyi).
    """

    statistic: float
    pvalue: float
    f_statistic: float
    f_pvalue: float
    average_ranks: Floats
    critical_difference: float

    def differs(self) -> NDArray[np.bool_]:
        """Which pairs of classifiers differ, shape (k, k)."""
        ranks = self.average_ranks
        return np.abs(ranks[:, None] - ranks[None, :]) > self.critical_difference


def resampled_t_test(a: ArrayLike, b: ArrayLike) -> PairedResult:
    """Paired t-test over random splits, as in the report (51): too sure of itself.

    Parameters
    ----------
    a, b : array of shape (n_splits,)
        Scores of the two classifiers on the same splits.

    Notes
    -----
    Use :func:`corrected_resampled_t_test`; this one is for comparison with published figures.

    Examples
    --------
    >>> result = resampled_t_test([0.20, 0.24, 0.22], [0.25, 0.26, 0.24])
    >>> round(result.statistic, 3), round(result.pvalue, 3)
    (-3.0, 0.095)
    """
    return _t_test(_differences(a, b), 0.0)


def corrected_resampled_t_test(
    a: ArrayLike, b: ArrayLike, *, train_size: float, test_size: float, resolution: float = 0.0
) -> PairedResult:
    """Nadeau and Bengio's corrected resampled t-test.

    Parameters
    ----------
    a, b : array of shape (n_splits,)
        Scores of the two classifiers on the same splits.
    train_size, test_size : float
        Rows of a split in each part, or their shares; only the ratio counts. Ten-fold
        cross-validation has 9 to 1.
    resolution : float, default=0.0
        The smallest step of a score: 1/m for shares of m rows. The variance is taken to be at least
        that of rounding to such steps, so that few splits which happen to agree prove nothing.

    Examples
    --------
    >>> result = corrected_resampled_t_test(
    ...     [0.20, 0.24, 0.22], [0.25, 0.26, 0.24], train_size=2, test_size=1)
    >>> round(result.statistic, 3), round(result.pvalue, 3)
    (-1.897, 0.198)
    """
    for name, size in (("train_size", train_size), ("test_size", test_size)):
        Number("(0, inf)", wanted="positive").check(name, size)
    Number("[0, inf)", wanted="finite and not negative").check("resolution", resolution)
    return _t_test(_differences(a, b), test_size / train_size, resolution**2 / 12)


def wilcoxon_test(a: ArrayLike, b: ArrayLike) -> PairedResult:
    """Wilcoxon's signed-rank test of two classifiers over many data sets.

    Parameters
    ----------
    a, b : array of shape (n_datasets,)
        Scores of the two classifiers, one per data set. Equal scores are split evenly.

    Examples
    --------
    >>> wilcoxon_test([0.9, 0.8, 0.7, 0.95, 0.6], [0.8, 0.75, 0.72, 0.9, 0.5]).statistic
    1.0
    """
    d = _differences(a, b)
    if not d.any():
        return PairedResult(0.0, 1.0, 0.0)
    result = stats.wilcoxon(d, zero_method="zsplit")
    return PairedResult(float(result.statistic), float(result.pvalue), float(np.median(d)))


def friedman_test(
    scores: ArrayLike, *, higher_is_better: bool = True, alpha: float = 0.05
) -> FriedmanResult:
    """Friedman's test of several classifiers over many data sets, with Nemenyi's difference.

    Parameters
    ----------
    scores : array of shape (n_datasets, n_classifiers)
        One score per data set and classifier; ties share their ranks.
    higher_is_better : bool, default=True
        False for errors.
    alpha : float, default=0.05
        Level of the critical difference.

    Examples
    --------
    >>> result = friedman_test([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7], [0.7, 0.6, 0.5]])
    >>> result.average_ranks
    array([1.  , 2.25, 2.75])
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise ValueError(
            f"scores must have at least two rows (data sets) and two columns (classifiers), "
            f"got shape {table.shape}."
        )
    if not np.isfinite(table).all():
        raise ValueError("scores contain NaN or infinity; leave those data sets out.")
    Number("(0, 1)").check("alpha", alpha)
    n, k = table.shape
    ranks = stats.rankdata(-table if higher_is_better else table, axis=1).mean(axis=0)
    chi2 = float(12 * n / (k * (k + 1)) * (np.sum(ranks**2) - k * (k + 1) ** 2 / 4))
    rest = n * (k - 1) - chi2
    f = (n - 1) * chi2 / rest if rest > 0 else float("inf")
    q = stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    return FriedmanResult(
        statistic=chi2,
        pvalue=float(stats.chi2.sf(chi2, k - 1)),
        f_statistic=float(f),
        f_pvalue=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        average_ranks=ranks,
        critical_difference=float(q * np.sqrt(k * (k + 1) / (6 * n))),
    )


def _differences(a: ArrayLike, b: ArrayLike) -> Floats:
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise ValueError(
            "a and b must be 1-D, of one length of at least 2, got shapes "
            f"{first.shape} and {second.shape}."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a or b contains NaN or infinity; leave those splits out of both.")
    return first - second


def _t_test(d: Floats, rho: float, least_variance: float = 0.0) -> PairedResult:
    n, mean = len(d), float(d.mean())
    spread = float(np.sqrt((1 / n + rho) * max(d.var(ddof=1), least_variance)))
    if spread == 0:
        statistic = 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    else:
        statistic = mean / spread
    return PairedResult(statistic, float(2 * stats.t.sf(abs(statistic), n - 1)), mean, n - 1.0)
