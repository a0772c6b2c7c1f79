"""The code on the pages runs, and their links lead somewhere."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*/*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_code_of_a_page_runs(page, monkeypatch):
    """The page is a module of its own, so that its classes can be registered, saved and loaded."""
    module = types.ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec", dont_inherit=True), module.__dict__)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_files_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    lost = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert lost == []


def test_pages_with_code_are_found():
    assert "README.md" in [name(page) for page in WITH_CODE]


@pytest.mark.parametrize(("mark", "command"), [("run", "make demo"), ("test", "make test")])
def test_each_command_of_the_readme_is_one_line(mark, command):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = readme.split(f"<!-- fresh: {mark} -->\n```sh\n")[1].split("```")[0]
    assert block == f"{command}\n"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"\n{command.split()[1]}: " in makefile
