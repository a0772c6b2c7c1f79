"""Why a stack gave a label: what rows and columns say in all of its members.

The log-odds of two classes are a sum over the members m, of weight v_m, whose scores s_c consist of
the kernels k_i of training rows. Before the doubt of the stack they grow with the logarithm of the
kernels of row i at the rate

    e_i = sum_m v_m beta_m sum_c (u_c q_c - p_c sum_k u_k q_k) ds_c / dlog k_i,

p = softmax(s), q the slope of the squash at log p, or where log p is cut off; u = 1 for the label,
-1 for the rival and 0 for the others. ds_c / dlog k_i is tau times the share of the row in a
density of its class, the sum of such shares times the weights of the columns for naive Bayes, and
4 a_ic k_i for least squares. Rows with e_i > 0 speak for the label, those with e_i < 0 against it;
their shares are those of either sum.

Without a column every member is what its kernel has for the others: the marginal density for
products and Gaussians, no term for naive Bayes, the kernel without the distance along the column
for least squares, and without the column's effects for the ANOVA kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.classifiers.stack.bayes import BayesRule
from parzen.classifiers.stack.kernels import KernelRule
from parzen.classifiers.stack.least_squares import SCALE, LeastSquaresRule
from parzen.classifiers.stack.pool import Expert, log_posteriors, score_slopes
from parzen.classifiers.stack.table import Blocks, Table
from parzen.classifiers.stack.training_set import Rule
from parzen.evidence import (
    Duel,
    Explanation,
    class_shares,
    explain_scores,
    kernel_values,
    log_sums_without,
    without_distances,
)
from parzen.expansion import KernelExpansion
from parzen.kernels import AnovaKernel
from parzen.metric import Whitening
from parzen.samples import Merged, Sample


class FitRows(NamedTuple):
    """The rows of a fit, and the distinct rows that the members know."""

    codes: Ints  # the class of each distinct row
    into: Ints  # the distinct row of each row
    shares: Floats | None  # of each row in the weight of its distinct row; None where all are 1

    @classmethod
    def of(cls, sample: Sample, merged: Merged) -> FitRows:
        """The rows of a sample and of what it was merged to."""
        shares = None
        if len(merged.first) < len(sample):
            shares = sample.frequencies / merged.sample.frequencies[merged.into]
        return cls(merged.sample.codes, merged.into, shares)

    def terms(
        self,
        experts: Sequence[Expert],
        weights: Floats,
        blocks: Blocks,
        label: Ints,
        rival: Ints,
        **options: Any,
    ) -> Floats:
        """The rates e_i of all rows, (m, rows)."""
        total = np.zeros((len(self.codes), len(blocks)))  # rows of a class are added faster so
        if len(experts):
            scores = np.array([expert.rule.scores(blocks, **options) for expert in experts])
            slopes = weights[:, None, None] * score_slopes(experts, scores, label, rival)
            for expert, slope in zip(experts, slopes, strict=True):
                self._add_terms(total, expert.rule, blocks, slope)
        found = total[self.into].T
        return found if self.shares is None else found * self.shares

    def _add_terms(self, total: Floats, rule: Rule, blocks: Blocks, slope: Floats) -> None:
        rows = rule.rows
        if rows is None:
            raise ValueError("this stack does not know its training rows: fit it again to explain.")
        if isinstance(rule, KernelRule):
            X = rule.mapped(blocks)
            for c in range(slope.shape[1]):
                places, shares = class_shares(rule.expansion, X, c)
                total[rows[places]] += (rule.temperature * slope[:, [c]] * shares).T
        elif isinstance(rule, LeastSquaresRule):
            K = kernel_values(rule.expansion, rule.points(blocks))
            total[rows] += K.T * (np.asarray(rule.expansion.weights) @ (SCALE * slope.T))
        elif isinstance(rule, BayesRule):
            for c in range(slope.shape[1]):
                places = np.flatnonzero(self.codes[rows] == c)
                total[rows[places]] += (slope[:, [c]] * rule.row_shares(blocks, c, places)).T


def explain_stack(
    experts: Sequence[Expert],
    weights: Floats,
    rows: FitRows,
    table: Table,
    X: Floats,
    joint_of: Callable[[Floats], Floats],
    classes: Array,
    top: int,
    **options: Any,
) -> list[Explanation]:
    """Explain the rows of X; ``joint_of`` makes log pi_c f_c of sum_m v_m g_c^(m), without doubt.

    Options are those of the sums.
    """
    blocks = table.apply(X)
    whole, less = np.zeros((len(X), len(classes))), np.zeros((X.shape[1], len(X), len(classes)))
    for expert, v in zip(experts, weights, strict=True):
        scores = np.stack([*_scores_and_without(expert.rule, blocks, **options)])
        found = v * log_posteriors([expert], scores)
        whole += found[0]
        less[table.kept] += found[1:]
    less[np.setdiff1d(np.arange(len(less)), table.kept)] = whole

    def terms(queries: Floats, label: Ints, rival: Ints) -> Floats:
        return rows.terms(experts, weights, table.apply(queries), label, rival, **options)

    return explain_scores(
        terms, X, Duel.of(joint_of(whole)), [joint_of(logits) for logits in less], classes,
        np.arange(len(rows.into)), top,
    )  # fmt: skip


def _scores_and_without(rule: Rule, blocks: Blocks, **options: Any) -> Iterator[Floats]:
    """The scores of a member, then those without each column that is not constant."""
    whole = rule.scores(blocks, **options)
    yield whole
    for place, column in enumerate(blocks.table.kept):
        if isinstance(rule, BayesRule):
            x, v = blocks.columns[:, place], rule.weights[place]
            yield whole - v * rule.columns[place].log_densities(x, **options) if v else whole
        else:
            assert isinstance(rule, KernelRule | LeastSquaresRule)
            columns = np.flatnonzero(blocks.table.origins(rule.block) == column)
            X: Floats = getattr(blocks, rule.block)
            if isinstance(rule, KernelRule):
                yield _density_without(rule, X, columns, **options)
            else:
                yield _least_squares_without(rule, X, columns, **options)


def _least_squares_without(
    rule: LeastSquaresRule, X: Floats, columns: Ints, **options: Any
) -> Floats:
    kernel, expansion = rule.expansion.kernel, rule.expansion
    if isinstance(kernel, AnovaKernel):
        less, factor = kernel.without(int(columns[0]))
        weights = factor * np.asarray(expansion.weights)
        expansion = replace(expansion, kernel=less, weights=weights)
    else:
        expansion, X = without_distances(expansion, X, columns)
    return np.asarray(rule.log_shares + SCALE * expansion.scores(X, **options))


def _density_without(rule: KernelRule, X: Floats, columns: Ints, **options: Any) -> Floats:
    expansion = _in_units_of_the_block(rule)
    if rule.offsets is None:
        return log_sums_without(expansion, X, columns, **options) + rule.log_shares
    less, queries = without_distances(expansion, X, columns)
    relative = less.log_sums(queries, **options) - expansion.log_peaks()
    return np.asarray(rule.temperature * relative + rule.offsets + rule.log_shares)


def _in_units_of_the_block(rule: KernelRule) -> KernelExpansion:
    """The same densities with the map of the block as a metric of the classes."""
    expansion, space = rule.expansion, rule.space
    if space is None:
        return expansion
    C, d = expansion.n_classes, expansion.points.shape[1]
    h = expansion.bandwidth
    widths = np.broadcast_to(h[:, None] if h.ndim == 1 else h, (C, d))
    metric = Whitening(
        np.repeat(space.centres, C, axis=0),
        space.roots / widths[:, None, :],
        space.log_volumes - np.log(widths).sum(axis=1),
    )
    points = space.invert(expansion.points, 0) + space.centres[0]
    return replace(expansion, points=points, bandwidth=np.array(1.0), whitening=metric)
