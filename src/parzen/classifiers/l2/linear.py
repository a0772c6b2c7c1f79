"""L2LE-k: the L2 classifier without constraints, Kim & Scott (2010), section 5.3.

    decision(x) = sum_i beta_i k_s(x, x_i) / k_s(0),      (K + ridge I) beta = h

h is the leave-one-out estimate of the difference of densities, in units of the peak of k_rho. For
more than two classes there is one right-hand side per class, against the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers.l2.selection import first_best
from parzen.expansion import KernelExpansion
from parzen.l2 import L2Form, L2Sample, NeighbourSums, dense_gram, target_shifts, targets
from parzen.solvers import RidgeSystem, Solution, early_stopped

Floats = NDArray[np.float64]

RIDGES = np.geomspace(1e-3, 1e3, 19)[::-1]
DEFAULT_STEPS = 10


class LinearOptions(NamedTuple):
    """How the system is solved."""

    form: L2Form
    ridge: float | None
    solver: str
    max_iter: int | None
    importance: Floats  # of an error, per class
    n_jobs: int | None


class LinearFit(NamedTuple):
    """The expansion, the solution and the ridge in use (None for conjugate gradients)."""

    expansion: KernelExpansion
    solution: Solution
    ridge: float | None


def fit_linear(
    sample: L2Sample, bandwidths: Floats, values: Floats, options: LinearOptions
) -> LinearFit:
    """Fit one sample; ``bandwidths`` and ``values`` are per class."""
    if not (bandwidths == bandwidths[0]).all():
        raise ValueError(
            "constraint=None needs one bandwidth for all classes; give a number, or a constraint."
        )
    form, everything = options.form, np.ones((1, len(sample.X)), dtype=bool)
    widths = form.widths(bandwidths, sample.X.shape[1])
    sums = NeighbourSums(sample, everything, form, widths.tau[None], options.n_jobs).at(0)
    h = targets(sample, everything, form, widths, sums, values[None])[0]
    K = dense_gram(sample, form, widths.rho)
    ridge = options.ridge
    if options.solver == "cg":
        steps = DEFAULT_STEPS if options.max_iter is None else options.max_iter
        solution = early_stopped(K, h, sample.weights, steps)
    else:
        system = RidgeSystem(K, h, sample.weights)
        if ridge is None:
            shifts = target_shifts(sample, form, widths, sums[:, 0], values)
            ridge = _best_ridge(system, sample, float(bandwidths[0]), options, shifts)
        solution = system.solve(ridge)
    expansion = KernelExpansion(
        points=sample.X,
        kernel=form.kernel,
        bandwidth=np.array(bandwidths[0]),
        n_classes=h.shape[1],
        weights=solution.weights,
        unit_peak=True,
    )
    return LinearFit(expansion, solution, None if options.solver == "cg" else ridge)


def decide(scores: Floats) -> NDArray[np.intp]:
    """Classes from signed scores: one column for two classes, ties to the first."""
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))


def _best_ridge(
    system: RidgeSystem, sample: L2Sample, bandwidth: float, options: LinearOptions, shifts: Floats
) -> float:
    """The largest of the ridges with the fewest leave-one-out errors."""
    kernel = np.asarray(
        options.form.kernel.similarity(sample.X, sample.X, bandwidth=bandwidth), dtype=np.float64
    )
    if sample.n_classes == 2:
        signs = np.where(sample.codes == 1, 1.0, -1.0)[None]
    else:
        signs = np.where(sample.codes == np.arange(sample.n_classes)[:, None], 1.0, -1.0)
    left_out = system.leave_one_out(RIDGES, kernel, shifts, signs)
    w = sample.weights * options.importance[sample.codes]
    wrong = np.array([w @ (decide(scores) != sample.codes) for scores in left_out])
    return float(RIDGES[first_best(wrong / w.sum())])
