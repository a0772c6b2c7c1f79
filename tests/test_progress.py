"""Who listens hears how far a computation is; who does not listen changes nothing."""

import asyncio
import threading

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from parzen import ParzenClassifier, kernel_sums
from parzen._core.progress import listening, portion, steps, tell
from parzen.compare import METHODS, estimators
from parzen.compare.search import GridSearch


def heard(work):
    shares = []
    with listening(shares.append):
        work()
    return shares


def test_turns_of_a_loop_have_the_shares_of_their_sizes():
    assert heard(lambda: list(steps("abc", [1.0, 1.0, 2.0]))) == [0.25, 0.5, 1.0]


def test_loops_within_loops_divide_their_turn():
    def work():
        for _ in steps(range(2)):
            for _ in steps(range(2)):
                tell(0.5)

    assert heard(work) == [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0]


def test_stages_have_their_portions_and_shares_never_fall():
    def work():
        with portion(0, 0.5):
            tell(0.8)
            tell(0.2)
        with portion(0.5):
            tell(0.5)

    assert heard(work) == [0.4, 0.5, 0.75, 1.0]


def test_an_error_inside_leaves_the_part_it_was_in():
    def loop():
        for _ in steps(range(4)):
            raise LookupError

    def stage():
        with portion(0, 0.1):
            raise LookupError

    def work():
        for part in (loop, stage):
            with pytest.raises(LookupError):
                part()
        tell(0.6)

    assert heard(work) == [0.6]


def test_nobody_hears_what_is_told_outside_or_on_other_threads():
    def work():
        thread = threading.Thread(target=lambda: tell(0.5))
        thread.start()
        thread.join()

    assert heard(work) == []
    tell(0.5)
    assert list(steps("ab")) == ["a", "b"]


def test_a_listener_belongs_to_its_thread_also_where_another_one_takes_over_its_context():
    assert heard(lambda: asyncio.run(asyncio.to_thread(tell, 0.5))) == []


@pytest.fixture(scope="module")
def pairs():
    return np.random.default_rng(0).normal(size=(16000, 40))  # long enough to tell of


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dense", "tree"])
def test_a_long_pass_tells_how_far_it_is_and_gives_the_same_bits(pairs, method):
    X = pairs if method == "dense" else pairs[:, :6]
    options = {"bandwidths": 2.0, "log": True, "method": method, "n_jobs": 1}
    found = []
    shares = heard(lambda: found.append(kernel_sums(X, X, **options)))
    assert len(shares) >= 2
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1
    np.testing.assert_array_equal(found[0], kernel_sums(X, X, **options))


def test_what_a_listener_raises_ends_a_pass(pairs):
    def weary(share):
        raise InterruptedError("enough")

    with listening(weary), pytest.raises(InterruptedError, match="enough"):
        kernel_sums(pairs, pairs, bandwidths=[1.0, 2.0, 3.0], log=True, n_jobs=2)
    assert kernel_sums(pairs[:5], pairs, bandwidths=1.0).shape == (5, 1, 1)


@pytest.mark.parametrize("name", METHODS)
def test_the_fit_of_every_method_tells_of_many_steps(name):
    X, y = make_moons(120, noise=0.3, random_state=0)
    classifier = estimators([name])[name]
    shares = heard(lambda: classifier.fit(X, y))
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0
    few = name == "parzen"  # one pass for the whole grid
    assert len(shares) >= (1 if few else 5)


def test_a_model_is_the_same_whether_or_not_somebody_listens():
    X, y = make_moons(200, noise=0.3, random_state=0)
    silent, told = (ParzenClassifier() for _ in range(2))
    silent.fit(X, y)
    heard(lambda: told.fit(X, y))
    np.testing.assert_array_equal(silent.predict_proba(X), told.predict_proba(X))


def test_the_telling_grid_search_finds_what_scikit_learn_finds():
    X, y = make_moons(100, noise=0.3, random_state=0)
    grid = {"n_neighbors": [1, 3, 9], "weights": ["uniform", "distance"]}
    ours, theirs = (s(KNeighborsClassifier(), grid).fit(X, y) for s in (GridSearch, GridSearchCV))
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_array_equal(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )
    shares = heard(lambda: GridSearch(KNeighborsClassifier(), grid).fit(X, y))
    assert len(shares) == 6


def test_a_loop_that_was_left_tells_nobody_when_it_is_closed_later():
    shares = []
    with listening(shares.append):
        loop = steps([1, 2])
        next(loop)
    loop.close()
    tell(0.7)
    assert shares == []
