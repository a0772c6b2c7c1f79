"""scikit-learn's callbacks (1.9), told of the progress that the native passes report.

A fit is one task of a hundred parts. A callback that asks to stop after a part ends the fit with an
error, and the estimator is as before any fit: half of a search or of a solution is no model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from parzen._core.progress import listening

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
except ImportError:  # scikit-learn 1.8 has no callbacks

    class CallbackSupport:  # type: ignore[no-redef]
        """Nothing."""


_PARTS = 100  # Progress is told to callbacks as this many subtasks of a fit.


@contextmanager
def telling_callbacks(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[None]:
    """Tell the callbacks of an estimator how far the fit inside is; nothing where it has none."""
    if not hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_callback_fit_ctx"):
        yield
        return
    from sklearn.callback._callback_support import callback_management_context

    metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
    data: dict[str, Any] = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
    done = 0

    def part_is_last() -> bool:
        """Tell of one part; whether a callback asks to stop."""
        nonlocal done
        done += 1
        part = context.subcontext(task_name="part").call_on_fit_task_begin(**data)
        return bool(part.call_on_fit_task_end(**data))

    def report(share: float) -> None:
        while done < int(share * _PARTS + 1e-9):
            if part_is_last() and done < _PARTS:
                raise RuntimeError(
                    f"a callback stopped the fit of {type(estimator).__name__} after {done} % of "
                    "its work; the estimator is not fitted. Fit it again, with less to choose from "
                    "or fewer rows if it took too long."
                )

    with callback_management_context(estimator):
        context = estimator._init_callback_context(max_subtasks=_PARTS)
        context.call_on_fit_task_begin(**data)
        with listening(report):
            yield
        while done < _PARTS:
            part_is_last()
        context.call_on_fit_task_end(**data, reconstruction_attributes={})
