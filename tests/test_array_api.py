"""Arrays of other libraries, where scikit-learn's ``array_api_dispatch`` is on.

SciPy reads SCIPY_ARRAY_API when it is imported, so each library has a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

SCRIPT = """
import sys
import numpy as np
import {library} as xp
from sklearn import config_context
from parzen import (
    KernelDensity, KernelNaiveBayes, L2Classifier, L2LinearClassifier, LaplacianClassifier,
    LSSVMClassifier, ParzenClassifier, kernel_sums,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = (X[:, 0] > 0).astype(np.int64)
w = rng.integers(1, 3, 60).astype(np.float64)
other = [xp.asarray(a.copy()) for a in (X, y, w)]
kind = type(other[0])

for model in [
    ParzenClassifier(reject=0.2), LaplacianClassifier(), L2Classifier(bandwidth=0.7),
    L2LinearClassifier(bandwidth=0.7), LSSVMClassifier(bandwidth=1.0), KernelNaiveBayes(),
]:
    model.fit(X, y, w)
    methods = ["predict", "decision_function", "predict_proba", "predict_log_proba"]
    methods = [m for m in methods if hasattr(model, m)]
    wanted = [getattr(model, m)(X) for m in methods]
    with config_context(array_api_dispatch=True):
        model.fit(*other)
        found = [getattr(model, m)(other[0]) for m in methods]
        assert model.score(other[0], other[1]) > 0.6, model
        of_numpy = model.predict(X)
    assert type(of_numpy) is np.ndarray
    for method, answer, dense in zip(methods, found, wanted):
        assert type(answer) is kind, (model, method, type(answer))
        np.testing.assert_allclose(np.asarray(answer), dense, rtol=1e-12, err_msg=method)

names = np.where(y > 0, "right", "left")  # no array library but NumPy has text
with config_context(array_api_dispatch=True):
    found = ParzenClassifier().fit(other[0], names).predict(other[0])
    assert type(found) is np.ndarray and set(found) <= {{"left", "right"}}
    density = KernelDensity(bandwidth=0.5).fit(other[0])
    assert type(density.score_samples(other[0])) is kind
    sums = kernel_sums(other[0], other[0], bandwidths=1.0)
    assert type(sums) is kind
    single = xp.asarray(X.astype(np.float32))
    assert ParzenClassifier(bandwidth=0.5).fit(single, other[1]).predict(single).shape == (60,)
np.testing.assert_allclose(np.asarray(sums), kernel_sums(X, X, bandwidths=1.0))
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("library", ["torch", "array_api_strict"])
def test_answers_are_in_the_library_of_the_rows(library):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(library=library)],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == "done", run.stderr
