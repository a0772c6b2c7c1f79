"""Results on disk, so that a run can be stopped at any moment and taken up again.

One JSON file per task, named by the hash of what was computed: function, parameters, version. A
file is written beside its place and renamed, so there are whole results or none.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parzen._core import whole_file


def write_atomically(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(text)


def key_of(*parts: Any) -> str:
    """The name of a result: a hash of plain values.

    Examples
    --------
    >>> key_of("f", {"a": 1, "b": 2}) == key_of("f", {"b": 2, "a": 1})
    True
    >>> key_of("f", {"a": 1}) == key_of("f", {"a": 1.5})
    False
    """
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Cache:
    """Results in a folder.

    Examples
    --------
    >>> import tempfile
    >>> cache = Cache(Path(tempfile.mkdtemp()))
    >>> cache.get("0a1b") is None
    True
    >>> cache.put("0a1b", {"error": 0.1})
    >>> cache.get("0a1b")
    {'error': 0.1}
    """

    folder: Path

    def get(self, key: str) -> Any:
        """The result, or None when there is none; a damaged file counts as none."""
        try:
            return json.loads(self._path(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def put(self, key: str, value: Any) -> None:
        """Keep a result of plain values."""
        write_atomically(self._path(key), json.dumps(value))

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
