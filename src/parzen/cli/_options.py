"""Options of the command line as the fields of what a command is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from parzen.cli._errors import UserError

_INPUT = "Input"  # heading in the help of the commands


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
class Options(Reading):
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
    weights: str | None = None  # an option of `parzen fit` alone


@dataclass(frozen=True)
class Wanted:
    """What `parzen predict` writes for each row, beside the label."""

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

    @property
    def evidence(self) -> bool:
        """Whether labels are to be explained."""
        return self.explain or self.row is not None or self.report is not None


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command to which typer gives the fields of its `Options` and the like one by one."""
    own = signature(command, eval_str=True).parameters
    options = {name: _options_of(p.annotation) for name, p in own.items()}

    @wraps(command)
    def call(**given: Any) -> None:
        for name, fields_shown in options.items():
            if fields_shown:
                values = {option.name: given.pop(option.name) for option in fields_shown}
                given[name] = own[name].annotation(**values)
        command(**given)

    shown = [q for name, p in own.items() for q in options[name] or [p]]
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [p.replace(kind=Parameter.KEYWORD_ONLY) for p in shown]
    )
    call.__annotations__ = {p.name: p.annotation for p in shown}
    return call


def _options_of(kind: Any) -> list[Parameter]:
    """The fields of a dataclass that are options of the command line; none of another type."""
    hints = get_type_hints(kind, include_extras=True) if is_dataclass(kind) else {}
    return [
        Parameter(
            f.name, Parameter.KEYWORD_ONLY, annotation=hints[f.name],
            default=f.default_factory() if f.default_factory is not MISSING else f.default,
        )
        for f in (fields(kind) if hints else ()) if hasattr(hints[f.name], "__metadata__")
    ]  # fmt: skip
