"""Nothing public is missing from the reference, and the commands' page has every option."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path

import pytest

import parzen

SCRIPTS = Path(__file__).parents[2] / "docs" / "scripts"
pytest.importorskip("typer", reason="the command line is not installed")

# Rooms whose names serve other rooms, not users; the reference picks some of them.
INNER = {
    "parzen.conformal",
    "parzen.classifiers",
    "parzen.cli",
    "parzen.distributed",
    "parzen.expansion",
    "parzen.solvers",
    "parzen.sums",
}


@pytest.fixture(scope="module", autouse=True)
def scripts():
    sys.path.insert(0, str(SCRIPTS))
    yield
    sys.path.remove(str(SCRIPTS))


def public_rooms() -> list[str]:
    """`parzen` and its rooms that say what they export."""
    rooms = [f"parzen.{m.name}" for m in pkgutil.iter_modules(parzen.__path__) if m.name[0] != "_"]
    with_names = [r for r in rooms if hasattr(importlib.import_module(r), "__all__")]
    return ["parzen", *(r for r in with_names if r not in INNER)]


def names(room: str) -> list[str]:
    return [n for n in importlib.import_module(room).__all__ if not n.startswith("__")]


def test_every_public_class_and_function_is_in_the_reference():
    import reference

    shown = {id(getattr(importlib.import_module(m), n)) for m, n in reference.documented()}
    public = {
        (r, n): getattr(importlib.import_module(r), n) for r in public_rooms() for n in names(r)
    }
    documentable = {k: v for k, v in public.items() if inspect.isclass(v) or inspect.isroutine(v)}
    missing = [k for k, thing in documentable.items() if id(thing) not in shown]
    assert missing == []


def test_the_index_of_the_reference_has_every_page():
    import reference

    index = (SCRIPTS.parent / "reference" / "index.md").read_text(encoding="utf-8")
    assert [name for name in reference.PAGES if f"names/{name}\n" not in index] == []


def test_the_page_of_the_command_line_shows_the_generated_list():
    page = (SCRIPTS.parent / "reference" / "command_line.md").read_text(encoding="utf-8")
    assert "```{include} names/commands.md" in page


def test_the_page_of_the_commands_has_every_option():
    import commands
    import typer

    from parzen.cli._app import app

    page = commands.page()
    group = typer.main.get_command(app)
    for name, command in group.commands.items():
        section = page.split(f"### parzen {name}\n")[1].split("###")[0]
        for parameter in command.params:
            spelled = parameter.opts if parameter.opts[0][0] == "-" else [parameter.name.upper()]
            assert all(f"`{word}`" in section or f"`[{word}]`" in section for word in spelled)
