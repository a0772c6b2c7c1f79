"""What the user says about a file: the options that every command with a table has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import wraps
from inspect import Parameter, Signature, signature
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


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command to which typer gives the fields of its `Reading` or `Options` one by one."""
    own = signature(command, eval_str=True).parameters.values()
    (gathered,) = (p for p in own if p.annotation in (Reading, Options))
    hints = get_type_hints(gathered.annotation, include_extras=True)
    options = [
        Parameter(
            f.name, Parameter.KEYWORD_ONLY, annotation=hints[f.name],
            default=f.default_factory() if f.default_factory is not MISSING else f.default,
        )
        for f in fields(gathered.annotation) if f.name != "weights"
    ]  # fmt: skip

    @wraps(command)
    def call(**given: Any) -> None:
        values = {option.name: given.pop(option.name) for option in options}
        command(**given, **{gathered.name: gathered.annotation(**values)})

    shown = [q for p in own for q in (options if p is gathered else [p])]
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [p.replace(kind=Parameter.KEYWORD_ONLY) for p in shown]
    )
    call.__annotations__ = {p.name: p.annotation for p in shown}
    return call
