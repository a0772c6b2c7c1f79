"""Every example runs by itself, in bounded time, and saves a figure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*.py") if path.name[0] != "_")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_saves_a_figure(example, tmp_path):
    run = subprocess.run(
        [sys.executable, str(example), "--out", str(tmp_path)],
        capture_output=True, text=True, timeout=120, env={**os.environ, "MPLBACKEND": "Agg"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    figures = [path for path in tmp_path.rglob("*") if path.suffix in (".png", ".svg", ".pdf")]
    assert figures
    assert all(path.stat().st_size > 1000 for path in figures)


def test_there_are_examples():
    assert {"quickstart", "digits"} <= {path.stem for path in EXAMPLES}


def test_the_code_of_the_readme_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = readme.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    classifier, new = names["classifier"], names["new"]
    assert classifier.predict(new).tolist() == [0, 1, -2]
    assert classifier.score_samples(new).round(1).tolist() == [-1.2, -1.1, -56.9]
