"""What every test stands on."""

from __future__ import annotations

import ast
import inspect
import random
import re
import signal
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

MOST_QUICK_CASES = 4  # A test with more cases is thinned out in the quick set.


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer a choice of the cases of tests with many parameters."""
    parser.addoption("--cases", type=int, help="at most so many cases of one test, at random")


def pytest_configure() -> None:
    """Let SIGINT interrupt: a process started in the background inherits that it is ignored."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Thin out large families: by --cases, and among the quick tests."""
    families = defaultdict(list)
    for item in items:
        families[item.nodeid.partition("[")[0]].append(item)
    limit = config.getoption("--cases")
    if limit is not None:
        kept = {
            item
            for name, cases in families.items()
            for item in random.Random(name).sample(cases, min(limit, len(cases)))
        }
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]
    for cases in families.values():
        mark_redundant_cases_as_slow(cases)


def mark_redundant_cases_as_slow(cases: list[pytest.Item]) -> None:
    """Mark as slow the cases of a large family that bring no new value of any parameter.

    A test that is quick keeps every value of every parameter; which values meet in one case is left
    to the full run.
    """
    quick = [c for c in cases if hasattr(c, "callspec") and c.get_closest_marker("slow") is None]
    seen: set[tuple[str, int]] = set()
    for case in quick if len(quick) > MOST_QUICK_CASES else ():
        values = {(name, id(value)) for name, value in case.callspec.params.items()}
        if values <= seen:
            case.add_marker(pytest.mark.slow)
        seen |= values


@pytest.fixture
def documented_defaults() -> Callable[[Any], dict[str, tuple[Any, Any]]]:
    """The default of each parameter by the docstring of a function, and by its signature."""

    def found(function: Any) -> dict[str, tuple[Any, Any]]:
        described = re.findall(r"^(\w+) : .*default=(.+)$", inspect.getdoc(function), re.M)
        given = inspect.signature(function).parameters
        return {name: (ast.literal_eval(text), given[name].default) for name, text in described}

    return found
