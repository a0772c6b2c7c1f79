"""Every example runs and draws a figure."""

from __future__ import annotations

import re
import runpy
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest
import sklearn

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


@pytest.mark.slow
@pytest.mark.skipif(not sklearn.__version__.startswith("1.9"), reason="figures of another version")
def test_the_accuracies_in_the_readme_are_those_of_the_example(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: None)
    with matplotlib.rc_context({"backend": "Agg"}):
        found = runpy.run_path(str(ROOT / "examples" / "pitfalls" / "digits.py"))
        plt.close("all")
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    said = re.search(r"at bandwidth 1 the same rule gets (\d+) % .*? and (\d+) % with", readme)
    place = found["BANDWIDTHS"].index(1.0)
    measured = [round(100 * found[name][place]) for name in ("theirs", "ours")]
    assert said is not None
    assert [int(number) for number in said.groups()] == measured


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
