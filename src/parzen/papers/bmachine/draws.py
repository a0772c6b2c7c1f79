"""Table 3 of Basak's report on many draws of its 30 random splits.

The report has one draw, which is not known. The error of a method on a split does not depend on the
other splits, so every method is fitted once on many splits, and draws of 30 of them are taken.
"""

from __future__ import annotations

import numpy as np

from parzen.papers.bmachine import printed as printed
from parzen.papers.bmachine.at_printed import COLUMNS, PrintedStudy
from parzen.papers.bmachine.resampling import SETS, SPLITS, verdict
from parzen.papers.engine import (
    COMMON_SHARE,
    Benchmark,
    Cell,
    Extent,
    Floats,
    Setting,
    Table,
    TableRow,
)

_ALL_SPLITS = 300  # Splits from which the draws are taken.
_DRAWS = 2000  # Draws of as many splits as the report has.


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """Ten times as many splits as in the report."""
    return Extent(0, 60 if quick else _ALL_SPLITS)


def statistics_of_draws(differences: Floats) -> Floats:
    """The paired t of (51) for draws of the splits, from the differences on all splits.

    Examples
    --------
    >>> t = statistics_of_draws(np.random.default_rng(0).normal(size=300))
    >>> t.shape, bool(np.mean(np.abs(t) > 2.05) < 0.2)
    ((2000,), True)
    """
    rng = np.random.default_rng(0)
    places = np.stack([rng.permutation(len(differences))[:SPLITS] for _ in range(_DRAWS)])
    drawn = differences[places]
    error = drawn.std(axis=1, ddof=1) / np.sqrt(SPLITS)
    return np.asarray(drawn.mean(axis=1) / np.maximum(error, 1e-12))


def other_draws(setting: Setting) -> list[Table]:
    """The statistic over the draws, and the share of draws with the printed verdict."""
    have, missing = STUDY.available(setting.quick)
    found = STUDY.measure(setting, have, printed.COLUMNS)
    rows, shares = [], []
    for (ours, theirs), paper in printed.T_STATISTICS.items():
        cells, share = {}, {}
        for t in have:
            a, b = (np.array(found[t][m].error) for m in (ours, theirs))
            values = statistics_of_draws(a - b)
            same = 100.0 * float(np.mean(verdict(values) == verdict(paper[t])))
            cells[t] = Cell(float(values.mean()), float(values.std(ddof=1)), printed=paper[t],
                            digits=2, agrees=same >= COMMON_SHARE)  # fmt: skip
            share[t] = Cell(same)
        rows.append(TableRow(f"{ours} - {theirs}", cells))
        shares.append(TableRow(f"{ours} - {theirs}", share))
    columns, n = list(have), len(next(iter(next(iter(found.values())).values())).error)
    notes = [
        f"{_DRAWS} draws of {SPLITS} from {n} seeded splits, at the parameters of Table 2: mean "
        "and deviation of the statistic over the draws. In brackets the printed one, and its "
        "difference in these deviations. A cell is met if the printed verdict comes up in at "
        f"least {COMMON_SHARE:g} % of the draws (table '3 shares').",
    ]
    every = [cell.mean for row in shares for cell in row.cells.values()]
    said = [
        f"In {sum(s >= COMMON_SHARE for s in every)} of {len(every)} cells the printed verdict "
        f"comes up in at least {COMMON_SHARE:g} % of the draws; the mean share, and so the mean "
        f"part of the verdicts that agree in a draw, is {np.mean(every):.1f} %.",
    ]
    title = "Resampled paired t over other draws of the splits (printed)"
    shared = "Share of the draws in percent that have the printed verdict"
    return [
        Table("3 draws", title, columns, rows, notes, missing, explains="3"),
        Table("3 shares", shared, columns, shares, said, missing),
    ]


STUDY = PrintedStudy(__name__, SETS, COLUMNS, extent, ("Iris",))
