"""Errors of the user: one line that says what is wrong, where, and what to do."""

from __future__ import annotations


class UserError(Exception):
    """Something in the files or options; the message is shown as it is, without a traceback."""


def one_line(error: BaseException) -> str:
    """The message of an error on one line."""
    if isinstance(error, OSError) and error.strerror:
        name = "" if error.filename is None else f"{error.filename}: "
        return f"{name}{error.strerror.lower()}"
    text = " ".join(str(error).split())
    return text or type(error).__name__
