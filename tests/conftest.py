"""What every test stands on."""

from __future__ import annotations

import signal
import threading


def pytest_configure() -> None:
    """Let SIGINT interrupt: a process started in the background inherits that it is ignored."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
