"""Estimators as trees of JSON nodes and arrays, and back.

Plain values are themselves; everything else is an object with a kind under ``"$"``: tuple, dict,
float (not finite), array, scalar, objects, dtype, array_type, slice, function (of NumPy, by name),
random_state, partial (a kernel with its bandwidth), or ``new`` with the name of a type of the
registry and what to call it with. Objects are made by calling their type, so that they check what
they are given; then the attributes that a fit has set are put in place.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.preprocessing import FunctionTransformer

from parzen._core import CategoryColumns, category_encoder
from parzen.kernels import AnovaKernel, ConformalKernel, Kernel
from parzen.model_files.archive import ModelFileError
from parzen.model_files.registry import SPLITTERS, registry
from parzen.model_files.steps import FUNCTIONS, PLAIN_OBJECTS, has_keywords

_DTYPES: dict[str, type] = {
    **{name: np.dtype(name).type for name in ("float32", "float64", "int64", "int32", "bool")},
    **{"number": np.number, "object": object, "float": float, "int": int},
}
_ARRAY_TYPE = re.compile(r"[<>|][biufO]\d{0,2}")
_KERNEL_ARGUMENTS: dict[type, tuple[str, ...]] = {  # kernels that are no dataclasses
    ConformalKernel: ("base", "cores", "coefficients", "core_kernel", "core_bandwidth"),
    AnovaKernel: ("points", "interactions", "equality", "weights"),
}


class Encoder:
    """Turns values into nodes and collects their arrays."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self._names: dict[tuple[Any, ...], str] = {}

    def node(self, value: Any, where: str) -> Any:
        """The node of a value; ``where`` is for the message when there is none."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if np.isfinite(value) else {"$": "float", "value": repr(value)}
        if type(value) is list:
            return [self.node(v, f"{where}[{i}]") for i, v in enumerate(value)]
        if type(value) is tuple:
            return {"$": "tuple", "items": self.node(list(value), where)}
        if type(value) is dict:
            pairs = [
                [self.node(k, f"a key of {where}"), self.node(v, f"{where}[{k!r}]")]
                for k, v in value.items()
            ]
            return {"$": "dict", "items": pairs}
        if type(value) is slice:
            ends = [value.start, value.stop, value.step]
            return {"$": "slice", "items": self.node(ends, where)}
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(f"{where} holds a masked array, which a model file cannot carry.")
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if isinstance(value, np.generic):
            return {"$": "scalar", "name": self._store(np.asarray(value))}
        return self._object(value, where)

    def _array(self, value: NDArray[Any], where: str) -> Any:
        if value.dtype.kind in "biufUSmM":
            return {"$": "array", "name": self._store(value)}
        items = [self.node(v, f"{where}[{i}]") for i, v in enumerate(value.ravel().tolist())]
        return {"$": "objects", "shape": list(value.shape), "items": items}

    def _store(self, array: NDArray[Any]) -> str:
        """Keep an array; equal ones are kept once."""
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        digest = hashlib.blake2b(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
        key = (array.dtype.str, array.shape, fortran, digest.digest())
        if key not in self._names:
            self._names[key] = f"array_{len(self.arrays)}"
            self.arrays[self._names[key]] = array
        return self._names[key]

    def _object(self, value: Any, where: str) -> Any:
        kind: type[Any] = type(value)
        if isinstance(value, type) and (value is bool or _DTYPES.get(value.__name__) is value):
            return {"$": "dtype", "value": value.__name__}
        if isinstance(value, np.dtype) and _ARRAY_TYPE.fullmatch(value.str):
            return {"$": "array_type", "value": value.str}
        if isinstance(value, np.ufunc) and value in FUNCTIONS.values():
            return {"$": "function", "name": value.__name__}
        if kind.__module__.split(".")[0] == "pandas" and kind.__name__ == "Index":
            return self.node(value.tolist(), where)  # a list names columns as well
        if kind is partial and isinstance(value.func, Kernel) and not value.args:
            parts = {"kernel": value.func, "options": value.keywords}
            return {"$": "partial", **self._fields(parts, where)}
        if kind is np.random.RandomState:
            return {"$": "random_state", "state": self.node(value.get_state(), where)}
        if registry().get(kind.__name__) is not kind:
            raise TypeError(
                f"{where} holds {value!r}, which a model file cannot carry: it holds the library's "
                "own types, the usual steps of scikit-learn and plain values, and no code."
            )
        if kind is FunctionTransformer and has_keywords(value):
            raise TypeError(f"{where} gives keywords to a function, which a file cannot carry.")
        arguments, fitted = _taken_apart(value)
        node = {"$": "new", "type": kind.__name__, "with": self._fields(arguments, where)}
        return {**node, "fitted": self._fields(fitted, where)} if fitted else node

    def _fields(self, fields: dict[str, Any], where: str) -> dict[str, Any]:
        return {name: self.node(value, f"{where}.{name}") for name, value in fields.items()}


class Decoder:
    """Turns nodes back into values; refuses what the encoder would not have written."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.arrays = arrays

    def value(self, node: Any) -> Any:
        """The value of a node."""
        if isinstance(node, list):
            return [self.value(v) for v in node]
        if not isinstance(node, dict):
            return node
        match node:  # what is frequent comes first
            case {"$": "new"}:
                return self._new(node)
            case {"$": "array", "name": name}:
                return self.arrays[name]
            case {"$": "scalar", "name": name}:
                return self.arrays[name][()]
            case {"$": "objects", "items": items, "shape": shape}:
                array = np.empty(len(items), dtype=object)
                array[:] = [self.value(v) for v in items]
                return array.reshape([int(n) for n in shape])
            case {"$": "tuple", "items": items}:
                return tuple(self.value(v) for v in items)
            case {"$": "slice", "items": [start, stop, step]}:
                return slice(self.value(start), self.value(stop), self.value(step))
            case {"$": "dict", "items": items}:
                return {self.value(k): self.value(v) for k, v in items}
            case {"$": "float", "value": text}:
                if text not in ("nan", "inf", "-inf"):
                    raise ModelFileError(f"{text!r} is no number")
                return float(text)
            case {"$": "dtype", "value": name}:
                return _DTYPES[name]
            case {"$": "array_type", "value": text}:
                if not _ARRAY_TYPE.fullmatch(text):
                    raise ModelFileError(f"{text!r} is no type of an array")
                return np.dtype(text)
            case {"$": "function", "name": name}:
                if name not in FUNCTIONS:
                    raise ModelFileError(f"it names the unknown function {name!r}")
                return FUNCTIONS[name]
            case {"$": "random_state", "state": state}:
                found = np.random.RandomState()
                found.set_state(self.value(state))
                return found
            case {"$": "partial"}:
                return self._partial(node)
        raise ModelFileError(f"its header has a node of the unknown kind {node.get('$')!r}")

    def _partial(self, node: dict[str, Any]) -> Any:
        kernel, options = self.value(node["kernel"]), self.value(node["options"])
        if not isinstance(kernel, Kernel) or set(options) - {"bandwidth"}:
            raise ModelFileError("a function in it is no kernel with a bandwidth")
        return partial(kernel, **options)

    def _new(self, node: dict[str, Any]) -> Any:
        kind = registry().get(node["type"])
        if kind is None:
            raise ModelFileError(f"it names the unknown type {node['type']!r}")
        arguments = {name: self.value(v) for name, v in node["with"].items()}
        fitted = {name: self.value(v) for name, v in node.get("fitted", {}).items()}
        return _put_together(kind, arguments, fitted)


def _taken_apart(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The constructor arguments of an object, and the attributes that its fit has set."""
    kind = type(value)
    if isinstance(value, BaseEstimator):
        arguments = value.get_params(deep=False)
        unsaved = {*arguments, "_skl_callbacks"}
        unsaved |= getattr(value, "_unsaved_attributes", set)()
        if kind is IsotonicRegression:
            unsaved.add("f_")  # a function, made anew of the thresholds
        return arguments, {k: v for k, v in vars(value).items() if k not in unsaved}
    if kind is CategoryColumns:
        levels = {j: encoder.categories_[0] for j, encoder in value.encoders.items()}
        ordered = {} if value.is_ordered is None else {"is_ordered": value.is_ordered}
        return {"is_categorical": value.is_categorical, "levels": levels, **ordered}, {}
    if kind in _KERNEL_ARGUMENTS:
        return {name: getattr(value, name) for name in _KERNEL_ARGUMENTS[kind]}, {}
    if kind in PLAIN_OBJECTS:
        return dict(vars(value)), {}
    if kind in SPLITTERS:
        return {}, dict(vars(value))
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}, {}
    return dict(value._asdict()), {}


def _put_together(kind: type, arguments: dict[str, Any], fitted: dict[str, Any]) -> Any:
    if kind is CategoryColumns:
        columns = {int(j): np.asarray(v, dtype=object) for j, v in arguments["levels"].items()}
        encoders = {
            j: category_encoder([levels]).fit(levels[:, None]) for j, levels in columns.items()
        }
        marks = np.asarray(arguments["is_categorical"], dtype=bool)
        return CategoryColumns(marks, encoders, arguments.get("is_ordered"))
    made = kind(**arguments)
    for name, value in fitted.items():
        if not name.isidentifier() or name.startswith("__") or hasattr(kind, name):
            raise ModelFileError(f"{kind.__name__} has no fitted attribute {name!r}")
        setattr(made, name, value)
    if kind is IsotonicRegression and fitted:
        made._build_f(made.X_thresholds_, made.y_thresholds_)
    return made
