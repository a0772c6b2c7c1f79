"""Columns of many texts are hashed where skrub is installed, and named where it is not."""

import sys

import numpy as np
import pandas as pd
import pytest

import parzen
from parzen.cli import _features
from parzen.cli._data import load_labelled
from parzen.cli._errors import UserError
from parzen.cli._options import DataOptions

from .conftest import batch


def jobs(rows, first):
    """Texts of one family for each class, with numbers from ``first`` on; the number x is noise."""
    rng = np.random.default_rng(first)
    family = rng.integers(0, 2, rows)
    words = np.array(["police officer grade", "swimming teacher level"])[family]
    texts = [f"{w} {first + n}" for w, n in zip(words, rng.integers(0, 80, rows), strict=True)]
    answer = np.array(["law", "sport"])[family]
    return pd.DataFrame({"job": texts, "x": rng.normal(size=rows).round(3), "answer": answer})


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    jobs(400, 100).to_csv(folder / "data.csv", index=False)
    new = jobs(60, 500)
    new.loc[0, "job"] = None
    new.to_csv(folder / "new.csv", index=False)
    gaps = jobs(400, 100)
    gaps.loc[:9, "job"] = None
    gaps.to_csv(folder / "gaps.csv", index=False)
    return folder


@pytest.mark.slow
def test_texts_are_hashed_in_fit_and_in_predict(place):
    pytest.importorskip("skrub")
    fit = ["fit", "gaps.csv", "-m", "parzen", "--folds", "0", "-o", "m.parzen"]
    fitted, predicted, exported = batch(
        [fit, ["predict", "m.parzen", "new.csv", "-o", "labels.csv"],
         ["export", "m.parzen", "-o", "m.onnx"]], place,
    )  # fmt: skip
    assert (fitted.code, predicted.code) == (0, 0), fitted.err + predicted.err
    assert "become 10 numbers each (skrub's MinHashEncoder): job (--drop job)" in fitted.out
    assert parzen.load(place / "m.parzen").n_features_in_ == 11
    found = pd.read_csv(place / "labels.csv")["answer"]
    wanted = pd.read_csv(place / "new.csv")["answer"]
    assert (found == wanted)[1:].mean() > 0.95  # every text is one that the fit has not seen
    assert "1 of 60 rows have missing values" in predicted.err
    assert exported.code != 0
    assert "'job' holds texts" in exported.err


def test_a_text_has_the_same_numbers_in_every_table():
    pytest.importorskip("skrub")
    texts = np.array(["one text", None, "another", "one text"], dtype=object)
    whole = _features.with_hashed_texts({"t": texts}, {"t": "text"})
    part = _features.with_hashed_texts({"t": texts[2:]}, {"t": "text"})
    assert len(whole) == 10
    for name, numbers in whole.items():
        assert np.isnan(numbers[1])
        assert numbers[0] == numbers[3]
        np.testing.assert_array_equal(numbers[2:], part[name])


def test_without_skrub_texts_are_named_and_left_out(place, monkeypatch):
    monkeypatch.setattr(_features, "find_spec", lambda name: None)
    found = load_labelled(str(place / "data.csv"), DataOptions())
    assert list(found.kinds) == ["x"]
    (line,) = [fact for fact in found.facts if "left out" in fact]
    assert line == (
        "texts of more than 100 different values left out: job "
        "(pip install 'parzen[skrub]' to use them)"
    )


def test_texts_that_hardly_repeat_are_identifiers_unless_they_are_asked_for(tmp_path):
    pytest.importorskip("skrub")
    path = tmp_path / "data.csv"
    frame = jobs(150, 0)
    frame["job"] = [f"{job} {i}" for i, job in enumerate(frame["job"])]
    frame.to_csv(path, index=False)
    assert list(load_labelled(str(path), DataOptions()).kinds) == ["x"]
    assert load_labelled(str(path), DataOptions(use=("job",))).kinds["job"] == "text"


def test_a_model_of_texts_asks_for_skrub_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "skrub", None)
    with pytest.raises(UserError, match=r"'job' holds texts.*pip install 'parzen\[skrub\]'"):
        _features.with_hashed_texts({"job": np.array(["a"], dtype=object)}, {"job": "text"})
