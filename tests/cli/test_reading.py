"""The reader of text tables, against pandas and under fuzzing."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from parzen.cli._csv import MISSING, RawTable, number, read_csv
from parzen.cli._data import read_table
from parzen.cli._errors import UserError, one_line

SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = ["a", "b", "c"]


def attempt(path) -> tuple[RawTable | None, UserError | None]:
    try:
        return read_csv(path), None
    except UserError as error:
        return None, error


@SETTINGS
@given(data=st.binary(max_size=300) | st.text(max_size=200).map(lambda t: t.encode("utf-8")))
def test_any_bytes_give_a_table_or_one_line(data, tmp_path):
    path = tmp_path / "any.csv"
    path.write_bytes(data)
    table, error = attempt(path)
    if table is None:
        assert len(one_line(error).splitlines()) == 1
        return
    assert all(len(column) == len(table) for column in table.columns.values())


cells = st.one_of(
    st.floats(allow_infinity=False).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.sampled_from(["red", "blue", "a,b", 'say "x"', "ä", "NA", "", "two\nlines"]),
)


@SETTINGS
@given(rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=12))
def test_what_is_written_is_read_as_pandas_reads_it(rows, tmp_path):
    text = io.StringIO()
    csv.writer(text).writerows([NAMES, *rows])
    path = tmp_path / "some.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    table, error = attempt(path)
    if table is None:
        assert "not a number" in str(error)
        return
    theirs = pd.read_csv(path, dtype=str, keep_default_na=False, skip_blank_lines=False)
    assert list(table.columns) == NAMES
    assert len(table) == len(theirs)
    for name, column in table.columns.items():
        for ours, plain in zip(column, theirs[name].str.strip(), strict=True):
            if plain.lower() in MISSING:
                assert ours is None or np.isnan(ours)
            else:
                assert ours == (plain if column.dtype == object else float(plain))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter, tmp_path):
    path = tmp_path / "table.txt"
    path.write_text(delimiter.join("xyz") + "\n" + delimiter.join("123") + "\n")
    assert {n: c.tolist() for n, c in read_csv(path).columns.items()} == {
        "x": [1.0], "y": [2.0], "z": [3.0],
    }  # fmt: skip


def test_lines_are_counted_across_quoted_line_breaks(tmp_path):
    path = tmp_path / "lines.csv"
    path.write_text('a,b\n"x\ny",1\nz,2\n')
    assert read_csv(path).lines.tolist() == [3, 4]


@pytest.mark.parametrize("text", ["1e3", " 2", "-0.5", "nan"])
def test_numbers_are_numbers(text):
    assert number(text) is not None


@pytest.mark.parametrize("text", ["1_000", "0x10", "1,5", "one", ""])
def test_other_texts_are_none(text):
    assert number(text) is None


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
    text, binary = (read_table(tmp_path / name) for name in ("table.csv", "table.parquet"))
    assert text.names == binary.names
    for name, column in text.columns.items():
        assert column.dtype == binary.columns[name].dtype, name
        np.testing.assert_array_equal(column, binary.columns[name])
