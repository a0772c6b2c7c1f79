"""``parzen reproduce``: the papers' tables and figures, computed anew."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from parzen.cli._console import progress, remark, say
from parzen.cli._errors import UserError
from parzen.cli._figures import use_matplotlib
from parzen.cli._options import ReproduceOptions
from parzen.cli._outputs import check_output
from parzen.papers import PAPERS, outgrown, reproduce


def run_reproduce(paper: str, options: ReproduceOptions) -> None:
    """Compute, print, and write what was asked for."""
    table, figure, report, out = options.table, options.figure, options.report, options.out
    names = list(PAPERS) if paper == "all" else [paper.replace("-", "_")]
    if names[0] not in PAPERS:
        raise UserError(f"unknown paper {paper!r}; there are {', '.join(PAPERS)}, and all")
    if paper == "all" and (table, figure, report) != (None, None, None):
        raise UserError("all: --table, --figure and --report are for one paper")
    if out.exists() and not out.is_dir():
        raise UserError(f"--out: {out} is a file; name a folder")
    check_output(report, "page", overwrite=options.overwrite)
    use_matplotlib()
    from parzen.report import paper_page

    for name in names:
        with progress(name) as tell:
            found = reproduce(
                name, table, figure, quick=options.quick, out=out, n_jobs=options.jobs,
                progress=tell,
            )  # fmt: skip
        as_json = options.as_json
        say(json.dumps(asdict(found), indent=1, ensure_ascii=False) if as_json else found.text())
        place = out / f"{name}.html" if report is None else report
        paper_page(found, out).write(place)
        remark(f"page: {place}")


def say_outgrown(folder: Path) -> None:
    """Say which stored results the code has outgrown."""
    if not any((folder / f"{name}.json").is_file() for name in PAPERS):
        raise UserError(f"--stale: {folder} holds no result of a paper, e.g. l2.json")
    said = outgrown(folder)
    say("\n".join(said) if said else "no stored result is outgrown")
