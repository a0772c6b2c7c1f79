"""A stored result says how it was made, and the code says when it has outgrown it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from parzen.cli._reproduce import say_outgrown
from parzen.papers import load_result, outgrown
from parzen.papers.engine import Cell, Provenance, Reproduction, Table, TableRow, provenance

STUDY = "parzen.papers.l2.study"
FILES = {
    "papers/l2/study.py": '"""A study."""\nfrom parzen.room import used\n\nTABLE = used()\n',
    "room/__init__.py": "from parzen.room.near import used\nfrom parzen.room.far import unused\n",
    "room/near.py": "def used():\n    return 1\n",
    "room/far.py": "def unused():\n    return 2\n",
    "papers/l2/study.toml": "error = 10.9\n",
}


@pytest.fixture
def hash_of(tmp_path, monkeypatch):
    """The hash of a small package, some of whose files are changed."""

    def found(**changes):
        for name, text in FILES.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            key = "figures" if path.suffix == ".toml" else path.stem
            path.write_text(changes.get(key, text), encoding="utf-8")
        monkeypatch.setattr(provenance, "SOURCE", tmp_path)
        for cached in (provenance._tree, provenance._bare, provenance._imported):
            cached.cache_clear()
        return provenance.code_hash(STUDY)

    yield found
    monkeypatch.undo()
    for cached in (provenance._tree, provenance._bare, provenance._imported):
        cached.cache_clear()


def test_only_code_that_is_reached_by_imports_counts(hash_of):
    before = hash_of()
    assert hash_of(near="def used():\n    return 3\n") != before
    assert hash_of(far="def unused():\n    return 3\n") == before


def test_printed_figures_beside_the_code_count(hash_of):
    before = hash_of()
    assert hash_of(figures="error = 11.9\n") != before
    assert hash_of(figures="# Table 2.\nerror = 10.9\n") == before


def test_comments_and_docstrings_do_not_count(hash_of):
    before = hash_of()
    commented = '# why\ndef used():  # here\n    """Say."""\n\n    return 1  # "one"\n'
    assert hash_of(near=commented) == before
    assert hash_of(near='def used():\n    return "# 1"\n') != hash_of(
        near='def used():\n    return "# 2"\n'
    )


def test_native_comments_do_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "_NATIVE", tmp_path)
    found = []
    for text in ("int a = 1;", "// why\nint a =  1; /* here\nor there */\n", "int a = 2;"):
        (tmp_path / "a.cpp").write_text(text, encoding="utf-8")
        found.append(provenance.native_hash.__wrapped__())
    assert found[0] == found[1] != found[2]


def result(code):
    made = replace(Provenance.now("l2", "parzen reproduce l2"), **({"code": code} if code else {}))
    row = TableRow("A", {"x": replace(Cell.of([1.0, 2.5]), parameters={"sigma": 0.5})})
    table = Table("2", "Error", ["x"], [row], provenance=made)
    return Reproduction("l2", "title", "parzen reproduce l2", {"numpy": "2"}, [table], [])


@pytest.mark.slow
def test_a_result_of_other_code_is_named_and_one_of_this_code_is_not(tmp_path, capsys):
    result(None).save(tmp_path / "l2.json")
    assert outgrown(tmp_path) == []
    result("0" * 12).save(tmp_path / "l2.json")
    (said,) = outgrown(tmp_path)
    assert said.startswith("l2, table 2: Python changed since ")
    say_outgrown(tmp_path)
    assert capsys.readouterr().out.strip() == said


@pytest.mark.slow
def test_a_result_keeps_values_and_parameters_on_one_line_each(tmp_path):
    result(None).save(tmp_path / "l2.json")
    text = (tmp_path / "l2.json").read_text(encoding="utf-8")
    assert '"values": [ 1.0, 2.5 ]' in text
    (cell,) = load_result(tmp_path / "l2.json").table(2).rows[0].cells.values()
    assert (cell.values, cell.parameters) == ([1.0, 2.5], {"sigma": 0.5})
    assert json.loads(text)["tables"][0]["provenance"]["seed"] == 0


def test_a_cell_is_met_within_the_printed_deviation():
    assert Cell.of([10.0, 12.0], printed=12.0, printed_sd=1.0).is_met
    assert not Cell.of([10.0, 12.0], printed=12.1, printed_sd=1.0).is_met
    assert Cell(100.0, printed=100.0, printed_sd=0.0).is_met
    assert not Cell(3.0, printed=4.0, digits=0).is_met
    assert Cell(3.0).is_met is None
    assert Cell(-5.0, printed=-2.0, agrees=True).is_met
