"""scikit-learn's callbacks hear of every long fit, and may stop it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import parzen
from parzen import (
    ConformalClassifier,
    KernelDensity,
    KernelNaiveBayes,
    L2Classifier,
    L2KernelDensity,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    StackedDensityClassifier,
)

callback = pytest.importorskip("sklearn.callback")


class Recorder:
    """Keeps what it is told; asks to stop after some parts."""

    def __init__(self, stop_after=None):
        self.stop_after, self.events, self.parts, self.fitted = stop_after, [], 0, None

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context):
        if context.parent is None:
            self.events.append("begin")

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        if context.parent is None:
            self.events.append("end")
            self.fitted = fitted_estimator.predict(X) if y is not None else None
            return False
        self.parts += 1
        return self.stop_after is not None and self.parts >= self.stop_after

    def teardown(self, estimator, context):
        self.events.append("teardown")


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    return X, (X[:, 0] > 0).astype(int)


EVERY = [
    ParzenClassifier(), KernelNaiveBayes(bandwidth="cv"), L2Classifier(),
    LaplacianClassifier(bandwidth="cv"), LSSVMClassifier(), StackedDensityClassifier("fast"),
    KernelDensity("lscv"), L2KernelDensity("cv"), ConformalClassifier(ParzenClassifier()),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", EVERY, ids=lambda m: type(m).__name__)
def test_every_estimator_tells_of_all_its_parts_once(model, sample):
    X, y = sample
    told = Recorder()
    plain = model.fit(X, y)
    before = plain.predict(X) if hasattr(plain, "predict") else plain.score_samples(X)
    model.set_callbacks(told)
    if hasattr(model, "predict"):
        model.fit(X, y)
        np.testing.assert_array_equal(told.fitted, before)
    else:
        np.testing.assert_array_equal(model.fit(X).score_samples(X), before)
    assert told.events == ["setup", "begin", "end", "teardown"]
    assert told.parts == 100
    model.set_callbacks()


def test_parts_are_told_while_the_fit_goes_on(sample):
    class Clock(Recorder):
        def on_fit_task_end(self, estimator, context):
            if context.parent is not None and not hasattr(estimator, "decision_"):
                self.parts += 1

    told = Clock()
    LSSVMClassifier().set_callbacks(told).fit(*sample)
    assert told.parts > 50


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "model",
    [
        L2Classifier(),
        LSSVMClassifier(),
        KernelDensity("lscv"),
        ConformalClassifier(ParzenClassifier()),
    ],
    ids=repr,
)
def test_a_stopped_fit_is_an_error_that_says_so_and_leaves_nothing_half_done(model, sample):
    X, y = sample
    model.fit(X, y)
    told = Recorder(stop_after=10)
    with pytest.raises(RuntimeError, match=r"a callback stopped the fit .* after 10 %"):
        model.set_callbacks(told).fit(X, y)
    assert told.events == ["setup", "begin", "teardown"]
    with pytest.raises(NotFittedError):
        model.score_samples(X) if isinstance(model, KernelDensity) else model.predict(X)
    model.set_callbacks().fit(X, y)  # and may be fitted again


def test_a_search_hands_its_callbacks_down(sample):
    class Propagated(Recorder):
        max_propagation_depth = None
        names = ()

        def on_fit_task_end(self, estimator, context):
            self.names = (*self.names, context.estimator_name)

    told = Propagated()
    search = GridSearchCV(ParzenClassifier(), {"kernel": ["gaussian", "cauchy"]}, cv=2)
    search.set_callbacks(told).fit(*sample)
    assert {"GridSearchCV", "ParzenClassifier"} <= set(told.names)
    assert not hasattr(search.best_estimator_, "_skl_callbacks")


def test_the_progress_bar_shows_and_the_model_can_be_saved(sample, tmp_path, capsys):
    pytest.importorskip("rich")
    model = LSSVMClassifier().set_callbacks(callback.ProgressBar()).fit(*sample)
    assert "LSSVMClassifier" in capsys.readouterr().out
    parzen.save(model, tmp_path / "m.parzen")
    again = parzen.load(tmp_path / "m.parzen")
    assert not hasattr(again, "_skl_callbacks")
    np.testing.assert_array_equal(again.predict(sample[0]), model.predict(sample[0]))
