"""Put new results into docs/results: ``python -m docs.scripts.store_results FILE...``.

The files are what ``parzen reproduce`` wrote; their tables and figures take the place of those that
are stored under the same numbers.
"""

from __future__ import annotations

import sys
from pathlib import Path

from parzen.papers import load_result, paper

STORED = Path(__file__).parents[1] / "results"


def store(path: Path, folder: Path = STORED) -> None:
    """Join a result with the stored one of the same paper, in the paper's order."""
    newer = load_result(path)
    place = folder / f"{newer.paper}.json"
    stored = load_result(place) if place.is_file() else newer
    known = paper(newer.paper)
    stored.joined(newer, known.table_numbers(), known.figure_numbers()).save(place)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        store(Path(name))
