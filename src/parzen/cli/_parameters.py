"""Parameters of an estimator as they are typed: ``--set name=value`` and the options beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli._errors import UserError

_CONSTANTS = {"none": None, "null": None, "true": True, "false": False}


def parameters(
    assignments: Sequence[str], named: Mapping[str, str | float | None], classes: NDArray[Any]
) -> dict[str, Any]:
    """The parameters that the options name.

    Parameters
    ----------
    assignments : sequence of str
        Texts "name=value".
    named : mapping of str to text, number or None
        Parameters with an option of their own, None where they were not given.
    classes : array of shape (n_classes,)
        The labels, which priors and costs refer to.
    """
    found: dict[str, Any] = {}
    for text in assignments:
        name, equals, written = text.partition("=")
        if not equals or not name.strip():
            raise UserError(f"--set takes name=value, got {text!r}")
        found[name.strip()] = written.strip()
    found |= {name: value for name, value in named.items() if value is not None}
    readers = {"priors": _priors, "costs": _costs}
    return {
        name: readers[name](text, classes) if name in readers and isinstance(text, str)
        else value_of(text)
        for name, text in found.items()
    }  # fmt: skip


def set_parameters(method: str, estimator: Any, chosen: Mapping[str, Any]) -> None:
    """Give an estimator its parameters, or say which there are."""
    known = estimator.get_params(deep=False)
    for name in chosen:
        if name not in known:
            raise UserError(
                f"{method} has no parameter {name!r}; its parameters are {', '.join(sorted(known))}"
            )
    estimator.set_params(**chosen)


def value_of(text: Any) -> Any:
    """The value that a text stands for: a number, a list, true, false, none, or the text itself.

    Examples
    --------
    >>> value_of("0.5"), value_of("none"), value_of("[1, 2]"), value_of("loo")
    (0.5, None, [1, 2], 'loo')
    """
    if not isinstance(text, str):
        return text
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        return text


def _priors(text: str, classes: NDArray[Any]) -> Any:
    """A word, one number for each class in order, or ``label=number`` for each."""
    if "=" not in text:
        return value_of(f"[{text}]") if "," in text and not text.startswith("[") else value_of(text)
    given = dict(_pairs(text, "--priors", "label=number"))
    labels = [str(label) for label in classes]
    unknown = [name for name in given if name not in labels]
    if unknown:
        raise UserError(
            f"--priors: there is no class {unknown[0]!r}; the classes are {', '.join(labels)}"
        )
    absent = [label for label in labels if label not in given]
    if absent:
        raise UserError(f"--priors: no number for the class {absent[0]!r}; name all of "
                        f"{', '.join(labels)}")  # fmt: skip
    return [given[label] for label in labels]


def _costs(text: str, classes: NDArray[Any]) -> Any:
    """A matrix in JSON, or ``true:predicted=number`` for the costs that are not 1."""
    if text.startswith("["):
        return value_of(text)
    labels = [str(label) for label in classes]
    costs = 1.0 - np.eye(len(labels))
    for pair, cost in _pairs(text, "--costs", "true:predicted=number"):
        ends = [(a, b) for a in labels for b in labels if pair == f"{a}:{b}"]
        if not ends:
            raise UserError(f"--costs: {pair!r} is not true:predicted with labels of "
                            f"{', '.join(labels)}")  # fmt: skip
        true, predicted = ends[0]
        costs[labels.index(true), labels.index(predicted)] = cost
    return costs.tolist()


def _pairs(text: str, option: str, form: str) -> list[tuple[str, float]]:
    found = []
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        try:
            found.append((name.strip(), float(number)))
        except ValueError:
            raise UserError(f"{option} takes {form}, separated by commas; got {part!r}") from None
    return found
