"""The commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parzen.cli._cluster import at_scheduler
from parzen.cli._errors import UserError
from parzen.cli._options import Options

app = typer.Typer(
    name="parzen",
    help="Classify with kernel densities: compare, fit, predict.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# In words, so that help does not wait for scikit-learn's estimators; a test compares.
METHODS_HELP = "auto,parzen,nb,l2,laplacian,bmachine,lssvm,rls,kmse,kfd; all or none."
BASELINES_HELP = "svc,rf,hgb,knn,gnb; all or none."

Data = Annotated[str, typer.Argument(help="A CSV, TSV or Parquet file, or a data set's name.")]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column of the labels.", show_default="the last"),
]
Drop = Annotated[list[str] | None, typer.Option(help="Leave a column out; may be repeated.")]
Categorical = Annotated[
    list[str] | None, typer.Option(help="Read a column as categories; may be repeated.")
]
Missing = Annotated[str, typer.Option(help="refuse or impute missing values.")]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The file has no line of names.")]


def _check_jobs(jobs: int | None) -> int | None:
    if jobs is not None and jobs < 1:
        raise UserError(f"--jobs must be a number of processes, at least 1, got {jobs}")
    return jobs


Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", help="Processes.", show_default="all cores", callback=_check_jobs),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Address of a dask scheduler, whose workers do the work.", metavar="ADDRESS"),
]
Seed = Annotated[int, typer.Option(help="Seed of the splits and of random methods.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an output file of another kind.")
]
Quick = Annotated[bool, typer.Option("--quick", help="About a minute: fewer splits, smaller sets.")]


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
def compare(
    data: Data,
    target: Target = None,
    methods: Annotated[str, typer.Option(help=METHODS_HELP)] = "all",
    baselines: Annotated[str, typer.Option(help=BASELINES_HELP)] = "all",
    splits: Annotated[int, typer.Option(help="Random splits.")] = 10,
    test_size: Annotated[float, typer.Option(help="Share of the rows for testing.")] = 0.3,
    cv: Annotated[int | None, typer.Option(help="Folds, in place of random splits.")] = None,
    missing: Missing = "refuse",
    drop: Drop = None,
    categorical: Categorical = None,
    no_header: NoHeader = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Write the errors as SVG, PNG, PDF.")] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Compare all classifiers, each with its own model selection, on the same splits."""
    from parzen.cli._compare import run_compare

    with at_scheduler(scheduler):
        run_compare(
            data, _options(target, drop, categorical, missing, no_header), methods=methods,
            baselines=baselines, splits=splits, test_size=test_size, cv=cv, seed=seed, jobs=jobs,
            report=report, figure=figure, overwrite=overwrite, as_json=as_json,
        )  # fmt: skip


@app.command()
def fit(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    overwrite: Overwrite = False,
    target: Target = None,
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", help="A method of `compare`.", show_default="auto"),
    ] = None,
    folds: Annotated[
        int, typer.Option(help="Folds for the estimate of the error; 0 for none.")
    ] = 5,
    missing: Missing = "refuse",
    drop: Drop = None,
    categorical: Categorical = None,
    no_header: NoHeader = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Fit a classifier and write it to a model file, scaling and encoding included."""
    from parzen.cli._fit import DEFAULT_METHOD, run_fit

    run_fit(
        data, _options(target, drop, categorical, missing, no_header),
        method=method or DEFAULT_METHOD, output=output, overwrite=overwrite, folds=folds,
        seed=seed, jobs=jobs, as_json=as_json,
    )  # fmt: skip


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A model file of `parzen fit`.")],
    data: Annotated[Path, typer.Argument(help="A CSV, TSV or Parquet file.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The CSV file to write.", show_default="the screen"),
    ] = None,
    overwrite: Overwrite = False,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probabilities.")] = False,
    no_header: NoHeader = False,
    as_json: Json = False,
) -> None:
    """Predict the rows of a file; columns are matched by name."""
    from parzen.cli._predict import run_predict

    run_predict(
        model, data, output=output, overwrite=overwrite, proba=proba, header=not no_header,
        as_json=as_json,
    )  # fmt: skip


@app.command()
def info(
    model: Annotated[Path | None, typer.Argument(help="A model file.")] = None,
    as_json: Json = False,
) -> None:
    """Describe a model file, or the build where none is named."""
    from parzen.cli._info import run_info

    run_info(model, as_json)


@app.command()
def select(
    data: Data,
    target: Target = None,
    kernel: Annotated[str, typer.Option(help="A density kernel.")] = "gaussian",
    plot: Annotated[Path | None, typer.Option(help="Draw the paths: SVG, PNG or PDF.")] = None,
    overwrite: Overwrite = False,
    missing: Missing = "refuse",
    drop: Drop = None,
    categorical: Categorical = None,
    no_header: NoHeader = False,
    as_json: Json = False,
) -> None:
    """Choose a bandwidth by every criterion and show the paths."""
    from parzen.cli._select import run_select

    run_select(
        data, _options(target, drop, categorical, missing, no_header), kernel=kernel, plot=plot,
        overwrite=overwrite, as_json=as_json,
    )  # fmt: skip


@app.command()
def datasets(as_json: Json = False) -> None:
    """List the data sets that can be named in place of a file."""
    from parzen.cli._info import run_datasets

    run_datasets(as_json)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="A paper, e.g. l2.")],
    table: Annotated[str | None, typer.Option(help="One table, or several: 2,3,4.")] = None,
    figure: Annotated[str | None, typer.Option(help="One figure, or several.")] = None,
    quick: Quick = False,
    out: Annotated[Path, typer.Option(help="Folder of results and figures.")] = Path(
        "reproduction"
    ),
    report: Annotated[Path | None, typer.Option(help="Write an HTML page.")] = None,
    overwrite: Overwrite = False,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Compute the tables and figures of a paper anew, beside the printed ones."""
    from parzen.cli._reproduce import run_reproduce

    with at_scheduler(scheduler):
        run_reproduce(
            paper, table=table, figure=figure, quick=quick, out=out, jobs=jobs, report=report,
            overwrite=overwrite, as_json=as_json,
        )  # fmt: skip


def _options(
    target: str | None,
    drop: list[str] | None,
    categorical: list[str] | None,
    missing: str,
    no_header: bool,
) -> Options:
    return Options(
        target=target,
        drop=tuple(drop or ()),
        categorical=tuple(categorical or ()),
        missing=missing,
        header=not no_header,
    )
