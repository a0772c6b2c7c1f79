"""Every example runs and draws a figure."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*.py") if path.name[0] != "_")


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_draws_a_figure(example, tmp_path, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: None)
    monkeypatch.chdir(example.parent)
    with matplotlib.rc_context({"backend": "Agg"}), warnings.catch_warnings():
        runpy.run_path(str(example), run_name="__main__")
        figures = [plt.figure(number) for number in plt.get_fignums()]
        for number, figure in enumerate(figures):
            figure.savefig(tmp_path / f"{number}.png")
        plt.close("all")
    assert figures
    assert all(path.stat().st_size > 1000 for path in tmp_path.glob("*.png"))


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
