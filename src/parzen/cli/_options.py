"""The options of every command, as the fields of a class that the command is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from parzen.cli._arguments import (
    Baselines,
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
from parzen.cli._errors import UserError

DEFAULT_METHOD = "auto"
_INPUT = "Input"  # Heading of the options of `Reading` in the help of a command.


def _check_delimiter(text: str | None) -> str | None:
    names = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "bar": "|"}
    given = text if text is None else names.get(text, text)
    if given is not None and len(given) != 1:
        raise UserError(f"--delimiter must be one character, or tab or space; got {text!r}")
    return given


def _check_decimal(text: str | None) -> str | None:
    if text not in (None, ".", ","):
        raise UserError(f"--decimal must be . or , and not {text!r}")
    return text


def _check_level(level: float | None) -> float | None:
    if level is not None and not 0 < level < 1:
        raise UserError(f"--sets must be a share of rows between 0 and 1, e.g. 0.9, got {level:g}")
    return level


@dataclass(frozen=True)
class Reading:
    """How a file is read; None where the reader finds out."""

    no_header: Annotated[
        bool,
        typer.Option("--no-header", help="The file has no line of names.", rich_help_panel=_INPUT),
    ] = False
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="What separates cells: one character, tab or space.", show_default="found out",
            callback=_check_delimiter, rich_help_panel=_INPUT,
        ),
    ] = None  # fmt: skip
    decimal: Annotated[
        str | None,
        typer.Option(
            help="The decimal mark: . or a comma.", show_default="found out",
            callback=_check_decimal, rich_help_panel=_INPUT,
        ),
    ] = None  # fmt: skip
    encoding: Annotated[
        str | None,
        typer.Option(
            help="The encoding of a text, e.g. latin-1.", show_default="found out",
            rich_help_panel=_INPUT,
        ),
    ] = None  # fmt: skip
    na: Annotated[
        list[str] | None,
        typer.Option(
            help="What stands for a missing value, beside the empty cell; may be repeated.",
            show_default="NA, NaN, none, ?, - among numbers; NaN, N/A, null, ? among texts",
            rich_help_panel=_INPUT,
        ),
    ] = None  # fmt: skip


@dataclass(frozen=True)
class DataOptions(Reading):
    """How a file is read, and what its columns are."""

    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Column of the labels.", show_default="the last"),
    ] = None
    missing: Annotated[
        str,
        typer.Option(
            help="auto, refuse or impute missing values; auto imputes for methods that need it."
        ),
    ] = "auto"
    drop: Annotated[list[str], typer.Option(help="Leave a column out; may be repeated.")] = field(
        default_factory=list
    )
    use: Annotated[
        list[str],
        typer.Option(help="Use a column that looks like an identifier; may be repeated."),
    ] = field(default_factory=list)
    categorical: Annotated[
        list[str], typer.Option(help="Read a column as categories; may be repeated.")
    ] = field(default_factory=list)
    weights: str | None = None  # `parzen fit` alone has this option


@dataclass(frozen=True)
class CompareOptions(DataOptions):
    """How classifiers are compared, and what is written about it."""

    methods: Methods = "all"
    baselines: Baselines = None
    splits: Annotated[int, typer.Option(help="Random splits.")] = 10
    test_size: Annotated[float, typer.Option(help="Share of the rows for testing.")] = 0.3
    cv: Annotated[int | None, typer.Option(help="Folds, in place of random splits.")] = None
    seed: Seed = 0
    jobs: Jobs = None
    scheduler: Scheduler = None
    report: Report = None
    figure: Annotated[Path | None, typer.Option(help="Write the errors as SVG, PNG, PDF.")] = None
    overwrite: Overwrite = False
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not take up a run that was stopped.")
    ] = False
    as_json: Json = False


@dataclass(frozen=True)
class FitOptions(DataOptions):
    """What is fitted, and how its error is estimated."""

    method: Method = DEFAULT_METHOD
    kernel: Annotated[str | None, typer.Option(help="The kernel, e.g. cauchy.")] = None
    bandwidth: Annotated[
        str | None, typer.Option(help="A number, or a rule, e.g. loo or silverman.")
    ] = None
    priors: Annotated[
        str | None, typer.Option(help="uniform, or yes=0.3,no=0.7 for the labels.")
    ] = None
    costs: Annotated[
        str | None, typer.Option(help="true:predicted=cost, e.g. yes:no=10; others are 1.")
    ] = None
    reject: Annotated[
        float | None, typer.Option(help="Reject rows whose expected cost is higher.")
    ] = None
    novelty: Annotated[
        float | None, typer.Option(help="Call this share of the training rows novel.")
    ] = None
    weights: Annotated[
        str | None, typer.Option(help="Column that says how often a row counts.")
    ] = None
    assignments: Annotated[
        list[str],
        typer.Option("--set", help="Any parameter: name=value; may be repeated.", metavar="N=V"),
    ] = field(default_factory=list)
    overwrite: Overwrite = False
    folds: Annotated[
        int | None,
        typer.Option(help="Folds for the estimate of the error; 0 for none.", show_default="5"),
    ] = None
    seed: Seed = 0
    jobs: Jobs = None
    as_json: Json = False


@dataclass(frozen=True)
class PredictOptions(Reading):
    """What is written for each row, beside the label."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The CSV file to write.", show_default="the screen"),
    ] = None
    proba: Annotated[bool, typer.Option("--proba", help="Add the probabilities.")] = False
    density: Annotated[bool, typer.Option("--density", help="Add the log-density.")] = False
    novelty: Annotated[
        float | None,
        typer.Option(help="Add whether a row is novel, with this share of false alarms."),
    ] = None
    level: Annotated[
        float | None,
        typer.Option(
            "--sets", help="Add a set of labels that holds the true one in this share of rows.",
            metavar="LEVEL", callback=_check_level,
        ),
    ] = None  # fmt: skip
    p_values: Annotated[
        bool, typer.Option("--p-values", help="Add the p-value of every label.")
    ] = False
    keep: Annotated[
        list[str], typer.Option(help="Copy a column of the input; may be repeated.")
    ] = field(default_factory=list)
    explain: Annotated[
        bool, typer.Option("--explain", help="Print why the first ten rows got their labels.")
    ] = False
    top: Annotated[
        int, typer.Option(help="Training rows and columns that --explain names.", min=1)
    ] = 5
    row: Annotated[
        int | None, typer.Option(help="Explain this row alone; the first is row 0.", min=0)
    ] = None
    report: Annotated[
        Path | None, typer.Option(help="Write what --explain says to a page in HTML.")
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False

    @property
    def explains(self) -> bool:
        """Whether labels are to be explained."""
        return self.explain or self.row is not None or self.report is not None


@dataclass(frozen=True)
class SelectOptions(DataOptions):
    """For which kernel a bandwidth is chosen, and where the paths are drawn."""

    kernel: Annotated[str, typer.Option(help="A density kernel.")] = "gaussian"
    plot: Annotated[Path | None, typer.Option(help="Draw the paths: SVG, PNG or PDF.")] = None
    overwrite: Overwrite = False
    as_json: Json = False


@dataclass(frozen=True)
class ReproduceOptions:
    """What is computed of a paper, and where it is written."""

    table: Annotated[str | None, typer.Option(help="One table, or several: 2,3,4.")] = None
    figure: Annotated[str | None, typer.Option(help="One figure, or several.")] = None
    quick: Quick = False
    out: Annotated[Path, typer.Option(help="Folder of results and figures.")] = Path("reproduction")
    stale: Annotated[
        bool, typer.Option("--stale", help="Only say which results in --out are outgrown.")
    ] = False
    report: Report = None
    overwrite: Overwrite = False
    jobs: Jobs = None
    scheduler: Scheduler = None
    as_json: Json = False


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command to which typer gives the fields of its ``options`` one by one."""
    own = signature(command, eval_str=True).parameters
    kind = own["options"].annotation
    hints = get_type_hints(kind, include_extras=True)
    shown = [f for f in fields(kind) if hasattr(hints[f.name], "__metadata__")]

    @wraps(command)
    def call(**given: Any) -> None:
        command(options=kind(**{f.name: given.pop(f.name) for f in shown}), **given)

    parameters = [p for name, p in own.items() if name != "options"]
    parameters += [_parameter(f, hints[f.name]) for f in shown]
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call


def _parameter(option: Field[Any], annotation: Any) -> Parameter:
    """A field of the options as a parameter of the command."""
    factory = option.default_factory
    default = option.default if factory is MISSING else factory()
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
