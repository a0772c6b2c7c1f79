"""Files as people have them, and commands in processes of their own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

BATCH = """
import contextlib, io, json, sys
from parzen.__main__ import main
out = []
for arguments in json.load(sys.stdin):
    print(arguments, file=sys.__stderr__)
    texts = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(texts[0]), contextlib.redirect_stderr(texts[1]):
        code = main(arguments)
    out.append([code, texts[0].getvalue(), texts[1].getvalue()])
json.dump(out, sys.stdout)
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def environment():
    """This environment; paths of modules are made absolute, as commands run in other folders."""
    paths = [os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    return {
        **os.environ, "COLUMNS": "120", "LOKY_MAX_CPU_COUNT": "2",
        "PYTHONPATH": os.pathsep.join(paths),
    }  # fmt: skip


def command(*arguments, cwd, code=0):
    """Run ``python -m parzen`` as a user would, without a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "parzen", *map(str, arguments)],
        cwd=cwd, capture_output=True, text=True, timeout=120, env=environment(),
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return Result(done.returncode, done.stdout, done.stderr)


def batch(commands, cwd):
    """Run many commands in one process: a start takes seconds, most commands do not."""
    done = subprocess.run(
        [sys.executable, "-c", BATCH], input=json.dumps(commands), cwd=cwd, capture_output=True,
        text=True, timeout=300, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [Result(*result) for result in json.loads(done.stdout)]


def mixed_frame(n=160, seed=0):
    """Numbers, categories, a truth value, gaps; the answer depends on two of them."""
    rng = np.random.default_rng(seed)
    x, colour = rng.normal(size=n), rng.choice(["red", "green", "blue"], n)
    frame = pd.DataFrame(
        {
            "x": x,
            "colour": colour,
            "age": rng.integers(18, 90, n).astype(float),
            "flag": rng.choice([True, False], n),
            "answer": np.where(x + 1.5 * (colour == "red") > 0.4, "yes", "no"),
        }
    )
    frame.loc[rng.choice(n, 12, replace=False), "age"] = np.nan
    frame.loc[rng.choice(n, 7, replace=False), "colour"] = None
    return frame


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """A folder with good files."""
    place = tmp_path_factory.mktemp("cli")
    data = load_iris(as_frame=True)
    iris = data.frame.drop(columns="target").assign(species=data.target_names[data.target])
    iris.to_csv(place / "iris.csv", index=False)
    iris.to_csv(place / "iris.tsv", sep="\t", index=False)
    iris.to_parquet(place / "iris.parquet")
    mixed_frame().to_csv(place / "mixed.csv", index=False)
    mixed_frame().dropna().to_csv(place / "whole.csv", index=False)
    return place
