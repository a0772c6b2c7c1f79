"""What the commands offer beyond the first call, driven as a user does."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from sklearn.metrics import brier_score_loss, roc_auc_score

import parzen
from parzen import KernelNaiveBayes, ParzenClassifier
from parzen.compare import compare, random_splits, table_estimators

from .conftest import batch, command, environment, mixed_frame


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("features")
    frame = mixed_frame(120).drop(columns="age").dropna().reset_index(drop=True)
    frame.insert(0, "id", [f"r{i:03d}" for i in range(len(frame))])
    frame["often"] = np.arange(len(frame)) % 3
    frame = frame[["id", "x", "colour", "flag", "often", "answer"]]
    frame.to_csv(folder / "data.csv", index=False)
    strange = frame.copy()
    strange.loc[:2, "colour"] = "violet"
    strange.loc[5, "x"] = 500.0
    strange.to_csv(folder / "strange.csv", index=False)
    return folder


FIT = ["fit", "data.csv", "--drop", "often", "--folds", "0"]


@pytest.fixture(scope="module")
def results(place):
    commands = {
        "fit": [*FIT, "-o", "m.parzen", "-m", "parzen", "--json"],
        "set": [*FIT, "-o", "set.parzen", "-m", "parzen", "--kernel", "cauchy", "--bandwidth",
                "0.7", "--priors", "no=0.2,yes=0.8", "--costs", "yes:no=3", "--reject", "0.4",
                "--novelty", "0.05", "--set", "metric=class"],
        "weights": ["fit", "data.csv", "-o", "w.parzen", "-m", "nb", "--weights", "often",
                    "--set", "bandwidth=silverman", "--folds", "2"],
        "info": ["info", "m.parzen", "--json"],
        "build": ["info", "--json"],
        "export": ["export", "m.parzen", "-o", "m.onnx", "--double", "--json"],
        "all": ["predict", "m.parzen", "strange.csv", "--proba", "--density", "--novelty", "0.02",
                "--keep", "id", "--keep", "often", "-o", "all.csv"],
        "json": ["predict", "m.parzen", "strange.csv", "--proba", "--density", "--novelty", "0.02",
                 "--keep", "id", "--json"],
        "sets": ["predict", "m.parzen", "strange.csv", "--sets", "0.9", "--p-values"],
        "sets json": ["predict", "m.parzen", "strange.csv", "--sets", "0.9", "--p-values",
                      "--json"],
        "why": ["predict", "m.parzen", "data.csv", "--explain", "--top", "2"],
        "why json": ["predict", "m.parzen", "data.csv", "--explain", "--top", "2", "--json"],
        "why one": ["predict", "m.parzen", "data.csv", "--row", "12", "--report", "why.html",
                    "--top", "2"],
        "compare": ["compare", "data.csv", "--methods", "parzen,svc", "--splits", "2", "-j", "1",
                    "--json"],
        "table": ["compare", "data.csv", "--methods", "parzen,gnb,nb", "--splits", "2", "-j", "1",
                  "--report", "page.html"],
        "select": ["select", "data.csv", "--json"],
        "datasets": ["datasets", "--json"],
        "reproduce": ["reproduce", "l2", "--table", "1", "--out", "made", "--json"],
        "schema": ["schema"],
    }  # fmt: skip
    return dict(zip(commands, batch(list(commands.values()), place), strict=True))


def test_all_succeed(results):
    for name, result in results.items():
        assert result.code == 0, (name, result.err)


@pytest.mark.parametrize(
    ("definition", "name"),
    [("fit", "fit"), ("info", "info"), ("info", "build"), ("predict", "json"),
     ("predict", "sets json"), ("predict", "why json"), ("export", "export"),
     ("compare", "compare"), ("select", "select"), ("datasets", "datasets"),
     ("reproduce", "reproduce")],
)  # fmt: skip
def test_what_json_prints_follows_the_schema(definition, name, results):
    schema = json.loads(results["schema"].out)
    Draft202012Validator.check_schema(schema)
    wanted = {**schema, "$ref": f"#/$defs/{definition}"}
    Draft202012Validator(wanted).validate(json.loads(results[name].out))


def test_an_exported_model_predicts_in_onnxruntime_as_the_command_does(place, results):
    session = pytest.importorskip("onnxruntime").InferenceSession(place / "m.onnx")
    frame = pd.read_csv(place / "strange.csv")
    rows = {
        "x": frame["x"].to_numpy(float)[:, None],
        "colour": frame["colour"].to_numpy(str).astype(object)[:, None],
        "flag": frame["flag"].to_numpy(str).astype(object)[:, None],
    }
    labels, probabilities = session.run(None, rows)
    assert "no answer for rows with missing values" in results["export"].err
    rows["x"] = rows["x"] * np.nan
    assert np.isnan(session.run(None, rows)[1]).all()
    told = json.loads(results["json"].out)
    assert labels.tolist() == told["labels"]
    np.testing.assert_allclose(probabilities, told["probabilities"], atol=1e-9)


def test_parameters_reach_the_estimator(place, results):
    model = parzen.load(place / "set.parzen")[-1]
    assert (model.kernel, model.bandwidth, model.metric) == ("cauchy", 0.7, "class")
    assert (model.priors, model.costs) == ([0.2, 0.8], [[0.0, 1.0], [3.0, 0.0]])
    assert (model.reject, model.novelty) == (0.4, 0.05)


def test_weights_are_frequencies(place, results):
    frame = pd.read_csv(place / "data.csv")
    often = frame["often"].to_numpy()
    repeated = frame.loc[frame.index.repeat(often)]
    columns = ["x", "colour", "flag"]
    X = repeated[columns].assign(flag=repeated["flag"].astype(str).astype(object))
    by_hand = KernelNaiveBayes(bandwidth="silverman", categorical_features=["colour", "flag"])
    by_hand.fit(X, repeated["answer"].to_numpy(dtype=str))
    rows = frame[columns].assign(flag=frame["flag"].astype(str).astype(object))
    loaded = parzen.load(place / "w.parzen")
    np.testing.assert_allclose(loaded.predict_proba(rows), by_hand.predict_proba(rows), atol=1e-12)


def test_predict_writes_what_is_asked_for(place, results):
    out = pd.read_csv(place / "all.csv", float_precision="round_trip")
    data = pd.read_csv(place / "strange.csv")
    assert list(out) == ["id", "often", "answer", "p(no)", "p(yes)", "log density", "novel"]
    assert out["id"].tolist() == data["id"].tolist()
    assert out["often"].tolist() == data["often"].tolist()
    model = parzen.load(place / "m.parzen")
    X = data[["x", "colour", "flag"]].assign(flag=data["flag"].astype(str).astype(object))
    np.testing.assert_array_equal(out["log density"], model.score_samples(X))
    careful = model[-1].with_decision(novelty=0.02)
    is_novel = careful.predict(model[:-1].transform(X)) == "novel"
    assert (out["novel"] == "yes").tolist() == is_novel.tolist()
    assert out["novel"][5] == "yes"
    told = json.loads(results["json"].out)
    assert told["novel"] == is_novel.tolist()
    assert told["kept"]["id"] == data["id"].tolist()


def test_sets_and_p_values_are_those_of_the_library(place, results):
    text = StringIO(results["sets"].out)
    out = pd.read_csv(text, keep_default_na=False, float_precision="round_trip")
    assert list(out) == ["answer", "set", "p-value(no)", "p-value(yes)"]
    data = pd.read_csv(place / "strange.csv")
    model = parzen.load(place / "m.parzen")
    points = model[:-1].transform(
        data[["x", "colour", "flag"]].assign(flag=data["flag"].astype(str))
    )
    sets, p = model[-1].predict_set(points, alpha=0.1), model[-1].p_values(points)
    texts = ["|".join(model.classes_[row]) for row in sets]
    assert {"", "no", "yes", "no|yes"} >= {*texts} > {"no", "yes"}
    assert out["set"].tolist() == texts
    np.testing.assert_array_equal(out[["p-value(no)", "p-value(yes)"]], p)
    told = json.loads(results["sets json"].out)
    assert told["sets"] == [model.classes_[row].tolist() for row in sets]
    np.testing.assert_array_equal(told["p_values"], p)


def test_the_evidence_is_that_of_the_library(place, results):
    data = pd.read_csv(place / "data.csv")
    model = parzen.load(place / "m.parzen")
    X = data[["x", "colour", "flag"]].assign(flag=data["flag"].astype(str))
    found = model[-1].explain(model[:-1].transform(X[:10]), top=2)
    told = json.loads(results["why json"].out)["explanations"]
    columns = ["x", "colour=blue", "colour=green", "colour=red", "flag=False", "flag=True"]
    for i, (plain, one) in enumerate(zip(told, found, strict=True)):
        assert (plain["row"], plain["label"], plain["rival"]) == (i, one.label, one.rival)
        assert plain["supporting"] == one.supporting.tolist()
        assert plain["opposing_shares"] == one.opposing_shares.tolist()
        assert plain["column_effects"] == dict(zip(columns, one.column_effects, strict=True))
    lines, one = results["why"].out.splitlines(), found[0]
    assert len(lines) == 4 * 10
    assert lines[0].startswith(f"row 0: {one.label}, not {one.rival} (log-odds")
    share = f"{100 * one.supporting_shares[0]:.3g} %"
    assert lines[1].split("  ")[-1].startswith(f"row {one.supporting[0]} ({share}), row ")
    strongest = np.argmax(np.abs(one.column_effects))
    effect = f"{columns[strongest]} {one.column_effects[strongest]:+.3g}, "
    assert lines[3].split(maxsplit=1)[1].startswith(effect)
    assert f"the first 10 of {len(data)} rows are explained" in results["why"].err


def test_one_row_is_explained_in_words_and_on_a_page(place, results):
    data = pd.read_csv(place / "data.csv")
    model = parzen.load(place / "m.parzen")
    X = data[["x", "colour", "flag"]].assign(flag=data["flag"].astype(str))
    (one,) = model[-1].explain(model[:-1].transform(X[12:13]), top=2)
    lines = results["why one"].out.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith(f"row 12: {one.label}, not {one.rival}")
    page = (place / "why.html").read_text()
    assert f"<h2>Row 12: {one.label}, not {one.rival}</h2>" in page
    assert page.count("<svg") == 1
    assert f"<td>colour</td><td>{data['colour'][12]}</td>" in page
    for row, share in zip(one.supporting, one.supporting_shares, strict=True):
        shown = f'<td data-key="{100 * share}">{100 * share:.3g}</td>'
        assert f"<td>row {row}</td><td>{one.label}</td>{shown}" in page
    assert f'<td>x</td><td data-key="{one.column_effects[0]}">' in page


def test_unknown_levels_are_counted_and_told_in_a_pipe(results):
    assert "column 'colour': 3 of" in results["all"].err
    assert "'violet'" in results["all"].err


@pytest.mark.slow
def test_standard_input_is_read(place, results):
    text = (place / "data.csv").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "parzen", "predict", "m.parzen", "-"], input=text, cwd=place,
        capture_output=True, text=True, timeout=120, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == command("predict", "m.parzen", "data.csv", cwd=place).out


@pytest.mark.slow
def test_warnings_reach_standard_error_in_a_pipe(place):
    found = command(*FIT, "-o", "warned.parzen", "-m", "bmachine", "--set", "max_iter=1",
                    cwd=place)  # fmt: skip
    assert "parzen: warning: stopped after 1 iterations" in found.err


def test_measures_are_those_of_scikit_learn(place, results):
    told = json.loads(results["compare"].out)
    assert told["names"] == ["parzen", "svc"]
    frame = pd.read_csv(place / "data.csv")
    X = frame[["x", "colour", "flag", "often"]]
    X = X.assign(flag=X["flag"].astype(str).astype(object), often=X["often"].astype(float))
    y = frame["answer"].to_numpy(dtype=str)
    splits = random_splits(y, 2, test_size=0.3)
    for split, (train, test) in enumerate(splits):
        model = table_estimators(["parzen"])["parzen"].fit(X.iloc[train], y[train])
        p = model.predict_proba(X.iloc[test])[:, 1]
        outcome = next(o for o in told["outcomes"] if (o["name"], o["split"]) == ("parzen", split))
        assert outcome["auc"] == pytest.approx(roc_auc_score(y[test] == "yes", p))
        assert outcome["brier"] == pytest.approx(2 * brier_score_loss(y[test] == "yes", p))
        sets = model[-1].predict_set(model[:-1].transform(X.iloc[test]), alpha=0.1)
        assert outcome["set_size"] == pytest.approx(sets.sum(axis=1).mean())
        labels = model.predict(X.iloc[test])
        wrong = [np.mean(labels[y[test] == c] != c) for c in ("no", "yes")]
        assert outcome["balanced_error"] == pytest.approx(np.mean(wrong))
        assert outcome["confusion"]["no"]["no"] == np.sum((labels == "no") & (y[test] == "no"))


def test_the_winner_the_names_and_the_confusions(place, results):
    out = results["table"].out
    assert re.search(r"\n\w+ \(.+\) has the smallest error, \d", out)
    assert re.search(r"\ngnb +Gaussian naive Bayes", out)
    page = (place / "page.html").read_text()
    assert "Confusion matrices" in page
    assert "has the smallest error" in page
    assert "AUC" in page


@pytest.mark.slow
def test_the_table_fits_sixty_columns(place, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    done = subprocess.run(
        [sys.executable, "-m", "parzen", "compare", "data.csv", "--methods", "parzen,gnb",
         "--splits", "2", "-j", "1"],
        cwd=place, capture_output=True, text=True, timeout=120,
        env={**environment(), "COLUMNS": "60"},
    )  # fmt: skip
    rows = [r for r in done.stdout.splitlines() if re.match(r"(method|parzen|gnb) .*(\d|p)$", r)]
    assert len(rows) == 3
    assert max(map(len, rows)) <= 60
    assert "left out, as the screen is narrow: predict ms" in done.stdout


@pytest.mark.slow
def test_a_killed_comparison_is_taken_up(place, tmp_path):
    arguments = [sys.executable, "-m", "parzen", "compare", "data.csv", "--methods", "parzen,l2",
                 "--splits", "6", "-j", "1", "--json"]  # fmt: skip
    env = {**environment(), "PARZEN_CACHE": str(tmp_path)}
    process = subprocess.Popen(arguments, cwd=place, env=env, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not any(tmp_path.rglob("*.json")):
        assert time.monotonic() < deadline
        assert process.poll() is None, "the comparison ended before it was killed"
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = len(list(tmp_path.rglob("*.json")))
    done = subprocess.run(arguments, cwd=place, env=env, capture_output=True, timeout=120)
    told = json.loads(done.stdout)
    assert any(re.match(rf"{kept} of 12 results taken", fact) for fact in told["facts"])
    assert len(told["outcomes"]) == 12
    assert not list(tmp_path.rglob("*.json"))


def test_weights_of_a_comparison_count_rows():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(40, 2)), np.arange(40) % 2, rng.integers(1, 4, 40)
    train, test = np.arange(30), np.arange(30, 40)
    weighted = compare({"p": ParzenClassifier(bandwidth=1.0)}, X, y, [(train, test)],
                       sample_weight=w, n_jobs=1)  # fmt: skip
    rows = np.repeat(np.arange(40), w)
    places = [(np.flatnonzero(rows < 30), np.flatnonzero(rows >= 30))]
    repeated = compare({"p": ParzenClassifier(bandwidth=1.0)}, X[rows], y[rows], places, n_jobs=1)
    for name in ("error", "balanced_error", "log_loss", "brier", "auc"):
        one, two = (getattr(c.outcomes[0], name) for c in (weighted, repeated))
        assert one == pytest.approx(two), name


def test_the_shell_completes_commands_and_methods(place):
    def complete(*words):
        line = " ".join(("parzen", *words))
        env = {**environment(), "_PARZEN_COMPLETE": "complete_bash", "COMP_WORDS": line,
               "COMP_CWORD": str(len(words))}  # fmt: skip
        done = subprocess.run([sys.executable, "-m", "parzen"], env=env, capture_output=True,
                              text=True, timeout=60)  # fmt: skip
        return done.stdout.split()

    assert "predict" in complete("pre")
    assert "lssvm" in complete("fit", "--method", "ls")


@pytest.mark.slow
def test_the_demonstration_shows_the_point_and_writes_a_report(place):
    found = command("demo", "--report", "demo.html", "--no-browser", "--json", cwd=place)
    told = json.loads(found.out)
    assert "has the smallest error" in told["verdict"]
    assert {row["row"]: row["label"] for row in told["decisions"]}["no such wine"] == -2  # novel
    assert "<h1>" in (place / "demo.html").read_text()
    schema = json.loads(command("schema", cwd=place).out)
    Draft202012Validator({**schema, "$ref": "#/$defs/demo"}).validate(told)
