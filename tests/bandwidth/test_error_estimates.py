"""Errors along a grid equal those of slow refits, one per bandwidth and left-out part."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, StratifiedKFold

from parzen.bandwidth import (
    ConditionalLikelihood,
    HoldoutError,
    KFoldError,
    LeaveOneOutError,
    Likelihood,
    TrainingError,
)
from parzen.samples import held_out
from parzen.sums import labelled_kernel_sums

pytestmark = pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")
GRID = tuple(0.2 * 2.0 ** (np.arange(20) / 4))
KERNELS = ("gaussian", "laplacian", "epanechnikov", "cauchy")


def slow_loo(plug_in, without, X, y, w, h, **options):
    """Prediction and log posterior of the true class of each row, by n refits."""
    labels, logs = [], []
    for i in range(len(X)):
        _, _, left = without(X, y, w, i)
        model = plug_in(X, y, h, n_classes=y.max() + 1, weights=left, **options)
        labels.append(model.predict(X[[i]])[0])
        if model.sizes[y[i]] > 0:
            logs.append(w[i] * model.log_posterior(X[[i]])[0, y[i]])
    return np.array(labels), -np.sum(logs) / w.sum()


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_leave_one_out_error_equals_n_refits(plug_in, without, three_classes, kernel, priors):
    X, y = three_classes
    found = LeaveOneOutError(grid=GRID).select(X, y, kernel=kernel, priors=priors)
    for h, score in zip(found.grid, found.scores, strict=True):
        labels, _ = slow_loo(plug_in, without, X, y, np.ones(45), h, kernel=kernel, priors=priors)
        assert score == pytest.approx(np.mean(labels != y), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "cauchy"])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_conditional_likelihood_equals_n_refits(plug_in, without, three_classes, kernel, priors):
    X, y = three_classes
    w = np.random.default_rng(0).choice([0.25, 1.0, 2.0, 3.5], 45)
    selector = ConditionalLikelihood(grid=GRID)
    found = selector.select(X, y, kernel=kernel, priors=priors, sample_weight=w)
    for h, score in zip(found.grid, found.scores, strict=True):
        _, loss = slow_loo(plug_in, without, X, y, w, h, kernel=kernel, priors=priors)
        assert score == pytest.approx(float(loss), rel=1e-12, abs=1e-12)


@pytest.mark.slow
def test_leave_one_out_takes_one_copy_of_a_weighted_row(plug_in, without, three_classes):
    X, y = three_classes
    w = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.0, 3.0], 45)
    found = LeaveOneOutError(grid=GRID).select(X, y, sample_weight=w)
    for h, score in zip(found.grid, found.scores, strict=True):
        labels, _ = slow_loo(plug_in, without, X, y, w, h)
        assert score == pytest.approx(w @ (labels != y) / w.sum(), abs=1e-12)


def counts_within(X, y, h, counted):
    """Points of each class within h of each row, among the pairs that are counted."""
    near = (np.linalg.norm(X[:, None] - X, axis=2) <= h) & counted
    return np.stack([near[:, y == c].sum(axis=1) for c in range(y.max() + 1)], axis=1)


def test_a_flat_kernel_counts_points_and_even_counts_go_to_the_first_class(three_classes):
    X, y = three_classes
    fold = np.empty(len(y), dtype=int)
    for f, (_, test) in enumerate(StratifiedKFold(5).split(X, y)):
        fold[test] = f
    same = np.eye(len(y), dtype=bool)
    ties = 0
    for selector, counted in (
        (LeaveOneOutError(grid=GRID), ~same),
        (KFoldError(grid=GRID), fold[:, None] != fold),
        (TrainingError(grid=GRID), np.ones_like(same)),
    ):
        found = selector.select(X, y, kernel="uniform")
        for h, score in zip(found.grid, found.scores, strict=True):
            counts = counts_within(X, y, h, counted)
            sizes = counts_within(X, y, np.inf, counted)
            nowhere = ~counts.any(axis=1, keepdims=True)
            wrong = np.where(nowhere, sizes, counts).argmax(axis=1) != y
            error = np.mean([wrong[fold == f].mean() for f in range(5)])
            expected = error if selector.name == "kfold" else wrong.mean()
            assert score == pytest.approx(expected, abs=1e-12)
            ties += np.count_nonzero((counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 2)
    assert ties > 100


@pytest.mark.parametrize("kernel", KERNELS)
def test_training_error_is_that_of_the_fitted_rule(plug_in, three_classes, kernel):
    X, y = three_classes
    found = TrainingError(grid=GRID).select(X, y, kernel=kernel)
    for h, score in zip(found.grid, found.scores, strict=True):
        model = plug_in(X, y, h, n_classes=3, kernel=kernel)
        assert score == pytest.approx(np.mean(model.predict(X) != y), abs=1e-12)


@pytest.mark.parametrize(
    "folds",
    [
        5,
        StratifiedKFold(4, shuffle=True, random_state=1),
        KFold(30),
        ShuffleSplit(3, random_state=2),
        LeaveOneOut(),
    ],
    ids=lambda folds: type(folds).__name__,
)
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_fold_error_is_the_mean_of_the_refitted_folds_errors(plug_in, three_classes, folds, priors):
    X, y = three_classes
    w = np.random.default_rng(3).choice([0.5, 1.0, 2.0], 45)
    found = KFoldError(folds=folds, grid=GRID).select(X, y, priors=priors, sample_weight=w)
    splitter = StratifiedKFold(5) if folds == 5 else folds
    for h, score in zip(found.grid, found.scores, strict=True):
        errors = []
        for train, test in splitter.split(X, y):
            model = plug_in(X[train], y[train], h, n_classes=3, weights=w[train], priors=priors)
            wrong = model.predict(X[test]) != y[test]
            errors.append(w[test] @ wrong / w[test].sum())
        assert score == pytest.approx(np.mean(errors), abs=1e-12)


def test_holdout_error_is_that_of_the_rule_fitted_on_the_rest(plug_in, three_classes):
    X, y = three_classes
    selector = HoldoutError(test_size=0.4, random_state=7, grid=GRID)
    found = selector.select(X, y)
    errors = np.array([_holdout_errors(plug_in, X, y, h) for h in found.grid])
    np.testing.assert_allclose(found.scores, errors, atol=1e-12)


def _holdout_errors(plug_in, X, y, h):
    rng = np.random.RandomState(7)
    test = np.zeros(len(X), bool)
    for c in range(3):
        rows = np.flatnonzero(y == c)
        test[rng.permutation(rows)[: round(0.4 * len(rows))]] = True
    model = plug_in(X[~test], y[~test], h, n_classes=3)
    return np.mean(model.predict(X[test]) != y[test])


@pytest.mark.slow
@pytest.mark.parametrize(
    "selector",
    [
        LeaveOneOutError(),
        KFoldError(),
        TrainingError(),
        ConditionalLikelihood(),
        KFoldError(folds=5, per="class"),
        ConditionalLikelihood(per="class"),
    ],
    ids=repr,
)
def test_little_memory_means_more_chunks_and_the_same_scores(three_classes, selector):
    X, y = np.tile(three_classes[0], (40, 1)), np.tile(three_classes[1], 40)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    whole = selector.select(X, y)
    with sklearn.config_context(working_memory=1):
        chunked = selector.select(X, y)
    np.testing.assert_array_equal(chunked.bandwidth, whole.bandwidth)
    np.testing.assert_allclose(chunked.scores, whole.scores, rtol=1e-12, atol=1e-12)


def test_training_error_goes_to_zero_and_ties_go_to_the_largest_bandwidth(three_classes):
    X, y = three_classes
    found = TrainingError().select(X, y)
    perfect = np.flatnonzero(found.scores == 0)
    assert perfect[0] == 0
    assert found.score == 0
    assert found.bandwidth == found.grid[perfect[-1]]


def test_off_the_support_of_a_compact_kernel_the_majority_class_decides():
    X = np.arange(10.0)[:, None] * 100
    y = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1, 0])
    found = LeaveOneOutError(grid=[0.5, 1.0]).select(X, y, kernel="uniform")
    np.testing.assert_allclose(found.scores, [0.3, 0.3])
    rare = np.array([0.9, 0.1])
    given = LeaveOneOutError(grid=[0.5, 1.0]).select(X, y, kernel="uniform", priors=rare)
    np.testing.assert_allclose(given.scores, [0.7, 0.7])


def test_a_point_alone_in_its_class_is_an_error_but_no_loss(three_classes):
    X, y = three_classes
    more, labels = np.vstack([X, [[9.0, 9.0]]]), np.append(y, 3)
    alone = LeaveOneOutError(grid=GRID).select(more, labels)
    assert alone.scores.min() >= 1 / 46
    for selector in (ConditionalLikelihood(grid=GRID), Likelihood(grid=GRID)):
        assert np.isfinite(selector.select(more, labels).scores).all()


def test_labels_are_needed_to_estimate_an_error():
    with pytest.raises(ValueError, match="needs labels"):
        LeaveOneOutError().select(np.zeros((3, 1)), None)


def test_the_choice_does_not_depend_on_the_number_of_threads(three_classes):
    X, y = three_classes
    one = KFoldError().select(X, y, n_jobs=1)
    two = KFoldError().select(X, y, n_jobs=2)
    np.testing.assert_array_equal(one.scores, two.scores)


@pytest.mark.parametrize("selector", [LeaveOneOutError, ConditionalLikelihood])
def test_of_many_rows_some_are_scored_against_all_centres(selector):
    rng = np.random.default_rng(21)
    X = rng.normal(size=(700, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=700) > 0).astype(int)
    grid = [0.1, 0.4, 1.6]
    some, whole = (selector(grid=grid, most_scored=m).select(X, y) for m in (100, None))
    draw, firsts = np.random.RandomState(0), np.arange(100) * 7
    losses = []
    for i in draw.randint(firsts, firsts + 7):
        rest = np.arange(700) != i
        K = np.exp(-((X[i] - X[rest]) ** 2).sum(axis=1)[:, None] / (2 * np.square(grid)))
        sums = np.array([K[y[rest] == c].sum(axis=0) for c in (0, 1)])
        own = sums[y[i]] / sums.sum(axis=0)
        losses.append(own < 0.5 if selector is LeaveOneOutError else -np.log(own))
    np.testing.assert_allclose(some.scores, np.mean(losses, axis=0), rtol=1e-9)
    assert some.scored_rows == 100
    assert whole.scored_rows is None
    chosen = np.array(losses)[:, grid.index(some.bandwidth)]
    assert some.standard_error == pytest.approx(chosen.std() / 10, rel=0.6)
    order = draw.permutation(100)
    groups = [chosen[order[k::20]].mean() for k in range(20)]
    assert some.standard_error == pytest.approx(np.std(groups, ddof=1) / np.sqrt(20), rel=1e-9)
    assert abs(some.score - whole.score) < 4 * some.standard_error


@pytest.mark.parametrize(
    "selector",
    [KFoldError(grid=GRID, folds=2), KFoldError(grid=GRID, folds=10), LeaveOneOutError(grid=GRID)],
    ids=["2", "10", "leave-one-out"],
)
def test_any_number_of_folds_is_one_pass_over_the_pairs(selector, three_classes, monkeypatch):
    X, y = three_classes
    pairs = []

    def counted(**arguments):
        pairs.append(len(arguments["X"]) * len(arguments["Y"]))
        return labelled_kernel_sums(**arguments)

    monkeypatch.setattr(held_out, "labelled_kernel_sums", counted)
    selector.select(X, y)
    assert sum(pairs) == len(X) ** 2
