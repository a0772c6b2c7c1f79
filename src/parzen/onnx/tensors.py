"""Values of an ONNX graph that NumPy's functions can be applied to.

    Gaussian().log_shape(u, d)  with u a Tensor   ->   the node Mul(u, -0.5)

So a kernel's formula is written once, in its own file, and the graph follows from it. All numbers
of a graph are float64, whatever the type of its inputs: log-densities of -500 have no digits to
lose. ``log1p`` and ``expm1``, which ONNX lacks, are right to 1e-16 absolutely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

# A Tensor. NumPy's functions, which it is passed to, are not typed for it.
Value = Any
_LOWEST = float(np.finfo(np.float64).min)  # Every number but minus infinity is at least this.


class Graph:
    """Nodes and constants of a graph, in the order in which they are computed.

    ``unique`` makes a name that no other value has.
    """

    def __init__(self, unique: Callable[[str], str]) -> None:
        self.unique = unique
        self.nodes: list[NodeProto] = []
        self.constants: dict[tuple[Any, ...], TensorProto] = {}

    def op(self, kind: str, *inputs: Any, domain: str = "", **attributes: Any) -> Tensor:
        """The output of a new node; inputs that are no tensors become constants."""
        name = self.unique(kind.lower())
        self.node(kind, inputs, [name], domain=domain, **attributes)
        return Tensor(self, name)

    def node(
        self, kind: str, inputs: Sequence[Any], outputs: Sequence[str], **attributes: Any
    ) -> None:
        """A new node whose outputs have these names."""
        names = [self.tensor(value).name for value in inputs]
        self.nodes.append(helper.make_node(kind, names, outputs, outputs[0], **attributes))

    def tensor(self, value: Any) -> Tensor:
        """The value in this graph: whole numbers are int64, others float64, texts are texts."""
        if isinstance(value, Tensor):
            return value
        array = np.asarray(value)
        if array.dtype.kind in "US":
            array = array.astype(object)
        elif array.dtype != bool:
            array = array.astype(np.int64 if array.dtype.kind in "iu" else np.float64)
        content = tuple(array.ravel().tolist()) if array.dtype == object else array.tobytes()
        key = (array.dtype.str, array.shape, content)
        if key not in self.constants:
            self.constants[key] = numpy_helper.from_array(array, self.unique("constant"))
        return Tensor(self, self.constants[key].name)

    def inner(self) -> Graph:
        """A graph that is part of a node of this one."""
        return Graph(self.unique)

    def as_part(
        self, inputs: Sequence[str], outputs: Sequence[Tensor], shapes: dict[str, list[Any]]
    ) -> GraphProto:
        """The graph as an attribute of a node, its inputs and outputs float64 of these shapes."""

        def described(name: str) -> Any:
            return helper.make_tensor_value_info(name, TensorProto.DOUBLE, shapes.get(name))

        return helper.make_graph(
            self.nodes,
            self.unique("part"),
            [described(name) for name in inputs],
            [described(tensor.name) for tensor in outputs],
            initializer=list(self.constants.values()),
        )


class Tensor(NDArrayOperatorsMixin):
    """A value of a graph."""

    dtype = np.dtype(np.float64)

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph = graph
        self.name = name

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Value:
        """Make a node of a function of NumPy."""
        if method == "__call__" and not options:
            if ufunc.__name__ in _OPERATORS:
                floats = [x if isinstance(x, Tensor) else np.asarray(x, float) for x in inputs]
                return self.graph.op(_OPERATORS[ufunc.__name__], *floats)
            if ufunc.__name__ in _FORMULAS:
                return _FORMULAS[ufunc.__name__](*inputs)
        raise UnsupportedError(f"the function {ufunc.__name__!r}")

    def __array_function__(
        self, function: Any, types: Any, arguments: Any, options: dict[str, Any]
    ) -> Value:
        """The same for functions that work on whole arrays."""
        if function is np.where and len(arguments) == 3:
            return where(*arguments)
        if function is np.sum:
            return reduced("Sum", *arguments, **options)
        raise UnsupportedError(f"the function {function.__name__!r}")

    def __float__(self) -> float:
        """Refuse: the numbers of a graph are not known before it runs."""
        raise UnsupportedError("numbers that are looked up in a table")

    def astype(self, dtype: Any) -> Tensor:
        """The tensor itself: numbers of a graph are float64."""
        return self

    def cast(self, kind: int) -> Tensor:
        """As another type of ONNX."""
        return self.graph.op("Cast", self, to=kind)

    def columns(self, places: Any) -> Tensor:
        """Some columns."""
        return self.graph.op("Gather", self, np.asarray(places, np.int64), axis=1)


class UnsupportedError(ValueError):
    """Something that has no form in ONNX; the message says what."""


_OPERATORS = {
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "Div", "negative": "Neg",
    "minimum": "Min", "maximum": "Max", "power": "Pow", "exp": "Exp", "log": "Log",
    "sqrt": "Sqrt", "absolute": "Abs", "sin": "Sin", "greater": "Greater", "less": "Less",
    "greater_equal": "GreaterOrEqual", "less_equal": "LessOrEqual", "equal": "Equal",
    "isnan": "IsNaN", "matmul": "MatMul",
}  # fmt: skip
_FORMULAS: dict[str, Callable[..., Value]] = {
    "log1p": lambda x: np.log(1.0 + x),
    "expm1": lambda x: np.exp(x) - 1.0,
    "square": lambda x: x * x,
    "logaddexp": lambda a, b: log_add(a, b),
}


def traced(value: Any) -> Value:
    """The tensor that a function returned, out of the array that ``np.asarray`` wrapped it in."""
    found = value.item() if isinstance(value, np.ndarray) else value
    if not isinstance(found, Tensor):
        raise UnsupportedError("a formula that does not depend on its argument")
    return found


def where(condition: Value, yes: Any, no: Any) -> Value:
    """One value or the other."""
    return condition.graph.op("Where", condition, yes, no)


def reduced(kind: str, values: Value, axis: int = 1, keepdims: bool = False) -> Value:
    """The sum ("Sum"), the largest ("Max") or the smallest ("Min") along an axis."""
    axes = np.array([axis], np.int64)
    return values.graph.op(f"Reduce{kind}", values, axes, keepdims=int(keepdims))


def joined(parts: Sequence[Value]) -> Value:
    """Columns side by side."""
    return parts[0] if len(parts) == 1 else parts[0].graph.op("Concat", *parts, axis=1)


def log_sum(logs: Value) -> Value:
    """Log of the sum of exponentials along the rows, as a column; -inf for nothing."""
    largest = reduced("Max", logs, keepdims=True)
    largest = where(largest >= _LOWEST, largest, 0.0)
    total = reduced("Sum", np.exp(logs - largest), keepdims=True)
    return np.log(total) + largest


def log_add(first: Any, second: Any) -> Value:
    """Log of the sum of two exponentials, one of which is finite."""
    largest = np.maximum(first, second)
    return np.log(np.exp(first - largest) + np.exp(second - largest)) + largest


def log_softmax(logits: Value) -> Value:
    """Log-probabilities of finite logits, along the rows."""
    shifted = logits - reduced("Max", logits, keepdims=True)
    return shifted - np.log(reduced("Sum", np.exp(shifted), keepdims=True))


def zeros(like: Value, width: int) -> Value:
    """Zeros in as many rows as a matrix has."""
    graph = like.graph
    shape = graph.op("Concat", graph.op("Shape", like, start=0, end=1), [width], axis=0)
    value = numpy_helper.from_array(np.zeros(1))
    return graph.op("ConstantOfShape", shape, value=value)


def as_array(values: Any) -> NDArray[np.float64]:
    """Numbers as float64."""
    return np.asarray(values, np.float64)
