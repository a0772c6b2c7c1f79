"""Members of a stack by kernel least squares with an offset, left out exactly.

    [0 1'; 1 K + mu W^-1] [b; a] = [0; t]      Basak's report, LS-SVM; t = +1 for a class, else -1

One eigendecomposition per bandwidth gives the leave-one-out scores at every mu. They are no
densities: calibration makes posteriors of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from parzen.classifiers.stack.stage import Candidate, Floats, Stage
from parzen.classifiers.stack.table import Blocks
from parzen.expansion import KernelExpansion
from parzen.kernels import get, gram
from parzen.metric import gaussian_ladder
from parzen.solvers import RidgePath, solve_ridge

MOST_ROWS = 2500  # of a Gram matrix that is decomposed
_REGULARIZERS = (0.03, 0.3, 3.0)
_SCALE = 4.0  # scores of +1 and -1 stand for odds of e^8; calibration finds the right ones


@dataclass(frozen=True, eq=False)
class LeastSquaresRule:
    """Scores log pi_c + 4 (b_c + sum_i a_ic k(x, x_i))."""

    expansion: KernelExpansion
    log_shares: Floats

    def scores(self, blocks: Blocks, **options: Any) -> Floats:
        return np.asarray(self.log_shares + _SCALE * self.expansion.scores(blocks.mixed, **options))


def least_squares_family(stage: Stage) -> list[Candidate]:
    """Candidates at the three middle bandwidths of the ladder and every regulariser."""
    X = stage.blocks.mixed
    if len(X) > MOST_ROWS:
        return []
    ladder = gaussian_ladder(X)
    targets = np.where(stage.codes[:, None] == np.arange(stage.n_classes), 1.0, -1.0)
    w = stage.frequencies
    found = []
    for h in ladder[-4:-1] if len(ladder) > 3 else ladder:
        K = gram(X, X, get("gaussian"), float(h))
        path = RidgePath(K, w)
        for mu in _REGULARIZERS:
            left = path.leave_one_out(np.full(len(X), mu), targets, offset=True)
            fit = partial(_fit, stage, K, targets, float(h), mu)
            scores = stage.log_shares + _SCALE * left[stage.judged]
            found.append(Candidate("ls", float(h), scores, fit))
    return found


def _fit(stage: Stage, K: Floats, targets: Floats, h: float, mu: float) -> LeastSquaresRule:
    a, b = solve_ridge(K, mu / stage.frequencies, targets, offset=True)
    return LeastSquaresRule(
        KernelExpansion(
            points=stage.blocks.mixed,
            kernel=get("gaussian"),
            bandwidth=np.array(h),
            n_classes=stage.n_classes,
            weights=a,
            offset=b,
            unit_peak=True,
        ),
        stage.log_shares,
    )
