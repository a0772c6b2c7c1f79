"""The command line: ``parzen compare``, ``fit``, ``predict``, ``info``, ``select``, ...

Errors of the user are one line and exit code 2; nothing is written then.
"""

from __future__ import annotations

import os
import sys

from parzen.cli._errors import UserError, one_line

__all__ = ["run"]


def run(arguments: list[str]) -> int:
    """Run a command; return the exit code."""
    from parzen.cli._app import app

    try:
        code = app(args=arguments, prog_name="parzen", standalone_mode=False)
    except (
        UserError,
        ValueError,
        TypeError,
        OSError,
        ImportError,
        LookupError,
        MemoryError,
    ) as error:
        return _broken_pipe() if isinstance(error, BrokenPipeError) else _fail(one_line(error))
    except KeyboardInterrupt:
        print("parzen: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        # Typer brings its own copy of click, so its errors are known by what they can do.
        if hasattr(error, "format_message"):
            message = " ".join(error.format_message().split())
            return _fail(message) if message else 2  # no command: the help is already there
        if hasattr(error, "exit_code"):
            return int(error.exit_code)
        raise
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    print(f"parzen: error: {message}", file=sys.stderr)
    return 2


def _broken_pipe() -> int:
    """The reader has gone, as in ``parzen predict ... | head``: no error, nothing more to say."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
