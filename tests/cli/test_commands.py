"""The commands as a user types them, in processes of their own."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import parzen
from parzen import L2Classifier
from parzen.compare import BASELINES, METHODS, compare, random_splits, table_estimators
from parzen.table import TableEncoder

from .conftest import batch, command


@pytest.fixture(scope="module")
def model(folder):
    command("fit", "iris.csv", "--target", "species", "--method", "l2", "-o", "iris.parzen",
            "--folds", "3", "--json", cwd=folder)  # fmt: skip
    return folder / "iris.parzen"


@pytest.fixture(scope="module")
def results(folder, model):
    """Many commands on good files, run in one process."""
    commands = {
        "info": ["info"],
        "model": ["info", "iris.parzen"],
        "model json": ["info", "iris.parzen", "--json"],
        "labels": ["predict", "iris.parzen", "iris.tsv"],
        "file": ["predict", "iris.parzen", "iris.parquet", "--proba", "-o", "out.csv"],
        "predicted json": ["predict", "iris.parzen", "iris.csv", "--proba", "--json"],
        "mixed fit": ["fit", "mixed.csv", "-o", "mixed.parzen", "--missing", "impute", "-m",
                      "lssvm", "--folds", "0"],
        "mixed predict": ["predict", "mixed.parzen", "mixed.csv"],
        "naive fit": ["fit", "mixed.csv", "-o", "nb.parzen", "-m", "nb", "--folds", "0"],
        "naive predict": ["predict", "nb.parzen", "mixed.csv", "--proba"],
        "default fit": ["fit", "whole.csv", "-o", "auto.parzen", "--folds", "0"],
        "default predict": ["predict", "auto.parzen", "whole.csv"],
        "select": ["select", "iris.csv", "--plot", "paths.svg"],
        "select json": ["select", "iris.csv", "--json"],
        "datasets": ["datasets"],
        "datasets json": ["datasets", "--json"],
        "help": ["--help"],
        "version": ["--version"],
        "reproduce": ["reproduce", "l2", "--table", "1", "--out", "made", "--report", "l2.html"],
        "folds": ["compare", "iris", "--methods", "parzen", "--baselines", "none", "--cv", "3",
                  "-j", "1"],
    }  # fmt: skip
    return dict(zip(commands, batch(list(commands.values()), folder), strict=True))


def test_every_good_command_succeeds_without_a_word_of_complaint(results):
    for name, result in results.items():
        notes = [line for line in result.err.splitlines() if "have missing values" not in line]
        assert (result.code, notes) == (0, []), (name, result.err)


def test_info_describes_the_build_and_a_model(results):
    assert "instruction set" in results["info"].out
    assert "l2" in results["model"].out
    told = json.loads(results["model json"].out)["metadata"]
    assert told["target"] == "species"
    assert told["classes"] == ["setosa", "versicolor", "virginica"]


def test_predictions_are_those_of_the_estimator_fitted_in_python(folder, results):
    frame = pd.read_csv(folder / "iris.csv")
    X, y = frame.drop(columns="species"), frame["species"].to_numpy(dtype=str)
    by_hand = make_pipeline(TableEncoder(), L2Classifier(eta="cv")).fit(X, y)
    assert results["labels"].out.split() == ["species", *by_hand.predict(X)]
    head, *lines = (folder / "out.csv").read_text(encoding="utf-8").splitlines()
    assert head == "species,p(setosa),p(versicolor),p(virginica)"
    numbers = np.array([line.split(",")[1:] for line in lines], dtype=float)
    np.testing.assert_array_equal(numbers, by_hand.predict_proba(X))
    told = json.loads(results["predicted json"].out)
    np.testing.assert_array_equal(told["probabilities"], by_hand.predict_proba(X))


def test_a_model_file_is_a_pipeline_in_python(folder, model):
    frame = pd.read_csv(folder / "iris.csv")
    loaded = parzen.load(model)
    assert loaded.score(frame.drop(columns="species"), frame["species"]) > 0.9


@pytest.mark.slow
def test_columns_are_matched_by_name_and_others_ignored(folder, model):
    frame = pd.read_csv(folder / "iris.csv")
    shuffled = frame.iloc[:, [3, 0, 4, 2, 1]].assign(note="text")
    shuffled.to_csv(folder / "shuffled.csv", index=False)
    plain, other = batch(
        [["predict", "iris.parzen", "iris.csv"], ["predict", "iris.parzen", "shuffled.csv"]], folder
    )
    assert other.out == plain.out


def test_categories_and_gaps_are_part_of_the_model(folder, results):
    answers = pd.read_csv(folder / "mixed.csv")["answer"]
    for name in ("mixed predict", "naive predict"):
        rows = results[name].out.splitlines()[1:]
        labels = [row.split(",")[0] for row in rows]
        assert len(labels) == len(answers)
        assert np.mean(labels == answers.to_numpy(dtype=str)) > 0.85
    assert "categories as indicators: colour, flag" in results["mixed fit"].out
    assert "missing values: lssvm by medians" in results["mixed fit"].out
    assert "missing values: nb by the columns that they have" in results["naive fit"].out


def test_the_default_is_the_stack_of_densities(folder, results):
    assert "auto:" in results["default fit"].out
    labels = results["default predict"].out.split()[1:]
    assert np.mean(labels == pd.read_csv(folder / "whole.csv")["answer"].to_numpy(dtype=str)) > 0.9


def test_select_shows_every_criterion_and_draws_its_path(folder, results):
    for name in ("loo", "lscv", "likelihood", "silverman"):
        assert name in results["select"].out
    assert (folder / "paths.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
    found = {s["selector"]: s for s in json.loads(results["select json"].out)}
    best = found["loo"]
    assert best["loo_error"] == pytest.approx(min(best["scores"]))


def test_datasets_say_where_they_come_from(results):
    assert "scikit-learn" in results["datasets"].out
    rows = {row["name"]: row for row in json.loads(results["datasets json"].out)}
    assert (rows["iris"]["rows"], rows["iris"]["columns"]) == ("150", "4")


def test_reproduce_prints_the_table_and_writes_a_report(folder, results):
    assert "Banana" in results["reproduce"].out
    assert "<h2>Table 1" in (folder / "l2.html").read_text(encoding="utf-8")


def test_help_knows_all_methods():
    from parzen.cli._arguments import BASELINE_NAMES, METHOD_NAMES

    assert list(METHOD_NAMES) == list(METHODS)
    assert list(BASELINE_NAMES) == list(BASELINES)


@pytest.mark.slow
def test_official_splits_are_taken_where_a_data_set_has_them(folder, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([-1, 1], 20)
    orders = np.array([rng.permutation(40) for _ in range(3)])
    np.savez(folder / "ida_heart.npz", X=X, y=y, train_idx=orders[:, :30], test_idx=orders[:, 30:])
    monkeypatch.setenv("PARZEN_DATA", str(folder))
    known = ["compare", "heart", "--methods", "parzen", "--baselines", "none", "-j", "1", "--json"]
    official, own = batch([[*known, "--splits", "3"], [*known, "--splits", "4"]], folder)
    told = json.loads(official.out)
    assert "the first 3 official splits" in told["facts"]
    by_hand = compare(
        table_estimators(["parzen"]), pd.DataFrame(X, columns=["x1", "x2"]), y,
        [(o[:30], o[30:]) for o in orders], n_jobs=1,
    )  # fmt: skip
    assert [o["error"] for o in told["outcomes"]] == by_hand.errors("parzen").tolist()
    assert any("4 random splits" in fact for fact in json.loads(own.out)["facts"])


def test_the_version_is_printed(results):
    assert results["version"].out.startswith("parzen ")
    assert results["version"].code == 0


def test_help_lists_the_commands(results):
    for name in ("compare", "fit", "predict", "info", "select", "datasets", "reproduce"):
        assert name in results["help"].out


@pytest.mark.slow
def test_without_the_extra_info_works_and_the_rest_says_what_to_install():
    code = (
        "import sys; sys.modules['typer'] = None; from parzen.__main__ import main; "
        "sys.exit(10 * main(['info']) + main(['datasets']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "instruction set" in done.stdout
    assert done.stderr == (
        "parzen: error: the command line needs typer: pip install 'parzen[cli]'\n"
    )


def test_the_library_alone_imports_none_of_the_extras():
    code = (
        "import sys, parzen; "
        "sys.exit(any(m in sys.modules for m in ('typer', 'matplotlib', 'playwright')))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_the_version_waits_for_no_other_package():
    code = (
        "import sys; from parzen.__main__ import main; main(['--version']); "
        "sys.exit(any(m in sys.modules for m in ('sklearn', 'numpy', 'pandas', 'typer', 'rich')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.startswith("parzen ")


@pytest.mark.parametrize("arguments", [["--help"], ["fit", "--help"], ["compare", "--help"]])
def test_help_waits_for_neither_scikit_learn_nor_pandas(arguments):
    code = (
        f"import sys; from parzen.__main__ import main; main({arguments}); "
        "sys.exit(any(m in sys.modules for m in ('sklearn', 'numpy', 'pandas')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout


@pytest.mark.slow
def test_every_public_name_and_room_is_an_attribute():
    code = (
        "import parzen; assert parzen.compare.METHODS and parzen.plots and parzen.kernels; "
        "[getattr(parzen, name) for name in parzen.__all__]; assert parzen.TRUSTED_TYPES"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.mark.slow
def test_compare_prints_the_table_and_writes_report_and_figure(folder):
    result = command(
        "compare", "mixed.csv", "--methods", "parzen,nb", "--baselines", "knn,gnb", "--splits", "3",
        "--report", "report.html", "--figure", "errors.png", "--jobs", "1", cwd=folder,
    )  # fmt: skip
    assert result.err == ""
    assert "parzen, nb by the columns that they have, knn, gnb by medians" in result.out
    for word in ("parzen", "nb", "knn", "gnb", "error %", "log-loss", "kernels %", "rank", "test"):
        assert word in result.out
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "parzen compare mixed.csv" in page
    assert (folder / "errors.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_figures_of_compare_are_those_of_the_library(folder):
    result = command(
        "compare", "iris.csv", "--methods", "parzen,l2", "--baselines", "knn", "--splits", "2",
        "--seed", "3", "--json", "--jobs", "1", cwd=folder,
    )  # fmt: skip
    told = json.loads(result.out)
    frame = pd.read_csv(folder / "iris.csv")
    X, y = frame.drop(columns="species"), frame["species"].to_numpy(dtype=str)
    made = table_estimators(["parzen", "l2", "knn"], random_state=3)
    splits = random_splits(y, 2, test_size=0.3, random_state=3)
    found = compare(made, X, y, splits, n_jobs=1)
    rows = {row["name"]: row for row in told["rows"]}
    for row in found.rows():
        assert rows[row.name]["error"] == row.error
        assert rows[row.name]["log_loss"] == row.log_loss
