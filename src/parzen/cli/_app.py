"""The commands and their options."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from parzen.cli._arguments import (
    Baselines,
    Data,
    Jobs,
    Json,
    Method,
    Methods,
    Overwrite,
    Quick,
    Report,
    Scheduler,
    Seed,
)
from parzen.cli._cluster import at_scheduler
from parzen.cli._options import Options, Reading, Wanted, with_options

app = typer.Typer(
    name="parzen",
    help="Classify with kernel densities: compare, fit, predict.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with `parzen demo`.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from parzen._core import package_version

        typer.echo(f"parzen {package_version()}")
        raise typer.Exit


@app.callback()
def parzen(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_print_version,
                     is_eager=True),
    ] = False,
) -> None:  # fmt: skip
    """Classify with kernel densities: compare, fit, predict."""


@app.command()
def demo(
    report: Annotated[
        Path | None,
        typer.Option(help="The HTML page to write.", show_default="a temporary file"),
    ] = None,
    overwrite: Overwrite = False,
    jobs: Jobs = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open the report.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show in ten seconds what the library does, on a data set that comes with it."""
    from parzen.cli._demo import run_demo

    run_demo(report, overwrite=overwrite, jobs=jobs, browser=not no_browser, as_json=as_json)


@app.command()
@with_options
def compare(
    data: Data,
    *,
    options: Options,
    methods: Methods = "all",
    baselines: Baselines = None,
    splits: Annotated[int, typer.Option(help="Random splits.")] = 10,
    test_size: Annotated[float, typer.Option(help="Share of the rows for testing.")] = 0.3,
    cv: Annotated[int | None, typer.Option(help="Folds, in place of random splits.")] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    report: Report = None,
    figure: Annotated[Path | None, typer.Option(help="Write the errors as SVG, PNG, PDF.")] = None,
    overwrite: Overwrite = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not take up a run that was stopped.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare all classifiers, each with its own model selection, on the same splits."""
    from parzen.cli._compare import run_compare

    with at_scheduler(scheduler):
        run_compare(
            data, options, methods=methods,
            baselines=baselines, splits=splits, test_size=test_size, cv=cv, seed=seed, jobs=jobs,
            report=report, figure=figure, overwrite=overwrite, fresh=fresh, as_json=as_json,
        )  # fmt: skip


@app.command()
@with_options
def fit(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    *,
    options: Options,
    method: Method = None,
    kernel: Annotated[str | None, typer.Option(help="The kernel, e.g. cauchy.")] = None,
    bandwidth: Annotated[
        str | None, typer.Option(help="A number, or a rule, e.g. loo or silverman.")
    ] = None,
    priors: Annotated[
        str | None, typer.Option(help="uniform, or yes=0.3,no=0.7 for the labels.")
    ] = None,
    costs: Annotated[
        str | None, typer.Option(help="true:predicted=cost, e.g. yes:no=10; others are 1.")
    ] = None,
    reject: Annotated[
        float | None, typer.Option(help="Reject rows whose expected cost is higher.")
    ] = None,
    novelty: Annotated[
        float | None, typer.Option(help="Call this share of the training rows novel.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Column that says how often a row counts.")
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any parameter: name=value; may be repeated.", metavar="N=V"),
    ] = None,
    overwrite: Overwrite = False,
    folds: Annotated[
        int | None,
        typer.Option(help="Folds for the estimate of the error; 0 for none.", show_default="5"),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Fit a classifier and write it to a model file, scaling and encoding included."""
    from parzen.cli._fit import DEFAULT_METHOD, run_fit

    named = {"kernel": kernel, "bandwidth": bandwidth, "priors": priors, "costs": costs,
             "reject": reject, "novelty": novelty}  # fmt: skip
    run_fit(
        data, replace(options, weights=weights),
        method=method or DEFAULT_METHOD, output=output, overwrite=overwrite,
        assignments=assignments or [], named=named, folds=folds, seed=seed, jobs=jobs,
        as_json=as_json,
    )  # fmt: skip


@app.command()
@with_options
def predict(
    model: Annotated[Path, typer.Argument(help="A model file of `parzen fit`.")],
    data: Annotated[str, typer.Argument(help="A table, as for `fit`; - for standard input.")],
    *,
    reading: Reading,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The CSV file to write.", show_default="the screen"),
    ] = None,
    wanted: Wanted,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Predict the rows of a file; columns are matched by name."""
    from parzen.cli._predict import run_predict

    run_predict(
        model, data, output=output, overwrite=overwrite, wanted=wanted, reading=reading,
        as_json=as_json,
    )  # fmt: skip


@app.command()
def export(
    model: Annotated[Path, typer.Argument(help="A model file of `parzen fit`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The ONNX file to write.")],
    double: Annotated[
        bool, typer.Option("--double", help="Numbers in and out are float64, not float32.")
    ] = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write a model file as ONNX, for programs without Python."""
    from parzen.cli._export import run_export

    run_export(model, output=output, double=double, overwrite=overwrite, as_json=as_json)


@app.command()
def info(
    model: Annotated[Path | None, typer.Argument(help="A model file.")] = None,
    as_json: Json = False,
) -> None:
    """Describe a model file, or the build where none is named."""
    from parzen.cli._info import run_info

    run_info(model, as_json)


@app.command()
@with_options
def select(
    data: Data,
    *,
    options: Options,
    kernel: Annotated[str, typer.Option(help="A density kernel.")] = "gaussian",
    plot: Annotated[Path | None, typer.Option(help="Draw the paths: SVG, PNG or PDF.")] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Choose a bandwidth by every criterion and show the paths."""
    from parzen.cli._select import run_select

    run_select(
        data, options, kernel=kernel,
        plot=plot, overwrite=overwrite, as_json=as_json,
    )  # fmt: skip


@app.command()
def datasets(as_json: Json = False) -> None:
    """List the data sets that can be named in place of a file."""
    from parzen.cli._info import run_datasets

    run_datasets(as_json)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="A paper, e.g. l2; all of them: all.")] = "",
    table: Annotated[str | None, typer.Option(help="One table, or several: 2,3,4.")] = None,
    figure: Annotated[str | None, typer.Option(help="One figure, or several.")] = None,
    quick: Quick = False,
    out: Annotated[Path, typer.Option(help="Folder of results and figures.")] = Path(
        "reproduction"
    ),
    stale: Annotated[
        bool, typer.Option("--stale", help="Only say which results in --out are outgrown.")
    ] = False,
    report: Report = None,
    overwrite: Overwrite = False,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Compute the tables and figures of a paper anew, beside the printed ones."""
    from parzen.cli._reproduce import run_reproduce, say_outgrown

    if stale:
        say_outgrown(out)
        return
    with at_scheduler(scheduler):
        run_reproduce(
            paper, table=table, figure=figure, quick=quick, out=out, jobs=jobs, report=report,
            overwrite=overwrite, as_json=as_json,
        )  # fmt: skip


@app.command()
def schema() -> None:
    """Print the JSON schema of what --json prints."""
    from parzen.cli._schema import schema_text

    typer.echo(schema_text())
