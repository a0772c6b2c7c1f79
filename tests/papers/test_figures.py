"""What the figures of the papers say in numbers, beside the same numbers computed otherwise."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

from parzen.papers import reproduce
from parzen.papers.auto import study as auto
from parzen.papers.bmachine import resampling, study as bmachine
from parzen.papers.engine.study import Extent
from parzen.papers.kernel_optimization import study as optimization
from parzen.papers.kernel_optimization.figures import two_gaussians
from parzen.papers.l2 import theory
from parzen.papers.laplacian.rare_class import SVM_COST, gaussians

pytest.importorskip("matplotlib")


def figures(paper, figure, folder):
    found = reproduce(paper, figure=figure, quick=True, out=folder, n_jobs=1).figures
    assert all((folder / name).stat().st_size > 1000 for one in found for name in one.files)
    return found


def numbers(note):
    """The numbers after the colon of a note."""
    return [float(x) for x in re.findall(r"[-+]?\d+\.?\d*", note.split(":", 1)[1])]


def test_kernels_are_drawn_with_their_heights_and_integral_one(tmp_path):
    (figure,) = figures("notes", "kernels", tmp_path)
    found = {note.split(":")[0]: numbers(note) for note in figure.notes}
    heights = {"gaussian": 0.399, "uniform": 0.5, "triangular": 1.0, "epanechnikov": 0.75}
    assert {name: height for name, (height, _) in found.items()} == heights
    assert all(abs(integral - 1) < 0.01 for _, integral in found.values())


def test_the_chosen_width_errs_less_than_an_eighth_and_eight_times_of_it(tmp_path):
    (figure,) = figures("notes", "widths", tmp_path)
    small, chosen, large = (numbers(note)[0] for note in figure.notes)
    assert chosen < min(small, large)


def test_the_training_error_chooses_the_smallest_width(tmp_path):
    (figure,) = figures("notes", "errors", tmp_path)
    found = {note.split(":")[0]: numbers(note) for note in figure.notes}
    assert found["training"][0] == min(sigma for sigma, _ in found.values())
    assert found["training"][1] == max(error for _, error in found.values())


def test_the_laplacian_map_sets_the_classes_of_the_ring_at_right_angles(tmp_path):
    (figure,) = figures("laplacian", "1", tmp_path)
    weighted, plain = (numbers(note)[0] for note in figure.notes[1:])
    assert abs(weighted) < 0.2 < plain


def test_an_outlier_hardly_changes_the_labels_and_has_the_largest_weight_possible(tmp_path):
    (figure,) = figures("laplacian", "3", tmp_path)
    clean, bound = numbers(figure.notes[0])[0], float(figure.notes[1].split("= ")[1].split(";")[0])
    for note in figure.notes[2:]:
        weight, _, right = numbers(note)
        assert weight == bound
        assert abs(right - clean) < 0.02


def test_the_rare_class_is_counted_as_a_support_vector_machine_has_it(tmp_path):
    sample, regions = figures("laplacian", "4,5", tmp_path)
    assert (sample.number, regions.number) == ("4", "5")
    (X, y), (Z, truth) = gaussians(0)
    hit = SVC(C=SVM_COST).fit(X, y).predict(Z) == truth
    rare, frequent = hit[truth == 1].sum(), hit[truth != 1].sum()
    counted = f"SVM: {rare} of 10 rare, {frequent} of 200 frequent points are right"
    assert counted in regions.notes


def test_separability_of_the_linear_kernel_is_that_of_the_scatter_of_the_sample(tmp_path):
    (figure,) = figures("kernel_optimization", "1", tmp_path)
    X, y = two_gaussians()
    parts = [X[y == c] for c in (-1, 1)]
    between = sum(len(P) * np.sum((P.mean(axis=0) - X.mean(axis=0)) ** 2) for P in parts)
    within = sum(np.sum((P - P.mean(axis=0)) ** 2) for P in parts)
    assert numbers(figure.notes[0])[0] == pytest.approx(between / within, abs=1e-4)


@pytest.mark.parametrize("number", ["3", "4"])
def test_separability_grows_along_the_steps(number, tmp_path):
    (figure,) = figures("kernel_optimization", number, tmp_path)
    first, last = map(float, re.findall(r"J from (\S+) to (\S+) in", figure.notes[0])[0])
    assert last > 1.2 * first


@pytest.mark.slow
def test_the_real_sets_are_drawn_before_and_after(tmp_path):
    maps, measures = figures("kernel_optimization", "9,10", tmp_path)
    assert (maps.number, measures.number) == ("9", "10")
    assert measures.notes


@pytest.mark.slow
def test_the_corrected_statistic_is_a_multiple_of_the_plain_one(tmp_path, monkeypatch):
    """Over k splits with as many test rows as half the training rows: sqrt(1 / (1 + k / 2))."""
    study = replace(resampling.STUDY, extent=lambda *a: Extent(0, 3))
    monkeypatch.setattr(bmachine, "RESAMPLING", study)
    found = reproduce("bmachine", table="3,3c", quick=True, out=tmp_path, n_jobs=1)
    plain, corrected = found.table("3"), found.table("3c")
    assert [row.name for row in plain.rows] == [row.name for row in corrected.rows]
    for one, other in zip(plain.rows, corrected.rows, strict=True):
        t = one.cells["Iris"].mean
        if abs(t) < 999:
            assert other.cells["Iris"].mean == pytest.approx(t * np.sqrt(1 / (1 + 3 / 2)), abs=1e-9)


@pytest.mark.slow
def test_tables_of_fixed_parameters_are_the_means_of_their_trials(tmp_path):
    test = reproduce("kernel_optimization", table="6,7", quick=True, out=tmp_path, n_jobs=1)
    trials = [optimization.fixed_trial("Monks1", t, 1e-4, 0.05) for t in range(5)]
    row = next(row for row in test.table("7").rows if row.name == "γ0, γ = 0.0001,0.05")
    assert row.note == "5 trials"
    for part, table in enumerate(("6", "7")):
        rows = {r.name: r for r in test.table(table).rows}
        for column, cell in rows[row.name].cells.items():
            assert cell.mean == pytest.approx(np.mean([t[column][part] for t in trials]))


@pytest.mark.slow
def test_the_reliability_of_sure_and_right_probabilities_lies_on_the_diagonal(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(auto, "QUICK_SETS", ("iris",))
    (figure,) = figures("auto", "reliability", tmp_path)
    assert figure.notes[0].startswith("1 sets with equal weight")


@pytest.mark.slow
def test_instruction_sets_agree_on_the_errors(tmp_path, monkeypatch):
    monkeypatch.setattr(auto, "QUICK_SETS", ("iris",))
    (table,) = reproduce("auto", table="instructions", quick=True, out=tmp_path, n_jobs=1).tables
    errors = [cell.mean for cell in table.rows[0].cells.values()]
    assert max(errors) - min(errors) < 2.1  # one of the fifty test rows
    assert float(table.notes[0].split("at most ")[1].rstrip(".")) < 0.05


def test_the_simulation_of_section_3_is_drawn_with_its_means(tmp_path, monkeypatch):
    monkeypatch.setattr(theory, "SIZES", (40, 80))
    (figure,) = figures("l2", "theory", tmp_path)
    mean = np.mean([theory.measured(40, seed)["error"] for seed in range(10)])
    assert any(f"error: {mean:.4f} for n = 40" in note for note in figure.notes)
