"""Tables as people have them: what is read, against pandas, and what is said about it."""

import bz2
import csv
import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from parzen.cli._cells import MISSING_ANYWHERE, MISSING_IN_NUMBERS, as_days, as_numbers
from parzen.cli._columns import InputColumns
from parzen.cli._data import load_labelled
from parzen.cli._errors import UserError, one_line
from parzen.cli._options import DataOptions, Reading
from parzen.cli._tables import open_source

SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = ["a", "b", "c"]
RNG = np.random.default_rng(0)


def columns(path, **reading):
    return InputColumns(open_source(path), Reading(**reading))


def values(path, **reading):
    found = columns(path, **reading)
    return {name: found.column(name).values.tolist() for name in found.names}


def attempt(path):
    """The columns, or what is wrong."""
    try:
        found = columns(path)
        return {name: found.column(name).values for name in found.names}, ""
    except UserError as error:
        return {}, one_line(error)


def written(tmp_path, text, name="table.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    return path


@pytest.mark.slow
@SETTINGS
@given(data=st.binary(max_size=300) | st.text(max_size=200).map(lambda t: t.encode("utf-8")))
def test_any_bytes_give_a_table_or_one_line(data, tmp_path):
    path = written(tmp_path, data)
    found, said = attempt(path)
    assert len(said.splitlines()) <= 1
    assert all(len(column) == len(found[next(iter(found))]) for column in found.values())


cells = st.one_of(
    st.floats(allow_infinity=False).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.sampled_from(["red", "blue", "a,b", 'say "x"', "ä", "NA", "", "none", "two\nlines"]),
)


@SETTINGS
@given(rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=12))
def test_what_is_written_is_read_as_pandas_reads_it(rows, tmp_path):
    rows = [row for row in rows if any(row)] or [("1", "2", "3")]
    text = io.StringIO()
    csv.writer(text).writerows([NAMES, *rows])
    path = written(tmp_path, text.getvalue())
    read, said = attempt(path)
    if said:
        assert "not a number" in said
        return
    theirs = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert list(read) == NAMES
    for name, column in read.items():
        marks = MISSING_ANYWHERE if column.dtype == object else MISSING_IN_NUMBERS
        for ours, plain in zip(column, theirs[name].str.strip(), strict=True):
            if plain.lower() in marks:
                assert ours is None or np.isnan(ours)
            elif column.dtype == object:
                assert ours == plain
            else:
                assert ours == pytest.approx(float(plain), rel=1e-15)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_found(delimiter, tmp_path):
    text = delimiter.join("xyz") + "\n" + delimiter.join("123") + "\n" + delimiter.join("456")
    assert values(written(tmp_path, text)) == {"x": [1, 4], "y": [2, 5], "z": [3, 6]}
    assert list(values(written(tmp_path, text), delimiter=delimiter)) == ["x", "y", "z"]


def test_decimal_commas_are_numbers_and_said(tmp_path):
    path = written(tmp_path, "x;n;y\n1,5;1.234;a\n-0,25;2.000;b\n3;15;a\n")
    assert values(path) == {"x": [1.5, -0.25, 3.0], "n": [1234, 2000, 15], "y": ["a", "b", "a"]}
    found = columns(path)
    [found.column(name) for name in found.names]
    said = " ".join(found.remarks.lines())
    assert "decimal commas (--decimal): x" in said
    assert "thousands separators (--decimal): n" in said


def test_the_decimal_mark_can_be_told(tmp_path):
    path = written(tmp_path, 'x,y\n"1,234",a\n"2,500",b\n')
    assert values(path)["x"] == [1234.0, 2500.0]
    assert values(path, decimal=",")["x"] == [1.234, 2.5]
    assert values(path, decimal=".")["x"] == [1234.0, 2500.0]


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["12%", "3.5 %"], [12.0, 3.5]),
        (["$3.50", "-$4", "$-5", "$1,200.25"], [3.5, -4.0, -5.0, 1200.25]),
        (["3,50 €", "1.200,00 €"], [3.5, 1200.0]),
        (["1 234", "12 345.5"], [1234.0, 12345.5]),
        (["1'234", "5"], [1234.0, 5.0]),
        (["1e3", ".5", "2."], [1000.0, 0.5, 2.0]),
    ],
)
def test_ways_of_writing_numbers(texts, numbers):
    assert as_numbers(texts, None)[0].tolist() == numbers


@pytest.mark.parametrize("text", ["1_000", "0x10", "one", "1,2,3", "12,34.5", "1-2", "%", "1..2"])
def test_other_texts_are_no_numbers(text):
    assert np.isnan(as_numbers([text], None)[0]).all()


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["2024-03-01", "2023-12-31"], "%Y-%m-%d"),
        (["31.12.2023", "1.3.2024"], "%d.%m.%Y"),
        (["12/31/2023", "03/01/2024"], "%m/%d/%Y"),
        (["31/12/2023", "01/03/2024"], "%d/%m/%Y"),
        (["2024-03-01 12:30", "2023-12-31 00:00"], "%Y-%m-%d %H:%M"),
        (["2024-03-01T12:30:05", "2023-12-31T00:00:00"], "%Y-%m-%dT%H:%M:%S"),
    ],
)
def test_dates_become_days(texts, form):
    days, found, _ = as_days(texts)
    assert found == form
    expected = pd.to_datetime(pd.Series(texts), format=form) - pd.Timestamp(0)
    np.testing.assert_allclose(days, expected / pd.Timedelta(days=1))


TEXT = "größe,y\n1.5,ä\n2.5,b\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le"])
def test_encodings_are_found_or_told(encoding, tmp_path):
    path = written(tmp_path, TEXT, encoding=encoding)
    expected = {"größe": [1.5, 2.5], "y": ["ä", "b"]}
    assert values(path) == expected
    assert values(path, encoding=encoding) == expected


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_packed_files_are_unpacked(pack, tmp_path):
    path = written(tmp_path, pack(TEXT.encode()), "table.csv.gz")
    assert values(path) == {"größe": [1.5, 2.5], "y": ["ä", "b"]}


def test_comments_empty_rows_and_commas_at_the_end(tmp_path):
    text = "# made by hand\n\na,b,\n1,2,\n# a remark\n,,\n3,4,\n"
    found = columns(written(tmp_path, text))
    assert {n: found.column(n).values.tolist() for n in found.names} == {"a": [1, 3], "b": [2, 4]}
    assert found.table.remarks == [
        "comment lines passed over",
        "an empty column without a name left out",
        "1 empty rows left out",
    ]
    assert values(written(tmp_path, "a,b\n1,2,\n3,4,\n")) == {"a": [1, 3], "b": [2, 4]}


def test_a_comment_among_the_rows_is_told(tmp_path):
    found = columns(written(tmp_path, "a,b\n1,2\n# a remark\n3,4\n"))
    assert found.table.remarks == ["comment lines passed over"]
    assert found.column("a").values.tolist() == [1, 3]


def test_dates_that_come_with_their_type_are_told(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"when": pd.to_datetime(["1970-01-02", "1970-01-04"]), "y": ["a", "b"]})
    frame.to_parquet(tmp_path / "t.parquet")
    found = columns(tmp_path / "t.parquet")
    assert found.column("when").values.tolist() == [1, 3]
    assert found.remarks.lines() == ["dates become days since 1970: when"]


def test_a_file_without_names(tmp_path):
    path = written(tmp_path, "5.1,3.5,setosa\n4.9,3.0,other\n")
    assert values(path) == {"x1": [5.1, 4.9], "x2": [3.5, 3.0], "x3": ["setosa", "other"]}
    assert "the first line holds values" in " ".join(columns(path).table.remarks)


def test_names_in_the_last_comment(tmp_path):
    buffer = io.StringIO()
    np.savetxt(buffer, [[1.5, 2.0], [3.5, 4.0]], header="a b")
    assert values(written(tmp_path, buffer.getvalue())) == {"a": [1.5, 3.5], "b": [2.0, 4.0]}


def test_none_and_na_are_values_among_texts_and_missing_among_numbers(tmp_path):
    path = written(tmp_path, "n,t\n1,none\nNA,NA\nnone,b\n")
    found = values(path)
    assert found["t"] == ["none", "NA", "b"]
    assert np.isnan(found["n"][1:]).all()
    assert values(path, na=("NA", "none"))["t"] == [None, None, "b"]
    read = columns(path)
    read.column("t")
    assert any("'none' counts as a value" in line for line in read.remarks.lines())


def test_json_lines_and_excel_equal_the_text(tmp_path):
    frame = pd.DataFrame({"x": [1.5, np.nan, 3.0], "n": [1, 2, 3], "t": ["a", None, "ü"]})
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    frame.to_json(tmp_path / "t.json", orient="records")
    frame.to_csv(tmp_path / "t.csv", index=False)
    pytest.importorskip("openpyxl")
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    expected = repr(values(tmp_path / "t.csv"))
    for name in ("t.jsonl", "t.json", "t.xlsx"):
        assert repr(values(tmp_path / name)) == expected, name


def test_dates_and_an_index_in_excel(tmp_path):
    pytest.importorskip("openpyxl")
    times = pd.date_range("2024-01-01", periods=30)
    frame = pd.DataFrame({"when": times, "y": list("ab") * 15})
    frame.to_excel(tmp_path / "t.xlsx")
    found = load_labelled(str(tmp_path / "t.xlsx"), DataOptions())
    assert found.kinds == {"when": "date"}
    assert found.X["when"].iloc[0] == 19723.0
    assert any("identifiers left out: row name (--use 'row name')" in fact for fact in found.facts)


def test_a_parquet_file_has_the_columns_of_the_text_file(tmp_path):
    frame = pd.DataFrame(
        {
            "number": [1.5, np.nan, 3.0, 4.0],
            "count": [1, 2, 3, 4],
            "truth": [True, False, False, True],
            "unsure": pd.array([True, None, False, True], dtype="boolean"),
            "word": ["a", None, "b", "ü"],
            "level": pd.Categorical(["low", "high", "low", None]),
        }
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    frame.to_parquet(tmp_path / "table.parquet")
    assert repr(values(tmp_path / "table.csv")) == repr(values(tmp_path / "table.parquet"))


def test_messages_name_the_line_across_quoted_line_breaks(tmp_path):
    path = written(tmp_path, 'a,b\n"x\ny",1\n\nz,2\nu,3\nv,oops\n')
    with pytest.raises(UserError, match=r"line 7, column 'b': 'oops' is not a number"):
        columns(path).column("b")


def sample(tmp_path, **extra):
    n = 60
    x = RNG.normal(size=n)
    frame = pd.DataFrame({"x": x, **extra, "y": np.where(x > 0, "p", "q")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_identifiers_and_free_texts_are_left_out_and_said(tmp_path):
    n = 60
    path = sample(
        tmp_path, number=range(1, n + 1), customer_id=RNG.permutation(10_000)[:n],
        name=[f"n{i}" for i in range(n)], size=RNG.permutation(10_000)[:n],
    )  # fmt: skip
    found = load_labelled(str(path), DataOptions())
    assert list(found.kinds) == ["x", "size"]
    assert any("identifiers left out: number, customer_id, name" in fact for fact in found.facts)
    assert "number" in load_labelled(str(path), DataOptions(use=("number",))).kinds


def test_labels_keep_the_way_they_are_written(tmp_path):
    for labels, expected in ((["01", "02"], ["01", "02"]), (["1", "2"], [1, 2]),
                             (["1.0", "2.0"], [1, 2]), (["True", "False"], ["False", "True"]),
                             (["1.5", "2"], ["1.5", "2"])):  # fmt: skip
        rows = "\n".join(f"{i}.5,{labels[i % 2]}" for i in range(10))
        found = load_labelled(str(written(tmp_path, f"x,y\n{rows}\n")), DataOptions())
        assert np.unique(found.y).tolist() == expected


@pytest.mark.parametrize(
    "target",
    [RNG.normal(100, 20, 60), RNG.integers(1, 60, 60), [f"{v:.2f} €" for v in RNG.random(60)]],
    ids=["prices", "whole numbers", "amounts"],
)
def test_a_measurement_is_no_target(tmp_path, target):
    pd.DataFrame({"x": RNG.normal(size=60), "y": target}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(UserError, match="looks like a measurement"):
        load_labelled(str(tmp_path / "t.csv"), DataOptions())
    found = load_labelled(str(tmp_path / "t.csv"), DataOptions(categorical=("y",)))
    assert len(np.unique(found.y)) > 20


def test_thirty_numbered_classes_are_classes(tmp_path):
    frame = pd.DataFrame({"x": RNG.normal(size=300), "y": np.arange(300) % 30})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert len(np.unique(load_labelled(str(tmp_path / "t.csv"), DataOptions()).y)) == 30


def test_json_errors_name_the_line(tmp_path):
    path = written(tmp_path, json.dumps({"a": 1}) + "\n{oops\n", "t.jsonl")
    with pytest.raises(UserError, match="line 2"):
        columns(path)


def test_a_zip_of_one_table_is_read_and_one_of_two_is_refused(tmp_path):
    table = b"a,b\n1,2\n"
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.csv", table)
    assert open_source(path).data == table
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("two.csv", table)
    with pytest.raises(UserError, match="an archive of 2 files; name one table"):
        open_source(path)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("old.xls", b"\xd0\xcf\x11\xe0" + bytes(60), "old Excel file; save it as .xlsx or CSV"),
        ("half.json", b'[{"a": 1}, ', "is no JSON"),
        ("none.json", b"[]", "has no rows"),
    ],
)
def test_files_that_hold_no_table_are_refused_with_the_reason(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=message):
        columns(tmp_path / name)
