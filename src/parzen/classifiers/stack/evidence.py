"""Why a stack gave a label: the effect of training rows and of columns in all members.

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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.classifiers.stack.bayes import BayesRule
from parzen.classifiers.stack.kernels import KernelRule
from parzen.classifiers.stack.least_squares import LOG_ODDS_PER_SCORE, LeastSquaresRule
from parzen.classifiers.stack.pool import Expert, log_posteriors, score_slopes
from parzen.classifiers.stack.table import Blocks, StackTable
from parzen.classifiers.stack.training_set import MemberRule
from parzen.evidence import (
    Duel,
    Explanation,
    class_terms,
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
        scores: Floats,
        label: Ints,
        rival: Ints,
    ) -> Floats:
        """The rates e_i of all rows, (m, rows), from the scores of all members."""
        # By row, then query: what is added to the rows of a class is contiguous.
        total = np.zeros((len(self.codes), len(blocks)))
        if len(experts):
            slopes = weights[:, None, None] * score_slopes(experts, scores, label, rival)
            for expert, slope in zip(experts, slopes, strict=True):
                self._add_terms(total, expert.rule, blocks, slope)
        found = np.ascontiguousarray(total[self.into].T)
        return found if self.shares is None else found * self.shares

    def _add_terms(self, total: Floats, rule: MemberRule, blocks: Blocks, slope: Floats) -> None:
        rows = rule.rows
        if rows is None:
            raise ValueError("this stack does not know its training rows: fit it again to explain.")
        # ds_c / dlog k_i of the three kinds of members, each times the slope in s_c.
        if isinstance(rule, KernelRule):
            X = rule.mapped(blocks)
            for c in range(slope.shape[1]):
                places, terms, sums = class_terms(rule.expansion, X, c)
                terms *= rule.temperature * slope[:, c] / sums
                total[rows[places]] += terms
        elif isinstance(rule, LeastSquaresRule):
            model, X = rule.expansion, rule.points(blocks)
            K = blocks.once(
                (*rule.shared_key, getattr(model.kernel, "interactions", None)),
                lambda: kernel_values(model, X),
            )
            terms = np.asarray(model.weights) @ (LOG_ODDS_PER_SCORE * slope.T)
            terms *= K.T
            total[rows] += terms
        elif isinstance(rule, BayesRule):
            for c in range(slope.shape[1]):
                places = np.flatnonzero(self.codes[rows] == c)
                total[rows[places]] += (slope[:, [c]] * rule.row_shares(blocks, c, places)).T


def explain_stack(
    experts: Sequence[Expert],
    weights: Floats,
    rows: FitRows,
    table: StackTable,
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
    scores = np.empty((len(experts), *whole.shape))
    for members in _sharing_kernels(experts):
        rules = [experts[m].rule for m in members]
        for m, own in zip(members, _scores_and_without(rules, blocks, **options), strict=True):
            scores[m] = own[0]
            found = weights[m] * log_posteriors([experts[m]], own)
            whole += found[0]
            less[table.kept] += found[1:]
    less[np.setdiff1d(np.arange(len(less)), table.kept)] = whole

    def terms(asked: Ints, label: Ints, rival: Ints) -> Floats:
        return rows.terms(experts, weights, blocks.rows(asked), scores[:, asked], label, rival)

    return explain_scores(
        terms, np.arange(len(X)), Duel.of(joint_of(whole)), [joint_of(logits) for logits in less],
        classes, np.arange(len(rows.into)), top,
    )  # fmt: skip


def _sharing_kernels(experts: Sequence[Expert]) -> list[list[int]]:
    """Places of the members, those of least squares with the same kernels together."""
    groups: dict[Any, list[int]] = {}
    for m, expert in enumerate(experts):
        rule = expert.rule
        key = rule.shared_key if isinstance(rule, LeastSquaresRule) else m
        groups.setdefault(key, []).append(m)
    return list(groups.values())


def _scores_and_without(
    rules: Sequence[MemberRule], blocks: Blocks, **options: Any
) -> Iterator[Floats]:
    """The scores of members, followed by those without each column that is not constant."""
    whole = [rule.scores(blocks, **options) for rule in rules]
    least_squares = [rule for rule in rules if isinstance(rule, LeastSquaresRule)]
    less: Sequence[Iterable[Floats]]
    if least_squares:
        less = _least_squares_without(least_squares, whole, blocks, **options)
    elif isinstance(rules[0], BayesRule):
        less = [_bayes_without(rules[0], whole[0], blocks, **options)]
    else:
        assert isinstance(rules[0], KernelRule)
        less = [_density_without(rules[0], blocks, **options)]
    for first, others in zip(whole, less, strict=True):
        yield np.stack([first, *others])


def _block_and_columns(rule: Any, blocks: Blocks) -> tuple[Floats, list[Ints]]:
    """The form that a member sees, and the places in it of each column that is not constant."""
    origins = blocks.table.origins(rule.block)
    return getattr(blocks, rule.block), [np.flatnonzero(origins == j) for j in blocks.table.kept]


def _bayes_without(rule: BayesRule, whole: Floats, blocks: Blocks, **options: Any) -> list[Floats]:
    return [
        whole - v * rule.columns[place].log_densities(blocks.columns[:, place], **options)
        if v
        else whole
        for place, v in enumerate(rule.weights[: len(blocks.table.kept)])
    ]


def _least_squares_without(
    rules: Sequence[LeastSquaresRule], whole: Sequence[Floats], blocks: Blocks, **options: Any
) -> list[list[Floats]]:
    """Of members with the same kernels: one pass for every column serves all of them."""
    X, places = _block_and_columns(rules[0], blocks)
    expansion, C = rules[0].expansion, rules[0].expansion.n_classes
    if isinstance(expansion.kernel, AnovaKernel):
        return [
            [scores - LOG_ODDS_PER_SCORE * part for part in parts[: len(places)]]
            for scores, parts in zip(whole, _anova_parts(rules, X), strict=True)
        ]
    together = replace(
        expansion, n_classes=C * len(rules),
        weights=np.hstack([np.asarray(rule.expansion.weights) for rule in rules]),
        offset=np.concatenate([np.asarray(rule.expansion.offset) for rule in rules]),
    )  # fmt: skip
    less: list[list[Floats]] = [[] for _ in rules]
    for columns in places:
        own, queries = without_distances(together, X, columns)
        scores = own.scores(queries, **options).reshape(len(X), len(rules), C)
        for k, rule in enumerate(rules):
            less[k].append(rule.log_shares + LOG_ODDS_PER_SCORE * scores[:, k])
    return less


def _anova_parts(rules: Sequence[LeastSquaresRule], X: Floats) -> Iterator[Floats]:
    """What each column adds to the scores of each member, (columns, rows, C)."""
    levels = [float(getattr(rule.expansion.kernel, "interactions", 0.0)) for rule in rules]
    own: dict[float, list[Floats]] = {rho: [] for rho in levels}
    for rule, rho in zip(rules, levels, strict=True):
        own[rho].append(np.asarray(rule.expansion.weights))
    weights = {rho: np.hstack(each) for rho, each in own.items()}
    found = rules[0].columnwise.column_parts(X, weights)
    for rule, rho in zip(rules, levels, strict=True):
        yield found[rho][:, :, : rule.expansion.n_classes]
        found[rho] = found[rho][:, :, rule.expansion.n_classes :]


def _density_without(rule: KernelRule, blocks: Blocks, **options: Any) -> Iterator[Floats]:
    expansion, (X, places) = _in_units_of_the_block(rule), _block_and_columns(rule, blocks)
    peaks = expansion.log_peaks()
    for columns in places:
        if rule.offsets is None:
            yield log_sums_without(expansion, X, columns, **options) + rule.log_shares
        else:
            less, queries = without_distances(expansion, X, columns)
            relative = less.log_sums(queries, **options) - peaks
            yield np.asarray(rule.temperature * relative + rule.offsets + rule.log_shares)


def _in_units_of_the_block(rule: KernelRule) -> KernelExpansion:
    """The same densities with the map of the block as a metric of the classes."""
    expansion, space = rule.expansion, rule.space
    if space is None:
        return expansion
    # The division by the bandwidths becomes part of each class's map, and its determinant part of
    # the volume; the points go back to where they were before the common map.
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
