"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parzen.cli._errors import UserError

# In words, so that help does not wait for scikit-learn's estimators; a test compares.
METHOD_NAMES = (
    "auto", "parzen", "nb", "l2", "l2le", "laplacian", "bmachine", "lssvm", "rls", "kmse", "kfd",
)  # fmt: skip
BASELINE_NAMES = ("svc", "rf", "hgb", "knn", "gnb")
METHODS_HELP = f"{','.join(METHOD_NAMES)}; all or none. Baselines may be named here too."
BASELINES_HELP = f"{','.join(BASELINE_NAMES)}; all or none."


def _complete_methods(incomplete: str) -> list[str]:
    """Names after the last comma, for the shell."""
    before, comma, last = incomplete.rpartition(",")
    names = [*METHOD_NAMES, *BASELINE_NAMES, "all", "none"]
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def _complete_method(incomplete: str) -> list[str]:
    return [name for name in METHOD_NAMES if name.startswith(incomplete)]


def _check_jobs(jobs: int | None) -> int | None:
    if jobs is not None and jobs < 1:
        raise UserError(f"--jobs must be a number of processes, at least 1, got {jobs}")
    return jobs


Data = Annotated[
    str,
    typer.Argument(
        help="A table: CSV, TSV, JSON lines, Excel or Parquet, packed or not; - for standard "
        "input; or a data set's name."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", help="Processes.", show_default="all cores", callback=_check_jobs),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Address of a dask scheduler, whose workers do the work.", metavar="ADDRESS"),
]
Seed = Annotated[int, typer.Option(help="Seed of the splits and of random methods.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, as `parzen schema` describes it.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an output file of another kind.")
]
Quick = Annotated[bool, typer.Option("--quick", help="About a minute: fewer splits, smaller sets.")]
Methods = Annotated[str, typer.Option(help=METHODS_HELP, autocompletion=_complete_methods)]
Baselines = Annotated[
    str | None,
    typer.Option(
        help=BASELINES_HELP, autocompletion=_complete_methods,
        show_default="all; none where --methods names some",
    ),
]  # fmt: skip
Method = Annotated[
    str,
    typer.Option("--method", "-m", help="A method of `compare`.", autocompletion=_complete_method),
]
Report = Annotated[Path | None, typer.Option(help="Write an HTML page.")]
