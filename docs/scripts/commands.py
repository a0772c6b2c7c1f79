"""The commands and their options as Markdown, read from the command line's own definitions."""

from __future__ import annotations

from typing import Any

import typer

from parzen.cli._app import app


def page() -> str:
    """One section for each command."""
    group: Any = typer.main.get_command(app)
    return "\n\n".join(_command(name, command) for name, command in group.commands.items()) + "\n"


def _command(name: str, command: Any) -> str:
    shown = [p for p in command.params if not getattr(p, "hidden", False)]
    arguments = [p for p in shown if not p.opts[0].startswith("-")]
    options = [p for p in shown if p.opts[0].startswith("-")]
    usage = " ".join(["parzen", name, *(_place(p) for p in arguments)])
    rows = [f"| `{_place(p)}` | {_help(p)} |" for p in arguments]
    rows += [f"| {_spelling(p)} | {_help(p)} |" for p in options]
    table = ["| argument or option | meaning |", "|---|---|", *rows]
    text = " ".join(command.help.split())
    return "\n".join([f"### parzen {name}", "", text, "", f"    {usage}", "", *table])


def _place(argument: Any) -> str:
    """An argument as in a line of usage."""
    name = argument.name.upper()
    return name if argument.required else f"[{name}]"


def _spelling(option: Any) -> str:
    """All spellings of an option, with a value where it takes one."""
    names = ", ".join(f"`{o}`" for o in sorted(option.opts, key=len, reverse=True))
    return names if option.is_flag else f"{names} {option.metavar or option.name.upper()}"


def _help(parameter: Any) -> str:
    words = " ".join((parameter.help or "").split()).replace("|", "\\|")
    shown = parameter.show_default if isinstance(parameter.show_default, str) else None
    default = shown or parameter.default
    is_plain = isinstance(default, str | int | float) and default is not False and default != ""
    if not is_plain:
        return words + (" Required." if parameter.required and parameter.opts[0][0] == "-" else "")
    return f"{words} Default: {default}."
