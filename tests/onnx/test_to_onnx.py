"""Graphs in onnxruntime give the labels and probabilities of the models."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import parzen
from parzen import datasets, kernels
from parzen.table import TableEncoder

rt = pytest.importorskip("onnxruntime")
to_onnx = pytest.importorskip("parzen.onnx").to_onnx

SETS = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(n_class=4, return_X_y=True),
    "ringnorm": lambda: datasets.make_ringnorm(400, random_state=0),
    "waveform": lambda: datasets.make_waveform(400, random_state=0),
}
MODELS = {
    "parzen": parzen.ParzenClassifier(),
    "parzen, scale": parzen.ParzenClassifier(bandwidth=[[0.7] * 2]),
    "parzen, metric of the class": parzen.ParzenClassifier("cauchy", 0.8, metric="class"),
    "parzen, learned metric": parzen.ParzenClassifier("laplacian", metric="learned", novelty=0.1),
    "naive Bayes": parzen.KernelNaiveBayes(background=0.01),
    "l2": parzen.L2Classifier(bandwidth=1.0),
    "l2 linear": parzen.L2LinearClassifier(bandwidth=1.0, ridge=0.1),
    "laplacian": parzen.LaplacianClassifier(),
    "lssvm": parzen.LSSVMClassifier(bandwidth=1.0),
    "rls": parzen.RLSClassifier("laplacian", 3.0, coding="pairwise"),
    "bmachine": parzen.BMachineClassifier(bandwidth=1.0),
    "kmse": parzen.KernelMSEClassifier("polynomial"),
    "kfd": parzen.KernelFisherClassifier(bandwidth=2.0),
    "lasso": parzen.KernelLassoClassifier("inverse_quadratic", 1.0),
}


@cache
def sample(name):
    """Rows to fit, their labels, and rows to predict: other ones, and some far away."""
    X, y = SETS[name]()
    X = StandardScaler().fit_transform(X[:, X.std(axis=0) > 0])[:, :8]
    rows = np.random.default_rng(0).permutation(len(X))[:130]
    Q = np.concatenate([X[rows[50:]], X[rows[:20]] + np.linspace(1, 30, 20)[:, None]])
    return X[rows[:60]], y[rows[:60]], Q


def answers(model, Q, dtype):
    graph = to_onnx(model, dtype=dtype)
    session = rt.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, Q if isinstance(Q, dict) else {"X": Q.astype(dtype)})


def check(model, Q, dtype):
    Q = Q.astype(dtype).astype(np.float64)
    labels, values = answers(model, Q, dtype)
    np.testing.assert_array_equal(labels, model.predict(Q))
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(values, model.predict_proba(Q), atol=1e-5)
    else:
        wanted = model.decision_function(Q)
        wanted = np.stack([-wanted, wanted], axis=1) if wanted.ndim == 1 else wanted
        np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-6)
    assert values.dtype == dtype


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MODELS))
def test_labels_and_probabilities_are_those_of_the_model(name):
    for place, data in enumerate(SETS):
        X, y, Q = sample(data)
        if name == "parzen, scale":
            MODELS[name].set_params(bandwidth=np.linspace(0.5, 1.5, X.shape[1])[None])
        model = MODELS[name].fit(X, y)
        check(model, Q, "float64" if place % 2 else "float32")


@pytest.mark.parametrize(
    ("families", "name"),
    [
        (["lap", "dnb"], "iris"),
        (["covq", "whiteq", "an"], "wine"),
        pytest.param(["ls", "nb"], "digits", marks=pytest.mark.slow),
    ],
)
def test_the_stack_is_converted_member_by_member(families, name):
    X, y, Q = sample(name)
    check(parzen.StackedDensityClassifier(families).fit(X, y), Q, "float64")


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SETS))
def test_the_stack_of_the_defaults_is_converted(name):
    X, y, Q = sample(name)
    check(parzen.StackedDensityClassifier(novelty=0.05).fit(X, y), Q, "float32")


@pytest.mark.parametrize("kernel", kernels.density_names())
def test_every_density_kernel_is_converted_from_its_own_formula(kernel):
    X, y, Q = sample("iris")
    check(parzen.ParzenClassifier(kernel, bandwidth=[1.0, 1.5, 0.8]).fit(X, y), Q, "float64")


def test_decisions_are_converted():
    X, y, Q = sample("wine")
    names = np.array(["red", "white", "rosé"])[y]
    costs = 1.0 - np.eye(3)
    costs[0, 1] = 5.0
    for model in (
        parzen.ParzenClassifier(bandwidth=1.0, costs=costs, reject=0.2, novelty=0.05),
        parzen.ParzenClassifier("epanechnikov", 5.0, priors=[0.1, 0.2, 0.7], novelty=0.05),
        parzen.LaplacianClassifier("laplacian", novelty=0.1, reject=0.3, priors="uniform"),
        parzen.LSSVMClassifier(bandwidth=1.0, novelty=0.1, priors="uniform"),
        parzen.RLSClassifier(bandwidth=[1.0, 2.0, 3.0]),
    ):
        model.fit(X, names)
        check(model, Q, "float64")
        labels = answers(model, Q, "float64")[0]
        assert model.novelty is None or "novel" in labels


def test_columns_that_were_brought_to_one_scale_are_in_the_graph():
    X, y = load_wine(return_X_y=True)
    for model in (parzen.ParzenClassifier(), parzen.LSSVMClassifier(bandwidth="silverman")):
        assert model.fit(X[::2], y[::2]).scale_ is not None
        check(model, X[1::2], "float32")


def table(n, rng):
    frame = pd.DataFrame({
        "size": rng.normal(size=n), "colour": rng.choice(["red", "green", "blue"], n),
        "weight": rng.normal(5, 2, size=n), "shape": rng.choice(["", "round"], n),
    })  # fmt: skip
    frame.loc[::7, "size"] = np.nan
    frame["shape"] = frame["shape"].replace("", None)
    return frame, np.where(frame["colour"].eq("red") ^ frame["weight"].gt(5), "yes", "no")


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(TableEncoder(missing="impute"), parzen.ParzenClassifier(bandwidth=0.5)),
        parzen.KernelNaiveBayes(categorical_features="from_dtype"),
    ],
)
def test_tables_with_texts_have_one_input_for_each_column(model):
    rng = np.random.default_rng(0)
    frame, y = table(80, rng)
    model.fit(frame, y)
    new, _ = table(60, rng)
    new.loc[3, "colour"] = "violet"
    queries = {
        name: column.fillna("").to_numpy(str).astype(object)[:, None]
        if name in ("colour", "shape")
        else column.to_numpy(np.float64)[:, None]
        for name, column in new.items()
    }
    labels, probabilities = answers(model, queries, "float64")
    np.testing.assert_array_equal(labels, model.predict(new))
    np.testing.assert_allclose(probabilities, model.predict_proba(new), atol=1e-9)


def test_skl2onnx_converts_pipelines_of_its_own_steps_and_ours():
    skl2onnx = pytest.importorskip("skl2onnx")
    X, y, Q = sample("cancer")
    model = make_pipeline(StandardScaler(), parzen.ParzenClassifier(bandwidth=1.0)).fit(X, y)
    graph = skl2onnx.to_onnx(model, X[:1], options={"zipmap": False})
    session = rt.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    labels, probabilities = session.run(None, {"X": Q})
    np.testing.assert_array_equal(labels, model.predict(Q))
    np.testing.assert_allclose(probabilities, model.predict_proba(Q), atol=1e-9)


def test_what_has_no_form_in_onnx_is_named():
    X, y, _ = sample("iris")
    with pytest.raises(ValueError, match="LSSVMClassifier cannot be written as ONNX: kernel=<func"):
        to_onnx(parzen.LSSVMClassifier(lambda A, B: A @ B.T).fit(X, y))
    with pytest.raises(ValueError, match=r"kernel=SelfConvolution\(kernel=Tricube"):
        to_onnx(parzen.LaplacianClassifier("tricube").fit(X, y))
    with pytest.raises(ValueError, match="'factors' of"):
        to_onnx(parzen.ParzenClassifier(bandwidth=1.0, adaptive=True).fit(X, y))
    mixed = kernels.ColumnProduct(unordered=(0,), ordered=())
    with pytest.raises(ValueError, match="kernel='column_product'"):
        to_onnx(parzen.ParzenClassifier(mixed).fit(X.round(), y))
    with pytest.raises(TypeError, match="labels that are whole numbers or texts"):
        to_onnx(parzen.ParzenClassifier().fit(X, y.astype(float)))
    with pytest.raises(ValueError, match="dtype must be 'float32' or 'float64', got 'int8'"):
        to_onnx(parzen.ParzenClassifier().fit(X, y), dtype="int8")


def test_in_a_graph_only_naive_bayes_takes_a_row_with_a_gap():
    X, y, Q = sample("iris")
    Q = Q.copy()
    Q[0, 1] = np.nan
    _, probabilities = answers(parzen.ParzenClassifier(bandwidth=0.5).fit(X, y), Q, "float64")
    assert np.isnan(probabilities[0]).all()
    assert np.isfinite(probabilities[1:]).all()
    model = parzen.KernelNaiveBayes().fit(X, y)
    _, probabilities = answers(model, Q, "float64")
    np.testing.assert_allclose(probabilities, model.predict_proba(Q), atol=1e-9)


def test_a_model_of_rows_with_gaps_is_refused_with_a_cure():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    X[0, 1] = np.nan
    with pytest.raises(ValueError, match="impute them before the fit"):
        to_onnx(parzen.ParzenClassifier(bandwidth=0.5).fit(X, y))
