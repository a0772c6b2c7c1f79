"""What the page on the papers' elements names exists: names, parameters, tables, figures, files."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import parzen
from parzen._core import check_parameters
from parzen.papers import load_result

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guide" / "papers" / "elements.md"
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([\w./]+)\)")


stored = cache(lambda paper: load_result(ROOT / "docs" / "results" / f"{paper}.json"))


class Row(NamedTuple):
    """An element, its names in the library, and what shows it; ``paper`` is its stored result."""

    paper: str
    element: str
    names: str
    shown: str


def rows() -> list[Row]:
    """The lines of the tables; a section has the results that it links first."""
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        lines = [s for s in section.splitlines() if s.startswith("| ")][2:]
        paper = LINK.search(section)
        found += [Row(Path(paper[1]).stem, *s.strip("| ").split(" | ")) for s in lines if paper]
    return found


ROWS = rows()
NAMES = sorted({name for row in ROWS for name in CODE.findall(row.names)})
SHOWN = sorted({(row.paper, entry) for row in ROWS for entry in row.shown.split("; ")})


def resolved(node: ast.expr) -> object:
    """The class, function or member that an expression names, and one that a call makes."""
    if isinstance(node, ast.Name):
        if node.id in parzen.__all__:
            return getattr(parzen, node.id)
        return importlib.import_module(f"parzen.{node.id}")
    if isinstance(node, ast.Call):
        thing = resolved(node.func)
        given = {k.arg: ast.literal_eval(k.value) for k in node.keywords}
        inspect.signature(thing).bind_partial(**given)
        made = thing(**given) if inspect.isclass(thing) else None
        if hasattr(made, "get_params"):
            check_parameters(made)
        return thing
    assert isinstance(node, ast.Attribute)
    owner = resolved(node.value)
    if not hasattr(owner, node.attr):  # an attribute that fit sets
        assert node.attr.endswith("_")
        assert re.search(rf"\b{node.attr}\b", inspect.getdoc(owner)), node.attr
        return None
    if inspect.ismodule(owner):
        assert node.attr in owner.__all__
    return getattr(owner, node.attr)


def test_the_five_documents_have_their_elements():
    papers = [row.paper for row in ROWS]
    assert list(dict.fromkeys(papers)) == [
        "notes",
        "l2",
        "laplacian",
        "kernel_optimization",
        "bmachine",
    ]
    assert min(papers.count(p) for p in papers) >= 25
    assert len({(row.paper, row.element) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_library_exists_and_takes_its_parameters(name):
    resolved(ast.parse(name, mode="eval").body)


@pytest.mark.parametrize(("paper", "entry"), SHOWN, ids=str)
def test_what_shows_an_element_exists(paper, entry):
    numbered = re.fullmatch(r"(Table|Figure) (.+)", entry)
    if numbered:
        kept = stored(paper).tables if numbered[1] == "Table" else stored(paper).figures
        assert numbered[2].strip("'") in [one.number for one in kept]
        page = (PAGE.parent / f"{paper}.md").read_text(encoding="utf-8")
        assert f"\n## {entry}. " in page
    elif entry.startswith("["):
        assert (PAGE.parent / entry.split("(")[1].strip(")")).is_file()
    else:
        assert (ROOT / entry.strip("`")).is_file()


def test_every_element_has_a_test():
    assert [row.element for row in ROWS if "`tests/" not in row.shown] == []


def test_every_table_and_figure_that_a_paper_prints_is_named():
    for paper in dict.fromkeys(row.paper for row in ROWS):
        shown = {entry for p, entry in SHOWN if p == paper}
        printed = {f"Table {t.number}" for t in stored(paper).tables if t.number.isdigit()}
        printed |= {f"Figure {f.number}" for f in stored(paper).figures if f.number.isdigit()}
        assert printed - shown == set()
