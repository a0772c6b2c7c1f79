"""scikit-learn's steps that a model file carries beside the library's estimators, and their checks.

Their fitted state is plain numbers, texts and arrays. A step that calls functions is carried where
these are NumPy's, from a fixed list. A file that was read must not make a step ask for more memory
than the file and some rows need, and every step must answer rows that suit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import (
    CalibratedClassifierCV,
    _CalibratedClassifier,
    _SigmoidCalibration,
    _TemperatureScaling,
)
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from parzen.model_files.archive import ModelFileError

ENCODERS: tuple[Any, ...] = (OneHotEncoder, OrdinalEncoder, TargetEncoder)
TRANSFORMERS: tuple[type, ...] = (
    *ENCODERS, FunctionTransformer, KNNImputer, MaxAbsScaler, MinMaxScaler, PCA, PowerTransformer,
    QuantileTransformer, RobustScaler, SimpleImputer, StandardScaler,
)  # fmt: skip
STEPS: tuple[type, ...] = (
    *TRANSFORMERS, CalibratedClassifierCV, ColumnTransformer, FrozenEstimator, IsotonicRegression,
    LabelBinarizer, LabelEncoder, MissingIndicator, Pipeline, _CalibratedClassifier,
    _SigmoidCalibration, _TemperatureScaling, make_column_selector,
)  # fmt: skip
PLAIN_OBJECTS: tuple[type, ...] = (_CalibratedClassifier, make_column_selector)
FUNCTIONS: dict[str, Any] = {
    name: getattr(np, name)
    for name in (
        "absolute", "arcsinh", "arctan", "cbrt", "cos", "exp", "exp2", "expm1", "log", "log10",
        "log1p", "log2", "negative", "reciprocal", "sign", "sin", "sinh", "sqrt", "square", "tan",
        "tanh",
    )
}  # fmt: skip
_MAX_PART_COLUMNS = 2**24  # Parts of a column transformer may take this many columns in any file.


def check_step(step: Any, file_size: int, where: str) -> None:
    """Refuse a step whose state claims more columns than the file holds, or whose parts are odd."""
    columns = getattr(step, "n_features_in_", None)  # None before a fit
    if isinstance(step, OneHotEncoder) and columns is not None:
        sizes = [len(levels) for levels in step.categories_]
        claimed = list(step._n_features_outs)
        if len(claimed) != len(sizes) or any(
            not 0 <= n <= size for n, size in zip(claimed, sizes, strict=True)
        ):
            raise ModelFileError(f"its {where} claims {claimed} columns for {sizes} levels")
    elif isinstance(step, ColumnTransformer):
        parts = getattr(step, "transformers_", step.transformers)
        if len(parts) * (columns or 0) > max(file_size, _MAX_PART_COLUMNS):
            raise ModelFileError(f"its {where} claims {len(parts)} times {columns} columns")
        names = step.verbose_feature_names_out
        text = names if isinstance(names, str) else ""
        for field in ("{feature_name}", "{transformer_name}"):
            text = text.replace(field, "")
        if "{" in text or "}" in text:
            raise ModelFileError(f"its {where}.verbose_feature_names_out is {names!r}")
    elif isinstance(step, FunctionTransformer) and has_keywords(step):
        raise ModelFileError(f"its {where} gives keywords to a function")


def has_keywords(step: FunctionTransformer) -> bool:
    """Whether a step gives its functions more than the rows: then a file cannot carry it."""
    return bool(step.kw_args or step.inv_kw_args)


def trial_rows(model: Any) -> NDArray[Any] | None:
    """Two rows that suit a fitted model; None where it has no number of columns."""
    columns = getattr(model, "n_features_in_", None)
    if isinstance(model, Pipeline) and columns is not None:
        return trial_rows(model.steps[0][1])
    if columns is None:
        return None
    if isinstance(model, ENCODERS):
        known = [[levels[end] for levels in model.categories_] for end in (0, -1)]
        return np.array(known, dtype=object).reshape(2, -1)
    if isinstance(model, SimpleImputer) and model._fit_dtype.kind == "O":
        return np.array([model.statistics_, model.statistics_], dtype=object)
    rows = np.stack([np.zeros(columns), np.ones(columns)])
    if isinstance(model, ColumnTransformer):
        rows = rows.astype(object)
        for name, part, _ in model.transformers_:
            own = trial_rows(part)
            if own is not None:
                rows[:, model._transformer_to_input_indices[name]] = own
    if isinstance(model, KNNImputer) and columns:
        rows[0, 0] = model.missing_values
    return rows
