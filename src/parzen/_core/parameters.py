"""The parameters of an estimator, declared once: what is allowed, and what the docstring says.

An estimator declares a table of constraints, and calls `check_parameters` first thing in ``fit``:

    _constraints: ClassVar[Constraints] = {
        "ridge": Number("[0, inf)", also=("cv",)),
        "n_steps": Integer(1),
        "solver": OneOf("gradient", "eigen"),
        "kernel": Checked(get_density),  # a function that raises the error itself
    }

Tables of base classes are merged, the subclass first. Only what concerns several parameters at once
is written out, after the call. Text that several estimators share stands in ``_descriptions`` of
their base class, in the form of a docstring; `described` fills it in for a line ``{name, ...}``,
in the docstrings of methods too.

The parameters themselves are the annotated names of a class with the decorator `declared`, which
writes the constructor, inherited parameters included:

    @declared
    class Estimator(DensityClassifier):
        bandwidth: float = 1.0
        _: KW_ONLY
        ridge: float = 0.0
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from functools import cache, partial
from inspect import cleandoc, isfunction
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from sklearn.utils import check_random_state

from parzen._core.threads import effective_threads

E = TypeVar("E", bound=type)

_COMMON = """
n_jobs : int, default=None
    Threads; None for all cores that the process may use.
n_features_in_ : int
    Number of features.
feature_names_in_ : array of str
    Names of the columns, when the input had any.
X : array of shape (n_samples, n_features)
    The sample.
y : array of shape (n_samples,)
    The class of each row.
sample_weight : array of shape (n_samples,), default=None
    Frequencies: weight 2 is two copies of the row, weight 0 none.
"""
_INTERVALS = {"(0, inf)": "a positive number", "[0, inf)": "a number >= 0"}


class Constraint(ABC):
    """What the values of a parameter have to satisfy."""

    @abstractmethod
    def check(self, name: str, value: Any) -> None:
        """Raise an error that names the parameter, its value and the cure, if it is wrong."""


Constraints = dict[str, Constraint]


@dataclass(frozen=True)
class _Numeric(Constraint):
    """A number, or one of the names (None among them) that are ``also`` allowed.

    ``wanted`` describes such a number in the errors, where the bounds alone say too little;
    ``cure`` is added to the error of a number out of bounds.
    """

    _: KW_ONLY
    also: tuple[str | None, ...] = ()
    wanted: str = ""
    cure: str = ""

    def check(self, name: str, value: Any) -> None:
        if _is_name(value, self.also):
            return
        named = isinstance(value, str) and any(self.also)  # a wrong name is a wrong value
        is_number = not named and self._has_type(value)
        if is_number and self._allows(value):
            return
        wanted = _either([*self._allowed(), *map(repr, self.also)])
        if not (named or is_number):
            raise TypeError(f"{name} must be {wanted}, got {value!r}.")
        cure = f"; {self.cure}" if self.cure else ""
        raise ValueError(f"{name}={value!r} must be {wanted}{cure}.")

    @abstractmethod
    def _allowed(self) -> list[str]: ...

    @abstractmethod
    def _has_type(self, value: Any) -> bool: ...

    @abstractmethod
    def _allows(self, value: Any) -> bool: ...


@dataclass(frozen=True)
class Number(_Numeric):
    """A number in an interval such as ``"[0, 1)"``; ``several`` allows a list of them too.

    Examples
    --------
    >>> Number("[0, 1)", also=(None,)).check("novelty", 1.5)
    Traceback (most recent call last):
    ValueError: novelty=1.5 must be a number in [0, 1) or None.
    """

    interval: str = "(-inf, inf)"
    _: KW_ONLY
    several: bool = False

    def _allowed(self) -> list[str]:
        one = self.wanted or _INTERVALS.get(self.interval, f"a number in {self.interval}")
        return [one, "a list of them"] if self.several else [one]

    def _has_type(self, value: Any) -> bool:
        if self.several and isinstance(value, list | tuple | np.ndarray):
            array = np.asarray(value)
            return array.dtype.kind in "iuf" and array.ndim <= 1 and array.size > 0
        return isinstance(value, Real) and not isinstance(value, bool)

    def _allows(self, value: Any) -> bool:
        low, high = (float(end) for end in self.interval[1:-1].split(","))
        x = np.asarray(value, dtype=np.float64)
        above = x >= low if self.interval[0] == "[" else x > low
        below = x <= high if self.interval[-1] == "]" else x < high
        return bool((above & below).all())


@dataclass(frozen=True)
class Integer(_Numeric):
    """A whole number of at least ``least``.

    Examples
    --------
    >>> Integer(2).check("folds", 2.5)
    Traceback (most recent call last):
    TypeError: folds must be an integer >= 2, got 2.5.
    """

    least: int = 1

    def _allowed(self) -> list[str]:
        return [self.wanted or f"an integer >= {self.least}"]

    def _has_type(self, value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool)

    def _allows(self, value: Any) -> bool:
        return bool(value >= self.least)


class OneOf(Constraint):
    """One of a few names; None may be one of them.

    Examples
    --------
    >>> OneOf(None, "class", "learned").check("metric", "classes")
    Traceback (most recent call last):
    ValueError: metric='classes' is unknown; give None, 'class' or 'learned'.
    """

    def __init__(self, *names: str | None) -> None:
        self.names = names

    def check(self, name: str, value: Any) -> None:
        if not _is_name(value, self.names):
            allowed = _either(map(repr, self.names))
            raise ValueError(f"{name}={value!r} is unknown; give {allowed}.")


class Flag(Constraint):
    """True or False."""

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False, got {value!r}.")


@dataclass(frozen=True)
class Checked(Constraint):
    """What a function accepts, which otherwise raises an error that names the parameter."""

    function: Callable[[Any], object]

    def check(self, name: str, value: Any) -> None:
        self.function(value)


class Seed(Constraint):
    """A seed, a generator of NumPy's older kind, or None."""

    def check(self, name: str, value: Any) -> None:
        if isinstance(value, Integral) and 0 <= int(value) < 2**32:
            return  # a generator of this seed would take a thirtieth of a small fit
        try:
            check_random_state(value)
        except ValueError as error:
            raise ValueError(
                f"{name}={value!r} must be None, an integer that is not negative, or a "
                "numpy.random.RandomState."
            ) from error


class Anything(Constraint):
    """Any value: what it has to satisfy is known only with the data."""

    def check(self, name: str, value: Any) -> None:
        """Accept it."""


THREADS = Checked(partial(effective_threads, is_small=True))  # the number alone is checked


def constraints_of(cls: type) -> Constraints:
    """The tables of a class and its bases, merged."""
    merged: Constraints = {}
    for base in reversed(cls.__mro__):
        merged |= base.__dict__.get("_constraints", {})
    return merged


@cache
def _constraints_in_order(cls: Any) -> Constraints:
    """The table of an estimator's parameters; finding them takes as long as a small fit's sums."""
    constraints = constraints_of(cls)
    return {n: constraints[n] for n in cls._get_param_names() if n in constraints}


def check_parameters(estimator: Any) -> None:
    """Check every parameter of an estimator against its table, in the order of their names."""
    cls: Any = type(estimator)
    for name, constraint in _constraints_in_order(cls).items():
        constraint.check(name, getattr(estimator, name))


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def declared(cls: E) -> E:
    """Write the constructor of the parameters that a class declares, and fill in its docstring.

    An attribute of a fit is annotated by ``field(init=False)``: it is no parameter.
    """
    return described(dataclass(eq=False, repr=False)(cls))  # type: ignore[return-value]


def described(cls: E) -> E:
    """Fill shared descriptions into the docstrings of a class and its methods.

    They stand for lines ``{name, ...}``; indented lines that follow add to the last description.
    """
    known = _entries(_COMMON)
    for base in reversed(cls.__mro__):
        known |= _entries(base.__dict__.get("_descriptions", ""))

    def fill(line: re.Match[str]) -> str:
        entries = "\n".join(known[name] for name in re.split(r",\s*", line["names"]))
        return re.sub("^(?=.)", line["indent"], entries, flags=re.MULTILINE)

    line = r"^(?P<indent> *)\{(?P<names>\w+(,\s*\w+)*)\}$"
    methods = [getattr(part, "__func__", part) for part in vars(cls).values()]
    for part in [cls, *filter(isfunction, methods)]:
        if part.__doc__ is not None and "{" in part.__doc__:  # `python -OO` leaves docstrings out
            part.__doc__ = re.sub(line, fill, part.__doc__, flags=re.MULTILINE)
    return cls


def _entries(text: str) -> dict[str, str]:
    """The entries of a section of a docstring by name."""
    entries = re.split(r"\n(?=[\w*])", cleandoc(text)) if text else []
    return {re.split(" :|\n", entry)[0].lstrip("*"): entry for entry in entries}


def _is_name(value: Any, names: Iterable[str | None]) -> bool:
    return (value is None or isinstance(value, str)) and value in names


def _either(texts: Iterable[str]) -> str:
    """One of these, as the end of a sentence: ``a, b or c``."""
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last
