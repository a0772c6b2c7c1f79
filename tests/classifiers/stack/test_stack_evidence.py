"""Evidence of a stack: rows and columns of all its members, beside brute force."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris

from parzen import ParzenClassifier, StackedDensityClassifier
from parzen.classifiers.stack import (
    BayesRule,
    anova,
    least_squares,
    stacked_classifier,
    training_set,
)
from parzen.classifiers.stack.pool import log_posteriors
from parzen.kernels import AnovaKernel, gram
from parzen.model_files import load, save

X, Y = load_iris(return_X_y=True)
LEVELS = np.column_stack([X[:, :3], np.round(X[:, 3])])  # the last column has three values
QUERIES = X[[3, 60, 77, 120]] + 0.13
ALL = ["lap", "white", "cov", "nb", "dnb", "ls", "an"]


@pytest.fixture(scope="module")
def stack():
    return StackedDensityClassifier(ALL).fit(X, Y)


def logits(stack, rules, queries):
    """Log-posteriors of the stack up to a constant, before its doubt."""
    blocks = stack._table.apply(queries)
    scores = np.array([rule.scores(blocks) for rule in rules])
    return np.tensordot(stack.weights_, log_posteriors(stack.experts_, scores), 1) + stack.offsets_


def louder(rule, row, factor):
    """A member in which the kernels of a distinct row are multiplied by a factor."""
    place = np.flatnonzero(rule.rows == row)[0]
    if isinstance(rule, BayesRule):
        return replace(rule, columns=[louder_column(c, place, factor) for c in rule.columns])
    weights = rule.expansion.weights
    weights = np.ones(len(rule.expansion.points)) if weights is None else weights.copy()
    weights[place] *= factor
    return replace(rule, expansion=replace(rule.expansion, weights=weights))


def louder_column(column, place, factor):
    if hasattr(column, "categories"):
        counts = column.counts.copy()
        added = (factor - 1) * column.weights[place]
        counts[column.labels[place], column.entries[place]] += added
        return GrownCounts(column, counts)
    weights = column.expansion.weights
    weights = np.ones(len(column.present)) if weights is None else weights.copy()
    weights[place] *= factor
    return replace(column, expansion=replace(column.expansion, weights=weights))


class GrownCounts:
    """A column of categories whose counts grew, and whose totals did not."""

    def __init__(self, column, counts):
        self.column, self.counts = column, counts

    def log_densities(self, x, **options):
        column = self.column
        places = np.searchsorted(column.categories, x)
        grown = self.counts[:, places].T + column.smoothing
        return column.log_densities(x) + np.log(
            grown / (column.counts[:, places].T + column.smoothing)
        )


@pytest.mark.parametrize(
    "families", [["lap", "cov"], ["nb", "dnb"], ["ls", "an"], ["lsard"], ALL], ids=str
)
def test_shares_are_the_rates_at_which_the_log_odds_grow_with_the_kernels_of_a_row(families):
    stack, step = StackedDensityClassifier(families).fit(LEVELS, Y), 1e-5
    rules, places = [expert.rule for expert in stack.experts_], stack._rows.into
    queries = LEVELS[[77, 133]] + [0.13, 0.1, -0.1, 0.0]  # between two classes
    for x, found in zip(queries, stack.explain(queries, top=8), strict=True):
        sides = (found.supporting, found.supporting_shares), (found.opposing, found.opposing_shares)
        for (rows, shares), sign in zip(sides, (1, -1), strict=True):
            rates = []
            for row in rows:
                values = [
                    logits(stack, [louder(r, places[row], f) for r in rules], x[None])[0]
                    for f in (1 + step, 1 - step)
                ]
                change = values[0] - values[1]
                copies = 1.0 if stack._rows.shares is None else stack._rows.shares[row]
                rates.append(sign * copies * (change[found.label] - change[found.rival]))
            assert rates[0] > 0
            np.testing.assert_allclose(shares / shares[0], np.array(rates) / rates[0], rtol=1e-5)


def test_shares_sum_to_one_and_the_log_odds_are_those_before_the_doubt(stack):
    for x, found in zip(QUERIES, stack.explain(QUERIES, top=len(X)), strict=True):
        assert found.supporting_shares.sum() == pytest.approx(1, rel=1e-12)
        assert found.opposing_shares.sum() == pytest.approx(1, rel=1e-12)
        assert len(np.intersect1d(found.supporting, found.opposing)) == 0
        assert found.label == stack.predict(x[None])[0]
        values = logits(stack, [expert.rule for expert in stack.experts_], x[None])[0]
        assert found.log_odds == pytest.approx(values[found.label] - values[found.rival])
        P = np.exp(values - np.logaddexp.reduce(values))
        doubted = (1 - stack.doubt_) * P + stack.doubt_ / 3
        np.testing.assert_allclose(stack.predict_proba(x[None])[0], doubted, rtol=1e-9)


@pytest.mark.parametrize("family", ["lap", "nb", "dnb", "prod"])
def test_densities_of_fewer_columns_are_those_of_a_missing_entry(family):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X[:, :3]).assign(colour=np.array(["red", "blue", "green"])[(Y + 1) % 3])
    frame.loc[::7, "colour"] = "blue"
    frame.columns = frame.columns.astype(str)
    stack = StackedDensityClassifier([family]).fit(frame, Y)
    stack.doubt_ = 0.0  # probabilities then are those that the explanation speaks of
    queries = frame.iloc[[3, 60, 120]]
    for i, found in enumerate(stack.explain(queries)):
        for j, name in enumerate(frame.columns):
            less = queries.iloc[[i]].copy()
            less[name] = None if name == "colour" else np.nan
            logs = stack.predict_log_proba(less)[0]
            gone = found.log_odds - (logs[found.label] - logs[found.rival])
            assert found.column_effects[j] == pytest.approx(gone, rel=1e-8, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["white", "cov"])
def test_whitened_members_lose_a_column_by_the_marginal_of_the_normal_distribution(family):
    stack = StackedDensityClassifier([family], per_family=1).fit(X, Y)
    (expert,) = stack.experts_
    rule, codes = expert.rule, stack._rows.codes
    blocks, points = stack._table.apply(QUERIES), rule.expansion.points
    maps = rule.expansion.whitening if rule.space is None else rule.space
    if rule.space is not None:
        points = rule.space.invert(points, 0) + rule.space.centres[0]
    weights = rule.expansion.weights
    for i, found in enumerate(stack.explain(QUERIES)):
        for column in range(4):
            rest = [k for k in range(4) if k != column]
            scores = np.empty(3)
            for c in range(3):
                root = maps.roots[c if len(maps.roots) > 1 else 0]
                covariance = float(rule.expansion.bandwidth) ** 2 * np.linalg.inv(root @ root.T)
                values = [
                    multivariate_normal(y, covariance[np.ix_(rest, rest)]).logpdf(
                        blocks.plain[i, rest]
                    )
                    for y in points[codes == c][:, rest]
                ]
                w = np.ones(len(values)) if weights is None else weights[codes == c]
                scores[c] = rule.log_shares[c] + np.log(np.average(np.exp(values), weights=w))
            values = stack.weights_[0] * log_posteriors([expert], scores[None, None])[0, 0]
            values += stack.offsets_
            gone = found.log_odds - (values[found.label] - values[found.rival])
            assert found.column_effects[column] == pytest.approx(gone, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("interactions", [0.0, 1.0])
def test_an_anova_kernel_without_a_column_is_its_mean_over_the_column(interactions):
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.normal(size=(40, 3)), rng.integers(0, 3, 40), np.ones(40)])
    kernel = AnovaKernel(points, interactions, [0, 0, 0, 1, 0], rng.integers(1, 4, 40))
    queries = points[:5] + np.array([0.1, -0.2, 0.3, 0, 0])
    for column in range(5):
        less, factor = kernel.without(column)
        mean = np.zeros((5, 40))
        for value, w in zip(points[:, column], kernel.weights, strict=True):
            moved = queries.copy()
            moved[:, column] = value
            mean += w * gram(moved, points, kernel, 1.0)
        np.testing.assert_allclose(
            factor * gram(queries, points, less, 1.0), mean / kernel.weights.sum(), atol=1e-12
        )


def test_least_squares_lose_the_distance_along_a_column():
    stack = StackedDensityClassifier(["ls"], per_family=1).fit(X, Y)
    (expert,) = stack.experts_
    rule = expert.rule
    queries = getattr(stack._table.apply(QUERIES), rule.block)
    for i, found in enumerate(stack.explain(QUERIES)):
        for column in range(4):
            x, points = queries[i].copy(), rule.expansion.points.copy()
            x[column] = points[:, column] = 0
            gaps = np.abs(x - points) / rule.expansion.bandwidth
            is_gaussian = rule.expansion.kernel.name == "gaussian"
            exponent = 0.5 * (gaps**2).sum(axis=1) if is_gaussian else gaps.sum(axis=1)
            scores = np.exp(-exponent) @ rule.expansion.weights + rule.expansion.offset
            scores = rule.log_shares + 4 * scores
            values = stack.weights_[0] * log_posteriors([expert], scores[None, None])[0, 0]
            values += stack.offsets_
            gone = found.log_odds - (values[found.label] - values[found.rival])
            assert found.column_effects[column] == pytest.approx(gone, rel=1e-6, abs=1e-8)


def test_copies_share_alike_and_rows_have_the_names_of_the_index(tmp_path):
    pd = pytest.importorskip("pandas")
    twice = np.concatenate([X, X[[7]]])
    names = [f"flower {i}" for i in range(len(twice))]
    frame = pd.DataFrame(twice, index=names, columns=list("abcd"))
    stack = StackedDensityClassifier("fast").fit(frame, np.append(Y, Y[7]))
    save(stack, tmp_path / "stack.parzen")
    found = stack.explain(frame.iloc[[7]], top=2)[0]
    assert set(found.supporting) == {7, len(X)}
    assert found.supporting_shares[0] == pytest.approx(found.supporting_shares[1], rel=1e-12)
    assert set(found.supporting_names) == {"flower 7", f"flower {len(X)}"}
    again = load(tmp_path / "stack.parzen").explain(frame.iloc[[7]], top=2)[0]
    np.testing.assert_array_equal(again.column_effects, found.column_effects)
    np.testing.assert_array_equal(again.supporting_names, found.supporting_names)


def test_constant_and_missing_columns_have_no_effect_and_every_family_explains():
    rng = np.random.default_rng(1)
    table = np.column_stack([X[:, 2:], np.ones(len(X)), rng.integers(0, 4, len(X))])
    table[::9, 0] = np.nan
    stack = StackedDensityClassifier("fast").fit(table, Y)
    query = table[[60]]
    query[0, 1] = np.nan
    found = stack.explain(query, top=len(X))[0]
    assert found.column_effects[2] == 0
    assert np.isfinite(found.column_effects).all()
    assert found.supporting_shares.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["ard", "ardl", "ardw"])
def test_learned_metrics_lose_the_distance_across_a_column(family):
    stack = StackedDensityClassifier([family], per_family=1).fit(X, Y)
    (expert,) = stack.experts_
    rule, codes = expert.rule, stack._rows.codes
    queries, points = stack._table.apply(QUERIES).mixed, rule.expansion.points
    root = np.eye(4) if rule.space is None else rule.space.roots[0]
    if rule.space is not None:
        points = rule.space.invert(points, 0) + rule.space.centres[0]
    weights = rule.expansion.weights
    weights = np.ones(len(points)) if weights is None else weights
    for i, found in enumerate(stack.explain(QUERIES)):
        for column in range(4):
            rest, scores = [k for k in range(4) if k != column], np.empty(3)
            for c in range(3):
                gaps = queries[i, rest] - points[codes == c][:, rest]
                scaled = root / np.broadcast_to(rule.expansion.bandwidth, (3, 4))[c]
                if family == "ardl":
                    logs = -np.abs(gaps @ scaled[np.ix_(rest, rest)]).sum(axis=1)
                else:
                    covariance = np.linalg.inv(scaled @ scaled.T)[np.ix_(rest, rest)]
                    logs = -0.5 * np.einsum("ij,jk,ik->i", gaps, np.linalg.inv(covariance), gaps)
                mean = np.average(np.exp(logs), weights=weights[codes == c])
                scores[c] = rule.temperature * np.log(mean) + rule.offsets[c] + rule.log_shares[c]
            values = stack.weights_[0] * log_posteriors([expert], scores[None, None])[0, 0]
            values += stack.offsets_
            gone = found.log_odds - (values[found.label] - values[found.rival])
            assert found.column_effects[column] == pytest.approx(gone, rel=1e-6, abs=1e-7)


@pytest.mark.slow
def test_rows_of_a_large_sample_are_those_of_its_part(monkeypatch):
    monkeypatch.setattr(stacked_classifier, "MOST_CENTRES", 90)
    monkeypatch.setattr(training_set, "_MOST_SCORED_ROWS", 40)
    monkeypatch.setattr(least_squares, "METRIC_LANDMARKS", (60, 60))
    part = StackedDensityClassifier("core").fit(X, Y)
    for found in part.explain(X[::30], top=len(X)):
        assert found.supporting_shares.sum() == pytest.approx(1, rel=1e-12)
    first = np.unique(part._rows.into, return_index=True)[1]
    for expert in part.experts_:
        rule = expert.rule
        if not isinstance(rule, BayesRule):
            rows = part._table.apply(X[first[rule.rows]])
            mapped = rule.mapped(rows) if hasattr(rule, "mapped") else rule.points(rows)
            np.testing.assert_allclose(mapped, rule.expansion.points, atol=1e-12)


def test_one_member_of_a_stack_agrees_with_the_classifier_of_the_same_densities():
    stack = StackedDensityClassifier(["lap"], per_family=1).fit(X, Y)
    (expert,) = stack.experts_
    scaled = stack._table.apply(X).plain
    plain = ParzenClassifier("laplacian", bandwidth=expert.bandwidth).fit(scaled, Y)
    queries = stack._table.apply(QUERIES).plain
    for found, other in zip(
        stack.explain(QUERIES, top=3), plain.explain(queries, top=3), strict=True
    ):
        if np.isinf(expert.squash):
            assert list(found.supporting) == list(other.supporting)
            np.testing.assert_allclose(found.supporting_shares, other.supporting_shares, rtol=1e-8)


@pytest.mark.parametrize("most", [2**17, 300])  # all rows at once, or one by one
def test_what_a_column_adds_to_anova_kernels_is_what_goes_without_it(monkeypatch, most):
    monkeypatch.setattr(anova, "_BLOCK_VALUES", most)
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.normal(size=(40, 3)), rng.integers(0, 3, 40), np.ones(40)])
    queries = points[:5] + np.array([0.1, -0.2, 0.3, 0, 0])
    frequencies = rng.integers(1, 4, 40)
    weights = {0.0: rng.normal(size=(40, 2)), 0.7: rng.normal(size=(40, 3))}
    kernels = {rho: AnovaKernel(points, rho, [0, 0, 0.5, 1, 0], frequencies) for rho in weights}
    found = anova.ColumnwiseAnova.like(kernels[0.0]).column_parts(queries, weights)
    for rho, kernel in kernels.items():
        whole = gram(queries, points, kernel, 1.0)
        for column in range(5):
            less, factor = kernel.without(column)
            gone = whole - factor * gram(queries, points, less, 1.0)
            np.testing.assert_allclose(found[rho][column], gone @ weights[rho], atol=1e-13)


def test_effects_of_a_stack_are_the_sums_of_those_of_its_members_alone():
    stack = StackedDensityClassifier(["ls", "an", "lsard"]).fit(LEVELS[50:], Y[50:])
    kernels = {expert.rule.shared_key for expert in stack.experts_}
    assert 1 < len(kernels) < len(stack.experts_)  # some share their kernels, some do not

    def effects(stack):
        found = stack.explain(LEVELS[50::9])
        return np.array([(1 if e.label == 2 else -1) * e.column_effects for e in found])

    alone = copy(stack)
    total = 0.0
    for expert, weight in zip(stack.experts_, stack.weights_, strict=True):
        alone.experts_, alone.weights_ = [expert], np.array([weight])
        total = total + effects(alone)
    np.testing.assert_allclose(effects(stack), total, rtol=1e-9, atol=1e-11)
