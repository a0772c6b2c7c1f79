"""Why rows got their labels, as text and as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parzen.evidence import Explanation


def evidence_text(row: int, found: Explanation, columns: Sequence[str], top: int) -> str:
    """Four lines: label and rival, training rows for and against, the columns that did most."""
    shares = found.supporting_shares, found.opposing_shares
    rows_for, against = (
        ", ".join(f"{name} ({100 * share:.3g} %)" for name, share in zip(*side, strict=True))
        for side in zip(found.row_labels(), shares, strict=True)
    )
    largest = np.argsort(-np.abs(found.column_effects), kind="stable")[:top]
    effects = ", ".join(f"{columns[j]} {found.column_effects[j]:+.3g}" for j in largest)
    return (
        f"row {row}: {found.label}, not {found.rival} (log-odds {found.log_odds:.3g})\n"
        f"  rows for      {rows_for or 'none'}\n"
        f"  rows against  {against or 'none'}\n"
        f"  columns       {effects}"
    )


def evidence_plain(row: int, found: Explanation, columns: Sequence[str]) -> dict[str, Any]:
    """The same for JSON, with every column."""
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        for name, value in vars(found).items()
    }
    effects = dict(zip(columns, plain["column_effects"], strict=True))
    return {"row": row, **plain, "column_effects": effects}
