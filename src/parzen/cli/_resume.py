"""Outcomes of a comparison on disk while it runs, so that a run that was stopped is taken up.

A folder for each comparison, in the user's cache folder, named by a hash of the data, the splits
and the version; it holds a file for each outcome. It is removed when the comparison is complete.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib

from parzen._core import package_version
from parzen.compare import Cache, Outcome


class Journal:
    """The outcomes of one comparison.

    Parameters
    ----------
    X, y, splits, estimators : data frame, array, list, dict
        What is compared.
    """

    def __init__(self, X: Any, y: Any, splits: Any, estimators: dict[str, Any]) -> None:
        self._hashes = {name: joblib.hash([name, e]) for name, e in estimators.items()}
        self._n_splits = len(splits)
        sample = joblib.hash([package_version(), X, y, splits])
        self._cache = Cache(cache_folder() / "compare" / sample)

    def known(self) -> list[Outcome]:
        """Outcomes of a run that was stopped."""
        keys = [self._key(name, s) for s in range(self._n_splits) for name in self._hashes]
        return [Outcome.from_dict(kept) for kept in map(self._cache.get, keys) if kept is not None]

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome; a disk that cannot be written costs the resuming only."""
        with suppress(OSError, TypeError, ValueError):
            self._cache.put(self._key(outcome.name, outcome.split), outcome.as_dict())

    def remove(self) -> None:
        """Forget the outcomes."""
        shutil.rmtree(self._cache.folder, ignore_errors=True)

    def _key(self, name: str, split: int) -> str:
        return f"{self._hashes[name]}-{split}"


def cache_folder() -> Path:
    """The folder for files that may be lost: PARZEN_CACHE, or what the system has for them."""
    own = os.environ.get("PARZEN_CACHE")
    if own:
        return Path(own)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "parzen" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "parzen"
    return Path(os.environ.get("XDG_CACHE_HOME", home / ".cache")) / "parzen"
