"""What must fit together in a model that was read, so that it cannot ask for absurd memory."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from parzen.expansion import KernelExpansion
from parzen.model_files.archive import ModelFileError


def check_parts(value: Any, most: int) -> None:
    """Go through a model and check every expansion in it; ``most`` bounds its columns."""
    if isinstance(value, KernelExpansion):
        _check_expansion(value, most)
    elif isinstance(value, list | tuple):
        for item in value:
            check_parts(item, most)
    elif isinstance(value, dict):
        check_parts(list(value.values()), most)
    elif dataclasses.is_dataclass(value) or hasattr(value, "get_params"):
        check_parts(list(vars(value).values()), most)


def _check_expansion(expansion: KernelExpansion, most: int) -> None:
    n, columns = expansion.points.shape[0], expansion.n_classes
    if expansion.points.ndim != 2 or expansion.points.dtype.kind != "f":
        raise ModelFileError("the points of an expansion are no matrix of numbers")
    if not isinstance(columns, int) or not 0 < columns <= most:
        raise ModelFileError(f"an expansion claims {columns} columns")
    labels, weights = expansion.labels, expansion.weights
    if labels is not None and (
        labels.shape != (n,) or labels.dtype.kind not in "iu" or _outside(labels, columns)
    ):
        raise ModelFileError("the labels of an expansion do not fit its points")
    if weights is not None and (weights.shape[:1] != (n,) or weights.dtype.kind != "f"):
        raise ModelFileError("the weights of an expansion do not fit its points")


def _outside(labels: Any, columns: int) -> bool:
    return len(labels) > 0 and bool(np.min(labels) < 0 or np.max(labels) >= columns)
