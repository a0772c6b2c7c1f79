"""Bandwidths of every column of a mixed table by leave-one-out likelihood, beside statsmodels.

1000 rows of two numbers, two unordered and one ordered column. statsmodels' KDEMultivariate takes
minutes: its search is counted in evaluations on 100 rows, and one evaluation on 1000 rows is timed.
The number of evaluations hardly depends on the rows; `--full` runs the whole search.
"""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks._timing import table, time_once, verdict
from parzen import KernelDensity
from parzen.kernels import ColumnProduct

ROWS = 1000
KINDS = "cuocu"


def problem(rows: int) -> np.ndarray:
    """Columns that depend on one another, so that every bandwidth has an optimum inside."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=rows)
    group = (z + rng.normal(size=rows) > 0) + rng.integers(0, 2, rows)
    level = np.clip(np.round(z + 2 + rng.normal(size=rows)), 0, 4)
    second = z + group + rng.normal(size=rows)
    flag = second + rng.normal(size=rows) > 1
    return np.column_stack([z, group, level, second, flag]).astype(float)


def run(full: bool = False) -> None:
    """Print times and their ratio."""
    from statsmodels.nonparametric.kernel_density import KDEMultivariate

    warnings.filterwarnings("ignore")
    X = problem(ROWS)
    kernel = ColumnProduct(unordered=(1, 4), ordered=(2,))
    ours = min(
        time_once(lambda: KernelDensity("likelihood", kernel=kernel, n_jobs=1).fit(X)).cpu
        for _ in range(5)
    )
    calls = 0

    class Counted(KDEMultivariate):
        def loo_likelihood(self, *arguments: object, **options: object) -> float:
            nonlocal calls
            calls += 1
            return float(super().loo_likelihood(*arguments, **options))

    if full:
        theirs = time_once(lambda: KDEMultivariate(X, KINDS, bw="cv_ml")).cpu
        how = "whole search"
    else:
        Counted(problem(100), KINDS, bw="cv_ml")
        one = KDEMultivariate(X, KINDS, bw=[0.3, 0.1, 0.1, 0.4, 0.1])
        theirs = calls * time_once(lambda: one.loo_likelihood(one.bw, func=np.log)).cpu
        how = f"{calls} evaluations, one timed"
    ratio = theirs / ours
    table(
        f"Leave-one-out likelihood of {ROWS} rows, 5 columns, CPU seconds",
        ["ours", "statsmodels", "how", "ratio", "wanted"],
        [[f"{ours:.3f}", f"{theirs:.1f}", how, f"{ratio:.0f}", verdict(ratio, at_least=500)]],
    )
