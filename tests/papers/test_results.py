"""Tables hold our figures beside the printed ones, and survive being written down."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from parzen.compare.cache import Cache
from parzen.compare.tasks import Runner
from parzen.papers import load_result, paper
from parzen.papers.engine import Cell, KnownDifference, Reproduction, Setting, Table, TableRow
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
    reproduction("2", notes=["of the run"], explanations=[KnownDifference("of old")]).save(
        tmp_path / "l2.json"
    )
    assert "of old" not in (tmp_path / "l2.json").read_text()
    found = load_result(tmp_path / "l2.json").table(2)
    known = [e.text for e in found.explanations]
    assert len(known) == len(paper("l2").explanations["2"])
    assert found.remarks() == ["of the run", *known]


def test_explanations_among_the_notes_of_an_old_file_give_way(tmp_path):
    path = tmp_path / "l2.json"
    reproduction("2", notes=["of old"]).save(path)
    plain = json.loads(path.read_text())
    del plain["format"]
    path.write_text(json.dumps(plain))
    assert "of old" not in load_result(path).table(2).remarks()


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


def test_a_cell_is_explained_by_a_sentence_that_names_it_or_by_a_run_that_meets_it():
    far = {c: Cell(9.0, printed=4.0, printed_sd=1.0) for c in ("x", "y", "z")}
    main = Table("2", "Error", [*far], [TableRow("A", far)], explanations=[
        KnownDifference("By {run/A/y} and {2/A/x/printed}.", ("A",), ("x",)),
        KnownDifference("Tried.", ("A",), ("z",), is_open=True),
    ])  # fmt: skip
    met = TableRow("A", {"y": Cell(4.5, printed=4.0, printed_sd=1.0)})
    run = Table("run", "Again", ["y"], [met], explains="2")
    found = Reproduction("l2", "title", "", {}, [main, run]).with_numbers()
    standing = found.standing("2")
    assert standing == {("A", "x"): "explained", ("A", "y"): "explained", ("A", "z"): "open"}
    assert found.table(2).explanations[0].text == "By 4.5 and 4.0."


def test_newer_cells_take_the_place_of_older_ones_and_others_stay():
    old = Table("2", "Error", ["x", "y"], [TableRow("A", {"x": Cell(1.0), "y": Cell(2.0)}, "5")])
    new = Table("2", "Error", ["y"], [TableRow("A", {"y": Cell(3.0)}, "9"), TableRow("B", {})])
    joined = old.joined(new)
    assert [row.name for row in joined.rows] == ["A", "B"]
    assert {c: cell.mean for c, cell in joined.rows[0].cells.items()} == {"x": 1.0, "y": 3.0}
    assert joined.columns == ["x", "y"]
    assert joined.rows[0].note == "9; earlier run: 5"


def test_a_stored_figure_is_shorter_but_its_words_are_the_same(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    figure, ax = plt.subplots()
    ax.plot([0.123456, 2.0], [1.0, 3.0], "o")
    ax.set_title("sigma 0.2223")
    setting = Setting(Runner(Cache(tmp_path)), True, tmp_path)
    setting.saved(figure, "l2", "9", "A line", [])
    text = (tmp_path / "l2_figure_9.svg").read_text(encoding="utf-8")
    assert "sigma 0.2223" in text
    assert not re.search(r'x="\d+\.\d\d', text)
    ElementTree.fromstring(text)
