"""Output codes: how the classes of a sample become targets of two-class problems, and back.

A code book M has one row per class and one column per problem: the rows of class c have the target
M[c, j] in problem j, and take no part in it where that is 0. A row of the sample has a score s_j in
every problem, and the class whose row of M agrees best with the scores wins:

    score of class c  =  sum_j M[c, j] s_j / sum_j |M[c, j]|

which is decoding by a linear loss (Allwein, Schapire and Singer, 2000). One against the rest takes
the score of the class's own problem. Two classes are one problem, whatever the coding.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import Bools, Floats, Ints

CODINGS = ("one_vs_rest", "pairwise", "minimum", "error_correcting")
_MAX_EXHAUSTIVE_CLASSES = 5  # With more classes the exhaustive code has 31 columns or more.
_COLUMNS_PER_BIT = 10  # A random code has this many columns for each bit of the number of classes.
_RANDOM_CODES = 50  # Random codes that are drawn; the best of them is taken.


def code_book(coding: str, n_classes: int, *, per_class: bool = False) -> Floats:
    """Targets of each class, shape (n_classes, n_columns), with entries -1, 0 and +1.

    Parameters
    ----------
    coding : {"one_vs_rest", "pairwise", "minimum", "error_correcting"}
        "minimum" has the bits of the class's number, "error_correcting" all ways to divide up to
        five classes in two, or else a random code of large Hamming distance.
    n_classes : int
        Number of classes.
    per_class : bool, default=False
        Two classes have two problems, one against the rest each, because their kernels differ.

    Examples
    --------
    >>> code_book("minimum", 3)
    array([[-1., -1.],
           [ 1., -1.],
           [-1.,  1.]])
    >>> code_book("pairwise", 3)
    array([[-1., -1.,  0.],
           [ 1.,  0., -1.],
           [ 0.,  1.,  1.]])
    """
    if n_classes == 2 and not per_class:
        return np.array([[-1.0], [1.0]])
    if coding == "one_vs_rest" or n_classes == 2:
        return 2.0 * np.eye(n_classes) - 1.0
    if coding == "pairwise":
        pairs = list(combinations(range(n_classes), 2))
        book = np.zeros((n_classes, len(pairs)))
        for j, (first, second) in enumerate(pairs):
            book[first, j], book[second, j] = -1.0, 1.0
        return book
    if coding == "minimum":
        return _bits(np.arange(n_classes), max(1, int(n_classes - 1).bit_length()))
    if n_classes <= _MAX_EXHAUSTIVE_CLASSES:
        # Every division in two, once: the last class is always on the side of +1.
        return _bits(np.arange(2 ** (n_classes - 1), 2**n_classes - 1), n_classes).T.copy()
    return _random_code(n_classes)


def class_scores(scores: Floats, book: Floats, coding: str) -> Floats:
    """Scores of the classes, shape (n, n_classes), from those of the problems; 0 for the first of
    two classes.
    """
    if len(book) == 2:
        one = scores if scores.shape[1] == 1 else 0.5 * (scores[:, 1:] - scores[:, :1])
        return np.column_stack([np.zeros(len(one)), one])
    if coding == "one_vs_rest" or len(book) == 1:
        return scores
    return np.asarray(scores @ (book / np.abs(book).sum(axis=1, keepdims=True)).T)


class ColumnGroup(NamedTuple):
    """Columns of a code book in which the same classes take part."""

    columns: Ints
    classes: Bools

    def rows(self, codes: Ints) -> Ints:
        """Rows of a sample that take part."""
        return np.flatnonzero(self.classes[codes])


def column_groups(book: Floats) -> list[ColumnGroup]:
    """The columns of a code book by the classes that take part in them."""
    present, group = np.unique(book != 0, axis=1, return_inverse=True)
    group = np.ravel(group)
    return [ColumnGroup(np.flatnonzero(group == g), present[:, g]) for g in range(present.shape[1])]


def _bits(numbers: NDArray[np.int64], count: int) -> Floats:
    """The bits of numbers, the lowest first, as -1 and +1, shape (numbers, count)."""
    return np.where((numbers[:, None] >> np.arange(count)) & 1, 1.0, -1.0)


def _random_code(n_classes: int) -> Floats:
    """Of some random codes the one whose two nearest rows differ in the most columns."""
    rng = np.random.default_rng(n_classes)
    columns = int(np.ceil(_COLUMNS_PER_BIT * np.log2(n_classes)))
    best, distance = np.empty(0), -1.0
    for _ in range(_RANDOM_CODES):
        drawn = rng.choice([-1.0, 1.0], (n_classes - 1, 4 * columns))
        drawn = np.unique(drawn[:, (drawn < 0).any(axis=0)], axis=1)
        # With the last class always on the side of +1 no column is the negative of another.
        book = np.vstack([rng.permutation(drawn.T)[:columns].T, np.ones((1, columns))])
        agreement = book @ book.T
        np.fill_diagonal(agreement, -columns)
        nearest = float(columns - agreement.max())
        if nearest > distance:
            best, distance = book, nearest
    return best
