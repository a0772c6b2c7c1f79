"""The numbers in the documentation are those of the stored results."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest

import parzen
from parzen.papers import PAPERS, load_result
from parzen.papers.engine import contents
from parzen.report.assets import FORMULAS

DOCS = Path(__file__).parents[2] / "docs"
STORED = [p for p in sorted((DOCS / "results").glob("*.json")) if p.stem in PAPERS]


def script(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def make_results():
    return script("make_results")


def test_the_pages_of_the_papers_are_up_to_date(make_results):
    for name, text in make_results.pages().items():
        written = (DOCS / "guide" / "papers" / f"{name}.md").read_text(encoding="utf-8")
        assert written == text, "run python -m docs.scripts.make_results"


def test_the_formulas_of_the_pages_are_those_of_the_papers():
    pytest.importorskip("docutils")
    assert script("make_formulas").drawn() == FORMULAS, "run python -m docs.scripts.make_formulas"


def test_another_number_makes_another_page(make_results, tmp_path):
    text = STORED[0].read_text(encoding="utf-8")
    plain = json.loads(text)
    cells = plain["tables"][1]["rows"][0]["cells"]
    next(iter(cells.values()))["mean"] += 10
    (tmp_path / STORED[0].name).write_text(json.dumps(plain), encoding="utf-8")
    name = STORED[0].stem
    assert make_results.pages(tmp_path)[name] != make_results.pages()[name]


def test_every_figure_that_a_page_shows_is_stored(make_results):
    for path in STORED:
        for figure in load_result(path).figures:
            for name in figure.files:
                assert (DOCS / "figures" / "papers" / name).is_file(), name


def test_the_page_of_the_commands_shows_the_stored_comparison(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "scripts"))
    stored = json.loads((DOCS / "results" / "compare.json").read_text(encoding="utf-8"))
    tables = script("tables")
    assert stored["command"] == "parzen compare wine --json"
    assert stored["versions"]["parzen"] != "unknown"
    shown = tables.comparison_screen(stored)
    for name in stored["names"]:
        assert f"\n{name} " in shown
    stored["outcomes"][0]["error"] += 0.1
    assert tables.comparison_screen(stored) != shown


def test_the_table_of_choose_has_every_classifier(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "scripts"))
    stored = json.loads((DOCS / "results" / "choose.json").read_text(encoding="utf-8"))
    measured = {row["method"] for row in stored["rows"]}
    classifiers = {n for n in parzen.__all__ if n.endswith(("Classifier", "NaiveBayes"))}
    classifiers.remove("ConformalClassifier")  # it wraps another classifier
    assert classifiers - measured == set(), "run python -m docs.scripts.make_choose"
    shown = script("tables").choose_table(stored)
    stored["rows"][0]["error"] += 0.1
    assert script("tables").choose_table(stored) != shown


def test_what_the_front_page_and_choose_say_of_their_table_is_stored():
    stored = json.loads((DOCS / "results" / "choose.json").read_text(encoding="utf-8"))
    found = {(row["method"], row["data"]): row for row in stored["rows"]}
    methods = {name for name, _ in found}
    ours = {name for name in methods if hasattr(parzen, name)}
    for data in stored["sizes"]:
        losses = {name: found[name, data]["log_loss"] for name in methods}
        least = min(loss for loss in losses.values() if loss is not None)
        assert losses["StackedDensityClassifier"] < least + 0.005
        svc, stack = found["SVC, grid search", data], found["StackedDensityClassifier", data]
        assert abs(svc["error"] - stack["error"]) < 0.01
    sure, boosted = (
        found[n, "wine"] for n in ("ParzenClassifier", "HistGradientBoostingClassifier")
    )
    assert sure["error"] < boosted["error"]
    assert sure["log_loss"] > 1.5 * boosted["log_loss"]  # better labels, worse probabilities

    def mean(name, key):
        return sum(found[name, data][key] for data in stored["sizes"]) / len(stored["sizes"])

    assert max(methods, key=lambda n: mean(n, "predict_seconds")) == "StackedDensityClassifier"
    assert sorted(ours, key=lambda n: mean(n, "fit_seconds")).index("ParzenClassifier") < 3
    assert min(ours, key=lambda n: mean(n, "kept")) == "KernelLassoClassifier"
    slowest = sorted(ours, key=lambda n: mean(n, "fit_seconds"))[-2:]
    assert set(slowest) == {"KernelLassoClassifier", "L2LinearClassifier"}
    moons = {name: found[name, "moons"]["error"] for name in methods}
    assert max(moons, key=moons.get) == "KernelNaiveBayes"


def test_what_is_said_of_prediction_sets_beside_others_is_stored():
    path = DOCS / "results" / "benchmarks" / "sets_beside.json"
    table = json.loads(path.read_text(encoding="utf-8"))[0]
    cells = {row[0]: [tuple(map(float, c.split(" / "))) for c in row[1:]] for row in table["rows"]}
    assert table["head"][1:] == ["parzen, full", "MAPIE, cross", "MAPIE, split", "crepes, split"]
    for name, (ours, cross, split, crepes) in cells.items():
        others = cross, split, crepes
        assert ours[0] >= 0.9
        assert (ours[1] < min(size for _, size in others)) == (name != "thyroid")
    _, cross, split, crepes = cells["thyroid"]
    assert cross[0] >= 0.9 > max(split[0], crepes[0])


def test_what_is_said_of_sizes_at_the_same_coverage_is_stored():
    path = DOCS / "results" / "benchmarks" / "sets_matched.json"
    table = json.loads(path.read_text(encoding="utf-8"))[0]
    assert table["head"][1:] == ["parzen, full", "MAPIE, cross", "MAPIE, split", "crepes, split"]
    cells = {row[0]: [tuple(map(float, c.split(" / "))) for c in row[1:]] for row in table["rows"]}
    difference, over_splits, over_sets = (
        cells.pop(name)
        for name in ("difference", "its error over splits", "its error over sets")
    )  # fmt: skip
    for sizes in cells.values():
        for ours, cross, *split in zip(*sizes, strict=True):
            assert ours < cross + 0.0205
            assert ours < min(split) + 0.0035
    ours, _, split, crepes = (sizes[1] for sizes in cells["mean"])
    assert ours < min(split, crepes)
    for of_cross, *errors in zip(difference[1], over_splits[1], over_sets[1], strict=True):
        assert abs(of_cross) < max(errors)
    assert difference[0] == (0, 0)


def test_what_is_said_of_missing_values_is_stored():
    rows = json.loads((DOCS / "results" / "missing.json").read_text(encoding="utf-8"))["rows"]
    assert len(rows) == 36
    for name in ("Parzen", "likelihood", "Laplacian", "stack"):
        ours, theirs = (np.array([row[n] for row in rows]) for n in (name, f"{name}, median"))
        e, f = ours[:, 0] / 100, theirs[:, 0] / 100
        n = np.array([row["test"] for row in rows])
        assert (e - f <= 2 * np.sqrt((e * (1 - e) + f * (1 - f)) / n)).all()
        if name != "stack":
            assert (ours[:, 0] < theirs[:, 0]).sum() >= 33
        assert (ours[:, 1] < theirs[:, 1]).sum() > 18
    half = [row for row in rows if row["how"] == "by value" and row["share"] == 0.5]
    for name in ("Parzen", "Laplacian"):
        errors = [np.mean([row[n][0] for row in half]) for n in (name, f"{name}, median")]
        assert errors[0] < 2 / 3 * errors[1]


def test_stored_benchmarks_name_their_command_and_processor():
    for path in (DOCS / "results" / "benchmarks").glob("*.json"):
        for table in json.loads(path.read_text(encoding="utf-8")):
            assert table["command"].startswith(f"python -m benchmarks {path.stem}")
            assert table["processor"]
            assert table["versions"]["parzen"] != "unknown"
            assert {len(row) for row in table["rows"]} == {len(table["head"])}


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.stem)
def test_a_stored_result_says_how_it_was_made_and_names_no_machine(path):
    found = load_result(path)
    assert found.paper in PAPERS
    assert found.command.removeprefix("PARZEN_DATA=FOLDER ").startswith("parzen reproduce")
    assert found.versions["parzen"] != "unknown"
    text = path.read_text(encoding="utf-8")
    assert "/home" not in text
    assert "/work" not in text


def listed_as_open(name, front):
    """Table, row and column of the cells of a paper that the front page calls open."""
    found = set()
    line = re.compile(rf"- \[[^]]*\]\({name}\.md\), Table ([^:]+): (.*?\))\. ")
    for number, cells in line.findall(front.replace("\\_", "_")):
        for row, columns in re.findall(r"([^()]+) \(((?:[^()]|\(\d+\))*)\)(?:, )?", cells):
            found |= {(number, row, column) for column in columns.split("; ")}
    return found


def not_accounted_for(found):
    """Cells that differ from a printed number, and that no sentence and no run explains."""
    runs = {t.number: [r for r in found.tables if t.number in r.explains.split(",")]
            for t in found.tables}  # fmt: skip
    cells = set()
    for table in (t for t in found.tables if t.is_compared and not t.explains):
        for row, column, cell in ((r.name, c, v) for r in table.rows for c, v in r.cells.items()):
            if cell.printed is None:
                continue
            if cell.agrees is not None:
                met = cell.agrees
            else:
                sd = cell.sd if cell.printed_sd is None else cell.printed_sd
                met = abs(cell.mean - cell.printed) <= max(sd or 0, 0.5 * 10**-cell.digits) + 1e-9
            said = any(row in e.rows and column in e.columns and not e.is_open
                       for e in table.explanations)  # fmt: skip
            again = (r.cells[column] for t in runs[table.number] for r in t.rows
                     if r.name == row and column in r.cells)  # fmt: skip
            if not (met or said or any(c.is_met for c in again)):
                cells.add((table.number, row, column))
    return cells


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.stem)
def test_every_cell_that_differs_is_explained_or_listed_as_open(path, make_results):
    listed = listed_as_open(path.stem, make_results.pages()["index"])
    assert listed == not_accounted_for(load_result(path))


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.stem)
def test_a_cell_of_another_value_is_listed_with_or_without_a_deviation(path):
    found = load_result(path)
    for table in (t for t in found.tables if t.is_compared and not t.explains):
        row, column, cell = next(
            ((r, c, v) for r in table.rows for c, v in r.cells.items() if v.is_met is True),
            (None, None, None),
        )
        if row is None:
            continue
        other = dataclasses.replace(cell, mean=cell.mean + 1000.0, agrees=cell.agrees and False)
        row.cells[column] = other
        assert found.standing(table.number)[row.name, column] != "met"
        row.cells[column] = cell


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.stem)
def test_explanations_name_cells_that_exist_and_their_numbers_are_stored(path):
    found = load_result(path)
    for table in found.tables:
        rows = {row.name for row in table.rows}
        for explanation in table.explanations:
            assert set(explanation.rows) <= rows, (table.number, explanation.rows)
            assert set(explanation.columns) <= set(table.columns), table.number
            assert "(not run)" not in explanation.text


def test_no_measured_number_is_typed_into_an_explanation():
    """Decimals outside the places that are filled in are parameters, levels or sections."""
    for name in PAPERS:
        texts = contents(name, "explanations")
        said = [e["text"] for table in texts.get("explanations", {}).values() for e in table]
        for text in [*said, *texts["about"].get("learnt", ())]:
            bare = re.sub(r"\{[^{}]*\}", "", " ".join(text.split()))
            known = re.sub(r"(= |beyond |[Ss]ections? |\()\d+\.\d+", "", bare)
            assert not re.findall(r"\d+\.\d+", known), text


def test_the_b_machine_agrees_with_its_report():
    found = load_result(DOCS / "results" / "bmachine.json")
    verdicts = [c.agrees for row in found.table(3).rows for c in row.cells.values()]
    assert len(verdicts) == 81
    assert sum(verdicts) >= 62
    assert all(row.cells["LS-SVM"].is_met for row in found.table(2).rows)


def test_tables_2_to_4_of_the_l2_paper_are_stored_in_full():
    found = load_result(DOCS / "results" / "l2.json")
    for number in (2, 3, 4):
        assert len(found.table(number).rows) == 18
        assert all(len(row.cells) == 7 for row in found.table(number).rows)
    for seconds in (row.cells for row in found.table(4).rows):  # one parameter less to search
        assert max(seconds["L2QP-0"].mean, seconds["L2QP-1"].mean) < seconds["S-SVM"].mean


def test_the_laplacian_classifier_reaches_its_accuracies():
    found = load_result(DOCS / "results" / "laplacian.json")
    right = {row.name: row.cells for n in (6, 7) for row in found.table(n).rows}
    for title, percent, margin in (("Iris", 94, 1.5), ("Wine", 96.5, 1.5), ("WBC", 96.9, 0.5),
                                   ("Pima", 74, 1), ("Banana", 89.5, 0.5)):  # fmt: skip
        assert right[title]["Laplacian, cv"].n == 100
        assert abs(right[title]["Laplacian, cv"].mean - percent) <= margin
    for title, percent in (("Iris", 92.5), ("WBC", 96.8), ("Pima", 73.4)):
        assert abs(right[title]["Laplacian, rule"].mean - percent) <= 1.0
    assert found.table("usps").rows[0].cells["Laplacian, rule"].mean >= 94.0


def test_the_kernel_sizes_of_the_rule_are_the_printed_ones():
    found = load_result(DOCS / "results" / "laplacian.json")
    sizes = [row.cells["rule"] for row in found.table("sizes").rows]
    assert len(sizes) == 6
    assert max(abs(cell.mean - cell.printed) for cell in sizes) < 0.15
    machine = found.table("usps").rows[0].cells["SVM"]
    assert abs(machine.mean - machine.printed) < 1.0


def test_the_laplacian_classifier_stands_beside_its_rivals_on_the_same_splits():
    found = load_result(DOCS / "results" / "laplacian.json")
    for number, sets in ((6, 4), (7, 6)):
        assert len(found.table(number).rows) == sets
        for row in found.table(number).rows:
            assert row.cells["SVM, rule"].n == row.cells["Laplacian, rule"].n
    beside = found.table("baselines")
    assert len(beside.rows) == 10
    assert beside.columns[1:] == ["SVM", "forest", "boosting", "neighbours", "Gaussian Bayes"]
    assert all(cell.n == 20 for row in beside.rows for cell in row.cells.values())


def test_bias_and_deviation_of_the_error_fall_with_the_number_of_folds():
    rows = load_result(DOCS / "results" / "notes.json").table("folds").rows
    folds = [row.cells for row in rows if row.name != "hold-out half"]
    assert len(folds) == 4
    assert np.all(np.diff([cells["bias"].mean for cells in folds]) < 0)
    assert np.all(np.diff([cells["mean"].sd for cells in folds]) < 0)


def test_the_least_squared_error_is_the_best_way_to_keep_fewer_kernels():
    table = load_result(DOCS / "results" / "laplacian.json").table("sparsity")
    rows = {row.name: row.cells for row in table.rows}
    for title in ("Wine", "WBC", "Pima", "Thyroid", "Iris"):
        for size in table.columns[1:]:
            best = rows[f"{title}, l2"][size].mean
            assert best > max(rows[f"{title}, {r}"][size].mean for r in ("random", "weights"))


def means(number):
    found = load_result(DOCS / "results" / "kernel_optimization.json").table(number)
    return {row.name: {c: cell.mean for c, cell in row.cells.items()} for row in found.rows}


def test_the_page_on_kernel_optimisation_shows_the_stored_results():
    page = (DOCS / "guide" / "kernel_optimisation.md").read_text(encoding="utf-8")
    tuned, better, beside = means("8"), means("better"), means("baselines")
    assert len(tuned) == len(better) == len(beside) == 8
    for name, row in tuned.items():
        for c in ("KNN", "KMSE", "KFD", "SVM"):
            cells = row[f"{c} Gauss"], row[f"{c} opt"], better[name][f"{c} eigen"]
            assert " / ".join(f"{value:.1f}" for value in cells) in page
        assert f"| {beside[name]['SVC, both']:.1f} | {beside[name]['forest, both']:.1f} |" in page


def test_where_kernel_optimisation_pays_is_said_as_stored():
    tuned, better, beside = means("8"), means("better"), means("baselines")
    methods = ("KNN", "KMSE", "KFD", "SVM")
    gains = {
        c: {name: row[f"{c} Gauss"] - row[f"{c} opt"] for name, row in tuned.items()}
        for c in methods
    }
    pays = {c: sum(gain > 0 for gain in gains[c].values()) for c in methods}
    assert pays == {"KNN": 8, "KMSE": 3, "KFD": 5, "SVM": 4}
    clearly = {c: {name for name, gain in gains[c].items() if gain > 2} for c in methods[1:]}
    assert clearly == {"KMSE": {"Monks1"}, "KFD": {"Monks1"}, "SVM": {"Monks2"}}
    wins = {
        c: sum(better[name][f"{c} eigen"] < row[f"{c} opt"] for name, row in tuned.items())
        for c in methods
    }
    assert wins == {"KNN": 6, "KMSE": 8, "KFD": 6, "SVM": 7}
    for name in ("Liver", "Heart", "Monks1", "Monks2", "Monks3"):
        assert beside[name]["SVC, both"] < min(better[name].values())


def test_ionosphere_and_monks_1_gain_at_fixed_parameters():
    ionosphere = means("3")["γ0, γ = 0.0001,0.05"]
    assert ionosphere["KNN opt"] <= 8.5
    assert ionosphere["SVM opt"] <= 8.0
    monks = means("7")["γ0, γ = 0.0001,0.05"]
    assert monks["KNN opt"] <= 18.0
    assert monks["SVM opt"] <= 21.0
