"""Members of a stack that are joint densities of numbers and categories.

    prod   product of Gaussians, Aitchison-Aitken and Wang-van Ryzin kernels, a bandwidth per column

Columns of text and categories are unordered; levels that are whole numbers are ordered. Bandwidths
have the largest leave-one-out likelihood: that of the density of all classes together, whatever the
labels are, where each row is left out exactly; or that of the labels given the rows, chosen without
the row's fold. Missing entries are left out of the products.
"""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np

from parzen._core import Bools, Floats, run_tasks
from parzen.bandwidth import column_rates
from parzen.classifiers.base import take_own_from_means
from parzen.classifiers.stack.kernels import KernelRule, expansion_of, log_means_of_present
from parzen.classifiers.stack.training_set import Candidate, StackTrainingSet
from parzen.kernels import ColumnProduct
from parzen.samples import ABSENT, KernelSample, Sample

_WIDTH_FACTORS = (0.5, 1.0, 2.0)  # Bandwidths that are tried, in units of the likeliest ones.


def product_family(training: StackTrainingSet) -> list[Candidate]:
    """Bandwidths by the likelihood of the rows at every factor, and by that of the labels."""
    X, kernel = training.blocks.columns, _kernel(training)
    sample = training.sample(X, kernel)
    every = np.zeros(len(X), np.intp)
    rows = Sample.coded(X, every, training.weights, np.arange(1))
    rates = column_rates(KernelSample.over(rows, kernel, None, training.threads), conditional=False)

    def rule(chosen: Floats) -> KernelRule:
        expansion = expansion_of(training, X, kernel, kernel.row_of(chosen)[None])
        return KernelRule("columns", expansion, training.log_shares, rows=training.numbers)

    found = [
        Candidate("prod", "prod", factor, _left_out(rule(chosen), sample)[training.scored_rows],
                  partial(rule, chosen))
        for factor, chosen in ((t, rates / t**2) for t in _WIDTH_FACTORS)
    ]  # fmt: skip

    def fit_labels() -> KernelRule:
        return rule(column_rates(sample, conditional=True))

    return [
        *found,
        Candidate("prod", "prod labels", 1.0, _scores_by_labels(training, sample), fit_labels),
    ]


def _left_out(rule: KernelRule, sample: KernelSample) -> Floats:
    """The scores of the training rows, one copy of each left out."""
    sums = rule.expansion.leave_one_out_log_sums(n_jobs=sample.n_jobs).astype(np.float64)
    means = take_own_from_means(sums, sample.codes, sample.weights, sample.counts)
    return np.asarray(np.maximum(means, ABSENT) + rule.log_shares)


def _scores_by_labels(training: StackTrainingSet, sample: KernelSample) -> Floats:
    """Scores with bandwidths that were chosen without the row's fold."""
    splits, scores = training.splits(), training.unfilled_scores()[0]
    tasks = [partial(column_rates, sample.rows(train), conditional=True) for train, _ in splits]
    kernel = cast("ColumnProduct", sample.kernel)
    for (train, places), rates in zip(splits, run_tasks(tasks, training.threads), strict=True):
        queries = sample.X[training.scored_rows[places]]
        row = kernel.row_of(rates)[None]
        scores[places] = log_means_of_present(sample.rows(train), row, queries)
    return np.asarray(scores + training.log_shares)


def _kernel(training: StackTrainingSet) -> ColumnProduct:
    """The kernel of the kept columns."""
    X, table = training.blocks.columns, training.blocks.table
    discrete: Bools = table.is_discrete
    categorical = np.resize(table.categorical, len(discrete)) & discrete
    whole = np.array([not (x[~np.isnan(x)] % 1).any() for x in X.T])
    # An ordered kernel needs few steps from one end to the other.
    whole &= np.nanmax(X, axis=0) - np.nanmin(X, axis=0) <= ColumnProduct.most_steps
    return ColumnProduct().fitted(X, discrete, discrete & ~categorical & whole)
