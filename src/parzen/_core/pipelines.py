"""What the last step of a pipeline sees."""

from __future__ import annotations

from typing import Any


def last_estimator(estimator: Any) -> Any:
    """The last step of a pipeline; others as they are."""
    return estimator if _before_last(estimator) is None else estimator[-1]


def last_step(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a pipeline, and the rows as it sees them.

    An estimator that is no pipeline sees the rows as they are.
    """
    before = _before_last(estimator)
    return last_estimator(estimator), before.transform(X) if before else X


def last_columns(estimator: Any, n_columns: int) -> list[str]:
    """Names of the columns that the last step sees, or x0, x1, ... where there are none."""
    before = _before_last(estimator)
    try:
        names = before.get_feature_names_out() if before else estimator.feature_names_in_
    except (AttributeError, ValueError):  # a step that does not name what it makes
        names = [f"x{i}" for i in range(n_columns)]
    return [str(name) for name in names]


def _before_last(estimator: Any) -> Any:
    """The steps before the last one, None where there is no pipeline."""
    from sklearn.pipeline import Pipeline

    return estimator[:-1] if isinstance(estimator, Pipeline) else None
