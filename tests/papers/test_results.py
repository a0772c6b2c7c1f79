"""Tables hold our figures beside the printed ones, and survive being written down."""

from __future__ import annotations

import json

import numpy as np
import pytest

from parzen.papers import load_result
from parzen.papers.engine import Cell, Reproduction, Table, TableRow
from parzen.papers.engine.printed import read
from parzen.papers.l2 import printed as printed


def test_a_difference_is_measured_in_standard_errors_of_both_and_the_rounding():
    values = np.array([10.0, 12.0, 14.0, 16.0])
    cell = Cell.of(values, printed=12.0, printed_sd=3.0, printed_n=9)
    spread = values.var(ddof=1) / 4 + 9.0 / 9 + 0.1**2 / 12
    assert cell.z == pytest.approx((13.0 - 12.0) / np.sqrt(spread))


def test_a_number_without_a_spread_has_no_z():
    assert Cell(3.0, printed=4.0).z is None
    assert Cell.of([1.0]).sd is None
    assert Cell(3.0, printed=4.0, digits=0).text() == "3 (4)"


def test_a_table_shows_every_cell_note_and_skipped_row():
    rows = [TableRow("A", {"x": Cell(1.0), "y": Cell(2.0)}, "5 seeded"), TableRow("B", {})]
    table = Table("2", "Error", ["x", "y"], rows, ["a note"], {"C": "not here"})
    lines = table.text().splitlines()
    assert lines[0] == "Table 2. Error"
    assert lines[2].split() == ["A", "1.0", "2.0", "5", "seeded"]
    assert lines[-2:] == ["a note", "Left out: C: not here"]
    assert table.markdown().splitlines()[1] == "| --- | --- | --- | --- |"


def reproduction(number, **words):
    rows = [TableRow("A", {"x": Cell.of([1.0, 2.0], printed=1.0)})]
    table = Table(number, "Error", ["x"], rows, **words)
    return Reproduction("l2", "title", "parzen reproduce l2", {"numpy": "2"}, [table], [])


def test_what_is_saved_is_what_is_loaded(tmp_path):
    whole = reproduction("1")
    whole.save(tmp_path / "l2.json")
    assert load_result(tmp_path / "l2.json") == whole
    assert json.loads((tmp_path / "l2.json").read_text())["paper"] == "l2"


def test_explanations_come_from_the_paper_and_are_not_stored(tmp_path):
    reproduction("2", notes=["of the run"], explanations=["of old"]).save(tmp_path / "l2.json")
    assert "of old" not in (tmp_path / "l2.json").read_text()
    found = load_result(tmp_path / "l2.json").table(2)
    assert found.remarks() == ["of the run", *printed.EXPLANATIONS["2"]]


def test_explanations_among_the_notes_of_an_old_file_give_way(tmp_path):
    path = tmp_path / "l2.json"
    reproduction("2", notes=["of old"]).save(path)
    plain = json.loads(path.read_text())
    del plain["format"]
    path.write_text(json.dumps(plain))
    assert load_result(path).table(2).remarks() == printed.EXPLANATIONS["2"]


@pytest.mark.parametrize("text", [printed.ERROR, printed.KEPT], ids=["error", "kept"])
def test_the_printed_tables_are_complete(text):
    table = read(text, printed.COLUMNS)
    assert list(table) == list(printed.SETS)
    for row in table.values():
        assert list(row) == list(printed.COLUMNS)
        assert all({"printed", "printed_sd"} == set(cell) for cell in row.values())


def test_the_printed_times_have_no_column_for_parzen():
    table = read(printed.SECONDS, printed.COLUMNS)
    assert all(list(row) == list(printed.COLUMNS[:-1]) for row in table.values())
