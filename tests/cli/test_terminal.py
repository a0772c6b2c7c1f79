"""Commands at a terminal: a pseudo-terminal sees bars with the time left, a pipe sees none."""

import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

from .conftest import command, environment

pty = pytest.importorskip("pty")


@pytest.fixture(scope="module")
def moons(tmp_path_factory):
    place = tmp_path_factory.mktemp("terminal")
    for name, rows in (("moons", 350), ("more", 1500)):  # each takes seconds, so that a bar moves
        X, y = make_moons(rows, noise=0.3, random_state=0)
        frame = pd.DataFrame(np.column_stack([X, X**2, X**3]), columns=list("abcdef")).assign(y=y)
        frame.to_csv(place / f"{name}.csv", index=False)
    return place


def at_terminal(*arguments, cwd):
    """Run a command at a terminal of its own; return all that it showed there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "parzen", *arguments], cwd=cwd, stdin=theirs, stdout=theirs,
        stderr=theirs, close_fds=True, env={**environment(), "TERM": "xterm-256color"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other side has gone
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait() == 0, shown.decode()
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())


def percentages(shown):
    return [int(p) for p in re.findall(r"(\d+)% [\d:-]+ left", shown)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "more.csv", "-m", "auto", "-o", "alone.parzen", "--folds", "0"),
        ("fit", "moons.csv", "-m", "bmachine", "-o", "folds.parzen", "--folds", "2", "-j", "2"),
        ("compare", "more.csv", "--methods", "auto", "--baselines", "none", "--splits", "1"),
    ],
    ids=["one fit", "folds in two processes", "one split of one method"],
)
def test_one_long_computation_has_a_bar_that_moves_and_tells_the_time_left(moons, arguments):
    shown = at_terminal(*arguments, cwd=moons)
    seen = percentages(shown)
    assert len({p for p in seen if 0 < p < 100}) >= 4
    assert seen == sorted(seen)
    assert re.search(r"0:0\d:\d\d left, 0:0\d:\d\d gone", shown)


@pytest.mark.slow
def test_the_same_command_in_a_pipe_shows_results_only(moons):
    found = command("fit", "moons.csv", "-m", "l2", "-o", "quiet.parzen", "--folds", "0", cwd=moons)
    assert found.err == ""
    assert "%" not in found.out.replace("% of the kernels", "")
    assert "model written to quiet.parzen" in found.out
