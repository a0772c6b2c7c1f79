"""Put new results into docs/results: ``python -m docs.scripts.store_results FILE...``.

The files are what ``parzen reproduce`` wrote. Their cells and figures take the place of those that
are stored under the same names, and what they lack is kept; SVG files beside them go to
docs/figures/papers.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from parzen.papers import load_result, paper

DOCS = Path(__file__).parents[1]


def store(path: Path, docs: Path = DOCS) -> None:
    """Join a result with the stored one of the same paper, in the paper's order."""
    newer = load_result(path)
    place = docs / "results" / f"{newer.paper}.json"
    stored = load_result(place) if place.is_file() else newer
    known = paper(newer.paper)
    stored.joined(newer, known.table_numbers(), known.figure_numbers()).save(place)
    pictures = docs / "figures" / "papers"
    pictures.mkdir(parents=True, exist_ok=True)
    for name in (name for figure in newer.figures for name in figure.files):
        shutil.copy(path.parent / name, pictures / name)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        store(Path(name))
