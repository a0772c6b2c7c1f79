"""Nothing of the user's is lost: outputs that are inputs, links, devices, killed processes."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from parzen._core import whole_file
from parzen.model_files import describe

from .conftest import batch, command, environment

ROWS = "\n".join(f"{i % 7},{i % 5},{'p' if i % 7 > 3 else 'q'}" for i in range(40))
DATA = f"a,b,y\n{ROWS}\n".encode()
FIT = ["-m", "parzen", "--folds", "0"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "data.csv").write_bytes(DATA)
    command("fit", "data.csv", "-o", "ok.parzen", *FIT, cwd=folder)
    (folder / "inner").mkdir()
    os.link(folder / "data.csv", folder / "hard.csv")
    (folder / "soft.csv").symlink_to("data.csv")
    (folder / "inner" / "far.csv").symlink_to("../soft.csv")
    (folder / "notes.txt").write_text("my notes\n")
    (folder / "other.csv").write_text("id,v\n1,2\n")
    return folder


REFUSED = [
    ["fit", "data.csv", "-o", "data.csv", *FIT],
    ["fit", "data.csv", "-o", "data.csv", "--overwrite", *FIT],
    ["fit", "data.csv", "-o", "./inner/../data.csv", "--overwrite", *FIT],
    ["fit", "data.csv", "-o", "hard.csv", "--overwrite", *FIT],
    ["fit", "data.csv", "-o", "soft.csv", "--overwrite", *FIT],
    ["fit", "data.csv", "-o", "inner/far.csv", "--overwrite", *FIT],
    ["fit", "soft.csv", "-o", "hard.csv", "--overwrite", *FIT],
    ["fit", "data.csv", "-o", "other.csv", *FIT],
    ["fit", "data.csv", "-o", "notes.txt", *FIT],
    ["predict", "ok.parzen", "data.csv", "-o", "data.csv", "--overwrite"],
    ["predict", "ok.parzen", "data.csv", "-o", "hard.csv", "--overwrite"],
    ["predict", "ok.parzen", "data.csv", "-o", "ok.parzen", "--overwrite"],
    ["predict", "ok.parzen", "data.csv", "-o", "other.csv"],
    ["predict", "ok.parzen", "data.csv", "-o", "notes.txt"],
    ["predict", "ok.parzen", "data.csv", "--report", "hard.csv", "--overwrite"],
    ["predict", "ok.parzen", "data.csv", "--report", "ok.parzen", "--overwrite"],
    ["predict", "ok.parzen", "data.csv", "--report", "notes.txt"],
    ["predict", "ok.parzen", "data.csv", "--report", "new.html", "-o", "new.html"],
    ["export", "ok.parzen", "-o", "ok.parzen", "--overwrite"],
    ["export", "ok.parzen", "-o", "notes.txt"],
    ["compare", "data.csv", "--report", "data.csv", "--overwrite"],
    ["compare", "data.csv", "--report", "notes.txt"],
    ["compare", "data.csv", "--figure", "page.svg", "--report", "page.svg"],
    ["select", "data.csv", "--plot", "inner/data.svg"],
]


@pytest.fixture(scope="module")
def refusals(place):
    (place / "inner" / "data.svg").write_text("my own words\n")
    before = contents(place)
    found = batch(REFUSED, place)
    return found, before, contents(place)


def contents(folder):
    return {
        str(p.relative_to(folder)): (p.is_symlink(), p.read_bytes())
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


@pytest.mark.parametrize("case", range(len(REFUSED)), ids=[" ".join(a) for a in REFUSED])
def test_an_input_or_a_file_of_another_kind_is_not_replaced(case, refusals):
    result = refusals[0][case]
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert "another file" in result.err


def test_refusals_leave_every_byte(refusals):
    assert refusals[1] == refusals[2]


@pytest.mark.skipif(sys.platform != "darwin" and os.name != "nt", reason="cases differ here")
def test_another_case_of_the_name_is_the_same_file(place):
    command("fit", "data.csv", "-o", "DATA.CSV", *FIT, cwd=place, code=2)


@pytest.mark.slow
def test_files_of_the_same_kind_are_replaced_and_others_by_overwrite(place):
    again = ["predict", "ok.parzen", "data.csv", "-o"]
    (place / "given.csv").write_text("id,v\n1,2\n")
    found = batch(
        [["fit", "data.csv", "-o", "ok.parzen", *FIT], [*again, "twice.csv"],
         [*again, "twice.csv"], [*again, "given.csv", "--overwrite"]], place,
    )  # fmt: skip
    assert [r.code for r in found] == [0, 0, 0, 0], [r.err for r in found]
    assert (place / "given.csv").read_bytes() == (place / "twice.csv").read_bytes()


@pytest.mark.slow
def test_links_are_followed_and_stay(place):
    (place / "store").mkdir()
    (place / "link.parzen").symlink_to("store/model.parzen")
    command("fit", "data.csv", "-o", "link.parzen", *FIT, cwd=place)
    assert (place / "link.parzen").is_symlink()
    assert describe(place / "store" / "model.parzen")["metadata"]["target"] == "y"


@pytest.mark.slow
def test_a_device_is_written_through(place):
    before = os.stat(os.devnull)
    command("predict", "ok.parzen", "data.csv", "-o", os.devnull, cwd=place)
    command("fit", "data.csv", "-o", os.devnull, *FIT, cwd=place)
    after = os.stat(os.devnull)
    assert stat.S_ISCHR(after.st_mode)
    assert (before.st_ino, before.st_rdev) == (after.st_ino, after.st_rdev)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_written_through(place):
    pipe = place / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    command("predict", "ok.parzen", "data.csv", "-o", "pipe", cwd=place)
    reader.join(timeout=30)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert got[0].count(b"\n") == 41


SLOW_WRITE = """
import sys, time
from pathlib import Path
from parzen._core import whole_file
with whole_file(Path(sys.argv[1])) as file:
    file.write("half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
def test_a_killed_process_leaves_the_old_file(tmp_path):
    path = tmp_path / "old.txt"
    path.write_text("whole")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITE, str(path)], stdout=subprocess.PIPE, env=environment()
    )
    assert process.stdout.readline() == b"writing\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert path.read_text() == "whole"


@pytest.mark.slow
def test_a_fit_killed_at_any_moment_leaves_a_whole_model(place):
    command("fit", "data.csv", "-o", "kept.parzen", *FIT, cwd=place)
    for seconds in (0.2, 0.7, 1.2, 2.0):
        process = subprocess.Popen(
            [sys.executable, "-m", "parzen", "fit", "data.csv", "-o", "kept.parzen", *FIT],
            cwd=place, env=environment(), stdout=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(seconds)
        process.kill()
        process.wait()
        assert describe(place / "kept.parzen")["metadata"]["target"] == "y"


def test_permissions_of_an_existing_file_stay(tmp_path):
    path = tmp_path / "private.txt"
    path.write_text("old")
    path.chmod(0o600)
    with whole_file(path) as file:
        file.write("new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "old.txt"
    path.write_text("whole")

    def fail():
        with whole_file(path) as file:
            file.write("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [p.name for p in Path(tmp_path).iterdir()] == ["old.txt"]
    assert path.read_text() == "whole"
