"""Estimators on small samples of every odd kind: the laws hold, or a sentence says why not.

Weights are copies, the order of rows does not matter, one row is answered as in a batch, threads,
pickles and files change no bit, labels are the likeliest classes, and every number is finite.
"""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

import parzen
from parzen import bandwidth, feature_space

SELECTORS = [name for name in bandwidth.selector_names() if name not in ("kfold", "cv", "holdout")]
# Folds are cut by rows, so that copies may fall into other folds than their weight.
FOLDS = ["kfold", "cv", "holdout"]
KERNELS = ["gaussian", "epanechnikov", "uniform", "radial_laplacian", "laplacian", "cauchy"]
DIGITS = 1e-9  # Allowed difference of probabilities and of log-densities, relative to 1 + |value|.
SINGLE_DIGITS = 1e-4  # The same for float32.
# Sentences about the machinery instead of about what was given.
WRONG_SENTENCES = (
    "Y has no points", "Singular matrix", "contain NaN or infinity", "contains NaN",
    "contains infinity", "weights has", "not aligned", "could not be broadcast", "zero-size",
    "cannot convert", "out of bounds", "must not contain infs",
)  # fmt: skip


class Given(NamedTuple):
    """A sample as `fit` takes it."""

    X: Any
    y: Any
    weights: Any  # None, or frequencies


class Fitted(NamedTuple):
    """An estimator, the sample it was fitted to, and what it answers."""

    estimator: Any
    given: Given
    model: Any
    X: Any  # queries
    answers: dict[str, Any]

    def check(self, others: dict[str, Any], law: str) -> None:
        agree(self.answers, others, self.digits, law)

    @property
    def digits(self) -> float:
        return DIGITS if self.given.X.dtype == np.float64 else SINGLE_DIGITS

    @property
    def sees_order(self) -> bool:
        """Whether folds, which are cut in the order of the rows, are part of the estimator."""
        chosen = str(self.estimator.get_params().get("bandwidth"))
        return chosen in FOLDS or isinstance(self.estimator, ROW_ORDER)


def run(rng: np.random.Generator) -> None:
    estimator = estimator_of(rng)
    given = sample(rng)
    described = f"{estimator!r}\n{given!r}"
    try:
        model = fitted(estimator, given)
        if model is None:
            return
        queries = queries_of(rng, given)
        answers = answers_of(model, queries)
        check_answers(model, queries, answers)
        case = Fitted(estimator, given, model, queries, answers)
        laws = [one_row, threads, pickled, filed, permuted, copied, constant_column]
        for law in rng.choice(np.array(laws), size=3, replace=False):
            law(rng, case)
    except Exception as error:
        error.add_note(described)
        raise


def fitted(estimator: Any, given: Given) -> Any:
    """The fitted estimator; None where it refuses the sample with a sentence."""
    try:
        return clone(estimator).fit(given.X, given.y, **weight_of(estimator, given))
    except ValueError as error:
        if any(text in str(error) for text in WRONG_SENTENCES):
            raise AssertionError(f"wrong sentence: {error}") from error
        return None


def weight_of(estimator: Any, given: Given) -> dict[str, Any]:
    takes = has_fit_parameter(estimator, "sample_weight") and given.weights is not None
    return {"sample_weight": given.weights} if takes else {}


METHODS = ("predict_proba", "decision_function", "score_samples", "transform", "predict")


def answers_of(model: Any, X: Any) -> dict[str, Any]:
    with np.errstate(all="ignore"):
        return {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}


def check_answers(model: Any, queries: Any, answers: dict[str, Any]) -> None:
    for name, values in answers.items():
        assert len(values) == len(queries)
        if values.dtype.kind == "f":
            assert not np.isnan(values).any(), f"{name} is NaN"
        if name in ("predict_proba", "transform"):
            assert np.isfinite(values).all(), f"{name} is not finite"
    if "predict_proba" in answers:
        proba = answers["predict_proba"]
        assert (np.abs(proba.sum(axis=1) - 1) <= 1e-6).all(), "probabilities do not sum to 1"
        best = model.classes_[proba.argmax(axis=1)]
        clear = np.ptp(np.sort(proba, axis=1)[:, -2:], axis=1) > 1e-6
        assert (answers["predict"] == best)[clear].all(), "a label is not the likeliest class"


def agree(answers: dict[str, Any], others: dict[str, Any], digits: float, law: str) -> None:
    """Labels may be ties, and the axes of an embedding may turn: neither is compared.

    The digits of a probability are those of the logarithms that it is the difference of.
    """
    logs = answers.get("score_samples", np.zeros(1))
    size = 1 + np.abs(np.where(np.isfinite(logs), logs, 0.0))
    for name, values in answers.items():
        other = others[name]
        if name in ("predict", "transform"):
            continue
        both = np.isfinite(values)
        assert (both == np.isfinite(other)).all(), f"{law}: {name} is infinite in one place only"
        units = (1 + np.abs(values)) * size.reshape(-1, *(1,) * (values.ndim - 1))
        off = (np.abs(values - other) / units)[both]
        assert (off <= digits).all(), f"{law}: {name} is off by {off.max():.3g}"


def one_row(rng: np.random.Generator, case: Fitted) -> None:
    i = int(rng.integers(len(case.X)))
    alone = answers_of(case.model, case.X[i : i + 1])
    agree({k: v[i : i + 1] for k, v in case.answers.items()}, alone, case.digits, "one row")


def same_bits(answers: dict[str, Any], others: dict[str, Any], law: str) -> None:
    for name, values in answers.items():
        assert np.array_equal(values, others[name]), f"{law}: {name} has other bits"


def threads(rng: np.random.Generator, case: Fitted) -> None:
    if "n_jobs" in case.estimator.get_params():
        other = fitted(clone(case.estimator).set_params(n_jobs=2), case.given)
        same_bits(case.answers, answers_of(other, case.X), "two threads")


def pickled(rng: np.random.Generator, case: Fitted) -> None:
    again = pickle.loads(pickle.dumps(case.model))
    same_bits(case.answers, answers_of(again, case.X), "pickle")


def filed(rng: np.random.Generator, case: Fitted) -> None:
    with tempfile.TemporaryDirectory() as folder:
        parzen.save(case.model, Path(folder) / "model.parzen")
        again = parzen.load(Path(folder) / "model.parzen")
    same_bits(case.answers, answers_of(again, case.X), "file")


def permuted(rng: np.random.Generator, case: Fitted) -> None:
    if case.sees_order:
        return
    X, y, w = case.given
    order = rng.permutation(len(X))
    other = fitted(case.estimator, Given(X[order], y[order], None if w is None else w[order]))
    case.check(answers_of(other, case.X), "permutation")


def copied(rng: np.random.Generator, case: Fitted) -> None:
    X, y, w = case.given
    if case.sees_order or not weight_of(case.estimator, case.given):
        return
    if (w != np.round(w)).any() or w.max() > 5:
        return
    rows = np.repeat(np.arange(len(X)), w.astype(int))
    if len(np.unique(y[rows])) == len(np.unique(y)):
        other = fitted(case.estimator, Given(X[rows], y[rows], None))
        case.check(answers_of(other, case.X), "copies")


def constant_column(rng: np.random.Generator, case: Fitted) -> None:
    """No bandwidth of naive Bayes depends on the number of columns."""
    if not isinstance(case.estimator, parzen.KernelNaiveBayes):
        return
    X, y, w = case.given
    value = rng.choice([0.0, 1.0, 1e6])
    wide = np.column_stack([X, np.full(len(X), value)]).astype(X.dtype)
    queries = np.column_stack([case.X, value + rng.normal(size=len(case.X))]).astype(X.dtype)
    other = answers_of(fitted(case.estimator, Given(wide, y, w)), queries)
    mine = case.answers["predict_proba"]
    agree({"predict_proba": mine}, other, case.digits, "constant column")


# Folds or a fixed order of rows are part of these estimators.
ROW_ORDER: Any = (parzen.StackedDensityClassifier, parzen.ConformalClassifier)


def estimator_of(rng: np.random.Generator) -> Any:
    kinds = [parzen_classifier, naive_bayes, laplacian, l2, l2_density, density, least_squares,
             least_squares, stack, embedding]  # fmt: skip
    estimator = kinds[rng.integers(len(kinds))](rng)
    drawn = "random_state" in estimator.get_params()
    return estimator.set_params(random_state=0) if drawn else estimator


def any_bandwidth(rng: np.random.Generator, *names: str) -> Any:
    allowed = [*names, *SELECTORS, 0.7, 0.7]
    return allowed[rng.integers(len(allowed))]


def kernel_of(rng: np.random.Generator) -> str:
    return str(rng.choice(KERNELS)) if rng.random() < 0.6 else "gaussian"


def parzen_classifier(rng: np.random.Generator) -> Any:
    metric = rng.choice(np.array([None, None, "class", "learned"]))
    kernel = kernel_of(rng) if metric is None else "gaussian"
    h = any_bandwidth(rng, "cv", "kfold")
    if metric == "learned":
        return parzen.ParzenClassifier(metric="learned")
    return parzen.ParzenClassifier(kernel=kernel, bandwidth=h, metric=metric)


def naive_bayes(rng: np.random.Generator) -> Any:
    h = any_bandwidth(rng, "cv")
    return parzen.KernelNaiveBayes(kernel=kernel_of(rng), bandwidth=h)


def laplacian(rng: np.random.Generator) -> Any:
    keep = rng.choice(np.array([None, None, 0.5, 3], dtype=object))
    return parzen.LaplacianClassifier(
        kernel=kernel_of(rng), bandwidth=any_bandwidth(rng, "cv"), keep=keep
    )


def l2(rng: np.random.Generator) -> Any:
    if rng.random() < 0.3:
        return parzen.L2LinearClassifier(bandwidth=any_bandwidth(rng, "cv"))
    h = any_bandwidth(rng, "cv")
    return parzen.L2Classifier(kernel=kernel_of(rng), bandwidth=h, tol=1e-13)


def l2_density(rng: np.random.Generator) -> Any:
    h = rng.choice(np.array([0.7, "silverman", "lscv", "cv"], dtype=object))
    return parzen.L2KernelDensity(bandwidth=h, kernel=kernel_of(rng), tol=1e-13)


def density(rng: np.random.Generator) -> Any:
    h = rng.choice(np.array([0.7, "silverman", "scott", "lscv", "likelihood"], dtype=object))
    return parzen.KernelDensity(bandwidth=h, kernel=kernel_of(rng))


def least_squares(rng: np.random.Generator) -> Any:
    kinds: list[Any] = [
        parzen.LSSVMClassifier, parzen.RLSClassifier, parzen.KernelMSEClassifier,
        parzen.KernelFisherClassifier, parzen.BMachineClassifier, parzen.KernelLassoClassifier,
    ]  # fmt: skip
    h = rng.choice(np.array([0.7, 0.7, "cv"], dtype=object))
    return kinds[rng.integers(len(kinds))](bandwidth=h)


def stack(rng: np.random.Generator) -> Any:
    return parzen.StackedDensityClassifier()


def embedding(rng: np.random.Generator) -> Any:
    kinds: list[Any] = [feature_space.EmpiricalKernelMap, feature_space.LaplacianEmbedding,
                        feature_space.KernelOptimizer]  # fmt: skip
    return kinds[rng.integers(len(kinds))]()


def sample(rng: np.random.Generator) -> Given:
    n, d = int(rng.choice([2, 3, 5, 12, 30])), int(rng.choice([1, 2, 2, 4]))
    classes = int(rng.choice([2, 2, 3]))
    y = rng.integers(0, classes, n)
    y[0], y[-1] = 0, 1
    X = rng.normal(size=(n, d)) + y[:, None]
    kind = rng.integers(8)
    if kind == 1:
        X = np.round(X)
    elif kind == 2:
        X[:, -1] = rng.choice([0.0, 0.1, 1e8])
    elif kind == 3:
        X += 1e8
    elif kind == 4:
        X[:] = X[0]
    elif kind == 5:
        y[:] = 0
        y[-1] = 1
    elif kind == 6:
        X[y == 0] = X[0]
    elif kind == 7:
        X *= 10.0 ** rng.uniform(-3, 3, d)
    X = X.astype(np.float32) if rng.random() < 0.2 and kind != 3 else X
    return Given(X, y, weights_of(rng, n))


def weights_of(rng: np.random.Generator, n: int) -> Any:
    kind = rng.integers(6)
    if kind == 0:
        return None
    if kind <= 2:
        return rng.integers(1, 4, n).astype(float)
    if kind == 3:
        return rng.integers(0, 3, n).astype(float)
    scale = 10.0 ** rng.choice([-300, -60, -5, 5, 60, 300], size=n if kind == 4 else 1)
    return rng.uniform(0.5, 2, n) * scale


def queries_of(rng: np.random.Generator, given: Given) -> Any:
    X = given.X[rng.integers(0, len(given.X), 7)].astype(np.float64)
    spread = np.maximum(np.ptp(given.X.astype(np.float64), axis=0), 0.1)
    X = X + rng.choice([0.0, 0.3, 3.0], size=(7, 1)) * rng.normal(size=X.shape) * spread
    return X.astype(given.X.dtype)
