"""Every estimator takes every form of a bandwidth: docs/guide/bandwidths.md as a test."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import parzen
from parzen import (
    BMachineClassifier,
    KernelDensity,
    KernelFisherClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    KernelNaiveBayes,
    L2Classifier,
    L2KernelDensity,
    L2LinearClassifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
)
from parzen.bandwidth import (
    LSCV,
    ConditionalLikelihood,
    CrossValidation,
    HoldoutError,
    KFoldError,
    LeaveOneOutError,
    Likelihood,
    Rule,
    get_selector,
    selector_names,
)

DENSITIES = (KernelDensity, L2KernelDensity)
SCORES = (
    BMachineClassifier,
    LSSVMClassifier,
    RLSClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    KernelFisherClassifier,
)
CLASSIFIERS = (
    ParzenClassifier,
    KernelNaiveBayes,
    LaplacianClassifier,
    L2Classifier,
    L2LinearClassifier,
    *SCORES,
)

NUMBERS = {
    "number": 0.7,
    "per class": [0.6, 0.8, 1.0],
    "per feature": [[0.6, 1.1]],
    "both, in proportion": [[0.3, 0.6], [0.4, 0.8], [0.5, 1.0]],
    "both": [[0.6, 1.1], [0.8, 0.7], [1.0, 0.9]],
}
NUMBERS_OF_A_DENSITY = {"number": 0.7, "per class": [0.7], "per feature": [[0.6, 1.1]]}
SELECTORS = {
    **{name: name for name in selector_names()},
    **{
        repr(selector): selector
        for selector in (
            Rule("scott", per="class"),
            Rule(per="feature"),
            Rule("sheather_jones", per="feature"),
            LSCV(per="class"),
            LSCV(per="feature"),
            Likelihood([0.3, 0.5, 0.8]),
            LeaveOneOutError(per="class"),
            ConditionalLikelihood(per="feature"),
            KFoldError([0.4, 0.8], folds=3),
            HoldoutError(test_size=0.4, random_state=1),
            CrossValidation([0.4, 0.8, 1.6], folds=3),
            CrossValidation(per="feature", folds=3),
            CrossValidation(per="class", folds=3),
        )
    },
}
PER_CLASS = [
    name
    for name, selector in SELECTORS.items()
    if getattr(selector, "per", None) == "class" and not isinstance(selector, CrossValidation)
]
OWN_PER_CLASS = repr(CrossValidation(per="class", folds=3))
OWN_PER_FEATURE = repr(CrossValidation(per="feature", folds=3))

# What cannot be, and the word that the refusal must hold.
REFUSED = {
    **{(each, OWN_PER_CLASS): "per='class' is not available" for each in CLASSIFIERS},
    (KernelNaiveBayes, OWN_PER_FEATURE): "per='feature' is not available",
    **{
        (L2LinearClassifier, name): "one bandwidth for all classes"
        for name in ("per class", "both, in proportion", "both", *PER_CLASS)
    },
}
del REFUSED[ParzenClassifier, OWN_PER_CLASS]
for _name in ("sheather_jones", "improved_sheather_jones"):
    for _make in {*CLASSIFIERS, *DENSITIES} - {KernelNaiveBayes}:
        REFUSED[_make, _name] = "a rule for one column"
for _make in {*CLASSIFIERS, *DENSITIES} - {KernelDensity, ParzenClassifier}:
    REFUSED[_make, "plug_in_matrix"] = "KernelDensity and ParzenClassifier|for 2 to 6 columns"
for _density in DENSITIES:
    for _name, _selector in SELECTORS.items():
        if get_selector(_selector).needs_labels:
            REFUSED[_density, _name] = "a density has no labels"


def sample():
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], [30, 25, 20])
    centres = np.repeat([[0.0, 0.0], [1.8, 1.0], [0.0, 2.5]], [30, 25, 20], axis=0)
    return rng.normal(size=(75, 2)) * [0.8, 1.2] + centres, y


def fitted(estimator):
    X, y = sample()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X) if isinstance(estimator, DENSITIES) else estimator.fit(X, y)


def rows(names, forms):
    return [(make, name, forms[name]) for make in names for name in forms]


ROWS = [
    *rows(CLASSIFIERS, NUMBERS | SELECTORS),
    *rows(DENSITIES, NUMBERS_OF_A_DENSITY | SELECTORS),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "name", "form"), ROWS, ids=[f"{make.__name__}-{name}" for make, name, _ in ROWS]
)
def test_every_estimator_takes_every_form_or_says_why_not(make, name, form):
    if (make, name) in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[make, name]):
            fitted(make(bandwidth=form))
        return
    model, (X, y) = fitted(make(bandwidth=form)), sample()
    assert np.isfinite(model.bandwidth_).all()
    if name in NUMBERS:
        given = np.asarray(form)
        if make is KernelNaiveBayes:
            given = np.broadcast_to(given[:, None] if given.ndim == 1 else given, (3, 2))
        assert np.shape(model.bandwidth_) == (given.shape if given.size > 1 else ())
        np.testing.assert_array_equal(model.bandwidth_, given.ravel() if given.size == 1 else given)
    if make in DENSITIES:
        assert np.isfinite(model.score_samples(X)).all()
    else:
        assert model.score(X, y) > 0.6


def test_only_what_is_no_kernel_estimate_itself_has_no_bandwidth_to_give():
    estimators = [
        each
        for each in (getattr(parzen, name) for name in parzen.__all__)
        if inspect.isclass(each) and hasattr(each, "fit")
    ]
    without = [e for e in estimators if "bandwidth" not in inspect.signature(e).parameters]
    assert {*without} == {
        parzen.ConformalClassifier,
        parzen.NormalScores,
        parzen.StackedDensityClassifier,
    }
    assert {*estimators} == {*CLASSIFIERS, *DENSITIES, *without}


@pytest.mark.parametrize("make", [ParzenClassifier, LaplacianClassifier, L2Classifier, *SCORES])
@pytest.mark.parametrize("selector", ["silverman", "lscv", "loo", LSCV(per="feature")], ids=repr)
def test_other_names_than_cv_are_those_of_the_plug_in_rule(make, selector):
    X, y = sample()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = get_selector(selector).select(X, y).bandwidth
    np.testing.assert_allclose(fitted(make(bandwidth=selector)).bandwidth_, expected, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("make", [*CLASSIFIERS, *DENSITIES])
def test_cv_is_cross_validation_with_its_defaults(make):
    by_name = fitted(make(bandwidth="cv")).bandwidth_
    by_value = fitted(make(bandwidth=CrossValidation())).bandwidth_
    np.testing.assert_array_equal(by_name, by_value)


@pytest.mark.parametrize("make", CLASSIFIERS)
@pytest.mark.parametrize("wrong", [[0.5, 0.7], np.ones((2, 2)), np.ones((1, 3)), [[[1.0]]]])
def test_a_wrong_shape_is_refused_with_the_right_ones(make, wrong):
    with pytest.raises(ValueError, match=r"bandwidth has shape .* give"):
        fitted(make(bandwidth=wrong))


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (ParzenClassifier, {"bandwidth": LeaveOneOutError([1e-3, 2e-3, 0.5])}),
        (KernelDensity, {"bandwidth": CrossValidation([1e-3, 2e-3, 0.5])}),
        (L2KernelDensity, {"bandwidth": CrossValidation([1e-3, 2e-3, 0.5])}),
        (LaplacianClassifier, {"bandwidth": CrossValidation([1e-3, 2e-3, 0.5])}),
        (L2Classifier, {"bandwidth": CrossValidation([1e-3, 2e-3, 0.5])}),
        (KernelNaiveBayes, {"bandwidth": CrossValidation([1e-3, 2e-3, 0.5])}),
        *((make, {"bandwidth": CrossValidation([1e-3, 2e-3, 0.5])}) for make in SCORES),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_warning_about_the_edge_of_a_grid_names_the_line_of_the_fit(make, options):
    X, y = sample()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(**options).fit(X, y)
    edges = [one for one in caught if "widen it" in str(one.message)]
    assert [one.filename for one in edges] == [__file__]
    assert "CrossValidation(grid=...)" in str(edges[0].message) or make not in SCORES


@pytest.mark.parametrize("make", [ParzenClassifier, LaplacianClassifier, L2Classifier, *SCORES])
def test_a_criterion_that_tells_no_bandwidths_apart_does_not_ask_for_more(make):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = rng.uniform(-1, 1, size=(40, 2)) + 100.0 * y[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = make(bandwidth=CrossValidation([5.0, 10.0, 20.0])).fit(X, y)
    # Ties go to the largest; in the plug-in rule first to the larger likelihood of the labels,
    # which is 1 - 1e-11 at the largest bandwidth and 1 at the others.
    assert model.bandwidth_ == (10.0 if make is ParzenClassifier else 20.0)
