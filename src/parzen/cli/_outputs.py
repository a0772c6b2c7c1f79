"""Where a command may write: nothing of the user's is ever lost.

an input, by any name          refused, with --overwrite too
a file of another kind         refused without --overwrite
a folder, or in none           refused
a symbolic link                followed
a device, a pipe, a socket     written through
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from parzen.cli._errors import UserError

_HEAD_BYTES = 4096  # The first bytes of an existing file show what it holds.


def check_output(
    path: Path | None,
    kind: str,
    *,
    inputs: Iterable[str | Path] = (),
    overwrite: bool = False,
    header: str = "",
) -> None:
    """Refuse an output before anything is computed.

    Parameters
    ----------
    path : Path or None
        What is to be written; None for nothing.
    kind : {"model", "table", "page", "figure", "onnx"}
        What it will hold. A file of the same kind is replaced; one of another kind needs
        ``overwrite``.
    inputs : iterable of str or Path, default=()
        Files that the command reads, and other files that it writes.
    overwrite : bool, default=False
        Whether the user allows to replace files of another kind.
    header : str, default=""
        The first line of a table that will be written. A table with the same first line is of the
        same kind; without a header every table is of another.
    """
    from parzen._core import is_stream

    if path is None or is_stream(path):
        return
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file to write to")
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise UserError(
            f"the folder {path.parent} does not exist, so {path.name} cannot be written"
        )
    for other in inputs:
        if _same_file(target, Path(other)):
            raise UserError(f"{path} is the same file as {other}, which the command reads or "
                            "writes; name another file")  # fmt: skip
    if target.exists() and not overwrite and not _is_of_kind(target, kind, header):
        raise UserError(
            f"{path} exists and is no {_KIND_NAMES[kind]}; name another file, or use --overwrite"
        )
    _check_permission(path, target)


_KIND_NAMES = {
    "model": "model file",
    "table": "table that `parzen predict` wrote",
    "page": "report",
    "figure": "figure of this kind",
    "onnx": "ONNX model",
}
_FIGURE_HEADS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<svg"}


def _is_of_kind(path: Path, kind: str, header: str) -> bool:
    """Whether an existing file is what such an output would replace; an empty one always is."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        return True
    if kind == "model":
        return head.startswith(b"PK\x03\x04") and b"header.json" in head[:64]
    if kind == "page":
        return head.lower().startswith(b"<!doctype html") and b"<title>" in head
    if kind == "figure":
        mark = _FIGURE_HEADS.get(path.suffix.lower(), b"")
        return bool(mark) and mark in head
    if kind == "onnx":  # the field of the version, then the name of the program that wrote it
        return head.startswith(b"\x08") and b"skl2onnx" in head[:64]
    return bool(header) and head.startswith(f"{header}\n".encode())


def _same_file(target: Path, other: Path) -> bool:
    """Whether two names mean one file: hard links, links, other spellings and other cases."""
    try:
        return target.samefile(other)
    except OSError:
        pass
    one, two = os.path.realpath(target), os.path.realpath(other)
    return os.path.normcase(one) == os.path.normcase(two)


def _check_permission(path: Path, target: Path) -> None:
    if target.exists() and not os.access(target, os.W_OK):
        raise UserError(f"{path} cannot be written: it is write-protected")
    probe = target.parent / f".{target.name}.{os.getpid()}.probe"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None
