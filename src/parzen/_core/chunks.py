"""Dask objects as input of estimators: recognised here, served by `parzen.distributed`.

Nothing of dask is imported before a dask object comes in. A fitted estimator maps its answers over
the chunks of a dask array, lazily. ``fit`` gathers the sample, which is the model, and spreads the
sums over it, those of bandwidth selection above all, over the cluster; where weights lie on
landmarks the sample stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from parzen._core.available import ConditionalMethod

_ANSWERS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score_samples",
)


def is_dask(X: Any) -> bool:
    """Whether this is a dask array, dataframe or series."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def accept_chunks(cls: type) -> None:
    """Let the methods that a class defines itself take dask objects."""
    for name in _ANSWERS:
        member = cls.__dict__.get(name)
        if isinstance(member, ConditionalMethod):
            setattr(cls, name, member.wrapped(_by_chunks))
        elif callable(member):
            setattr(cls, name, _by_chunks(member))
    if callable(cls.__dict__.get("fit")):
        setattr(cls, "fit", _gathered(cls.__dict__["fit"]))  # noqa: B010


def _by_chunks(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def answer(self: Any, X: Any) -> Any:
        if not is_dask(X):
            return method(self, X)
        from parzen.distributed import map_rows

        return map_rows(self, method.__name__, X)

    return answer


def _gathered(fit: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(fit)
    def fitted(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        values = (X, *args, *kwargs.values())
        if not any(is_dask(value) for value in values):
            return fit(self, X, *args, **kwargs)
        from parzen.distributed import fit_chunks, gather, spread_sums

        if fit_chunks(self, X, *args, **kwargs):
            return self
        gathered = gather(values)
        rest = gathered[1 : 1 + len(args)]
        named = dict(zip(kwargs, gathered[1 + len(args) :]))
        with spread_sums():
            return fit(self, gathered[0], *rest, **named)

    return fitted
