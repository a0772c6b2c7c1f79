"""The entrance: a paper's tables and figures by name."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy
import sklearn

from parzen._core import package_version
from parzen.compare import Cache, Progress, Runner
from parzen.datasets import folder
from parzen.papers.engine import Figure, Paper, Provenance, Reproduction, Setting

PAPERS = ("notes", "l2", "laplacian", "kernel_optimization", "bmachine", "auto")


def paper(name: str) -> Paper:
    """A paper by name.

    Examples
    --------
    >>> paper("l2").table_numbers()[:4]
    ['1', '2', '3', '4']
    """
    name = name.replace("-", "_")
    if name not in PAPERS:
        raise ValueError(f"unknown paper {name!r}; there are {', '.join(PAPERS)}.")
    found = import_module(f"parzen.papers.{name}").PAPER
    assert isinstance(found, Paper)
    return found


def load_result(path: str | Path) -> Reproduction:
    """Read what `Reproduction.save` wrote, with the explanations that its paper gives today."""
    plain = json.loads(Path(path).read_text(encoding="utf-8"))
    return Reproduction.from_json(plain, paper(plain["paper"]).explanations)


def outgrown(folder: str | Path) -> list[str]:
    """Which stored results the code has outgrown, a sentence each.

    Parameters
    ----------
    folder : path
        Where files of `Reproduction.save` are, as ``NAME.json``.
    """
    said = []
    for name in PAPERS:
        path = Path(folder) / f"{name}.json"
        for table in load_result(path).tables if path.is_file() else ():
            made = table.provenance
            if made is None:
                said.append(f"{name}, table {table.number}: does not say how it was made")
            elif changed := made.outgrown(name):
                since = made.commit or "it was made"
                said.append(f"{name}, table {table.number}: {changed} changed since {since}")
    return said


def reproduce(
    name: str,
    table: str | int | None = None,
    figure: str | int | None = None,
    *,
    quick: bool = False,
    out: str | Path = "reproduction",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Compute tables and figures of a paper, with the printed figures beside ours.

    Parameters
    ----------
    name : {"notes", "l2", "laplacian", "kernel_optimization", "bmachine", "auto"}
        The paper; "auto" is the comparison of the automatic classifier.
    table, figure : str or int, default=None
        One of them, or several with commas between; all when neither is given.
    quick : bool, default=False
        About a minute: fewer splits, smaller sets, coarser grids.
    out : path, default="reproduction"
        Folder for figures, ``NAME.json`` and the cache of finished tasks: a run that was stopped
        goes on where it was.
    n_jobs : int, default=None
        Processes; None for all cores.
    progress : callable, default=None
        Called now and then with (done, total, title); tasks under way count by their parts.

    Returns
    -------
    Reproduction
        ``text()`` shows it, ``save`` keeps it as JSON, which `load_result` reads.

    Examples
    --------
    >>> import tempfile
    >>> from parzen.papers import reproduce
    >>> found = reproduce("l2", table=1, out=tempfile.mkdtemp(), n_jobs=1)
    >>> found.table(1).columns
    ['training', 'test', 'dimension']
    """
    wanted = paper(name)
    tables = _chosen("table", table, wanted.table_numbers(), figure is None, wanted.name)
    figures = _chosen("figure", figure, wanted.figure_numbers(), table is None, wanted.name)
    place = Path(out)
    runner = Runner(Cache(place / "cache"), -1 if n_jobs is None else n_jobs, progress)
    setting = Setting(runner, quick, place)
    command = _command(wanted.name, table, figure, quick)
    made = Provenance.now(wanted.name, command)
    result = Reproduction(
        paper=wanted.name,
        title=wanted.title,
        command=command,
        versions=versions(),
        tables=[replace(t, provenance=made) for t in wanted.make_tables(tables, setting)],
        figures=_figures(wanted, figures, setting, asked=figure is not None),
    ).with_numbers()
    result.save(place / f"{_stem(wanted.name, table, figure, quick)}.json")
    return result


def _figures(wanted: Paper, numbers: list[str], setting: Setting, *, asked: bool) -> list[Figure]:
    """The figures; without matplotlib none, unless one was asked for, which is then an error."""
    if asked or not numbers or find_spec("matplotlib") is not None:
        return wanted.make_figures(numbers, setting)
    reason = "skipped: figures need matplotlib: pip install 'parzen[plot]'."
    return [Figure(", ".join(numbers), "not drawn", [], [reason])]


def versions() -> dict[str, str]:
    """What the figures depend on."""
    return {
        "parzen": package_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "python": platform.python_version(),
    }


def _chosen(
    kind: str, asked: str | int | None, known: list[str], otherwise_all: bool, name: str
) -> list[str]:
    if asked is None:
        return known if otherwise_all else []
    wanted = [part.strip() for part in str(asked).split(",")]
    for number in wanted:
        if number not in known:
            listed = ", ".join(known) if known else "none"
            shown = number if number.isalnum() else repr(number)
            raise ValueError(f"{name!r} has no {kind} {shown}; there are: {listed}.")
    return wanted


def _command(name: str, table: object, figure: object, quick: bool) -> str:
    parts = ["PARZEN_DATA=FOLDER"] if folder() is not None else []
    parts += ["parzen reproduce", name]
    parts += [] if table is None else [f"--table {_joined(table, ',')}"]
    parts += [] if figure is None else [f"--figure {_joined(figure, ',')}"]
    return " ".join([*parts, "--quick"] if quick else parts)


def _stem(name: str, table: object, figure: object, quick: bool) -> str:
    parts = [name]
    parts += [] if table is None else [f"table_{_joined(table)}"]
    parts += [] if figure is None else [f"figure_{_joined(figure)}"]
    return "_".join([*parts, "quick"] if quick else parts)


def _joined(numbers: object, sign: str = "_") -> str:
    return sign.join(part.strip() for part in str(numbers).split(","))
