"""What skl2onnx is told of the library's estimators: the types of their outputs, and the graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto
from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import (
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
)

from parzen.classifiers import L2LinearClassifier
from parzen.onnx.decisions import decide, labels_of
from parzen.onnx.evidence import EVIDENCE_OF
from parzen.onnx.sums import scaled_scores
from parzen.onnx.tables import encoded, table_of
from parzen.onnx.tensors import Graph, UnsupportedError, Value, joined
from parzen.table import TableEncoder

_ML_VERSION = 3  # Version of the domain ai.onnx.ml, whose LabelEncoder looks up texts.
_OPTIONS = {"zipmap": [True, False, "columns"], "output_class_labels": [False, True]}


def register() -> None:
    """Tell skl2onnx of all estimators."""
    for estimator in (*EVIDENCE_OF, L2LinearClassifier):
        update_registered_converter(
            estimator, f"Parzen{estimator.__name__}", _classifier_types, _convert_classifier,
            parser=_parse_signed if estimator is L2LinearClassifier else None, options=_OPTIONS,
        )  # fmt: skip
    update_registered_converter(
        TableEncoder, "ParzenTableEncoder", _encoder_types, _convert_encoder
    )


def _classifier_types(operator: Any) -> None:
    model, rows = operator.raw_operator, operator.inputs[0].get_first_dimension()
    is_text = labels_of(model).dtype.kind == "U"
    label = StringTensorType if is_text else Int64TensorType
    operator.outputs[0].set_type(label([rows]))
    operator.outputs[1].set_type(_float_type(operator)([rows, len(model.classes_)]))


def _encoder_types(operator: Any) -> None:
    encoder, rows = operator.raw_operator, operator.inputs[0].get_first_dimension()
    width = sum(len(encoder.levels_.get(j, [0])) for j in range(encoder.n_features_in_))
    operator.outputs[0].set_type(_float_type(operator)([rows, width]))


def _float_type(operator: Any) -> Any:
    """float64 where an input is, otherwise float32."""
    is_double = any(isinstance(v.type, DoubleTensorType) for v in operator.inputs)
    return DoubleTensorType if is_double else FloatTensorType


def _convert_classifier(scope: Any, operator: Any, container: Any) -> None:
    model, graph = operator.raw_operator, Graph(scope.get_unique_variable_name)
    try:
        X = table_of(graph, operator.inputs, categories_of(model))
        if isinstance(model, L2LinearClassifier):
            codes, values = _signed(model, X)
        else:
            codes, values = decide(model.decision_, EVIDENCE_OF[type(model)](model, X))
    except UnsupportedError as error:
        raise UnsupportedError(
            f"{type(model).__name__} cannot be written as ONNX: {error} has no form there; save it "
            "as a model file instead (parzen.save)."
        ) from None
    found = graph.op("Gather", labels_of(model), codes, axis=0)
    graph.node("Identity", [found], [operator.outputs[0].full_name])
    _name_output(operator.outputs[1], values)
    _add(graph, container)


def _signed(model: L2LinearClassifier, X: Value) -> tuple[Value, Value]:
    """Places of the labels, and scores.

    Signed sums decide by their mantissas, whose signs are right at any distance.
    """
    tiny = float(np.finfo(np.float64).tiny)
    mantissa, log_scale = scaled_scores(model.expansion_, X)
    possible = []
    for values in (mantissa, mantissa * np.exp(log_scale)):
        if model.gamma_ == 0:
            values = np.maximum(values, tiny)
        elif model.gamma_ == np.inf:
            values = np.minimum(values, -tiny)
        if len(model.classes_) == 2:
            values = joined([-values, values])
        elif (model.priors_ == 0).any():
            values = values + np.where(model.priors_ == 0, -np.inf, 0.0)
        possible.append(values)
    return X.graph.op("ArgMax", possible[0], axis=1, keepdims=0), possible[1]


def _convert_encoder(scope: Any, operator: Any, container: Any) -> None:
    encoder, graph = operator.raw_operator, Graph(scope.get_unique_variable_name)
    found = encoded(encoder, table_of(graph, operator.inputs, encoder._table))
    _name_output(operator.outputs[0], found)
    _add(graph, container)


def _parse_signed(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Two outputs, label and scores: there are no probabilities."""
    operator = scope.declare_local_operator("ParzenL2LinearClassifier", model)
    operator.inputs = inputs
    for name, kind in (("label", Int64TensorType), ("scores", FloatTensorType)):
        operator.outputs.append(scope.declare_local_variable(name, kind()))
    return operator.outputs


def categories_of(model: Any) -> Any:
    """The columns of categories of a classifier that reads tables."""
    found = getattr(model, "_categories", getattr(model, "_table", None))
    return found if hasattr(found, "encoders") else None


def _name_output(variable: Any, values: Value) -> None:
    is_double = isinstance(variable.type, DoubleTensorType)
    kind = TensorProto.DOUBLE if is_double else TensorProto.FLOAT
    values.graph.node("Cast", [values], [variable.full_name], to=kind)


def _add(graph: Graph, container: Any) -> None:
    """Give skl2onnx the nodes and constants."""
    container.initializers.extend(graph.constants.values())
    for node in graph.nodes:
        is_own = node.domain == ""
        version = container._get_op_version("", node.op_type) if is_own else _ML_VERSION
        container.node_domain_version_pair_sets.add((node.domain, version))
        container.nodes.append(node)
