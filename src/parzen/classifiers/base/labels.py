"""Labels in, labels out: classes as codes 0 .. C - 1, and the labels of rejected rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_consistent_length, column_or_1d

from parzen._core import Array, Bools, as_numpy, warn
from parzen.samples import Sample, class_names


def check_labels(y: ArrayLike | None, X: Any, owner: str) -> Array:
    """Labels as a 1-D array that fits X."""
    if y is None:
        raise ValueError(
            f"This {owner} estimator requires y to be passed, but the target y is None."
        )
    if _are_few_integers(y, _num_samples(X)):
        return np.asarray(y)
    labels = column_or_1d(as_numpy(y), warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    check_consistent_length(X, labels)
    return np.asarray(labels)


def _are_few_integers(y: Any, n_rows: int) -> bool:
    """Whether y is an array of integers from a small range, with nothing in it to refuse.

    scikit-learn's checks of such labels take a tenth of a small fit. They warn of many classes.
    """
    return (
        type(y) is np.ndarray
        and y.shape == (n_rows,)
        and y.dtype.kind in "iu"
        and n_rows > 0
        and int(y.max()) - int(y.min()) < n_rows // 4
    )


def warn_single_kernels(sample: Sample) -> None:
    """Say which classes have one sample or equal samples only: they have no scale of their own."""
    if len(sample.classes) == 1:
        return
    order = np.argsort(sample.codes, kind="stable")
    sorted_codes = sample.codes[order]
    first = order[np.searchsorted(sorted_codes, np.arange(len(sample.classes)))]
    X, reference = sample.X, sample.X[first[sample.codes]]
    differs = ~((reference == X) | (np.isnan(X) & np.isnan(reference))).all(axis=1)
    spread = np.bincount(sample.codes[differs], minlength=len(sample.classes)) > 0
    if spread.all():
        return
    rows = np.bincount(sample.codes, minlength=len(sample.classes))
    cause = "one sample" if (rows[~spread] == 1).all() else "no two different samples"
    warn(
        f"{class_names(sample.classes[~spread])} has {cause}, so no scale of its own: its density "
        "is a single kernel, and a bandwidth chosen per class falls back to the pooled scale.",
    )


def rejection_label(classes: Array, label: Any, name: str, number: int, word: str) -> Any:
    """The label of rejected rows; None is ``number`` or ``word``, after the type of the classes."""
    origin = "" if label is not None else ", the default,"
    if label is None:
        label = number if classes.dtype.kind in "iufb" else word
    if any(label == c for c in classes.tolist()):
        raise ValueError(f"{name}={label!r}{origin} is a class; give a label that is not in y.")
    return label


def with_label(labels: Array, rows: Bools, label: Any) -> Array:
    """Labels with some rows replaced; the type widens where the label needs it."""
    same_kind = np.asarray(label).dtype.kind == labels.dtype.kind or (
        labels.dtype.kind in "iuf"
        and isinstance(label, int | float)
        and not isinstance(label, bool)
    )
    dtype = np.result_type(labels, np.asarray(label)) if same_kind else np.dtype(object)
    out = labels.astype(dtype)
    out[rows] = label
    return out
