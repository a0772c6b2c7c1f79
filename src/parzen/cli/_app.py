"""The commands."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from parzen.cli._arguments import Data, Jobs, Json, Overwrite
from parzen.cli._cluster import at_scheduler
from parzen.cli._options import (
    CompareOptions,
    FitOptions,
    PredictOptions,
    ReproduceOptions,
    SelectOptions,
    with_options,
)

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
def compare(data: Data, *, options: CompareOptions) -> None:
    """Compare all classifiers, each with its own model selection, on the same splits."""
    from parzen.cli._compare import run_compare

    with at_scheduler(options.scheduler):
        run_compare(data, options)


@app.command()
@with_options
def fit(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    *,
    options: FitOptions,
) -> None:
    """Fit a classifier and write it to a model file, scaling and encoding included."""
    from parzen.cli._fit import run_fit

    run_fit(data, output, options)


@app.command()
@with_options
def predict(
    model: Annotated[Path, typer.Argument(help="A model file of `parzen fit`.")],
    data: Annotated[str, typer.Argument(help="A table, as for `fit`; - for standard input.")],
    *,
    options: PredictOptions,
) -> None:
    """Predict the rows of a file; columns are matched by name."""
    from parzen.cli._predict import run_predict

    run_predict(model, data, options)


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
def select(data: Data, *, options: SelectOptions) -> None:
    """Choose a bandwidth by every criterion and show the paths."""
    from parzen.cli._select import run_select

    run_select(data, options)


@app.command()
def datasets(as_json: Json = False) -> None:
    """List the data sets that can be named in place of a file."""
    from parzen.cli._info import run_datasets

    run_datasets(as_json)


@app.command()
@with_options
def reproduce(
    paper: Annotated[str, typer.Argument(help="A paper, e.g. l2; all of them: all.")] = "",
    *,
    options: ReproduceOptions,
) -> None:
    """Compute the tables and figures of a paper anew, beside the printed ones."""
    from parzen.cli._reproduce import run_reproduce, say_outgrown

    if options.stale:
        say_outgrown(options.out)
        return
    with at_scheduler(options.scheduler):
        run_reproduce(paper, options)


@app.command()
def schema() -> None:
    """Print the JSON schema of what --json prints."""
    text = files("parzen.cli").joinpath("schema.json").read_text(encoding="utf-8")
    typer.echo(text.rstrip())
