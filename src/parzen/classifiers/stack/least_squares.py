"""Members of a stack by kernel least squares with an offset.

    [0 1'; 1 K + mu W^-1] [b; a] = [0; t]      Basak's report, LS-SVM; t = +1 for a class, else -1

    ls      Gaussian on numbers and indicators; product Laplacian on their normal scores
    an      ANOVA kernel on normal scores: main effects alone, or with interactions in pairs
    lsard   product Laplacian in the metric that ardl has learned, four times as wide; of more than
            2500 rows, Gaussian in ard's metric, with landmarks

No label shapes the kernels of ls and an: each row is left out exactly. For lsard metric and least
squares are both fitted without the row's fold. Beyond 2500 rows some of them, the landmarks, carry
the weights; the loss is that of all rows, at most 25 000 or a tenth of them. A row of ls, which has
two Gaussians then, is scored without its fold; for lsard the scored rows are held out.
Scores are no densities: calibration makes posteriors of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen._core import Floats, Ints, steps
from parzen.classifiers.stack.anova import ColumnwiseAnova
from parzen.classifiers.stack.kernels import KernelRule
from parzen.classifiers.stack.metric import METRIC_FAMILIES, metric_family, metric_paths
from parzen.classifiers.stack.pool import calibrate_all
from parzen.classifiers.stack.table import Blocks
from parzen.classifiers.stack.training_set import Candidate, StackTrainingSet
from parzen.expansion import KernelExpansion
from parzen.kernels import AnovaKernel, Kernel, get, gram
from parzen.metric import Metric, gaussian_ladder, laplacian_ladder
from parzen.samples import draw_rows
from parzen.solvers import LandmarkRidge, landmark_ridges, left_out_ridges, solve_ridge

Singles = NDArray[np.float32]

MOST_ROWS = 2500  # No Gram matrix of more rows is factorised.
METRIC_LANDMARKS = (1800, 2600)  # Landmarks of lsard where there are more rows, by their number.
_MOST_ROWS_OF_MORE = 20_000  # Beyond this many rows it has the smaller number of landmarks.
LANDMARKS = 2000  # Landmarks of ls where there are more rows.
_REGULARIZERS = (0.03, 0.3, 3.0)  # Values of mu that each family tries.
_LANDMARK_REGULARIZERS = (0.03, 0.3)  # Values of mu that ls tries with landmarks.
_ANOVA_REGULARIZERS = (0.003, 0.03, 0.3)  # Values of mu that the ANOVA kernel tries.
_METRIC_REGULARIZERS = (0.03, 0.3)  # Values of mu that lsard tries.
_LANDMARK_METRIC_REGULARIZERS = (0.3, 3.0)  # Values of mu that lsard tries with landmarks.
_METRIC_RIDGES = (3.0, 0.1)  # Penalties of ardl whose metrics lsard uses.
_METRIC_WIDTH = 4.0  # Bandwidth of lsard, in units of that of the learned metric.
_SHARE_OF_RMS = 1 / 3  # Bandwidth of lsard with landmarks, in root mean squared distances.
_MOST_SHARED = 2**22  # Most values of an ANOVA kernel that are kept for the members that share it.
LOG_ODDS_PER_SCORE = 4.0  # Before calibration, which finds the right ones.


@dataclass(frozen=True, eq=False)
class LeastSquaresRule:
    """Scores log pi_c + 4 (b_c + sum_i a_ic k(x, x_i)) on one block."""

    block: str
    expansion: KernelExpansion
    log_shares: Floats
    rows: Ints | None = None  # numbers of the points among the distinct rows of the fit

    @property
    def terms(self) -> int:
        return int(self.expansion.points.size)

    def scores(self, blocks: Blocks, **options: Any) -> Floats:
        X, points = self.points(blocks), self.expansion.points
        if isinstance(self.expansion.kernel, AnovaKernel) and len(X) * len(points) <= _MOST_SHARED:
            scores = self._shared_scores(X, blocks)
        else:
            scores = self.expansion.scores(X, **options)
        return np.asarray(self.log_shares + LOG_ODDS_PER_SCORE * scores)

    @property
    def shared_key(self) -> tuple[str, str, int, bytes]:
        """Equal for members that differ in their weights, and in ANOVA's interactions, alone."""
        kernel, h = self.expansion.kernel.name, self.expansion.bandwidth.tobytes()
        return self.block, kernel, id(self.expansion.points), h

    def points(self, blocks: Blocks) -> Floats:
        """The rows in the form of the table that the points are in."""
        X: Floats = getattr(blocks, self.block)
        return X

    def _shared_scores(self, X: Floats, blocks: Blocks) -> Floats:
        """From values of the kernel that are computed once for all members that use it."""
        points, kernel = self.expansion.points, self.expansion.kernel
        assert isinstance(kernel, AnovaKernel)
        if len(X) == 1:
            effects = blocks.once(("effects", id(points)), lambda: self.columnwise.effects(X[0]))
            values = effects.values(kernel.interactions)[None]
        else:
            values = blocks.once((id(kernel), id(points)), lambda: gram(X, points, kernel, 1.0))
        assert self.expansion.offset is not None
        return np.asarray(values @ self.expansion.weight_matrix() + self.expansion.offset)

    @cached_property
    def columnwise(self) -> ColumnwiseAnova:
        """Kept by the first of the members that share the points; it serves the others too."""
        assert isinstance(self.expansion.kernel, AnovaKernel)
        return ColumnwiseAnova.like(self.expansion.kernel)


def least_squares_family(training: StackTrainingSet) -> list[Candidate]:
    """Two Gaussians, two product Laplacians on normal scores, three regularisers each.

    With landmarks the two Gaussians alone, two regularisers each.
    """
    rows = training.all_rows
    regularizers = _REGULARIZERS if len(rows.blocks) <= MOST_ROWS else _LANDMARK_REGULARIZERS
    found: list[Candidate] = []
    for label, block, kernel, h in steps(list(_common_kernels(rows))):
        found += _candidates("ls", label, block, kernel, h, regularizers, rows)
    return found


def _common_kernels(training: StackTrainingSet) -> Iterator[tuple[str, str, Kernel, float]]:
    for h in gaussian_ladder(training.blocks.mixed)[-3:-1]:
        yield f"ls gaussian {h:.3g}", "mixed", get("gaussian"), float(h)
    if len(training.blocks) > MOST_ROWS:
        return
    half = float(laplacian_ladder(training.blocks.mixed_q)[-1])  # half of the mean L1 distance
    for h in (half, 4.0 * half):
        yield f"ls laplacian {h:.3g}", "mixed_q", get("laplacian"), h


def anova_family(training: StackTrainingSet) -> list[Candidate]:
    """Main effects, and main effects with all pairs, three regularisers each."""
    if len(training.all_rows.blocks) > MOST_ROWS:
        return []
    points, equality = training.blocks.scores, training.blocks.table.equality
    found: list[Candidate] = []
    for rho in steps([0.0, 1.0]):
        kernel = AnovaKernel(points, rho, equality, training.weights)
        label = "an pairs" if rho else "an"
        found += _candidates("an", label, "scores", kernel, 1.0, _ANOVA_REGULARIZERS, training)
    return found


def _candidates(
    family: str,
    label: str,
    block: str,
    kernel: Kernel,
    bandwidth: float,
    regularizers: tuple[float, ...],
    training: StackTrainingSet,
) -> list[Candidate]:
    """One kernel at every regulariser: each row left out exactly, or its fold with landmarks."""
    X = getattr(training.blocks, block)

    def rule(coefficients: Floats, offset: Floats) -> LeastSquaresRule:
        return _rule(training, block, rows, kernel, np.array(bandwidth), coefficients, offset)

    def solved_rule(ridge: LandmarkRidge) -> LeastSquaresRule:
        return rule(*ridge.solve())

    if len(X) <= MOST_ROWS:
        rows, K = np.arange(len(X)), gram(X, X, kernel, bandwidth)
        exact = left_out_ridges(K, training.frequencies, _targets(training), regularizers)
        found = [(left_out[training.scored_rows], partial(rule, a, b)) for a, b, left_out in exact]
    else:
        rng = np.random.RandomState(0)
        rows = draw_rows(training.codes, np.ones(len(X)), LANDMARKS, rng)
        points = X[rows]
        ridges = landmark_ridges(
            lambda some: gram(X[some], points, kernel, bandwidth),
            gram(points, points, kernel, bandwidth), _targets(training), training.frequencies,
            training.fold_of_row, training.scored_rows, regularizers,
        )  # fmt: skip
        found = [(ridge.left_out, partial(solved_rule, ridge)) for ridge in ridges]
    return [
        Candidate(family, label, mu, _log_scores(training, scores), fit)
        for mu, (scores, fit) in zip(regularizers, found, strict=True)
    ]


def metric_least_squares_family(training: StackTrainingSet) -> list[Candidate]:
    """Least squares in two metrics of ardl's path, or with landmarks in the best of ard's."""
    if training.is_part:
        return _metric_landmarks(training)
    X, T, paths = training.blocks.mixed, _targets(training), metric_paths("ardl", training)
    ridges = METRIC_FAMILIES["ardl"].ridges
    laplacian, w = get("laplacian"), training.frequencies
    settings = [(ridge, mu) for ridge in _METRIC_RIDGES for mu in _METRIC_REGULARIZERS]
    scores = training.unfilled_scores(len(settings))
    for (train, places), path in steps(list(zip(paths.splits, paths.without_fold, strict=True))):
        queries = X[training.scored_rows[places]]
        k = 0
        for ridge in _METRIC_RIDGES:
            scale = _metric_bandwidth(path.metrics[ridges.index(ridge)])
            K = gram(X[train] / scale, X[train] / scale, laplacian, 1.0)
            cross = gram(queries / scale, X[train] / scale, laplacian, 1.0)
            for mu in _METRIC_REGULARIZERS:
                a, b = solve_ridge(K, mu / w[train], T[train], offset=True)
                scores[k, places] = _log_scores(training, cross @ a + b)
                k += 1

    def fit(r: int, mu: float) -> LeastSquaresRule:
        bandwidth = _metric_bandwidth(paths.on_all.metrics[r])
        K = gram(X / bandwidth, X / bandwidth, laplacian, 1.0)
        a, b = solve_ridge(K, mu / w, T, offset=True)
        return _rule(training, "mixed", np.arange(len(X)), laplacian, bandwidth[None], a, b)

    return [
        Candidate("lsard", f"lsard {ridge:g}", mu, own, partial(fit, ridges.index(ridge), mu))
        for (ridge, mu), own in zip(settings, scores, strict=True)
    ]


def _metric_landmarks(training: StackTrainingSet) -> list[Candidate]:
    """Gaussians in the best metric of ard's path: weights on landmarks, the loss of many rows.

    Single precision: the jitter of the solver is what its rounding asks for.
    """
    scored = training.scored_rows
    members = calibrate_all(
        metric_family("ard", training), training.codes[scored],
        training.frequencies[scored],
    )  # fmt: skip
    best = min(members, key=lambda member: member.log_loss).candidate
    rule, rows = best.fit(), training.all_rows
    assert isinstance(rule, KernelRule)
    # One kernel serves all classes, so it has the mean of their bandwidths. Its width is a share of
    # the root mean squared distance: twice the variances, added up, are the mean squared distance.
    own = rule.expansion.bandwidth.mean(axis=0)
    spread = np.sqrt(2.0 * (training.blocks.mixed / own).var(axis=0).sum())
    X, h = rows.blocks.mixed, own * (_SHARE_OF_RMS * spread)
    scaled = (X / h).astype(np.float32)
    chosen = np.sort(np.random.RandomState(0).permutation(len(X))[: n_metric_landmarks(training)])
    landmarks = scaled[chosen]
    found = landmark_ridges(
        lambda some: _gaussian_values(scaled[some], landmarks),
        _gaussian_values(landmarks, landmarks), _targets(rows), rows.frequencies,
        rows.is_scored, rows.scored_rows, _LANDMARK_METRIC_REGULARIZERS,
    )  # fmt: skip

    def fit(ridge: LandmarkRidge) -> LeastSquaresRule:
        return _rule(rows, "mixed", chosen, get("gaussian"), h[None], *ridge.solve())

    label = f"lsard {best.parameter:g}"
    return [
        Candidate("lsard", label, mu, _log_scores(rows, ridge.left_out), partial(fit, ridge))
        for mu, ridge in zip(_LANDMARK_METRIC_REGULARIZERS, found, strict=True)
    ]


def n_metric_landmarks(training: StackTrainingSet) -> int:
    """How many landmarks lsard has among n rows: the normal equations of m cost n m^2 products."""
    usual = METRIC_LANDMARKS[len(training.all_rows.blocks) <= _MOST_ROWS_OF_MORE]
    return int(training.landmark_share * usual)


def _gaussian_values(X: Singles, Y: Singles) -> Singles:
    """exp(-|x - y|^2 / 2) in single precision, by scalar products."""
    values = X @ Y.T
    values -= 0.5 * np.einsum("ij,ij->i", X, X)[:, None]
    values -= 0.5 * np.einsum("ij,ij->i", Y, Y)
    return np.asarray(np.exp(values, out=values))


def _metric_bandwidth(metric: Metric) -> Floats:
    """Bandwidths of the columns, the scales of the classes left aside."""
    return np.asarray(_METRIC_WIDTH * np.exp(-metric.log_weights))


def _log_scores(training: StackTrainingSet, scores: Floats) -> Floats:
    return np.asarray(training.log_shares + LOG_ODDS_PER_SCORE * scores)


def _targets(training: StackTrainingSet) -> Floats:
    return np.where(training.codes[:, None] == np.arange(training.n_classes), 1.0, -1.0)


def _rule(
    training: StackTrainingSet,
    block: str,
    rows: Ints,
    kernel: Kernel,
    bandwidth: Floats,
    coefficients: Floats,
    offset: Floats,
) -> LeastSquaresRule:
    """The scores of weights on some of the training rows."""
    points: Floats = getattr(training.blocks, block)
    expansion = KernelExpansion(
        points=points if len(rows) == len(points) else points[rows],
        kernel=kernel,
        bandwidth=bandwidth,
        n_classes=training.n_classes,
        weights=coefficients,
        offset=offset,
        unit_peak=True,
    )
    return LeastSquaresRule(block, expansion, training.log_shares, training.numbers[rows])
