"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def whole_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file to write to, which takes the name ``path`` when all has been written.

    After an error there is what was there before. ``mode`` is "w" (UTF-8 text) or "wb".
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with os.fdopen(handle, mode, **text) as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())  # a temporary file is for its owner only
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
