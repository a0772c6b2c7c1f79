"""What is known about a difference from a printed figure, and about a paper as a whole.

The texts stand in ``explanations.toml`` in the room of a paper; their lines are joined.
Numbers in these texts come from results: ``{2/Iris/LS-SVM}`` stands for the mean of that cell of
Table 2, and ``{2/Iris/LS-SVM/printed}`` for the printed figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from parzen.papers.engine.printed import contents

_PLACE = re.compile(r"\{([^{}/]+)/([^{}/]+)/([^{}/]+)(/printed)?\}")


@dataclass(frozen=True)
class KnownDifference:
    """A sentence about cells of a table.

    Attributes
    ----------
    text : str
        What is known.
    rows, columns : tuple of str
        The cells, every row with every column; none for a remark about the table.
    is_open : bool, default=False
        Whether it only tells what was tried.

    Examples
    --------
    >>> KnownDifference("By underflow.", ("Ringnorm",), ("L2QP-0",)).covers("Ringnorm", "Parzen")
    False
    """

    text: str
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    is_open: bool = False

    def covers(self, row: str, column: str) -> bool:
        """Whether it speaks of a cell."""
        return row in self.rows and column in self.columns


@dataclass(frozen=True)
class About:
    """What a reader should know of a paper before its tables.

    Attributes
    ----------
    proposes : str
        What the paper proposes, in the words and signs of this library.
    estimators : str
        Which estimators do it.
    protocol : str
        How the experiments are made here, and what is not told in the paper.
    learnt : tuple of str
        What was found beyond the paper.
    formula : str
        Its main formula in LaTeX.
    """

    proposes: str
    estimators: str
    protocol: str
    learnt: tuple[str, ...] = ()
    formula: str = ""

    @classmethod
    def of(cls, paper: str) -> Self:
        """Of a paper by the name of its room."""
        texts = contents(paper, "explanations")["about"]
        learnt = tuple(map(_joined, texts.pop("learnt", ())))
        return cls(**{name: _joined(text) for name, text in texts.items()}, learnt=learnt)


def known_differences(paper: str) -> dict[str, list[KnownDifference]]:
    """By the number of a table: what is known about its differences from the printed figures."""
    by_table = contents(paper, "explanations").get("explanations", {})
    return {number: [_explanation(**e) for e in found] for number, found in by_table.items()}


def _explanation(
    text: str, rows: Sequence[str] = (), columns: Sequence[str] = (), is_open: bool = False
) -> KnownDifference:
    return KnownDifference(_joined(text), tuple(rows), tuple(columns), is_open)


def _joined(lines: str) -> str:
    return " ".join(lines.split())


def filled(text: str, find: Callable[[str, str, str, bool], str]) -> str:
    """A text with its places filled in.

    Examples
    --------
    >>> filled("It has {2/Iris/SVM}.", lambda table, row, column, printed: "96.1")
    'It has 96.1.'
    """
    return _PLACE.sub(lambda m: find(m[1], m[2], m[3], m[4] is not None), text)
