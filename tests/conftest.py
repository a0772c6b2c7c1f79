"""What every test stands on."""

from __future__ import annotations

import random
import signal
import threading
from collections import defaultdict

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer a choice of the cases of tests with many parameters."""
    parser.addoption("--cases", type=int, help="at most so many cases of one test, at random")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases beyond --cases; the choice depends on nothing but the test's name."""
    limit = config.getoption("--cases")
    if limit is None:
        return
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.split("[")[0]].append(item)
    kept = {
        item
        for name, same in cases.items()
        for item in random.Random(name).sample(same, min(limit, len(same)))
    }
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def pytest_configure() -> None:
    """Let SIGINT interrupt: a process started in the background inherits that it is ignored."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
