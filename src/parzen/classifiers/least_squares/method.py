"""How weights follow from a Gram matrix: the part in which the classifiers of the family differ.

A `ScoreMethod` is a frozen set of options. It prepares a Gram matrix, or a triangular factor on
landmarks, and solves it for the targets and for every regulariser of a path.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from parzen._core import Floats, steps
from parzen.classifiers.least_squares.sample import dealt_folds
from parzen.samples import Sample
from parzen.solvers import LandmarkFactor


class Solved(NamedTuple):
    """The solution of one regulariser: scores are K @ weights + offset."""

    weights: Floats  # (n, columns)
    offset: Floats  # (columns,)
    gap: float = 0.0  # certified bound on objective - optimum, relative; 0 for a direct solution
    iterations: int = 1


class LandmarkProblem(NamedTuple):
    """The factor of the sample and the landmarks, from which their weights follow."""

    factor: LandmarkFactor
    gram: Floats  # between the landmarks
    landmarks: Sample  # their frequencies add up to those of the whole sample
    targets: Floats  # of the landmarks


Start = dict[bytes, Floats]  # weights of an earlier fit by the bytes of their row
System = Callable[[Floats, Floats], list[Solved]]  # of targets (n, columns) and regularisers
LandmarkSystem = Callable[[Floats], list[Solved]]  # of regularisers


class ScoreMethod(ABC):
    """The options of a method, and its solver."""

    @abstractmethod
    def system(self, K: Floats, weights: Floats) -> System:
        """Prepare a Gram matrix for any targets and regularisers, ascending."""

    @abstractmethod
    def landmark_system(self, problem: LandmarkProblem) -> LandmarkSystem:
        """Prepare the factor of a sample on landmarks for any regularisers, ascending."""

    def final(self, K: Floats, sample: Sample, T: Floats, regularizer: float) -> Solved:
        """The solution on all rows, for the regulariser that was chosen."""
        return self.system(K, sample.frequencies)(T, np.array([regularizer]))[0]

    def landmark_final(self, problem: LandmarkProblem, regularizer: float) -> Solved:
        """The solution on landmarks, for the regulariser that was chosen."""
        return self.landmark_system(problem)(np.array([regularizer]))[0]

    def held_out(
        self, K: Floats, sample: Sample, T: Floats, regularizers: Floats, folds: int | None
    ) -> Floats:
        """Scores of held-out rows, shape (regularizers, n, columns); None for leaving one out.

        Only methods with a closed form leave one out.
        """
        assert folds is not None
        scores = np.zeros((len(regularizers), *T.shape))
        for train, test in steps(dealt_folds(sample, folds)):
            solve = self.system(K[np.ix_(train, train)], sample.frequencies[train])
            across = K[np.ix_(test, train)]
            for r, found in enumerate(solve(T[train], regularizers)):
                scores[r, test] = across @ found.weights + found.offset
        return scores
