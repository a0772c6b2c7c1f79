"""Write docs/guide/papers from docs/results: ``python -m docs.scripts.make_results``.

The results are what `parzen.papers.reproduce` stored, and the pages hold no other numbers;
explanations of differences are those of the papers' modules. ``parzen reproduce PAPER`` writes the
same pages in HTML.
"""

from __future__ import annotations

from pathlib import Path

from parzen.papers import PAPERS, load_result
from parzen.papers.engine import COMMON_SHARE, Reproduction
from parzen.report import COUNTS, MarkdownPage, counts, open_cells, with_total, write_paper

DOCS = Path(__file__).parents[1]
STORED, PLACE = DOCS / "results", DOCS / "guide" / "papers"
FIGURES = DOCS / "figures" / "papers"

# Titles of the pages, where those of the papers are too long.
SHORT = {
    "notes": "Lecture notes",
    "l2": "L2 kernel classification",
    "laplacian": "The Laplacian classifier",
    "kernel_optimization": "Optimising the kernel",
    "bmachine": "The B-machine",
    "auto": "The automatic classifier",
}
# The page of the guide that explains the method of a paper.
GUIDE = {
    "notes": "plug_in",
    "l2": "l2",
    "laplacian": "laplacian",
    "kernel_optimization": "kernel_optimisation",
    "bmachine": "least_squares",
    "auto": "auto",
}
HEAD = f"""The experiments of the papers behind this library, computed anew, with the printed
numbers beside ours. A printed number is *met* if ours lies within one standard deviation of it (the
printed one, or ours where none is printed), *explained* if a stored run or a known cause may be why
it is not, and *open* otherwise. An explanation is something that would give the printed number,
such as other parameters, other draws or another reading of a formula; that the paper had it is not
shown. Where a paper shows one draw, other draws explain its number if at least {COMMON_SHARE:g} %
of ours are like it, or as far from their mean. Where it shows a mean over draws, other draws of
ours explain it if it lies within one deviation of their mean.

Data sets and methods have the papers' names. Numbers in brackets in a text, such as (21), are the
equations of the paper. The column "splits" says how training and test rows were divided:
"official" splits were published with the data set, "seeded" ones are drawn here at random, with the
paper's sizes.

`parzen reproduce PAPER` computes a paper and writes its page as HTML. These pages are written by
`python -m docs.scripts.make_results` from the results stored in `docs/results`, and
`parzen reproduce --stale --out docs/results` lists the stored results that are older than the code
behind them.

[Where to find what the papers describe](elements.md) goes through their methods, theorems, remarks,
tables and figures one by one, and names what is partial or missing."""


def pages(folder: Path = STORED) -> dict[str, str]:
    """All pages by their names."""
    files = {name: folder / f"{name}.json" for name in PAPERS}
    found = {name: load_result(path) for name, path in files.items() if path.is_file()}
    return {"index": front(found), **{name: page(one) for name, one in found.items()}}


def page(found: Reproduction) -> str:
    """The page of one paper."""
    made = MarkdownPage(f"{SHORT[found.paper]}: results", PLACE)
    made.paragraph(f"{found.title}.")
    guide = f"[The method in the guide](../{GUIDE[found.paper]}.md)"
    made.parts.append(f"{guide}; [all papers, and how to read these pages](index.md).")
    write_paper(made, found, FIGURES)
    return made.text()


def front(found: dict[str, Reproduction]) -> str:
    """One table over all papers, and what stays open."""
    made = MarkdownPage("The papers, computed anew", PLACE)
    made.parts.append(HEAD)
    rows, by_table = [], []
    for name, one in found.items():
        of_tables = counts(one)
        numbers = [[int(n) for n in row[2:5]] for row in of_tables]
        sums = with_total([sum(column) for column in zip(*numbers)] or [0, 0, 0])
        drawn = sum(bool(figure.files) for figure in one.figures)
        rows.append([f"[{one.title}]({name}.md)", *sums, str(len(one.tables)), str(drawn)])
        by_table += [[f"[{SHORT[name]}]({name}.md)", *row] for row in of_tables]
    made.table(["paper", *COUNTS[1:], "tables", "figures"], rows)
    made.heading("Table by table")
    made.table(["paper", *COUNTS], by_table)
    made.heading("What stays open, and what was tried")
    made.paragraph("Rows of the tables, with the columns that stay open in brackets.")
    made.items(
        [
            f"[{SHORT[name]}]({name}.md), Table {number}: {cells}. {tried}"
            for name, one in found.items()
            for number, cells, tried in open_cells(one)
        ]
    )
    names = "\n".join(f"{SHORT[name]} <{name}>" for name in found)
    names += "\nWhere to find it <elements>"
    made.parts.append(f"```{{toctree}}\n:hidden:\n\n{names}\n```")
    return made.text()


if __name__ == "__main__":
    PLACE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (PLACE / f"{name}.md").write_text(text, encoding="utf-8")
