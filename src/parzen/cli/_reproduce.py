"""``parzen reproduce``: the papers' tables and figures, computed anew."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from parzen.cli._console import progress, remark, say
from parzen.cli._errors import UserError
from parzen.cli._figures import use_matplotlib
from parzen.cli._outputs import check_output
from parzen.papers import PAPERS, outgrown, reproduce


def run_reproduce(
    paper: str,
    *,
    table: str | None,
    figure: str | None,
    quick: bool,
    out: Path,
    jobs: int | None,
    report: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Compute, print, and write what was asked for."""
    if paper.replace("-", "_") not in PAPERS:
        raise UserError(f"unknown paper {paper!r}; there are {', '.join(PAPERS)}")
    if out.exists() and not out.is_dir():
        raise UserError(f"--out: {out} is a file; name a folder")
    check_output(report, "page", overwrite=overwrite)
    use_matplotlib()
    with progress(paper) as tell:
        found = reproduce(paper, table, figure, quick=quick, out=out, n_jobs=jobs, progress=tell)
    if as_json:
        say(json.dumps(asdict(found), indent=1, ensure_ascii=False))
    else:
        say(found.text())
    if report is not None:
        from parzen.report import reproduction_page

        reproduction_page(found, out).write(report)
        remark(f"report: {report}")


def say_outgrown(folder: Path) -> None:
    """Say which stored results the code has outgrown."""
    if not any((folder / f"{name}.json").is_file() for name in PAPERS):
        raise UserError(f"--stale: {folder} holds no result of a paper, e.g. l2.json")
    said = outgrown(folder)
    say("\n".join(said) if said else "no stored result is outgrown")
