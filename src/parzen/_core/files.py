"""Files that are written whole or not at all.

The new contents are written to a temporary file in the same folder, brought to the disk, and take
the place of the old contents in one step. A process that is killed at any moment leaves the old
file, or the new one, and never a part.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def whole_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file to write to, which takes the name ``path`` when all has been written.

    After an error there is what was there before. A symbolic link stays, and the file that it
    points to is written. A file that exists keeps its permissions. A device, a pipe or a socket is
    written through, as it cannot be replaced. ``mode`` is "w" (UTF-8 text) or "wb".
    """
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    if is_stream(path):
        with open(path, mode, **text) as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    permissions = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, mode, **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, permissions)  # a temporary file is for its owner only
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def is_stream(path: Path) -> bool:
    """Whether a path names a device, a pipe or a socket: something that is there, but no file.

    Examples
    --------
    >>> is_stream(Path(os.devnull)), is_stream(Path("no such file"))
    (True, False)
    """
    return path.exists() and not path.is_file() and not path.is_dir()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
