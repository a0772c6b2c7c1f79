"""Score classifiers of large samples: weights on landmarks, the loss of all rows.

Candidates are compared by folds of a part of the sample, whose frequencies are raised so that it
stands for the whole; every fold is a triangular factor (`LandmarkFactor`), and the others of it are
joined to train on. The weights in the end come from the factor of all rows, formed block by block
with that of the part as a `Pilot`.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, gen_batches, gen_even_slices
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import effective_threads, few_blas_threads, look_up, portion, run_tasks, steps
from parzen.classifiers.least_squares.bandwidth import Widths, widths
from parzen.classifiers.least_squares.sample import ScoreSample
from parzen.classifiers.least_squares.selection import candidates, joined_columns, joined_machines
from parzen.kernels import check_gram_size, check_kernel, gram, grams
from parzen.samples import Sample, draw, draw_rows, part_size
from parzen.solvers import LandmarkFactor, Pilot, Seen

if TYPE_CHECKING:
    from parzen.classifiers.least_squares.score_classifier import ScoreClassifier

Floats = NDArray[np.float64]

_BLOCK = 2048  # rows
_STRETCHES = 8  # of rows, among which threads divide


class LandmarkProblem(NamedTuple):
    """What weights on landmarks are found from."""

    factor: LandmarkFactor
    gram: Floats  # between the landmarks
    landmarks: ScoreSample  # with the frequencies that each stands for
    targets: Floats  # of the landmarks


class Machine(NamedTuple):
    """Kernels at the landmarks, and targets."""

    kernel: Any
    tried: Widths
    landmarks: Floats  # in the units of ``tried``, as h
    h: float
    codes: Floats  # targets of a row of each class

    def rows(
        self, X: Floats, codes: NDArray[np.intp], weights: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Kernels, targets and frequencies of some rows."""
        K = gram(self.tried.points(X), self.landmarks, self.kernel, self.h)
        return K, self.codes[codes], weights

    def seen(self, pilot: Pilot, X: Floats, codes: NDArray[np.intp], weights: Floats) -> Seen:
        """What the factor of these rows follows from, block by block."""
        width = len(self.landmarks) + 1 + self.codes.shape[1]
        size = get_chunk_n_rows(row_bytes=8 * 8 * width, max_n_rows=_BLOCK)
        total = pilot.nothing()
        for block in steps(list(gen_batches(len(X), size))):
            look_up()
            here = pilot.seen(*self.rows(X[block], codes[block], weights[block]))
            total = total.and_also(here)
        return total


class Whole(Protocol):
    """All rows, wherever they are."""

    def seen(self, machine: Machine, pilot: Pilot) -> Seen:
        """What the factor of all rows follows from."""


class Rows:
    """All rows, when they are here."""

    def __init__(self, sample: ScoreSample, n_jobs: int | None) -> None:
        self._sample, self._n_jobs = sample, n_jobs

    def seen(self, machine: Machine, pilot: Pilot) -> Seen:
        """Stretch by stretch, whatever the number of threads; interruptible between blocks."""
        X, codes, weights = self._sample.X, self._sample.codes, self._sample.weights
        tasks = [
            partial(machine.seen, pilot, X[part], codes[part], weights[part])
            for part in gen_even_slices(len(X), min(_STRETCHES, len(X)))
        ]
        return reduce(Seen.and_also, run_tasks(tasks, effective_threads(self._n_jobs)))


def class_targets(machine: ScoreClassifier, classes: NDArray[Any], *, per_class: bool) -> Floats:
    """The targets of a row of each class, shape (n_classes, columns)."""
    each = np.arange(len(classes))
    one = np.ones(len(classes))
    sample = ScoreSample(np.empty((len(each), 0)), each, one, classes, each)
    return machine._targets(sample, per_class=per_class)


def fit_on_landmarks(machine: ScoreClassifier, sample: ScoreSample, count: int) -> None:
    """Fit a sample that is here."""
    drawn = draw(sample.codes, sample.weights, count, machine.random_state)
    places = np.searchsorted(drawn.part, drawn.landmarks)
    part = sample.take(drawn.part)
    counts = np.bincount(sample.codes, sample.weights).astype(np.float64)
    fit_part(machine, part, counts, places, Rows(sample, machine.n_jobs))


def fit_chunks_on_landmarks(machine: ScoreClassifier, chunks: Any, count: int) -> None:
    """Fit a chunked sample, which stays where it is."""
    drawn = chunks.drawn(part_size(count), machine.random_state)
    sample = Sample(drawn.X, drawn.codes, drawn.weights, chunks.classes, chunks.counts)
    part = ScoreSample.merged(sample)
    part = part._replace(rows=drawn.rows[part.rows])
    rng = check_random_state(machine.random_state)
    places = draw_rows(part.codes, part.weights, count, rng)
    fit_part(machine, part, chunks.counts, places, chunks)


def fit_part(
    machine: ScoreClassifier,
    drawn: ScoreSample,
    counts: Floats,
    places: NDArray[np.intp],
    whole: Whole,
) -> None:
    """Choose on a part, and find the weights of the landmarks at ``places`` in it on the whole.

    ``counts`` are the frequencies of the classes of the whole.
    """
    kernel = check_kernel(machine.kernel)
    check_gram_size(len(drawn.X), len(places))
    tried = widths(machine.bandwidth, drawn, kernel, machine.n_jobs)
    part = drawn.standing_for(counts)
    regularizers = candidates(getattr(machine, machine._regularizer), np.array(machine._grid))
    codes = class_targets(machine, part.classes, per_class=tried.per_class)
    visited = len(tried.candidates) * len(part.X)  # rows, beside those of the whole
    searched = float(visited / (visited + counts.sum()))
    with few_blas_threads(len(places)):  # threads share out folds and rows
        with portion(0, searched):
            held = _held_out(machine, part, places, tried, regularizers, codes)
        criterion = f"{machine._n_folds()}-fold error"
        i, j = machine._note_choice(tried, regularizers, held, part, criterion)
        landmarks = part.take(places).standing_for(counts)
        fitted = []
        with portion(searched):
            for columns, each in steps(list(tried.machines())):
                L, h = each.points(landmarks.X), float(each.candidates[i])
                at = Machine(machine.kernel, each, L, h, codes[:, columns])
                pilot = Pilot(LandmarkFactor.of(*at.rows(part.X, part.codes, part.weights)))
                factor = pilot.factor(whole.seen(at, pilot))
                own = at.codes[landmarks.codes]
                problem = LandmarkProblem(factor, gram(L, L, kernel, h), landmarks, own)
                fitted.append(machine._landmark_final(problem, float(regularizers[j])))
    machine._keep(part.take(places), *joined_machines(fitted))
    machine._set_probability_scale(held[i][j], part)


def _held_out(
    machine: ScoreClassifier,
    part: ScoreSample,
    places: NDArray[np.intp],
    tried: Widths,
    regularizers: Floats,
    codes: Floats,
) -> list[Floats]:
    """Scores of held-out rows for every candidate."""
    blocks = []
    for columns, each in steps(list(tried.machines())):
        points = each.points(part.X)
        search = _Search(machine, part, places, regularizers, codes[part.codes][:, columns])
        matrices = grams(points, points[places], check_kernel(machine.kernel), each.candidates)
        blocks.append([search.held_out(K) for K in steps(matrices, np.ones(len(each.candidates)))])
    return joined_columns(blocks)


class _Search:
    """Folds of the part; a row that is held out is no landmark either."""

    def __init__(
        self,
        machine: ScoreClassifier,
        part: ScoreSample,
        places: NDArray[np.intp],
        regularizers: Floats,
        targets: Floats,
    ) -> None:
        self.machine, self.part, self.places = machine, part, places
        self.regularizers, self.targets = regularizers, targets
        self.splits = part.splits(machine._n_folds())
        self.threads = effective_threads(machine.n_jobs)

    def held_out(self, K: Floats) -> Floats:
        """Scores of held-out rows, shape (regularizers, n, columns); K is (n, m)."""
        T, w = self.targets, self.part.weights

        def factor(test: NDArray[np.intp]) -> LandmarkFactor:
            return LandmarkFactor.of(K[test], T[test], w[test])

        folds = [partial(factor, test) for _, test in self.splits]
        others = LandmarkFactor.all_but_one(run_tasks(folds, self.threads))
        tasks = [
            partial(self._of_fold, K, factor, *split)
            for factor, split in zip(others, self.splits, strict=True)
        ]
        scores = np.zeros((len(self.regularizers), *T.shape))
        for (_, test), found in zip(self.splits, run_tasks(tasks, self.threads), strict=True):
            scores[:, test] = found
        return scores

    def _of_fold(
        self, K: Floats, others: LandmarkFactor, train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> Floats:
        """Scores of the rows of a fold, by the landmarks of the others."""
        scores = np.zeros((len(self.regularizers), len(test), self.targets.shape[1]))
        kept = np.flatnonzero(~np.isin(self.places, test))
        if len(kept) == 0:
            return scores
        system = self.machine._landmark_system(self._problem(others.on(kept), K, train, kept))
        across = K[np.ix_(test, kept)]
        for r, value in enumerate(self.regularizers):
            W, b = system(float(value))
            scores[r] = across @ W + b
        return scores

    def _problem(
        self, factor: LandmarkFactor, K: Floats, train: NDArray[np.intp], kept: NDArray[np.intp]
    ) -> LandmarkProblem:
        places = self.places[kept]
        counts = np.bincount(
            self.part.codes[train], self.part.weights[train], len(self.part.classes)
        )
        landmarks = self.part.take(places).standing_for(counts)
        return LandmarkProblem(factor, K[np.ix_(places, kept)], landmarks, self.targets[places])
