"""The JSON schema of what ``--json`` prints, one definition for each command."""

from __future__ import annotations

from importlib import resources


def schema_text() -> str:
    """The schema as it is shipped."""
    return (
        resources.files("parzen.cli").joinpath("schema.json").read_text(encoding="utf-8").rstrip()
    )
