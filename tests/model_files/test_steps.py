"""The usual steps of scikit-learn come back from files as they were, and nothing else does."""

import json
import warnings
import zipfile
from importlib.resources import files

import jsonschema
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import parzen
from parzen.model_files import ModelFileError

from .conftest import answers
from .test_changed_content import read, write

RNG = np.random.default_rng(0)
X = np.exp(RNG.normal(size=(48, 3)))
Y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [0.6, 1.5])]
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
WORDS = pd.DataFrame({"u": RNG.choice(["x", "y", "zoë"], 48), "v": RNG.choice(["p", "q"], 48)})
WORD_GAPS = WORDS.astype(object).where(RNG.random(WORDS.shape) > 0.2, None)
FRAME = pd.DataFrame(GAPS, columns=["k", "l", "m"]).join(WORDS)


def parzen_classifier():
    return parzen.ParzenClassifier(bandwidth=0.7)


def table_steps(columns):
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), columns),
            ("words", OneHotEncoder(sparse_output=False), ["u"]),
            ("none", "drop", ["v"]),
        ],
    )


STEPS = {
    "mean": (SimpleImputer(add_indicator=True), GAPS),
    "most frequent word": (
        make_pipeline(
            SimpleImputer(missing_values=None, strategy="most_frequent"), OrdinalEncoder()
        ),
        WORD_GAPS,
    ),
    "neighbours": (KNNImputer(add_indicator=True, weights="distance"), GAPS),
    "indicators": (OneHotEncoder(), WORDS),
    "rare levels": (
        OneHotEncoder(min_frequency=17, handle_unknown="infrequent_if_exist", drop="first"), WORDS,
    ),
    "gaps as a level": (OneHotEncoder(sparse_output=False, dtype=float), WORD_GAPS),
    "codes": (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), WORDS),
    "means of the target": (TargetEncoder(random_state=0), WORDS),
    "standard": (StandardScaler(), X),
    "range": (MinMaxScaler(), X),
    "largest": (MaxAbsScaler(), X),
    "quartiles": (RobustScaler(), X),
    "power": (PowerTransformer(), X),
    "quantiles": (QuantileTransformer(n_quantiles=10, output_distribution="normal"), X),
    "components": (PCA(2, whiten=True), X),
    "logarithms": (FunctionTransformer(np.log1p, inverse_func=np.expm1), X),
    "table": (table_steps(["k", "l", "m"]), FRAME),
    "table by an index": (table_steps(FRAME.columns[:3]), FRAME),
    "table by a slice": (table_steps(slice("k", "m")), FRAME),
    "table by types": (
        make_column_transformer(
            (KNNImputer(), make_column_selector(dtype_include=np.number)),
            (OrdinalEncoder(), make_column_selector(pattern="u|v")),
        ), FRAME,
    ),
    "table, the rest as it is": (
        ColumnTransformer([("l", PowerTransformer(), [1])], remainder="passthrough"), X,
    ),
}  # fmt: skip
MODELS = {name: (make_pipeline(step, parzen_classifier()), rows) for name, (step, rows) in
          STEPS.items()} | {
    "frames between the steps": (
        make_pipeline(table_steps(["k", "l", "m"]).set_output(transform="pandas"),
                      parzen_classifier()), FRAME,
    ),
    "sigmoid": (CalibratedClassifierCV(parzen_classifier(), cv=2), X),
    "isotonic": (CalibratedClassifierCV(parzen_classifier(), cv=2, method="isotonic"), X),
    "temperature": (
        CalibratedClassifierCV(parzen_classifier(), cv=2, method="temperature", ensemble=False), X,
    ),
    "frozen": (CalibratedClassifierCV(FrozenEstimator(parzen_classifier().fit(X, Y))), X),
    "calibrated after a step": (
        CalibratedClassifierCV(make_pipeline(StandardScaler(), parzen_classifier()), cv=2), X,
    ),
}  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.parzen"


def saved(name, path):
    model, rows = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, Y)
    parzen.save(model, path)
    return model, rows


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_predictions_and_the_file_are_the_same_after_loading(name, path):
    model, rows = saved(name, path)
    back = parzen.load(path)
    before, after = answers(model, rows), answers(back, rows)
    assert before.keys() == after.keys() >= {"predict", "predict_proba"}
    for method, values in before.items():
        np.testing.assert_array_equal(after[method], values, err_msg=method)
    again = path.with_suffix(".again")
    parzen.save(back, again)
    with zipfile.ZipFile(path) as a, zipfile.ZipFile(again) as b:
        assert {n: a.read(n) for n in a.namelist()} == {n: b.read(n) for n in b.namelist()}
        schema = json.loads(files("parzen.model_files").joinpath("schema.json").read_text())
        jsonschema.validate(json.loads(a.read("header.json")), schema)


@pytest.mark.parametrize("name", STEPS)
def test_a_step_alone_comes_back_and_goes_back(name, path):
    step, rows = STEPS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step.fit(rows, Y)
    parzen.save(step, path)
    found, wanted = parzen.load(path).transform(rows), step.transform(rows)
    assert sparse.issparse(found) == sparse.issparse(wanted)
    if sparse.issparse(wanted):
        found, wanted = found.toarray(), wanted.toarray()
    np.testing.assert_array_equal(found, wanted)


def nodes(node):
    """All nodes of a header."""
    yield node
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for part in inner:
        yield from nodes(part)


def of_type(header, name):
    """The first fitted part of a type."""
    made = (n for n in nodes(header) if isinstance(n, dict) and n.get("type") == name)
    return next(n for n in made if "n_features_in_" in n.get("fitted", {}))


def test_a_changed_number_in_a_step_is_noticed_by_the_hash(path):
    saved("table", path)
    header, arrays = read(path)
    arrays[of_type(header, "StandardScaler")["fitted"]["mean_"]["name"]][0] += 1e-9
    write(path, header, arrays, rehash=False)
    with pytest.raises(ModelFileError, match="hash does not hold"):
        parzen.load(path)


@pytest.mark.parametrize(
    ("model", "step", "attribute", "change"),
    [
        ("table", "StandardScaler", "mean_", lambda a: a[:-1]),
        ("table", "SimpleImputer", "statistics_", lambda a: a[:-1]),
        ("quantiles", "QuantileTransformer", "quantiles_", lambda a: a[:, :-1]),
        ("components", "PCA", "components_", lambda a: a[:, :-1]),
        ("neighbours", "KNNImputer", "_fit_X", lambda a: a[:, :-1]),
    ],
)
def test_a_step_whose_arrays_do_not_fit_is_refused_though_the_hash_holds(
    model, step, attribute, change, path
):
    saved(model, path)
    header, arrays = read(path)
    node = of_type(header, step)["fitted"][attribute]
    arrays["changed"] = np.ascontiguousarray(change(arrays[node["name"]]))
    node["name"] = "changed"
    write(path, header, arrays)
    with pytest.raises(ModelFileError, match=r"do not fit each other|is damaged"):
        parzen.load(path)


@pytest.mark.parametrize(
    ("model", "step", "place", "attribute", "value", "message"),
    [
        ("indicators", "OneHotEncoder", "fitted", "_n_features_outs", [10**12, 2], "claims"),
        ("standard", "StandardScaler", "fitted", "n_features_in_", 10**12, "n_features_in_ is"),
        ("logarithms", "FunctionTransformer", "with", "func", {"$": "function", "name": "save"},
         "unknown function 'save'"),
        ("logarithms", "FunctionTransformer", "with", "kw_args",
         {"$": "dict", "items": [["where", False]]}, "keywords"),
        ("table", "ColumnTransformer", "with", "verbose_feature_names_out",
         "{feature_name:>99999999999}", "verbose_feature_names_out"),
        ("mean", "SimpleImputer", "fitted", "_fit_dtype",
         {"$": "array_type", "value": "<U999999999"}, "no type of an array"),
    ],
)  # fmt: skip
def test_a_step_that_claims_too_much_or_names_code_is_refused(
    model, step, place, attribute, value, message, path
):
    saved(model, path)
    header, arrays = read(path)
    of_type(header, step)[place][attribute] = value
    write(path, header, arrays)
    with pytest.raises(ModelFileError, match=message):
        parzen.load(path)


@pytest.mark.parametrize("name", ["PolynomialFeatures", "HashingVectorizer", "Memory", "eval"])
def test_a_step_outside_the_list_is_refused_in_a_file(name, path):
    saved("table", path)
    header, arrays = read(path)
    of_type(header, "StandardScaler")["type"] = name
    write(path, header, arrays)
    with pytest.raises(ModelFileError, match="unknown type"):
        parzen.load(path)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (PolynomialFeatures(), "PolynomialFeatures"),
        (FunctionTransformer(lambda rows: rows), "func holds"),
        (FunctionTransformer(np.nan_to_num), "func holds"),
        (FunctionTransformer(np.log1p, kw_args={"dtype": float}), "keywords"),
        (SimpleImputer(strategy=np.ma.median), "strategy holds"),
    ],
)
def test_a_step_with_code_or_outside_the_list_is_not_saved(step, message, path):
    model = make_pipeline(step, parzen_classifier()).fit(X, Y)
    with pytest.raises(TypeError, match=message):
        parzen.save(model, path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ma.masked_invalid(GAPS), "mean_ holds a masked array"),
        (sparse.csr_array(X), "mean_ holds <Compressed Sparse Row"),
    ],
)
def test_masked_and_sparse_arrays_are_refused_by_their_place(value, message, path):
    step = StandardScaler().fit(X)
    step.mean_ = value
    with pytest.raises(TypeError, match=message):
        parzen.save(step, path)
