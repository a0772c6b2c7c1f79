"""Errors of the user: one line that says what is wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path


class UserError(Exception):
    """Something in the files or options; the message is shown as it is, without a traceback."""


def check_writable(path: Path | None) -> None:
    """Refuse an output before anything is computed."""
    if path is None:
        return
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file to write to")
    if not path.parent.is_dir():
        raise UserError(
            f"the folder {path.parent} does not exist, so {path.name} cannot be written"
        )
    probe = path.parent / f".{path.name}.probe"
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None


def one_line(error: BaseException) -> str:
    """The message of an error on one line."""
    if isinstance(error, OSError) and error.strerror:
        name = "" if error.filename is None else f"{error.filename}: "
        return f"{name}{error.strerror.lower()}"
    text = " ".join(str(error).split())
    return text or type(error).__name__
