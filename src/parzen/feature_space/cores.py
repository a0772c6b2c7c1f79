"""Where the factor q(x) has its empirical cores a_i.

A share of the rows, drawn at random (optionally within each class), is held out of J as in Xiong,
Swamy & Ahmad (2005): the criterion then has no rows at the cores. A number of rows, all rows,
given points, k-means centres and support vectors (Amari & Wu, 1999) leave every row in J.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.svm import SVC

from parzen._core import Floats, Ints, as_matrix
from parzen.feature_space.labels import Classes
from parzen.kernels import Kernel, gram

_CORE_NAMES = ("all", "support_vectors")


class Cores(NamedTuple):
    """The cores, and which rows of the sample count in the criterion."""

    points: Floats
    rows: Ints


def check_cores(cores: Any) -> None:
    """Refuse what names no cores, before any computation."""
    if isinstance(cores, str):
        if cores not in _CORE_NAMES:
            raise ValueError(
                f"cores={cores!r} is unknown; give a share, a number, points, or one of "
                f"{', '.join(map(repr, _CORE_NAMES))}."
            )
    elif isinstance(cores, bool):
        raise TypeError(f"cores must be a share, a number or points, got {cores!r}.")
    elif isinstance(cores, Integral):
        if cores < 1:
            raise ValueError(f"cores={cores} must be at least 1.")
    elif isinstance(cores, Real) and not 0.0 < float(cores) < 1.0:
        raise ValueError(
            f"cores={cores} must lie between 0 and 1, the share of the rows that is held out; "
            "use cores='all' for every row."
        )


def choose_cores(
    X: Floats,
    classes: Classes,
    *,
    cores: Any,
    selection: str,
    kernel: Kernel,
    bandwidth: float,
    rng: np.random.RandomState,
) -> Cores:
    """The cores of a sample whose rows are distinct."""
    all_rows = np.arange(len(X))
    if isinstance(cores, str):
        points = X if cores == "all" else _support_vectors(X, classes, kernel, bandwidth)
        return Cores(points, all_rows)
    if not isinstance(cores, Real):
        points = as_matrix(cores, "cores")
        if points.shape[1] != X.shape[1]:
            raise ValueError(f"cores has {points.shape[1]} columns but X has {X.shape[1]}.")
        return Cores(points, all_rows)
    held_out = not isinstance(cores, Integral)
    count = max(1, round(float(cores) * (len(X) if held_out else 1)))
    if selection == "kmeans":
        means = KMeans(min(count, len(X)), n_init=1, random_state=rng)
        return Cores(means.fit(X, sample_weight=classes.weights).cluster_centers_, all_rows)
    rows = _all_but_one_of_each(classes, rng) if held_out else all_rows
    rows = rng.permutation(rows)
    if selection == "class":
        rows = _in_proportion(classes, rows)
    chosen = np.sort(rows[:count])
    if len(chosen) == 0:  # every class is a single row: nothing can be held out
        return Cores(X, all_rows)
    return Cores(X[chosen], np.setdiff1d(all_rows, chosen) if held_out else all_rows)


def _all_but_one_of_each(classes: Classes, rng: np.random.RandomState) -> Ints:
    """Rows that may be held out: one of every class stays."""
    order = rng.permutation(len(classes.codes))
    _, first = np.unique(classes.codes[order], return_index=True)
    return np.sort(np.delete(order, first))


def _in_proportion(classes: Classes, rows: Ints) -> Ints:
    """Shuffled rows in an order every beginning of which holds the classes in proportion."""
    codes = classes.codes[rows]
    position = np.empty(len(rows))
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        position[own] = (np.arange(len(own)) + 0.5) / len(own)
    return rows[np.argsort(position, kind="stable")]


def _support_vectors(X: Floats, classes: Classes, kernel: Kernel, bandwidth: float) -> Floats:
    """Support vectors of the base kernel's support vector machine, C = 1."""
    if len(np.unique(classes.codes)) < 2:
        return X
    svc = SVC(C=1.0, kernel="precomputed")
    svc.fit(gram(X, X, kernel, bandwidth), classes.codes, sample_weight=classes.weights)
    return np.asarray(X[svc.support_])
