"""The small programs that a release uses."""

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def tool(name):
    loader = SourceFileLoader(name, str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def test_the_readme_of_the_index_has_absolute_addresses_only():
    text = "![a](docs/a.png) [b](docs/b.md) [c](https://c.org) [d](#d)"
    assert tool("index_readme").absolute(text, "https://host/x/", "v1") == (
        "![a](https://host/x/raw/v1/docs/a.png) [b](https://host/x/blob/v1/docs/b.md) "
        "[c](https://c.org) [d](#d)"
    )


def test_one_wheel_adds_its_dependency_once():
    with_backend = tool("one_wheel").with_backend
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = with_backend(settings)
    assert found.count('"nanobind-backend') == 1
    assert with_backend(found) == found
    with pytest.raises(ValueError, match="no single line"):
        with_backend("[project]")


def test_every_dependency_of_the_core_has_a_permissive_licence(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["licences", "plot"])
    assert tool("licences").main() == 0
    listed = capsys.readouterr().out
    assert "numpy" in listed
    assert "matplotlib" in listed


def test_the_versions_of_the_citation_and_the_recipe_are_the_projects():
    version = next(
        line.split('"')[1]
        for line in (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
        if line.startswith("version = ")
    )
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {version}\n" in (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")


def test_every_mutant_that_is_called_equivalent_is_one_of_a_line_that_is_there():
    text = (ROOT / "tools" / "equivalent_mutants").read_text(encoding="utf-8")
    for path, old, new in tool("mutate").equivalents(text):
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        assert old in " ".join(line.strip() for line in lines)
        assert new != old


def test_what_mutants_reuse_of_a_map_has_not_changed_since():
    one, two = "tests/sums/test_a.py::one", "tests/sums/test_b.py::two[x]"
    last = tool("mutate").Map(
        {"src/parzen/sums/a.py": "1", "src/parzen/sums/b.py": "1", "tests/sums/test_a.py": "1"},
        {one: 0.1, two: 0.2},
        {"src/parzen/sums/a.py": {3: [one]}, "src/parzen/sums/b.py": {5: [one, two]}},
    )

    def after(**changes):
        found = last.still_true({**last.digests, **changes}, ["sums"])
        return set(found.seconds), found.through

    assert after() == ({one, two}, last.through)
    b = {"src/parzen/sums/b.py": {5: [two]}}
    assert after(**{"src/parzen/sums/a.py": "2"}) == ({two}, b)
    assert after(**{"src/parzen/sums/b.py": "2"}) == (set(), {"src/parzen/sums/a.py": {3: []}})
    assert after(**{"tests/sums/test_a.py": "2"})[0] == {two}
    assert after(**{"tests/sums/test_new.py": "1"})[0] == {one, two}
    assert after(**{"tests/sums/conftest.py": "1"}) == (set(), {})
    assert after(**{"src/parzen/kernels/c.py": "1"}) == (set(), {})
