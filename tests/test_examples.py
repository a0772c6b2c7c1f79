"""Every example runs by itself, in bounded time, and draws a figure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*.py") if path.name[0] != "_")
# Runs an example as its user would, then saves what it drew into a folder.
RUN = """
import runpy, sys
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.show = lambda: None
runpy.run_path(sys.argv[1], run_name="__main__")
for number in plt.get_fignums():
    plt.figure(number).savefig(f"{sys.argv[2]}/{number}.png")
"""


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_draws_a_figure(example, tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(example), str(tmp_path)],
        capture_output=True, text=True, timeout=120, env=dict(os.environ),
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    figures = list(tmp_path.glob("*.png"))
    assert figures
    assert all(path.stat().st_size > 1000 for path in figures)


def test_every_theme_has_examples():
    themes = {path.parent.name for path in EXAMPLES}
    assert len(EXAMPLES) >= 25
    assert themes == {p.parent.name for p in (ROOT / "examples").glob("*/GALLERY_HEADER.rst")}


def test_the_code_of_the_readme_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = readme.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    classifier, new = names["classifier"], names["new"]
    assert classifier.predict(new).tolist() == [0, 1, -2]
    assert classifier.score_samples(new).round(1).tolist() == [-1.1, -1.0, -109.4]
