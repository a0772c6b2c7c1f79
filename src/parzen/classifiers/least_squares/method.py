"""How weights follow from a Gram matrix: the part in which the classifiers of the family differ.

A `ScoreMethod` is a frozen set of options. It solves a Gram matrix, or a triangular factor on
landmarks, for the targets and for every regulariser of a path.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import numpy as np

from parzen._core import Floats, Ints, steps
from parzen.classifiers.least_squares.coding import column_groups
from parzen.classifiers.least_squares.sample import dealt_folds
from parzen.samples import Sample
from parzen.solvers import LandmarkFactor, Solution


class Solved(NamedTuple):
    """The solution of one regulariser: scores are K @ weights + offset."""

    weights: Floats  # (n, columns)
    offset: Floats  # (columns,)
    gap: float = 0.0  # certified bound on objective - optimum, relative; 0 for a direct solution
    iterations: int = 1

    @classmethod
    def of_columns(cls, columns: Sequence[Solution]) -> Self:
        """The solutions of single columns side by side, without offsets."""
        W = np.column_stack([column.weights for column in columns])
        gap = max(column.gap for column in columns)
        return cls(W, np.zeros(W.shape[1]), gap, sum(column.iterations for column in columns))

    @classmethod
    def of_groups(cls, book: Floats, codes: Ints, solve: Callable[[Ints, Ints], Solved]) -> Solved:
        """All columns of a code book, solved in groups; rows that take no part have weight 0.

        ``solve`` takes the columns of a group and the rows that take part in them.
        """
        W, b = np.zeros((len(codes), book.shape[1])), np.zeros(book.shape[1])
        gap, iterations = 0.0, 0
        for group in column_groups(book):
            rows = group.rows(codes)
            found = solve(group.columns, rows)
            W[np.ix_(rows, group.columns)], b[group.columns] = found.weights, found.offset
            gap, iterations = max(gap, found.gap), iterations + found.iterations
        return cls(W, b, gap, iterations)


class LandmarkProblem(NamedTuple):
    """The factor of the sample and the landmarks, from which their weights follow."""

    factor: LandmarkFactor
    gram: Floats  # between the landmarks
    landmarks: Sample  # their frequencies add up to those of the whole sample
    targets: Floats  # of the landmarks


Start = dict[bytes, Floats]  # weights of an earlier fit by the bytes of their row


class ScoreMethod(ABC):
    """The options of a method, and its solver."""

    @abstractmethod
    def solve(self, K: Floats, weights: Floats, T: Floats, regularizers: Floats) -> list[Solved]:
        """Solutions for a Gram matrix, frequencies, targets, and regularisers, ascending."""

    @abstractmethod
    def solve_on_landmarks(self, problem: LandmarkProblem, regularizers: Floats) -> list[Solved]:
        """Solutions for the factor of a sample on landmarks, and regularisers, ascending."""

    def final(self, carriers: Sample, n_columns: int) -> ScoreMethod:
        """The method that finds the weights to keep: to the tolerance, and warm if asked for.

        Without it solutions are as accurate as the comparison of candidates needs.
        """
        return self

    def held_out(
        self, K: Floats, sample: Sample, T: Floats, regularizers: Floats, folds: int | None
    ) -> Floats:
        """Scores of held-out rows, shape (regularizers, n, columns); None for leaving one out.

        Only methods with a closed form leave one out.
        """
        assert folds is not None
        scores = np.zeros((len(regularizers), *T.shape))
        for train, test in steps(dealt_folds(sample, folds)):
            inside, across = K[np.ix_(train, train)], K[np.ix_(test, train)]
            solutions = self.solve(inside, sample.frequencies[train], T[train], regularizers)
            for r, found in enumerate(solutions):
                scores[r, test] = across @ found.weights + found.offset
        return scores
