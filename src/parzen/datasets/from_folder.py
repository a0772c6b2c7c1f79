"""Data sets in the folder that the environment variable PARZEN_DATA names.

One NumPy archive per set: `X`, `y`, and `train_idx`, `test_idx` with one row per official split, or
`X_train`, `y_train`, `X_test`, `y_test` for a fixed partition. Nothing is unpickled.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.datasets.dataset import Dataset, Split

FILES = {
    "adult": "adult_a9a", "banana": "ida_banana", "breast_cancer": "ida_breast_cancer",
    "pima": "ida_diabetis", "flare_solar": "ida_flare_solar", "german": "ida_german",
    "heart": "ida_heart", "image": "ida_image", "ringnorm": "ida_ringnorm", "splice": "ida_splice",
    "thyroid": "ida_thyroid", "titanic": "ida_titanic", "twonorm": "ida_twonorm",
    "waveform": "ida_waveform", "web": "web_w8a", "bupa": "bupa", "cleveland": "cleveland",
    "echocardiogram": "echocardiogram", "ecoli": "ecoli", "german_numeric": "german_numer",
    "ionosphere": "ionosphere", "mushrooms": "mushrooms", "pendigits": "pendigits",
    "sonar": "sonar", "usps": "usps", "wbc": "wbc", "wpbc": "wpbc",
    "monks1": "monks", "monks2": "monks", "monks3": "monks",
}  # fmt: skip


def folder() -> Path | None:
    """The folder, if the variable names one that exists."""
    value = os.environ.get("PARZEN_DATA", "")
    path = Path(value)
    return path if value and path.is_dir() else None


def in_folder() -> list[str]:
    """Names of the sets that the folder holds."""
    return sorted(name for name in FILES if _file(name))


def load_from_folder(name: str) -> Dataset | None:
    """The set, or None when the folder has no such file."""
    path = _file(name)
    if path is None:
        return None
    with np.load(path, allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    if name.startswith("monks"):
        arrays = _monks(arrays, name[-1])
    X, y, splits = _with_splits(arrays)
    return Dataset(name, X, y, "PARZEN_DATA", splits)


def _file(name: str) -> Path | None:
    place = folder()
    path = place / f"{FILES[name]}.npz" if place and name in FILES else None
    return path if path and path.is_file() else None


def _monks(arrays: dict[str, NDArray[Any]], problem: str) -> dict[str, NDArray[Any]]:
    return {
        f"{letter}_{part}": arrays[f"{letter}{problem}_{part}"]
        for letter in "Xy"
        for part in ("train", "test")
    }


def _with_splits(
    arrays: dict[str, NDArray[Any]],
) -> tuple[NDArray[Any], NDArray[Any], tuple[Split, ...]]:
    if "X_train" in arrays and "X_test" in arrays:
        n = len(arrays["X_train"])
        X = np.concatenate([arrays["X_train"], arrays["X_test"]])
        y = np.concatenate([arrays["y_train"], arrays["y_test"]])
        return X, y, ((np.arange(n), np.arange(n, len(X))),)
    pairs = zip(arrays.get("train_idx", ()), arrays.get("test_idx", ()))
    return (
        arrays["X"],
        arrays["y"],
        tuple((train.astype(np.intp), test.astype(np.intp)) for train, test in pairs),
    )
