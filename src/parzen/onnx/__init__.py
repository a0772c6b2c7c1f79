"""ONNX: fitted models for programs without Python.

Importing this room tells skl2onnx of the library's classifiers and of `TableEncoder`, so that
``skl2onnx.to_onnx`` converts pipelines with them; `to_onnx` needs no other argument than the model.
Graphs are built from ONNX's own operators in log-sum-exp form, and compute in float64 whatever the
type of their inputs. Memory is some ten numbers for each pair of row and kernel: give a graph a few
thousand rows at a time.
"""

from __future__ import annotations

from typing import Any, Literal

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

try:
    import skl2onnx
except ImportError as error:
    raise ImportError("ONNX needs skl2onnx: pip install 'parzen[onnx]'.") from error

from parzen.onnx.converters import categories_of, register
from parzen.onnx.tensors import UnsupportedError

__all__ = ["UnsupportedError", "to_onnx"]

register()


def to_onnx(model: Any, *, dtype: Literal["float32", "float64"] = "float32") -> Any:
    """Convert a fitted classifier, or a pipeline of one, to ONNX.

    Read more in the :doc:`guide </guide/model_files>`.

    A graph takes whole rows: a row with a missing number gets NaN as its probabilities and a label
    that means nothing, also where the model itself takes such rows. Two models are graphs that take
    them: `KernelNaiveBayes`, which leaves the entry out, and a pipeline that begins with
    ``TableEncoder(missing="impute")``, which fills it in. A classifier that was fitted to
    rows with missing values is refused.

    Parameters
    ----------
    model : estimator
        Any classifier of the library but `ConformalClassifier`, a `TableEncoder`, or a pipeline of
        them with steps that skl2onnx knows.
    dtype : {"float32", "float64"}, default="float32"
        Type of the inputs and of the probabilities.

    Returns
    -------
    onnx_model : onnx.ModelProto
        One input ``X``, or one for each column of a table with texts, named as the columns are (the
        empty text is a missing entry). The outputs are ``label`` and ``probabilities``;
        ``scores`` in place of these for `L2LinearClassifier`.

    Examples
    --------
    >>> from parzen import ParzenClassifier
    >>> from parzen.onnx import to_onnx
    >>> model = ParzenClassifier(bandwidth=1.0).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> [output.name for output in to_onnx(model).graph.output]
    ['label', 'probabilities']
    """
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, StringTensorType

    check_is_fitted(model)
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype must be 'float32' or 'float64', got {dtype!r}.")
    number = FloatTensorType if dtype == "float32" else DoubleTensorType
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    encoders = getattr(categories_of(steps[0]), "encoders", {})
    d = steps[0].n_features_in_
    types = [("X", number([None, d]))]
    if encoders:
        names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(d)])
        texts = {j for j, e in encoders.items() if e.categories_[0].dtype.kind not in "biuf"}
        types = [
            (str(name), (StringTensorType if j in texts else number)([None, 1]))
            for j, name in enumerate(names)
        ]
    options = {id(steps[-1]): {"zipmap": False}} if hasattr(steps[-1], "classes_") else None
    return skl2onnx.convert_sklearn(
        model, name=type(steps[-1]).__name__, initial_types=types, options=options
    )
