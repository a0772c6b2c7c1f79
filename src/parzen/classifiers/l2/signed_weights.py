"""Signed weights, L2LE-k: the L2 criterion without constraints, Kim & Scott (2010), section 5.3.

    decision(x) = sum_i beta_i k_s(x, x_i) / k_s(0),      (K + ridge I) beta = h

h is the leave-one-out estimate of the difference of densities, in units of the peak of k_rho. For
more than two classes there is one right-hand side per class, against the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from parzen._core import Floats, Ints, steps
from parzen.bandwidth import Path, path_of_folds
from parzen.classifiers.l2.grid import per_class
from parzen.classifiers.l2.search import Choice, FoldedSample, stage
from parzen.expansion import KernelExpansion
from parzen.l2 import Carriers, L2Form, NeighbourSums, dense_gram, target_shifts, targets
from parzen.samples import FOLD_TIE, best_place, draw_rows
from parzen.solvers import RidgeSystem, Solution, early_stopped

RIDGES = np.geomspace(1e-3, 1e3, 19)  # Ridges that ridge=None compares, in units of the peak.


class SignedSolution(NamedTuple):
    """The expansion, the solution, and the ridge in use (None for conjugate gradients).

    ``left_out`` are the decisions at the rows, each left out, where they were asked for and a
    closed form has them: not without a ridge.
    """

    expansion: KernelExpansion
    solution: Solution
    ridge: float | None
    left_out: Floats | None


@dataclass(frozen=True, eq=False)
class SignedMethod:
    """The linear system with its options."""

    form: L2Form
    ridge: float | None  # None for the one with the fewest leave-one-out errors
    solver: str
    max_iter: int
    error_weights: Floats  # how much an error counts, for each class
    n_jobs: int | None

    def solve(
        self, sample: Carriers, bandwidths: Floats, values: Floats, *, leave_out: bool = False
    ) -> SignedSolution:
        """The weights of one sample; ``bandwidths`` and ``values`` have one entry per class."""
        if not (bandwidths == bandwidths[0]).all():
            raise ValueError(
                "L2LinearClassifier needs one bandwidth for all classes; give a number, or use "
                "L2Classifier."
            )
        everything = np.ones((1, len(sample.X)), dtype=bool)
        widths = self.form.widths(bandwidths, sample.X.shape[1])
        taus = widths.tau[None]
        sums = NeighbourSums(sample, everything, self.form, taus, self.n_jobs).at(0)
        h = targets(sample, everything, self.form, widths, sums, values[None])[0]
        K = dense_gram(sample, self.form, widths.rho)
        ridge, left_out = self.ridge, None
        if self.solver == "cg":
            ridge, solution = None, early_stopped(K, h, sample.frequencies, self.max_iter)
        else:
            system = RidgeSystem(K, h, sample.frequencies)
            if ridge is None or (leave_out and ridge > 0):
                shifts = target_shifts(sample, self.form, widths, sums[:, 0], values)
                ridges = RIDGES if ridge is None else np.array([ridge])
                scores = self._left_out(system, sample, float(bandwidths[0]), shifts, ridges)
                best = self._fewest_errors(scores, sample)
                ridge, left_out = float(ridges[best]), scores[best]
            solution = system.solve(ridge)
        expansion = KernelExpansion(
            points=sample.X,
            kernel=self.form.kernel,
            bandwidth=np.array(bandwidths[0]),
            n_classes=h.shape[1],
            weights=solution.weights,
            unit_peak=True,
        )
        return SignedSolution(expansion, solution, ridge, left_out)

    def carriers(
        self, sample: Carriers, count: int, choice: Choice, values: Floats, random_state: Any
    ) -> Ints:
        """Rows that may carry weights: drawn, since all of them would get some."""
        return draw_rows(sample.codes, sample.frequencies, count, check_random_state(random_state))

    def fold_path(self, folded: FoldedSample, grid: Floats) -> Path:
        """Errors of every fold and bandwidth, each of which is a system of its own."""
        sample, carriers, folds, etas, report = folded
        grid = per_class(grid, sample.n_classes)[::-1]
        errors = np.empty((len(folds), len(grid), len(etas)))
        for f, fold in enumerate(steps(folds)):
            train = np.flatnonzero(fold.train)
            merged = sample.rows(train).merged()
            part = Carriers.over(merged.sample)
            if carriers is not None:
                carrying = np.flatnonzero(np.isin(train[merged.first], carriers))
                part = part.among(carrying, np.ones((1, len(part)), dtype=bool))[0]
            w, codes = fold.weights, sample.codes[fold.test]
            for b, h in enumerate(steps(list(grid))):
                found = self.solve(part, h, fold.classes.values)
                progress = report(f"fold {f + 1} of {len(folds)}, {stage(grid, b)}")
                if progress is not None:
                    progress(found.solution.iterations, found.solution.gap)
                scores = found.expansion.scaled_scores(sample.X[fold.test]).mantissa
                errors[f, b] = w @ (decide(scores) != codes) / w.sum()
        return path_of_folds(errors[:, ::-1], np.ones(errors.shape[1:]))

    def _left_out(
        self,
        system: RidgeSystem,
        sample: Carriers,
        bandwidth: float,
        shifts: Floats,
        ridges: Floats,
    ) -> Floats:
        """Decisions at the rows, each left out: (ridges, rows, columns)."""
        kernel = np.asarray(
            self.form.kernel.similarity(sample.X, sample.X, bandwidth=bandwidth), dtype=np.float64
        )
        # Leaving a row out changes its own class's mean only, which enters the system of that class
        # with a plus sign and all others with a minus sign.
        own = np.arange(1, 2) if sample.n_classes == 2 else np.arange(sample.n_classes)
        signs = np.where(sample.codes == own[:, None], 1.0, -1.0)
        return system.leave_one_out(ridges, kernel, shifts, signs)

    def _fewest_errors(self, left_out: Floats, sample: Carriers) -> int:
        """The place of the largest of the ridges with the fewest leave-one-out errors."""
        w = sample.frequencies * self.error_weights[sample.codes]
        wrong = np.array([w @ (decide(scores) != sample.codes) for scores in left_out])
        return best_place(wrong / w.sum(), tolerance=FOLD_TIE)


def decide(scores: Floats) -> Ints:
    """Classes from signed scores: one column for two classes, ties to the first."""
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))
