"""Outcomes of a comparison on disk while it runs, so that a run that was stopped is taken up.

One file of JSON lines for each comparison, in the user's cache folder, named by a hash of the data,
the splits, the estimators and the version. It is removed when the comparison is complete.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib

from parzen._core import package_version
from parzen.compare import Outcome


class Journal:
    """The outcomes of one comparison.

    Parameters
    ----------
    X, y, splits, estimators : data frame, array, list, dict
        What is compared.
    """

    def __init__(self, X: Any, y: Any, splits: Any, estimators: dict[str, Any]) -> None:
        self._estimators = {name: joblib.hash(e) for name, e in estimators.items()}
        sample = joblib.hash([package_version(), X, y, splits])
        self.path = cache_folder() / "compare" / f"{sample}.jsonl"

    def known(self) -> list[Outcome]:
        """Outcomes of a run that was stopped; a last line that was cut off is passed over."""
        found = []
        with suppress(OSError), self.path.open(encoding="utf-8") as file:
            for line in file:
                with suppress(ValueError, KeyError, TypeError):
                    kept = json.loads(line)
                    if self._estimators.get(kept["outcome"]["name"]) == kept["estimator"]:
                        found.append(Outcome.from_dict(kept["outcome"]))
        return found

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome; a disk that cannot be written costs the resuming only."""
        kept = {"estimator": self._estimators[outcome.name], "outcome": outcome.as_dict()}
        with suppress(OSError, TypeError, ValueError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept) + "\n")

    def remove(self) -> None:
        """Forget the outcomes."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


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
