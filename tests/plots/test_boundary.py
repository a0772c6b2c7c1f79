"""The picture of a decision says what the classifier says."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from parzen import BMachineClassifier, L2Classifier, ParzenClassifier
from parzen.plots import BoundaryDisplay, BoundaryPairsDisplay


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.2, random_state=0)


def test_the_regions_are_the_predictions(moons):
    X, y = moons
    clf = L2Classifier(bandwidth=0.3).fit(X, np.where(y == 1, "b", "a"))
    display = BoundaryDisplay.from_estimator(clf, X, np.where(y == 1, "b", "a"), resolution=25)
    for i in (0, 7, 24):
        for j in (3, 20):
            label = clf.predict([[display.x0[j], display.x1[i]]])[0]
            assert display.labels[display.regions[i, j]] == label


def test_the_line_separates_the_signs_of_the_scores(moons):
    X, y = moons
    clf = ParzenClassifier(bandwidth=0.3).fit(X, y)
    display = BoundaryDisplay.from_estimator(clf, X, y, resolution=80)
    vertices = np.concatenate([path.vertices for path in display.boundary_.get_paths()])
    scores = clf.decision_function(vertices)
    assert np.abs(scores).max() < 0.1 * np.abs(display.scores).max()


@pytest.mark.parametrize(
    "classifier",
    [L2Classifier(bandwidth=0.3), SVC(), BMachineClassifier(bandwidth=1.0, margin=0.5)],
    ids=["L2", "SVC", "B-machine"],
)
def test_every_kernel_is_circled_where_it_is(classifier, moons):
    X, y = moons
    clf = clone(classifier).fit(X, y)
    display = BoundaryDisplay.from_estimator(clf, X, y, resolution=20)
    circles = display.kernels_.get_offsets()
    assert len(circles) == len(clf.support_)
    assert {tuple(p) for p in np.asarray(circles)} == {tuple(p) for p in X[clf.support_]}


def test_a_heavier_kernel_has_a_larger_circle(moons):
    clf = L2Classifier(bandwidth=0.3).fit(*moons)
    display = BoundaryDisplay.from_estimator(clf, *moons, resolution=20)
    sizes = display.kernels_.get_sizes()
    assert np.argmax(sizes) == np.argmax(clf.weights_)
    assert display.kernels.weights.sum() == pytest.approx(1.0)


def test_kernels_of_a_pipeline_are_drawn_among_the_data(moons):
    X, y = moons
    X = 100 * X + 7
    model = make_pipeline(StandardScaler(), L2Classifier(bandwidth=0.3)).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, resolution=20)
    np.testing.assert_allclose(display.kernels.points, X[model[-1].support_])


def test_an_estimator_without_kernels_is_drawn_without_circles(moons):
    display = BoundaryDisplay.from_estimator(LogisticRegression().fit(*moons), *moons)
    assert display.kernels_ is None


def test_rejected_regions_get_a_colour_of_their_own(moons):
    X, y = moons
    clf = ParzenClassifier(bandwidth=0.2, reject=0.2, novelty=0.05).fit(X, y)
    display = BoundaryDisplay.from_estimator(clf, X, y, resolution=60)
    assert display.labels.tolist() == [0, 1, -2, -1]
    assert set(np.unique(display.regions)) == {0, 1, 2, 3}


def test_a_slice_goes_through_the_point_asked_for():
    X, y = load_iris(return_X_y=True)
    clf = ParzenClassifier(bandwidth=0.4).fit(X, y)
    at = np.array([5.0, 3.0, 4.0, 1.2])
    display = BoundaryDisplay.from_estimator(clf, X, y, features=(2, 3), at=at, resolution=15)
    query = at.copy()
    query[2], query[3] = display.x0[4], display.x1[9]
    assert display.labels[display.regions[9, 4]] == clf.predict([query])[0]
    assert display.names == ("x2", "x3")


@pytest.mark.slow
def test_pairs_draw_each_pair_once_and_hide_what_is_left():
    X, y = load_iris(return_X_y=True)
    clf = ParzenClassifier(bandwidth=0.4).fit(X, y)
    pairs = BoundaryPairsDisplay.from_estimator(clf, X, y, features=[0, 1, 2, 3], resolution=10)
    assert len(pairs.displays) == 6
    assert all(ax.axison for ax in pairs.axes_.flat)
    two = BoundaryPairsDisplay.from_estimator(clf, X, y, features=[0, 3], resolution=10)
    assert two.displays[0, 3].ax_ is two.axes_[0, 0]


def test_it_draws_where_it_is_told(moons):
    _, ax = plt.subplots()
    display = BoundaryDisplay.from_estimator(SVC().fit(*moons), *moons, ax=ax, resolution=10)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure


@pytest.mark.parametrize("features", [(0, 0), (0, 2), (-1, 0)])
def test_wrong_features_are_named(features, moons):
    with pytest.raises(ValueError, match="two different columns"):
        BoundaryDisplay.from_estimator(SVC().fit(*moons), *moons, features=features)
