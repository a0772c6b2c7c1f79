"""Tables as matrices of numbers: columns of text are looked up, numbers are cast to float64.

An input of texts has no entry that is missing, so the empty text stands for one. A level that was
not there in `fit` is no level, and nothing is refused: a missing number stays NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto

from parzen._core import CategoryColumns
from parzen.onnx.tensors import Graph, Tensor, Value, as_array, joined, where, zeros
from parzen.table import TableEncoder

ML_DOMAIN = "ai.onnx.ml"
_MISSING_CODE, _UNKNOWN_CODE = -2.0, -1.0  # The second is OrdinalEncoder's in CategoryColumns.


def table_of(graph: Graph, inputs: Sequence[Any], columns: CategoryColumns | None) -> Value:
    """The inputs of an operator side by side, as the library's ``validate_table`` returns them.

    ``inputs`` are skl2onnx's variables; each has one column or several.
    """
    encoders = {} if columns is None else columns.encoders
    parts, j = [], 0
    for variable in inputs:
        value, width = Tensor(graph, variable.full_name), int(variable.type.shape[1])
        for place in range(width) if any(j + k in encoders for k in range(width)) else [None]:
            part = value if place is None else value.columns([place])
            if place is None:
                parts.append(part.cast(TensorProto.DOUBLE))
            else:
                parts.append(_codes(part, encoders.get(j + place), _is_text(variable)))
        j += width
    return joined(parts)


def encoded(encoder: TableEncoder, numbers: Value) -> Value:
    """`TableEncoder.transform` of a table of numbers and codes."""
    parts = []
    for j in range(encoder.n_features_in_):
        x, levels = numbers.columns([j]), encoder.levels_.get(j)
        if levels is None:
            imputes = encoder.missing != "keep"
            filled = where(np.isnan(x), as_array(encoder.fills_[j]), x) if imputes else x
            parts.append((filled - as_array(encoder.centres_[j])) / as_array(encoder.scales_[j]))
            continue
        missing = len(levels) - 1.0 if None in levels else _UNKNOWN_CODE
        codes = where(np.isnan(x), missing, x)
        parts.append(where(codes == np.arange(float(len(levels))), 1.0, 0.0))
    return joined(parts)


def _is_text(variable: Any) -> bool:
    return type(variable.type).__name__ == "StringTensorType"


def _codes(column: Value, encoder: Any, is_text: bool) -> Value:
    """The numbers of a column's categories; NaN for what is missing."""
    if encoder is None:
        return column.cast(TensorProto.DOUBLE)
    levels = [c for c in encoder.categories_[0].tolist() if not (c is None or c != c)]
    if is_text:
        keys = [str(level) for level in levels]
        values = [float(code) for code in range(len(keys))]
        if "" not in keys:
            keys, values = [*keys, ""], [*values, _MISSING_CODE]
        codes = column.graph.op(
            "LabelEncoder", column, domain=ML_DOMAIN, keys_strings=keys, values_floats=values,
            default_float=_UNKNOWN_CODE,
        ).cast(TensorProto.DOUBLE)  # fmt: skip
        return where(codes == _MISSING_CODE, np.nan, codes)
    numbers = column.cast(TensorProto.DOUBLE)
    found = where(numbers == as_array(levels), 1.0, 0.0) @ (np.arange(len(levels)) + 1.0)[:, None]
    return where(np.isnan(numbers), np.nan, found + _UNKNOWN_CODE + zeros(numbers, 1))
