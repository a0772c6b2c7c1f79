"""Rows drawn from the densities of the classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, norm

from parzen import KernelNaiveBayes, L2Classifier, LaplacianClassifier, ParzenClassifier


@pytest.fixture
def two():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(9, 2, (20, 2))])
    return X, np.repeat(["left", "right"], [40, 20])


@pytest.mark.parametrize(
    "bandwidth",
    [0.5, [0.5, 2.0], [[0.5, 3.0]], [[0.5, 3.0], [2.0, 0.1]]],
    ids=["one", "per class", "per feature", "both"],
)
def test_draws_follow_the_density_of_the_class(two, bandwidth):
    X, y = two
    clf = ParzenClassifier(bandwidth=bandwidth).fit(X, y, np.r_[np.ones(40), np.full(20, 3.0)])
    for c, label in enumerate(clf.classes_):
        Z, labels = clf.sample(4000, y=label, random_state=1)
        assert set(labels) == {label}
        h = np.broadcast_to(np.asarray(bandwidth, float), (2,)) if np.ndim(bandwidth) < 2 else None
        per_column = np.full(2, h[c]) if h is not None else np.atleast_2d(bandwidth)[-1 if c else 0]
        for j in range(2):
            own = X[y == label, j]
            cdf = lambda z, own=own, s=per_column[j]: norm.cdf(  # noqa: E731
                (z[:, None] - own) / s
            ).mean(axis=1)
            assert kstest(Z[:, j], cdf).pvalue > 1e-3


def test_labels_come_by_the_priors_or_as_they_are_asked_for(two):
    clf = ParzenClassifier(priors=[0.2, 0.8]).fit(*two)
    _, labels = clf.sample(5000, random_state=0)
    assert abs((labels == "right").mean() - 0.8) < 0.03
    Z, labels = clf.sample(3, y=["right", "left", "right"], random_state=0)
    assert labels.tolist() == ["right", "left", "right"]
    assert clf.predict(Z).tolist() == labels.tolist()
    np.testing.assert_array_equal(Z, clf.sample(3, y=labels, random_state=0)[0])


@pytest.mark.parametrize(
    "clf", [L2Classifier(bandwidth=0.7), ParzenClassifier(metric="class"),
            ParzenClassifier(metric="learned"), ParzenClassifier(adaptive=True)], ids=repr,
)  # fmt: skip
def test_every_density_can_be_drawn_from(two, clf):
    Z, labels = clf.fit(*two).sample(300, random_state=0)
    assert clf.score(Z, labels) > 0.95
    centre = Z[labels == "right"].mean(axis=0)
    np.testing.assert_allclose(centre, two[0][40:].mean(axis=0), atol=1.0)


def test_what_cannot_be_drawn_says_why(two):
    with pytest.raises(ValueError, match="no class densities"):
        KernelNaiveBayes().fit(*two).sample()
    clf = ParzenClassifier().fit(*two)
    with pytest.raises(ValueError, match="y='up' is not in classes_"):
        clf.sample(2, y="up")
    with pytest.raises(ValueError, match="no class densities"):
        LaplacianClassifier().fit(*two).sample()
