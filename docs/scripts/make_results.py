"""Write docs/guide/papers.md from docs/results: ``python -m docs.scripts.make_results``.

The results are what `parzen.papers.reproduce` stored, and the page holds no other numbers;
explanations of differences are those of the papers' modules.
"""

from __future__ import annotations

from pathlib import Path

from parzen.papers import PAPERS, load_result
from parzen.papers.engine import Reproduction

DOCS = Path(__file__).parents[1]
STORED, PAGE = DOCS / "results", DOCS / "guide" / "papers.md"

HEAD = """# The papers, computed anew

Every cell is ours, mean ± standard deviation over the splits; in brackets stand the printed figure
and the difference in standard errors. Differences beyond three standard errors are bold; splits
overlap, so these errors are too small; the notes below a table say what is known about its bold
cells. "Official" splits are those of the benchmark, "seeded" ones random, with the paper's sizes.

This page is written by `python -m docs.scripts.make_results` from the files in `docs/results`."""


def page(folder: Path = STORED) -> str:
    """The whole page."""
    files = [folder / f"{name}.json" for name in PAPERS]
    return "\n\n".join([HEAD, *(section(load_result(f)) for f in files if f.is_file())]) + "\n"


def section(found: Reproduction) -> str:
    """One paper."""
    versions = ", ".join(f"{name} {number}" for name, number in found.versions.items())
    parts = [f"## {found.title}", f"    {found.command}", f"With {versions}."]
    for table in found.tables:
        parts += [f"### Table {table.number}. {table.title}", table.markdown()]
        remarks = table.remarks()
        parts += ["\n".join(f"- {remark}" for remark in remarks)] if remarks else []
    return "\n\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
