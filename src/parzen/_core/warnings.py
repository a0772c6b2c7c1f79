"""Warnings that name the line of the caller: the first one outside of this library."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

_HERE = str(Path(__file__).parents[1]) + os.sep


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about the call that entered the library, however deep in it the reason was found."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
