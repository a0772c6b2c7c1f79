"""What every test stands on."""

from __future__ import annotations

import signal
import threading
from collections import defaultdict

import pytest

MOST_QUICK_CASES = 4  # A test with more cases is thinned out in the quick set.


def pytest_configure() -> None:
    """Let SIGINT interrupt: a process started in the background inherits that it is ignored."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow the cases of large families that bring no new value of any parameter.

    The quick set still has every test, and every value of every parameter; which values meet in one
    case is left to the full run.
    """
    families = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and item.get_closest_marker("slow") is None:
            families[item.nodeid.partition("[")[0]].append(item)
    for cases in families.values():
        seen: set[tuple[str, int]] = set()
        for case in cases if len(cases) > MOST_QUICK_CASES else ():
            values = {(name, id(value)) for name, value in case.callspec.params.items()}
            if values <= seen:
                case.add_marker(pytest.mark.slow)
            seen |= values
