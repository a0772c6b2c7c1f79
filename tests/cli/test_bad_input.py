"""Bad files and bad options: one line, exit code 2, nothing written."""

import os

import numpy as np
import pytest

import parzen

from .conftest import batch, mixed_frame

GOOD = "a,b,y\n1,2,p\n2,3,q\n3,4,p\n4,5,q\n"
FILES = {
    "empty.csv": b"",
    "header.csv": b"a,b,y\n",
    "ragged.csv": b"a,b,y\n1,2,p\n1,2\n",
    "long.csv": b"a,b,y\n1,2,p\n1,2,q,7\n",
    "binary.csv": bytes(range(256)) * 20,
    "zeros.csv": b"a,b\n1\x00,2\n",
    "quote.csv": b'a,b,y\n1,"2,p\n',
    "latin.csv": "a,b,y\n1,2,\xe4\n".encode("latin-1"),
    "constant.csv": b"a,b,y\n1,2,p\n2,3,p\n",
    "gap.csv": b"a,b,y\n1,2,p\n,3,q\n3,4,p\n4,5,q\n",
    "no_labels.csv": b"a,b,y\n1,2,\n2,3,?\n3,4,\n",
    "typo.csv": b"a,b,y\n1,2,p\n2,x3,q\n3,4,p\n4,5,q\n",
    "hollow.csv": b"b,y\n,p\nNA,q\n?,p\n,q\n",
    "twice.csv": b"a,a,y\n1,2,p\n2,3,q\n",
    "damaged.csv.gz": b"\x1f\x8b\x08 nothing",
    "nested.jsonl": b'{"a": 1, "y": "p"}\n{"a": [2], "y": "q"}\n',
    "fake.xlsx": b"PK\x03\x04 nothing",
    "infinite.csv": b"a,b,y\n1,2,p\ninf,3,q\n3,4,p\n",
    "lonely.csv": b"y\np\nq\n",
    "good.csv": GOOD.encode(),
    "fake.parquet": b"PAR1 nothing",
    "fake.parzen": b"PK\x03\x04 nothing",
    "negative.csv": b"a,w,y\n1,2,p\n2,-3,q\n3,4,p\n4,5,q\n",
    "weightless.csv": b"a,w,y\n1,0,p\n2,0,q\n3,0,p\n4,0,q\n",
    "days.csv": b"a,y\n" + b"".join(b"%d,2024-01-%02d\n" % (i, i) for i in range(1, 29)),
    "names_only.csv": b" , , \n",
    "letters.csv": b"a,b,y\nx,2,p\nz,3,q\n",
}
BAD = [
    (["compare", "nowhere.csv"], "nowhere.csv does not exist"),
    (["compare", "nosuchset"], "neither a file nor a data set"),
    (["compare", "."], "is a folder"),
    (["compare", "empty.csv"], "empty.csv is empty"),
    (["compare", "header.csv"], "no rows"),
    (["compare", "ragged.csv"], "line 3: 2 cells where the first line has 3"),
    (["compare", "long.csv"], "line 3: 4 cells"),
    (["compare", "binary.csv"], "binary.csv"),
    (["compare", "zeros.csv"], "zero bytes"),
    (["compare", "quote.csv"], "line 2: a quotation mark is never closed"),
    (["compare", "latin.csv", "--encoding", "utf-8"], "latin.csv is not utf-8 text (byte 10)"),
    (["compare", "latin.csv", "--encoding", "morse"], "unknown encoding 'morse'"),
    (["compare", "constant.csv"], "'y' is p in every row"),
    (["compare", "good.csv", "--target", "z"], "no column 'z' (--target); it has a, b, y"),
    (["compare", "good.csv", "--target", "Y"], "'Y' (--target) (did you mean 'y'?); it has a"),
    (["compare", "good.csv", "--drop", "z"], "no column 'z' (--drop)"),
    (["compare", "good.csv", "--drop", "y", "--target", "y"], "is dropped"),
    (["compare", "gap.csv", "--missing", "refuse"], "line 3, column 'a': no value (1 of 4 rows)"),
    (["compare", "no_labels.csv"], "the target 'y' holds no value at all"),
    (["compare", "typo.csv"], "line 3, column 'b': 'x3' is not a number"),
    (["compare", "hollow.csv"], "no column to learn from; empty columns left out: b"),
    (["compare", "twice.csv"], "two columns are called 'a'"),
    (["compare", "good.csv", "--delimiter", "//"], "--delimiter must be one character"),
    (["compare", "good.csv", "--decimal", ":"], "--decimal must be"),
    (["compare", "infinite.csv"], "line 3, column 'a': infinity is no value; give a"),
    (["compare", "lonely.csv"], "no column beside the target"),
    (["compare", "names.csv"], "no column to learn from; identifiers left out: name"),
    (["compare", "damaged.csv.gz"], "damaged.csv.gz is damaged"),
    (["compare", "nested.jsonl"], "line 2: not one flat object"),
    (["compare", "fake.xlsx"], "fake.xlsx is damaged"),
    (["compare", "ok.parzen"], "is a model file, not a table"),
    (["compare", "measured.csv"], "looks like a measurement"),
    (["compare", "fake.parquet"], "is no Parquet file"),
    (["compare", "good.csv", "--drop", "a", "--drop", "b", "--drop", "y"],
     "good.csv: every column is dropped"),
    (["fit", "good.csv", "-o", "m.parzen", "--weights", "y"],
     "'y' cannot be both the target and the weights"),
    (["fit", "negative.csv", "-o", "m.parzen", "--weights", "w"],
     "line 3, column 'w': a weight must be 0 or more"),
    (["fit", "weightless.csv", "-o", "m.parzen", "--weights", "w"], "all weights 'w' are 0"),
    (["compare", "days.csv"], "the target 'y' holds dates, not classes"),
    (["compare", "names_only.csv"], "names_only.csv"),
    (["compare", "iris", "--target", "y"], "are for files, not for the set 'iris'"),
    (["compare", "good.csv", "--methods", "l2,ldb"], "unknown method 'ldb'"),
    (["compare", "good.csv", "--baselines", "xgb"], "unknown method 'xgb'"),
    (["compare", "good.csv", "--methods", "none", "--baselines", "none"], "nothing to compare"),
    (["compare", "good.csv", "--missing", "guess"], "auto, refuse or impute"),
    (["compare", "good.csv", "--splits", "0"], "--splits must be at least 1"),
    (["compare", "good.csv", "--test-size", "1.5"], "--test-size must be a share"),
    (["compare", "good.csv", "--cv", "99"], "--cv must be between 2 and"),
    (["compare", "good.csv", "--splits", "many"], "--splits"),
    (["compare", "good.csv", "--jobs", "0"], "--jobs must be a number of processes"),
    (["reproduce", "l2", "--table", "1", "--jobs", "-1"], "--jobs must be a number"),
    (["reproduce", "all", "--table", "1"], "all: --table, --figure and --report are for one paper"),
    (["reproduce", "l2", "--out", "good.csv"], "--out: good.csv is a file; name a folder"),
    (["reproduce", "--stale", "--out", "."], "--stale: . holds no result of a paper"),
    (["reproduce", "l2", "--table", "1,9"], "no table 9; there are"),
    (["compare", "good.csv", "--seed", "-1"], "--seed"),
    (["compare", "good.csv", "--report", "nofolder/r.html"], "the folder nofolder does not exist"),
    (["compare", "good.csv", "--report", "."], "is a folder"),
    (["compare", "good.csv", "--figure", "f.bmp"], ".svg, .png or .pdf"),
    (["compare"], "Missing argument"),
    (["compare", "good.csv", "--colour"], "No such option"),
    (["frobnicate"], "No such command 'frobnicate'"),
    (["fit", "good.csv", "-o", "nofolder/m.parzen"], "does not exist"),
    (["fit", "good.csv", "-o", "m.parzen", "-m", "svm"], "unknown method 'svm'"),
    (["fit", "good.csv", "-o", "m.parzen", "-m", "svc"], "svc is a baseline for `compare`"),
    (["fit", "good.csv", "-o", "m.parzen", "-m", "rls", "--set", "kerel=cauchy"],
     "rls has no parameter 'kerel'; its parameters are"),
    (["fit", "good.csv", "-o", "m.parzen", "--set", "kernel"], "--set takes name=value"),
    (["fit", "good.csv", "-o", "m.parzen", "--priors", "p=0.5,r=0.5"], "there is no class 'r'"),
    (["fit", "good.csv", "-o", "m.parzen", "--priors", "p=0.5"], "no number for the class 'q'"),
    (["fit", "good.csv", "-o", "m.parzen", "--priors", "p=half,q=0.5"],
     "--priors takes label=number, separated by commas; got 'p=half'"),
    (["fit", "good.csv", "-o", "m.parzen", "--costs", "p:r=2"], "is not true:predicted"),
    (["fit", "good.csv", "-o", "m.parzen", "--costs", "p:q"],
     "--costs takes true:predicted=number, separated by commas; got 'p:q'"),
    (["fit", "good.csv", "-o", "m.parzen", "--weights", "z"], "no column 'z' (--weights)"),
    (["fit", "typo.csv", "-o", "m.parzen", "--weights", "b", "--categorical", "b"], "are texts"),
    (["fit", "good.csv", "-o", "m.parzen", "-m", "parzen", "--folds", "0", "--bandwidth", "-1"],
     "bandwidth"),
    (["fit", "good.csv", "-o", "m.parzen", "--folds", "9"], "--folds must be 0 or between"),
    (["fit", "good.csv"], "Missing option"),
    (["predict", "nowhere.parzen", "good.csv"], "nowhere.parzen"),
    (["predict", "fake.parzen", "good.csv"], "no model file"),
    (["predict", "good.csv", "good.csv"], "no model file"),
    (["predict", "good.csv", "ok.parzen"], "swapped? ok.parzen is the model"),
    (["predict", "ok.parzen", "good.csv", "--keep", "z"], "lacks the column 'z' of --keep"),
    (["predict", "ok.parzen", "good.csv", "--keep", "y"], "--keep y"),
    (["predict", "rls.parzen", "good.csv", "--density"], "no densities; leave out --density"),
    (["predict", "rls.parzen", "good.csv", "--novelty", "0.1"], "fit with novelty"),
    (["predict", "library.parzen", "good.csv"], "was not written by `parzen fit`"),
    (["predict", "ok.parzen", "letters.csv", "-o", "o.csv"], "line 2, column 'a': 'x'"),
    (["predict", "ok.parzen", "good.csv", "--row", "900"], "--row 900: the table has rows 0 to"),
    (["predict", "ok.parzen", "good.csv", "--row", "-1"], "--row"),
    (["predict", "ok.parzen", "good.csv", "--explain", "--top", "0"], "--top"),
    (["predict", "ok.parzen", "good.csv", "--sets", "90"], "between 0 and 1, e.g. 0.9, got 90"),
    (["predict", "ok.parzen", "good.csv", "--sets", "1"], "--sets must be a share of rows"),
    (["predict", "ok.parzen", "good.csv", "--sets", "nan"], "--sets must be a share of rows"),
    (["predict", "ok.parzen", "nowhere.csv", "-o", "o.csv"], "nowhere.csv does not exist"),
    (["predict", "ok.parzen", "narrow.csv", "-o", "o.csv"], "lacks the column 'b'"),
    (["predict", "ok.parzen", "typo.csv", "-o", "o.csv"], "line 3, column 'b': 'x3'"),
    (["predict", "rls.parzen", "gap.csv", "-o", "o.csv"], "fit it with --missing impute"),
    (["predict", "ok.parzen", "infinite.csv", "-o", "o.csv"], "infinity"),
    (["predict", "ok.parzen", "good.csv", "-o", "."], "is a folder"),
    (["info", "nowhere.parzen"], "nowhere.parzen"),
    (["info", "fake.parzen"], "no model file"),
    (["select", "good.csv", "--kernel", "linear"], "unknown 'linear'"),
    (["reproduce", "nosuchpaper"], "unknown paper"),
    (["reproduce", "l2", "--table", "99"], "has no table"),
]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    mixed_frame(150).assign(name=[f"n{i}" for i in range(150)])[["name", "flag"]].to_csv(
        folder / "names.csv", index=False
    )
    mixed_frame(150)[["flag", "x"]].to_csv(folder / "measured.csv", index=False)
    (folder / "narrow.csv").write_text("a,y\n1,p\n")
    parzen.save(
        parzen.ParzenClassifier(bandwidth=1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]),
        folder / "library.parzen",
    )
    return folder


@pytest.fixture(scope="module")
def results(place):
    first = ["fit", "good.csv", "-o", "ok.parzen", "-m", "parzen", "--folds", "0"]
    second = ["fit", "good.csv", "-o", "rls.parzen", "-m", "rls", "--folds", "0"]
    models = [first, second]
    found = batch([*models, *(arguments for arguments, _ in BAD)], place)
    for made in found[: len(models)]:
        assert made.code == 0, made.err
    del found[: len(models)]
    left = set(os.listdir(place)) - {*FILES, "ok.parzen", "rls.parzen", "names.csv",
                                     "measured.csv", "narrow.csv", "library.parzen"}  # fmt: skip
    return found, left


@pytest.mark.parametrize("case", range(len(BAD)), ids=[" ".join(a) for a, _ in BAD])
def test_one_line_says_what_and_where(case, results):
    result, (_, words) = results[0][case], BAD[case]
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("parzen: error: ")
    assert result.err.count("\n") == 1
    assert words in result.err


def test_nothing_was_written(results):
    assert results[1] == set()


@pytest.mark.slow
def test_the_right_reading_of_odd_files(place):
    (place / "bare.csv").write_text("1,2,0\n2,3,1\n3,1,0\n4,9,1\n\n")
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{v},{i % 2}" for i, v in enumerate(rng.normal(size=40)))
    (place / "blank.csv").write_text("v,y\n\n" + rows + "\n")
    done = batch(
        [
            ["fit", "bare.csv", "--no-header", "-o", "bare.parzen", "-m", "parzen", "--folds", "0"],
            ["predict", "bare.parzen", "bare.csv", "--no-header"],
            ["fit", "blank.csv", "-o", "blank.parzen", "-m", "parzen", "--folds", "2"],
            ["fit", "typo.csv", "--categorical", "b", "-o", "typo.parzen", "-m", "nb",
             "--folds", "0"],
        ],
        place,
    )  # fmt: skip
    assert [r.code for r in done] == [0, 0, 0, 0], [r.err for r in done]
    assert done[1].out.split()[0] == "x3"
