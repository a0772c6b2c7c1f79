"""Put the stored comparison into README.md: ``python -m docs.scripts.make_readme``.

docs/results/compare.json is what ``parzen compare wine --json`` prints.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from parzen.cli._compare import COLUMNS, cells, verdict
from parzen.cli._console import plain_table
from parzen.cli._figures import save_figure, use_matplotlib
from parzen.compare import Comparison
from parzen.report import draw_errors

DOCS = Path(__file__).parents[1]
STORED, README = DOCS / "results" / "compare.json", DOCS.parent / "README.md"
FIGURE = DOCS / "figures" / "compare.png"
_BLOCK = re.compile(r"(?<=```text\n).*?(?=\n```)", re.DOTALL)


def readme(text: str, stored: dict[str, Any]) -> str:
    """The page with the table of a stored comparison in its one block of plain text."""
    found = Comparison.from_dict(stored)
    shown = plain_table(COLUMNS, [cells(row) for row in found.rows()])
    assert len(_BLOCK.findall(text)) == 1
    return _BLOCK.sub(lambda _: f"{shown}\n\n{verdict(found)}", text)


def main() -> None:
    """Write the page and the figure."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    README.write_text(readme(README.read_text(encoding="utf-8"), stored), encoding="utf-8")
    use_matplotlib()
    save_figure(draw_errors(Comparison.from_dict(stored), title="Classifiers on wine"), FIGURE)


if __name__ == "__main__":
    main()
