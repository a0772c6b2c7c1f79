"""Of many rows a part is scored: the criterion is its definition on these rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit, StratifiedKFold

from parzen import KernelDensity, KernelNaiveBayes, LaplacianClassifier, ParzenClassifier
from parzen.bandwidth import (
    LSCV,
    ConditionalLikelihood,
    CrossValidation,
    HoldoutError,
    KFoldError,
    KFoldLikelihood,
    LeaveOneOutError,
    Likelihood,
    TrainingError,
)
from parzen.kernels import ColumnProduct, get
from parzen.samples import KernelSample, Thinning

GRID = [0.2, 0.4, 0.9]
N, MOST = 700, 100
ALL = (
    LeaveOneOutError, ConditionalLikelihood, TrainingError, HoldoutError, KFoldError, Likelihood,
    KFoldLikelihood, LSCV,
)  # fmt: skip
DENSITIES = (Likelihood, KFoldLikelihood, LSCV)
pytestmark = pytest.mark.filterwarnings("ignore::parzen.bandwidth.EndOfGridWarning")


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(21)
    X = rng.normal(size=(N, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=N) > 0.4).astype(int)
    return X, y, rng.choice([0.5, 1.0, 2.0, 3.0], N)


def some(rows):
    """A hundred of the rows, one drawn from each of a hundred equal stretches."""
    ends = np.arange(MOST + 1) * len(rows) // MOST
    return rows[np.random.RandomState(0).randint(ends[:-1], ends[1:])]


def left_out(weights, rows):
    """The weights for each of some rows when one copy of it is left out."""
    out = np.tile(weights, (len(rows), 1))
    out[np.arange(len(rows)), rows] -= np.minimum(weights[rows], 1.0)
    return out


def densities(kernel, X, y, w, rows, h):
    """(rows, classes): densities at rows, with weights (rows, n) of the centres."""
    k = get(kernel)(X[rows], X, bandwidth=h) * w
    return np.stack([k[:, y == c].sum(axis=1) / w[:, y == c].sum(axis=1) for c in (0, 1)], axis=1)


def scored_rows_and_weights(selector, X, y, w):
    """Pairs of rows that are scored and the weights of all centres for each of them."""
    if isinstance(selector, HoldoutError):
        rng, test = np.random.RandomState(0), np.zeros(N, bool)
        for c in (0, 1):
            own = np.flatnonzero(y == c)
            test[rng.permutation(own)[: round(0.3 * len(own))]] = True
        rows = some(np.flatnonzero(test))
        return [(rows, np.tile(np.where(test, 0.0, w), (MOST, 1)))]
    if isinstance(selector, KFoldError | KFoldLikelihood):
        splitter = StratifiedKFold(5) if selector.folds == 5 else selector.folds
        splits = list(splitter.split(X, y))
        chosen = some(np.concatenate([[(k, i) for i in t] for k, (_, t) in enumerate(splits)]))
        centres = [np.bincount(train, minlength=N) * w for train, _ in splits]
        pairs = [(k, chosen[chosen[:, 0] == k, 1]) for k in range(len(splits))]
        return [(rows, np.tile(centres[k], (len(rows), 1))) for k, rows in pairs]
    rows = some(np.arange(N))
    return [(rows, np.tile(w, (MOST, 1)) if selector.name == "training" else left_out(w, rows))]


@pytest.mark.parametrize(
    "selector",
    [
        TrainingError,
        HoldoutError,
        KFoldError,
        LeaveOneOutError,
        ConditionalLikelihood,
        lambda **options: KFoldError(folds=ShuffleSplit(3, random_state=2), **options),
    ],
)
@pytest.mark.parametrize("priors", [None, [0.3, 0.7]])
def test_errors_are_those_of_the_chosen_rows_against_all_centres(sample, selector, priors):
    X, y, w = sample
    selector = selector(grid=GRID, most_scored=MOST)
    found = selector.select(X, y, sample_weight=w, priors=priors)
    for h, score in zip(GRID, found.scores, strict=True):
        means = []
        for rows, centres in scored_rows_and_weights(selector, X, y, w):
            mass = np.stack([centres[:, y == c].sum(axis=1) for c in (0, 1)], axis=1)
            joint = densities("gaussian", X, y, centres, rows, h) * (priors or mass)
            own = joint[np.arange(len(rows)), y[rows]]
            wrong = joint.argmax(axis=1) != y[rows]
            smooth = selector.name == "conditional_likelihood"
            loss = np.log(joint.sum(axis=1) / own) if smooth else wrong
            means.append(w[rows] @ loss / w[rows].sum())
        assert score == pytest.approx(np.mean(means), rel=1e-9)
    assert found.scored_rows == MOST


@pytest.mark.parametrize("selector", [Likelihood, KFoldLikelihood])
def test_likelihoods_are_those_of_the_chosen_rows_against_all_centres(sample, selector):
    X, y, w = sample
    selector = selector(grid=GRID, most_scored=MOST)
    found = selector.select(X, y, sample_weight=w)
    for h, score in zip(GRID, found.scores, strict=True):
        means = []
        for rows, centres in scored_rows_and_weights(selector, X, y, w):
            own = densities("gaussian", X, y, centres, rows, h)[np.arange(len(rows)), y[rows]]
            means.append(-(w[rows] @ np.log(own)) / w[rows].sum())
        assert score == pytest.approx(np.mean(means), rel=1e-9)
    assert found.scored_rows == MOST


@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "epanechnikov", "laplacian"])
@pytest.mark.parametrize("priors", [None, [0.3, 0.7]])
def test_lscv_is_that_of_the_chosen_rows_against_all_centres(sample, kernel, priors):
    X, y, w = sample
    X = np.column_stack([X, X @ [0.3, 0.7], X[:, 0] ** 2])  # no transform in four dimensions
    found = LSCV(grid=GRID, most_scored=MOST).select(
        X, y, kernel=kernel, sample_weight=w, priors=priors
    )
    rows = some(np.arange(N))
    shares = np.bincount(y, w) / w.sum()
    factors = (np.ones(2) if priors is None else priors / shares)[y[rows]]
    for h, score in zip(GRID, found.scores, strict=True):
        overlaps = get(kernel).self_convolution(X[rows], X, bandwidth=h) * w
        own = y[rows, None] == y
        square = (overlaps * own).sum(axis=1) / (own * w).sum(axis=1)
        cross = densities(kernel, X, y, left_out(w, rows), rows, h)[np.arange(MOST), y[rows]]
        expected = (w[rows] * factors) @ (square - 2 * cross) / w[rows].sum()
        assert score == pytest.approx(expected, rel=1e-9)
    assert found.scored_rows == MOST


@pytest.mark.parametrize("selector", ALL)
def test_the_standard_error_is_that_of_twenty_groups(sample, selector):
    X, y, _ = sample
    X = np.column_stack([X, X[::-1]])
    found = selector([0.4, 0.9], most_scored=MOST).select(X, y)  # which make errors
    alone = selector(grid=[found.bandwidth], most_scored=None)
    points = KernelSample.of(X, y, "gaussian", None, None, None)
    groups = [alone._scorer_of_part(points, Thinning(MOST, group=k)) for k in range(20)]
    scores = [score(np.array(alone.grid)).score for score in groups]
    assert found.standard_error == pytest.approx(np.std(scores, ddof=1) / np.sqrt(20), rel=1e-9)
    whole = alone.select(X, y)
    assert abs(found.score - whole.score) < 4 * found.standard_error + 1e-12
    assert whole.scored_rows is None
    assert whole.standard_error is None


@pytest.mark.parametrize("selector", ALL)
def test_up_to_five_rows_for_each_scored_one_all_are_scored(sample, selector):
    X, y, w = sample
    found, whole = (selector(most_scored=m).select(X, y, sample_weight=w) for m in (N // 5, None))
    np.testing.assert_array_equal(found.scores, whole.scores)
    assert found.bandwidth == whole.bandwidth
    assert found.scored_rows is None


def test_a_held_out_part_no_larger_than_the_limit_is_scored_whole(sample):
    X, y, _ = sample
    found, whole = (HoldoutError(test_size=0.1, most_scored=m).select(X, y) for m in (MOST, None))
    np.testing.assert_array_equal(found.scores, whole.scores)
    assert found.scored_rows is None


@pytest.mark.parametrize("selector", DENSITIES)
def test_one_bandwidth_per_class_of_its_density_takes_all_rows(sample, selector):
    X, y, _ = sample
    found, whole = (selector(per="class", most_scored=m).select(X, y) for m in (MOST, None))
    np.testing.assert_array_equal(found.bandwidth, whole.bandwidth)
    assert found.scored_rows is None


@pytest.mark.parametrize("selector", [each for each in ALL if each is not TrainingError])
def test_classes_that_alternate_are_scored_in_proportion(selector):
    rng = np.random.default_rng(4)
    y = (
        np.arange(1000) % 2
    )  # ten rows for each scored one, so that equal steps would meet one class
    X = rng.normal(size=(1000, 4)) * np.where(y, 3.0, 1.0)[:, None]
    part, whole = (selector(GRID, most_scored=m).select(X, y) for m in (MOST, None))
    at_choice = whole.scores[GRID.index(part.bandwidth)]
    assert abs(part.score - at_choice) < 4 * part.standard_error


def test_rows_that_alternate_leave_the_standard_error_that_of_a_mean():
    scales = np.tile([1.0, 3.0], 10_000)
    losses = np.random.default_rng(5).normal(size=20_000) + 10 * scales
    errors = [
        Thinning(2000).standard_error(lambda group, x=x: x[group.places(len(x))].mean())
        for x in (losses, np.sort(losses))
    ]
    np.testing.assert_allclose(errors, losses.std() / np.sqrt(2000), rtol=0.5)


def test_every_scored_row_is_in_one_group():
    groups = [Thinning(MOST, group=k).places(N) for k in range(20)]
    np.testing.assert_array_equal(np.sort(np.concatenate(groups)), Thinning(MOST).places(N))
    assert {len(group) for group in groups} == {MOST // 20}


def test_the_rows_are_spread_and_distinct():
    for n in (21, 30, 200, 4801):
        places = Thinning(20).places(n)
        ends = np.arange(21) * n // 20
        assert np.all((ends[:-1] <= places) & (places < ends[1:]))
    np.testing.assert_array_equal(Thinning(20).places(15), np.arange(15))


@pytest.mark.parametrize("selector", [LeaveOneOutError, HoldoutError, KFoldError])
def test_a_rare_class_has_its_own_bandwidth_decided_by_all_rows(sample, selector):
    X = sample[0]
    y = (np.arange(N) % 70 == 3).astype(int)
    found, whole = (selector(per="class", most_scored=m).select(X, y) for m in (MOST, None))
    np.testing.assert_array_equal(found.bandwidth, whole.bandwidth)
    assert found.scored_rows is None
    assert selector(GRID, most_scored=MOST).select(X, y).scored_rows == MOST


def test_the_training_error_takes_all_rows_unless_told_otherwise(sample):
    X, y, _ = sample
    assert TrainingError().most_scored is None
    assert TrainingError(GRID, most_scored=MOST).select(X, y).scored_rows == MOST


@pytest.mark.parametrize("selector", [LeaveOneOutError, KFoldError])
def test_one_bandwidth_per_class_by_errors_takes_a_part(sample, selector):
    X, y, _ = sample
    found = selector(grid=GRID, per="class", most_scored=MOST).select(X, y)
    assert found.scored_rows == MOST
    assert found.standard_error is None


def test_a_transform_of_the_sample_sees_all_rows(sample):
    x = sample[0][:, :1]
    found, whole = (LSCV(most_scored=m).select(x) for m in (MOST, None))
    np.testing.assert_array_equal(found.scores, whole.scores)
    assert found.scored_rows is None


@pytest.mark.slow
@pytest.mark.parametrize("selector", [each for each in ALL if each is not TrainingError])
def test_four_thousand_rows_decide_as_thirty_thousand_do(selector):
    rng = np.random.default_rng(0)
    grid = 0.35 * 2.0 ** (np.arange(16) / 8)
    y = rng.integers(0, 2, 30_000)
    X = rng.normal(size=(30_000, 4)) * (1 + 0.5 * y[:, None] * [0, 1, 0, 0]) + 1.2 * y[:, None]
    part, whole = (selector(grid).select(X, y), selector(grid, most_scored=None).select(X, y))
    assert part.scored_rows == 4000
    place = int(np.argmin(np.abs(whole.grid - part.bandwidth)))
    near = abs(np.log2(part.bandwidth / whole.bandwidth)) < 1.01 / 8
    assert near or whole.scores[place] - whole.score <= part.standard_error
    assert abs(part.score - whole.scores[place]) <= 3 * part.standard_error + 1e-12


@pytest.mark.parametrize(
    "estimator",
    [
        KernelDensity(bandwidth=CrossValidation(most_scored=MOST)),
        KernelDensity(bandwidth=CrossValidation(most_scored=MOST), metric="class"),
        KernelDensity(bandwidth=KFoldLikelihood(most_scored=MOST), bounds={0: (-9, None)}),
        KernelDensity(bandwidth=Likelihood(per="feature", most_scored=MOST)),
        ParzenClassifier(bandwidth=CrossValidation(most_scored=MOST)),
        ParzenClassifier(bandwidth=HoldoutError(per="feature", most_scored=MOST)),
        ParzenClassifier(bandwidth=KFoldError(most_scored=MOST), metric="class"),
        ParzenClassifier(kernel=ColumnProduct(), bandwidth=LeaveOneOutError(most_scored=MOST)),
        LaplacianClassifier(bandwidth=CrossValidation(most_scored=MOST)),
    ],
    ids=repr,
)
def test_estimators_tell_how_many_rows_were_scored(sample, estimator):
    X, y, _ = sample
    selection = estimator.fit(X, y).selection_
    assert selection.scored_rows == MOST
    assert 0 < selection.standard_error < 1


@pytest.mark.parametrize(
    "estimator",
    [
        KernelDensity(bandwidth=Likelihood(most_scored=MOST), bounds={0: (-9, None)}),
        KernelDensity(bandwidth=LSCV(most_scored=MOST), bounds={0: (-9, None)}),
        ParzenClassifier(bandwidth=LeaveOneOutError(most_scored=MOST), metric="class"),
        KernelNaiveBayes(bandwidth=CrossValidation(most_scored=MOST)),
    ],
    ids=repr,
)
def test_choices_that_take_all_rows_say_so(sample, estimator):
    X, y, _ = sample
    assert getattr(estimator.fit(X, y).selection_, "scored_rows", None) is None


@pytest.mark.parametrize("selector", [LeaveOneOutError, Likelihood])
def test_a_stream_of_many_rows_is_judged_by_the_rows_that_a_fit_scores(sample, selector):
    X, y, _ = sample
    clf = ParzenClassifier(bandwidth=selector(grid=np.geomspace(0.1, 2, 16), most_scored=MOST))
    plain = ParzenClassifier(bandwidth=clf.bandwidth).fit(X[50:650], y[50:650])
    clf.set_params(window=600, rechoose=50)
    for start in range(0, 650, 50):
        clf.partial_fit(X[start : start + 50], y[start : start + 50], classes=[0, 1])
    np.testing.assert_array_equal(clf.selection_.scores, plain.selection_.scores)
    assert clf.selection_.scored_rows == MOST
    assert clf.selection_.standard_error == plain.selection_.standard_error


@pytest.mark.parametrize("selector", ALL)
def test_the_number_of_scored_rows_is_checked(selector):
    with pytest.raises(ValueError, match="most_scored"):
        selector(most_scored=5)
