"""What was built and what it runs on: the version, the instruction set, the threads.

The instruction set is the widest that the processor has and that passes a self-check; the
environment variable ``PARZEN_SIMD`` names another (``baseline``, ``avx2``, ``avx512``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version

from parzen import _native
from parzen._core.threads import effective_threads


def package_version() -> str:
    """The installed version, or "unknown" when run from an uninstalled tree."""
    try:
        return version("parzen")
    except PackageNotFoundError:
        return "unknown"


def choose_instruction_set() -> None:
    """Follow PARZEN_SIMD, or say why that cannot be done."""
    wanted = os.environ.get("PARZEN_SIMD", "").strip().lower()
    if wanted and not _native.choose_instruction_set(wanted):
        raise ImportError(
            f"PARZEN_SIMD={wanted!r} cannot be used on this processor; "
            f"unset it or choose one of {', '.join(usable_instruction_sets())}."
        )


def usable_instruction_sets() -> list[str]:
    """Those that this processor has, the widest first."""
    return [name for name, supported in _native.instruction_sets() if supported]


@contextmanager
def instruction_set(name: str) -> Iterator[None]:
    """Compute with another instruction set for a while, in all threads of the process."""
    before = _native.instruction_set()
    if not _native.choose_instruction_set(name):
        raise ValueError(f"{name!r} is none of {', '.join(usable_instruction_sets())}.")
    try:
        yield
    finally:
        _native.choose_instruction_set(before)


def describe() -> str:
    """The lines that ``python -m parzen info`` prints.

    Examples
    --------
    >>> print(describe())
    parzen ...
    build           ...
    instruction set ...
    threads         ...
    """
    sets = ", ".join(
        name if supported else f"({name})" for name, supported in _native.instruction_sets()
    )
    return "\n".join(
        [
            f"parzen {package_version()}",
            f"build           {_native.build_type}, {_native.compiler}",
            f"instruction set {_native.instruction_set()}  [{sets}]",
            f"threads         {effective_threads()}",
        ]
    )
