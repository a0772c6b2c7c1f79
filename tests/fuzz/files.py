"""Model files that were changed with care, their hash made right again: an error, or a model.

After a load that succeeds, the model answers, or raises what a fitted estimator raises.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import parzen
from parzen import feature_space
from parzen.model_files import ModelFileError
from parzen.model_files.archive import content_hash

X, y = (part[::3] for part in load_iris(return_X_y=True))
METHODS = ("predict", "predict_proba", "decision_function", "score_samples", "transform")
ODD: list[Any] = [None, True, -1, 0, 1, 10**6, 0.5, "a", "gaussian", [], [1.0]]


def run(rng: np.random.Generator) -> None:
    files = saved()
    header, arrays = unpacked(files[rng.integers(len(files))])
    for _ in range(rng.integers(1, 3)):
        change = (change_node, change_node, move_node, change_array, change_array)
        change[rng.integers(len(change))](rng, header, arrays)
    header["content"] = content_hash(header, arrays)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.parzen"
        path.write_bytes(packed(header, arrays))
        try:
            model = parzen.load(path)
        except ModelFileError:
            return
    rows = X[rng.integers(0, len(X), 20)] + rng.normal(size=(20, 4))
    for name in METHODS:
        if not hasattr(model, name):
            continue
        try:
            with np.errstate(all="ignore"):
                answers = getattr(model, name)(rows)
        except ValueError:
            continue
        if name == "predict_proba":
            assert np.isfinite(answers).all(), "probabilities are not finite"
            assert (abs(answers.sum(axis=1) - 1) < 1e-6).all(), "probabilities do not sum to 1"


@cache
def saved() -> list[bytes]:
    models = [
        parzen.ParzenClassifier(), parzen.ParzenClassifier(metric="class", reject=0.3),
        parzen.ParzenClassifier(metric="learned", novelty=0.05), parzen.KernelDensity(),
        parzen.KernelNaiveBayes(novelty=0.05), parzen.L2Classifier(bandwidth=1.0),
        parzen.LaplacianClassifier(bandwidth=1.0), parzen.BMachineClassifier(bandwidth=1.0),
        parzen.LSSVMClassifier(bandwidth=1.0),
        parzen.StackedDensityClassifier(), feature_space.EmpiricalKernelMap(),
        make_pipeline(StandardScaler(), parzen.ParzenClassifier(bandwidth="scott")),
    ]  # fmt: skip
    return [written(model.fit(X, y)) for model in models]


def written(model: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        parzen.save(model, Path(folder) / "model.parzen")
        return (Path(folder) / "model.parzen").read_bytes()


def unpacked(data: bytes) -> tuple[Any, dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members.pop("header.json"))
    return header, {
        name.removesuffix(".npy"): np.load(io.BytesIO(d)) for name, d in members.items()
    }


def packed(header: Any, arrays: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(f"{name}.npy", member.getvalue())
    return out.getvalue()


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every place of the tree, as a container and a key."""
    found = []
    for key in node if isinstance(node, dict) else range(len(node)):
        if key != "$":
            found.append((node, key))
            if isinstance(node[key], dict | list):
                found.extend(places(node[key]))
    return found


def change_node(rng: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    found = places(header["model"])
    node, key = found[rng.integers(len(found))]
    value = node[key]
    if isinstance(value, float | int) and not isinstance(value, bool) and rng.random() < 0.5:
        node[key] = type(value)(value * rng.choice([-1, 0, 2, 1000]))
    elif isinstance(value, dict) and "name" in value and rng.random() < 0.5:
        node[key] = {**value, "name": str(rng.choice(list(arrays)))}
    elif isinstance(node, dict) and rng.random() < 0.2:
        del node[key]
    else:
        node[key] = ODD[rng.integers(len(ODD))]


def move_node(rng: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    found = places(header["model"])
    (a, i), (b, j) = (found[rng.integers(len(found))] for _ in range(2))
    a[i] = json.loads(json.dumps(b[j]))


def change_array(rng: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    name = str(rng.choice(list(arrays)))
    array = arrays[name]
    kind = rng.integers(6)
    if kind == 0 and array.ndim:
        array = np.concatenate([array, array[:1]])
    elif kind == 1 and array.ndim:
        array = array[: len(array) // 2]
    elif kind == 2:
        with suppress(ValueError):  # texts that are no numbers stay texts
            array = array.astype(rng.choice([np.float32, np.float64, np.int64, np.bool_, np.str_]))
    elif kind == 3:
        array = array.T if rng.random() < 0.5 else array.reshape(-1)
    elif kind == 4 and array.dtype.kind in "iuf" and array.size:
        array = array.copy()
        with np.errstate(invalid="ignore", over="ignore"):
            odd = rng.choice([np.nan, np.inf, -1.0, 0.0, 1e300, 1e6])
            array.reshape(-1)[rng.integers(array.size)] = np.asarray(odd).astype(array.dtype)
    elif array.ndim:
        array = np.sort(array.reshape(-1)).reshape(array.shape)[..., ::-1]
    arrays[name] = np.ascontiguousarray(array)
