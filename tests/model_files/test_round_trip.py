"""Estimators come back from files as they were."""

import json
import os
import pickle
import zipfile
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import parzen
from parzen import ParzenClassifier, feature_space
from parzen.model_files import VERSION, describe
from parzen.table import TableEncoder

from .conftest import ESTIMATORS, answers, fitted

NOT_OURS = ["sklearn.model_selection._split.StratifiedKFold", "functools.partial"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.parzen"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_predictions_are_the_same_bit_for_bit(name, path):
    estimator, rows = fitted(name)
    parzen.save(estimator, path)
    before, after = answers(estimator, rows), answers(parzen.load(path), rows)
    assert before.keys() == after.keys()
    for method, values in before.items():
        np.testing.assert_array_equal(after[method], values, err_msg=method)
        assert after[method].dtype == values.dtype


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_second_file_equals_the_first(name, path):
    parzen.save(fitted(name)[0], path)
    again = path.with_suffix(".again")
    parzen.save(parzen.load(path), again)
    with zipfile.ZipFile(path) as a, zipfile.ZipFile(again) as b:
        assert a.namelist() == b.namelist()
        for member in a.namelist():
            assert a.read(member) == b.read(member), member


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_header_follows_the_schema(name, path):
    schema = json.loads(files("parzen.model_files").joinpath("schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    parzen.save(fitted(name)[0], path, metadata={"rows": 3, "share": float("nan")})
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
    validator.validate(header)
    assert not validator.is_valid(header | {"version": VERSION + 1})
    assert not validator.is_valid(header | {"model": header["model"] | {"$": "code"}})


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_skops_gives_the_same_with_the_list_of_types_to_trust(name):
    estimator, rows = fitted(name)
    io = pytest.importorskip("skops.io")
    text = io.dumps(estimator)
    back = io.loads(text, trusted=[*parzen.TRUSTED_TYPES, *NOT_OURS])
    for method, values in answers(estimator, rows).items():
        np.testing.assert_array_equal(answers(back, rows)[method], values)


@pytest.fixture
def small_stack():
    rows = np.random.default_rng(1).normal(size=(40, 2))
    return parzen.StackedDensityClassifier(["lap"]).fit(rows, rows[:, 0] > 0), rows


def test_a_pickle_in_which_a_type_has_its_former_name_is_read(small_stack):
    estimator, rows = small_stack
    text = pickle.dumps(estimator, protocol=2)
    now, former = (f"cparzen.classifiers.stack.table\n{n}\n" for n in ("StackTable", "Table"))
    assert text.count(now.encode()) == 1
    back = pickle.loads(text.replace(now.encode(), former.encode()))
    np.testing.assert_array_equal(back.predict_proba(rows), estimator.predict_proba(rows))


def test_a_file_of_skops_in_which_a_type_has_its_former_name_is_read(small_stack, tmp_path):
    estimator, rows = small_stack
    io = pytest.importorskip("skops.io")
    io.dump(estimator, tmp_path / "now")
    with zipfile.ZipFile(tmp_path / "now") as now, zipfile.ZipFile(tmp_path / "then", "w") as then:
        for member in now.namelist():
            then.writestr(member, now.read(member).replace(b'"StackTable"', b'"Table"'))
    back = io.load(tmp_path / "then", trusted=[*parzen.TRUSTED_TYPES, *NOT_OURS])
    np.testing.assert_array_equal(back.predict_proba(rows), estimator.predict_proba(rows))


def test_every_public_estimator_is_among_those_tested():
    public = {
        name for room in (parzen, feature_space) for name in room.__all__
        if isinstance(getattr(room, name), type) and hasattr(getattr(room, name), "fit")
    }  # fmt: skip
    assert public <= {type(e).__name__ for e, *_ in ESTIMATORS.values()}


def test_numpy_alone_reads_the_file(path):
    estimator, _ = fitted("parzen")
    parzen.save(estimator, path)
    with np.load(path, allow_pickle=False) as file:
        header = json.loads(file["header.json"])
        arrays = [file[key] for key in file.files if key != "header.json"]
    assert header["format"] == "parzen model"
    assert any(np.array_equal(a, estimator.expansion_.points) for a in arrays)


def test_parameters_and_fitted_attributes_come_back(path):
    estimator, _ = fitted("l2")
    parzen.save(estimator, path)
    back = parzen.load(path)
    assert repr(back) == repr(estimator)
    assert vars(back).keys() == vars(estimator).keys()
    np.testing.assert_array_equal(back.cv_results_["errors"], estimator.cv_results_["errors"])
    again = back.with_decision(priors="uniform")
    np.testing.assert_allclose(again.priors_, 1 / 3)


def test_a_loaded_estimator_can_be_fitted_again_and_pickled(path):
    estimator, rows = fitted("pipeline")
    parzen.save(estimator, path)
    back = pickle.loads(pickle.dumps(parzen.load(path)))
    np.testing.assert_array_equal(back.fit(rows, estimator.predict(rows)).classes_, back.classes_)


def test_metadata_is_told_without_reading_the_arrays(path):
    parzen.save(fitted("pipeline")[0], path, metadata={"target": "species", "when": [1, 2.5, None]})
    told = describe(path)
    assert told["type"] == "Pipeline"
    assert told["metadata"] == {"target": "species", "when": [1, 2.5, None]}


def test_an_estimator_that_is_not_fitted_is_refused(path):
    with pytest.raises(ValueError, match="not fitted"):
        parzen.save(ParzenClassifier(), path)
    assert not path.exists()


def test_code_is_refused_by_its_place_and_nothing_is_written(path):
    machine = parzen.LSSVMClassifier(kernel=lambda A, B: A @ B.T).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError, match=r"LSSVMClassifier\.kernel holds"):
        parzen.save(machine, path)
    assert os.listdir(path.parent) == []


def test_a_failed_write_leaves_the_old_file(path, monkeypatch):
    parzen.save(fitted("parzen")[0], path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *a: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        parzen.save(fitted("l2")[0], path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_labels_of_every_plain_type_come_back(path):
    X = [[0.0], [1.0], [3.0], [4.0]]
    for labels in (
        [True, True, False, False], [1, 1, 7, 7], [1.0, 1.0, 2.0, 2.0], ["a", "a", "ß", "ß"],
        np.array(["x", "x", "y", "y"], dtype=object), np.array([1, 1, 2, 2], dtype=np.uint8),
    ):  # fmt: skip
        model = make_pipeline(TableEncoder(), ParzenClassifier(bandwidth=1.0)).fit(X, labels)
        parzen.save(model, path)
        back = parzen.load(path)
        assert back.classes_.dtype == model.classes_.dtype
        np.testing.assert_array_equal(back.predict(X), model.predict(X))


def test_families_of_a_stack_may_be_a_tuple(path):
    X = np.random.default_rng(0).normal(size=(40, 2))
    stack = parzen.StackedDensityClassifier(("lap", "prod")).fit(X, X[:, 0] > 0)
    parzen.save(stack, path)
    assert parzen.load(path).families == stack.families
    np.testing.assert_array_equal(parzen.load(path).predict_proba(X), stack.predict_proba(X))
