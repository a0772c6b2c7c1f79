"""Tables of any bytes at the command line: an answer or a sentence, and no file is lost.

Half of the cases fit and predict with a table that was damaged; the others write with too little
room, are killed while they write, or name an input as the output.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import signal
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import parzen
from parzen.__main__ import main

from .processes import Child, ready

FIT = ["-m", "parzen", "--folds", "0"]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252", "utf-16-le", "utf-32"]
ODD_CELLS = [
    "", " ", "NA", "nan", "inf", "-1e400", "1,5", "1.5.2", "2020-01-01", "'", '"', "\x00", "é",
    "9" * 400, "0x1F", "=1+1", "True", "\ufeff", "1e3", "-", "?", "\u2212" + "1",
]  # fmt: skip


def run(rng: np.random.Generator) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "data.csv"
        case = [any_table, any_table, too_little_room, killed, output_that_is_an_input]
        case[rng.integers(len(case))](rng, folder, table)
        left = [path.name for path in folder.iterdir() if path.name not in NAMES]
        assert not left, f"files are left behind: {left}"


NAMES = {"data.csv", "m.parzen", "out.csv", "link.csv"}


def any_table(rng: np.random.Generator, folder: Path, table: Path) -> None:
    data = damaged(rng, text_of(rng))
    table.write_bytes(data)
    try:
        code, _ = command("fit", table, "-o", folder / "m.parzen", *FIT)
        assert table.read_bytes() == data, "the table was changed"
        model = folder / "m.parzen"
        if code != 0:
            assert not model.exists(), "a model was written although the fit failed"
            model.write_bytes(good_model())
        code, _ = command("predict", model, table, "-o", folder / "out.csv")
        assert (folder / "out.csv").exists() == (code == 0)
        assert table.read_bytes() == data, "the table was changed"
    except BaseException as error:
        error.add_note(repr(data[:2000]))
        raise


def too_little_room(rng: np.random.Generator, folder: Path, table: Path) -> None:
    """A limit on the size of files stands for a full disk."""
    table.write_text(text_of(rng))
    old = b"what was here before"
    (folder / "out.csv").write_bytes(old)
    limit = int(rng.integers(0, 400))
    (folder / "m.parzen").write_bytes(good_model())

    def write() -> None:
        ready()
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        code, told = command(
            "predict", folder / "m.parzen", table, "-o", folder / "out.csv", "--overwrite"
        )
        assert code == 0 or told, "no sentence"
        whole = (folder / "out.csv").read_bytes()
        assert (whole == old) == (code != 0), f"code {code}, and the file holds {whole[:80]!r}"

    Child(write).finish()


def killed(rng: np.random.Generator, folder: Path, table: Path) -> None:
    table.write_text(text_of(rng))
    model = folder / "m.parzen"
    model.write_bytes(good_model())

    def fit() -> None:
        ready()
        while True:
            command("fit", table, "-o", model, "--overwrite", *FIT)

    child = Child(fit)
    child.wait_for_start()
    time.sleep(rng.uniform(0, 0.3))
    child.send(signal.SIGKILL)
    with contextlib.suppress(AssertionError):
        child.finish()
    parzen.load(model)
    for path in folder.iterdir():  # a process that is killed cannot clean up
        if path.name not in NAMES:
            path.unlink()


def output_that_is_an_input(rng: np.random.Generator, folder: Path, table: Path) -> None:
    data = text_of(rng).encode()
    table.write_bytes(data)
    link, model = folder / "link.csv", folder / "m.parzen"
    model.write_bytes(good_model())
    (os.link if rng.random() < 0.5 else os.symlink)(table, link)
    target = [table, link, folder / "x" / ".." / "data.csv"][rng.integers(3)]
    given = [table, link][rng.integers(2)]
    arguments: list[Any] = ["fit", given, "-o", target, *FIT]
    if rng.random() < 0.5:
        arguments = ["predict", model, given, "-o", target]
    code, told = command(*arguments, *(["--overwrite"] if rng.random() < 0.7 else []))
    assert code != 0, f"{arguments} was not refused"
    assert told
    assert table.read_bytes() == data, f"{arguments} changed the table"
    assert model.read_bytes() == good_model(), f"{arguments} changed the model"


def command(*arguments: Any) -> tuple[int, str]:
    """The exit code, and what was written to the terminal as an error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    assert code in (0, 1, 2), f"exit code {code}"
    assert "Traceback" not in err.getvalue(), err.getvalue()
    assert code == 0 or err.getvalue().strip(), "a failure without a sentence"
    return code, err.getvalue()


@cache
def good_model() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        table, model = Path(name) / "data.csv", Path(name) / "m.parzen"
        table.write_text(text_of(np.random.default_rng(0)))
        code, told = command("fit", table, "-o", model, *FIT)
        assert code == 0, told
        return model.read_bytes()


def text_of(rng: np.random.Generator) -> str:
    """A table of three columns of numbers and a class."""
    y = rng.integers(0, 2, 30)
    rows = np.column_stack([rng.normal(size=(30, 3)).round(3) + y[:, None]])
    lines = [",".join([*map(str, row), "pq"[c]]) for row, c in zip(rows, y, strict=True)]
    return "\n".join(["a,b,c,y", *lines]) + "\n"


def damaged(rng: np.random.Generator, text: str) -> bytes:
    lines = [line.split(",") for line in text.splitlines()]
    for _ in range(rng.integers(0, 6)):
        line = lines[rng.integers(len(lines))]
        line[rng.integers(len(line))] = ODD_CELLS[rng.integers(len(ODD_CELLS))]
    if rng.random() < 0.2:
        line = lines[rng.integers(len(lines))]
        line.pop() if rng.random() < 0.5 else line.append("1")
    if rng.random() < 0.1:
        del lines[rng.integers(0, 3) :]
    separator = [",", ",", ";", "\t", "|", " "][rng.integers(6)]
    text = ["\n", "\r\n", "\r"][rng.integers(3)].join(separator.join(line) for line in lines)
    data = text.encode(ENCODINGS[rng.integers(len(ENCODINGS))], errors="replace")
    if rng.random() < 0.3:
        mutable = bytearray(data)
        for _ in range(rng.integers(1, 5)):
            mutable[rng.integers(len(mutable) + 1) : rng.integers(len(mutable) + 1)] = rng.bytes(
                int(rng.integers(0, 4))
            )
            mutable = mutable or bytearray(b" ")
        data = bytes(mutable)
    return data
