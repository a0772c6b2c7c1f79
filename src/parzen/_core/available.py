"""Methods that exist under a condition only, and say the condition where it does not hold.

scikit-learn's decorator of this name hides the reason in the cause of a bare "has no attribute".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import MethodType
from typing import Any

Method = Callable[..., Any]


class ConditionalMethod:
    """A method, and the check that an estimator must pass to have it."""

    def __init__(self, check: Callable[[Any], None], method: Method) -> None:
        @wraps(method)
        def checked(estimator: Any, *args: Any, **kwargs: Any) -> Any:
            check(estimator)
            return method(estimator, *args, **kwargs)

        self.check, self.method = check, checked
        self.__doc__ = method.__doc__

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self.method
        self.check(estimator)
        return MethodType(self.method, estimator)


def available_if(check: Callable[[Any], None]) -> Callable[[Method], ConditionalMethod]:
    """Offer a method where ``check(self)`` returns; its AttributeError is the answer elsewhere.

    Examples
    --------
    >>> from parzen import ParzenClassifier
    >>> hasattr(ParzenClassifier(), "partial_fit")
    True
    >>> hasattr(ParzenClassifier(metric="class"), "partial_fit")
    False
    """
    return lambda method: ConditionalMethod(check, method)
