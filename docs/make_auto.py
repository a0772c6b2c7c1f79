"""``python -m docs.make_auto`` writes the tables of docs/results/auto.json into docs/auto.md.

The results come from ``parzen reproduce auto``; its command and versions are shown with them.
"""

from __future__ import annotations

from pathlib import Path

from parzen.experiments._result import Reproduction

HERE = Path(__file__).parent
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"


def shown(found: Reproduction) -> str:
    """All tables in Markdown."""
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    parts = [f"`{found.command}` ({versions})"]
    for table in found.tables:
        parts += [f"### {table.title}: {table.number}", table.markdown(), "\n".join(table.notes)]
        parts += [f"Skipped: {name}: {reason}" for name, reason in table.skipped.items()]
    return "\n\n".join(parts)


def main() -> None:
    """Replace what stands between the two marks."""
    page = HERE / "auto.md"
    head, rest = page.read_text(encoding="utf-8").split(BEGIN)
    _, tail = rest.split(END)
    tables = shown(Reproduction.load(HERE / "results" / "auto.json"))
    page.write_text(f"{head}{BEGIN}\n\n{tables}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
