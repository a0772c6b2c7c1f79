"""A file that was changed is refused: by its hash, or, where that was made right, by its parts."""

import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import parzen
from parzen.model_files import ModelFileError, is_intact
from parzen.model_files.archive import content_hash


def read(path):
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members.pop("header.json"))
    arrays = {
        name.removesuffix(".npy"): np.load(io.BytesIO(data)) for name, data in members.items()
    }
    return header, arrays


def write(path, header, arrays, *, rehash=True):
    if rehash:
        header = {**header, "content": content_hash(header, arrays)}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        for name, array in arrays.items():
            out = io.BytesIO()
            np.save(out, array)
            archive.writestr(f"{name}.npy", out.getvalue())


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.parzen"
    X = np.random.default_rng(0).normal(size=(30, 2))
    parzen.save(parzen.ParzenClassifier(bandwidth=0.5).fit(X, X[:, 0] > 0), path)
    return path


def member(header, *names):
    node = header["model"]
    for name in names:
        node = node["fitted" if name in node.get("fitted", {}) else "with"][name]
    return node


def expansion(header):
    (node,) = [
        value
        for value in header["model"]["fitted"].values()
        if isinstance(value, dict) and value.get("type") == "KernelExpansion"
    ]
    return node["with"]


def test_a_file_that_was_saved_is_intact(path):
    assert is_intact(path)
    parzen.load(path)


def test_another_number_in_an_array_is_noticed(path):
    header, arrays = read(path)
    name = expansion(header)["points"]["name"]
    arrays[name][0, 0] += 1e-9
    write(path, header, arrays, rehash=False)
    assert not is_intact(path)
    with pytest.raises(ModelFileError, match="hash does not hold"):
        parzen.load(path)


def test_another_number_in_the_header_is_noticed(path):
    header, arrays = read(path)
    header["model"]["with"]["bandwidth"] = 0.6
    write(path, header, arrays, rehash=False)
    with pytest.raises(ModelFileError, match="hash does not hold"):
        parzen.load(path)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("points", lambda a: a[0]),
        ("points", lambda a: np.where(a > 0, np.inf, a)),
        ("points", lambda a: a[:, :1]),
        ("points", lambda a: a[:-1]),
        ("bandwidth", lambda a: -a),
        ("bandwidth", lambda a: np.full(7, a)),
        ("labels", lambda a: a + 1),
        ("labels", lambda a: a[:-1]),
        ("labels", lambda a: a.astype(float)),
    ],
)
def test_arrays_that_do_not_fit_are_refused_by_name_though_the_hash_holds(name, change, path):
    header, arrays = read(path)
    node = expansion(header)[name]
    arrays["changed"] = np.ascontiguousarray(change(arrays[node["name"]]))
    node["name"] = "changed"
    write(path, header, arrays)
    assert is_intact(path)
    with pytest.raises(ModelFileError, match=r"ParzenClassifier\.\w+\.|do not fit each other"):
        parzen.load(path)


@pytest.mark.parametrize("value", ["a", 1.5, None, [1]])
def test_parts_of_another_type_are_refused_by_name(value, path):
    header, arrays = read(path)
    expansion(header)["points"] = value
    write(path, header, arrays)
    with pytest.raises(ModelFileError, match=r"ParzenClassifier\.\w+\.points"):
        parzen.load(path)


@pytest.mark.parametrize("place", [0, 1])
def test_a_step_of_a_pipeline_that_is_no_estimator_is_refused_by_its_place(place, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = make_pipeline(StandardScaler(), parzen.ParzenClassifier(bandwidth=0.5))
    path = tmp_path / "pipeline.parzen"
    parzen.save(model.fit(X, X[:, 0] > 0), path)
    header, arrays = read(path)
    member(header, "steps")[place]["items"][1] = "gaussian"
    write(path, header, arrays)
    with pytest.raises(ModelFileError, match=rf"steps\[{place}\] is 'gaussian', and no estimator"):
        parzen.load(path)


def test_a_file_in_which_a_type_has_its_former_name_is_read(tmp_path):
    path, X = tmp_path / "stack.parzen", np.random.default_rng(1).normal(size=(40, 2))
    clf = parzen.StackedDensityClassifier(["lap"]).fit(X, X[:, 0] > 0)
    parzen.save(clf, path)
    header, arrays = read(path)
    text = json.dumps(header)
    assert text.count('"StackTable"') == 1
    write(path, json.loads(text.replace('"StackTable"', '"Table"')), arrays)
    np.testing.assert_array_equal(parzen.load(path).predict_proba(X), clf.predict_proba(X))
