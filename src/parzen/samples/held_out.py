"""Kernel sums of every class at rows that are left out of it, for every bandwidth.

    log_sums[i, c, b] = log sum_{j in class c, j not left out with i} w_j k_b(x_i, x_j)

The four schemes differ in what they leave out: nothing (training error), a test part (holdout),
the row's own fold (K folds), the row itself (leave-one-out). One pass over the pairs gives all
bandwidths, all classes and all folds; a fold's sum is the log-sum over the other folds' columns.
Rows come in chunks that fit scikit-learn's ``working_memory``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Array, Bools, Floats, Ints, portion, steps
from parzen.samples.logs import log, log_add, log_sum
from parzen.samples.sample import KernelSample, Sample
from parzen.sums import has_missing, labelled_kernel_sums, marginal_log_sums

Split = tuple[Ints, Ints]
ABSENT = -1e4  # The log-density that is assumed for a class without points.

_ARRAYS_ALIVE = 4  # Arrays of a chunk's size that exist at the same time.
_MAX_FOLDS_PER_PASS = 20  # With more folds, a pass for each fold is faster than a column for each.


@dataclass(frozen=True, eq=False)
class HeldOutSums:
    """Log kernel sums of each class at rows that are left out of these classes."""

    codes: Ints
    share: Floats  # (rows,) weight of the row's loss in the criterion, up to a factor
    log_sums: Floats  # (rows, classes, bandwidths)
    counts: Floats  # (rows, classes) weight of each class without what was left out
    priors: Floats | None

    @classmethod
    def of_split(
        cls, train: Sample, test: Sample, sums: Floats, n_splits: int, priors: Floats | None
    ) -> HeldOutSums:
        """Sums over the training rows of one of several splits, at its test rows."""
        share = test.frequencies / (test.frequencies.sum() * n_splits)
        sizes = np.broadcast_to(train.counts, sums.shape[:2])
        return cls(test.codes, share, sums, sizes, priors)

    def log_joint(self) -> Floats:
        """Log pi_c f_c up to a constant per row; empirical priors are those without the row."""
        if self.priors is None:
            return self.log_sums
        known = self.counts > 0
        shift = np.where(known, log(self.priors) - log(np.where(known, self.counts, 1.0)), -np.inf)
        return np.asarray(self.log_sums + shift[:, :, None])

    def prior_mass(self) -> Floats:
        """Priors up to a factor; they decide where every density is zero."""
        return self.counts if self.priors is None else np.where(self.counts > 0, self.priors, 0.0)

    def is_known(self) -> Bools:
        """Whether the row's class has points beside those that were left out."""
        return np.asarray(self.counts[np.arange(len(self.codes)), self.codes] > 0)


Scheme = Callable[[KernelSample, Floats], Iterator[HeldOutSums]]


def training_sums(
    sample: KernelSample, bandwidths: Floats, among: Ints | None = None
) -> Iterator[HeldOutSums]:
    """Nothing is left out: the sums at a row contain its own kernel.

    ``among`` names the rows whose sums are computed, all rows by default.
    """
    queried = sample if among is None else sample.rows(among)
    return _sums_over(sample, queried, queried.frequencies, bandwidths)


def leave_one_out_sums(
    sample: KernelSample, bandwidths: Floats, among: Ints | None = None
) -> Iterator[HeldOutSums]:
    """Each row without itself; of a row of frequency w > 1 its w - 1 other copies stay.

    ``among`` names the rows whose sums are computed, all rows by default.
    """
    share = sample.frequencies
    others_of_class = sample.same_class_weight_without_self()
    queried = sample if among is None else sample.rows(among)
    for batch in _batches(queried, sample.n_classes * len(bandwidths)):
        rows = batch if among is None else among[batch]
        queries = sample.rows(rows)
        own = np.arange(len(queries)), queries.codes
        if has_missing(sample.X):
            places = np.arange(len(sample))[rows]
            sums = _gapped_log_sums(queries, sample, bandwidths, leave="copy", rows=places)
        else:
            own_share = len(queries) / len(sample)
            with portion(0, own_share):
                sums = labelled_kernel_sums(
                    exclude_self=True, **_arguments(queries, queries, bandwidths)
                ).astype(np.float64, copy=False)
            if own_share < 1:
                others = sample.rows(np.delete(np.arange(len(sample)), rows))
                with portion(own_share):
                    sums = log_add(sums, _sums(queries, others, bandwidths))
            if sample.weights is not None:
                sums[own] = log_add(sums[own], log_copies(queries, bandwidths))
        sizes = np.tile(sample.counts, (len(queries), 1))
        sizes[own] = others_of_class[rows]
        yield HeldOutSums(queries.codes, share[rows], sums, sizes, sample.priors)


def left_out_log_means(
    sample: KernelSample, bandwidths: Floats, among: Ints | None = None
) -> Floats:
    """Log f_c of rows without themselves, shape (rows, C, bandwidths)."""
    found = leave_one_out_sums(sample, bandwidths, among)
    return np.concatenate([log_means(part.log_sums, part.counts) for part in found])


def log_means(log_sums: Floats, sizes: Floats) -> Floats:
    """Log f_c from sums over the classes; a finite number where there is nothing to sum."""
    means = log_sums - log(np.where(sizes > 0, sizes, 1.0))[..., None]
    return np.asarray(np.where(np.isneginf(log_sums), ABSENT, means))


def fold_sums(
    sample: KernelSample,
    bandwidths: Floats,
    splits: Sequence[Split],
    scored: Sequence[Split] | None = None,
) -> Iterator[HeldOutSums]:
    """Each row without its fold; the criterion is the mean over the folds.

    ``scored`` are the same splits with those test rows whose sums are computed, all by default.
    """
    fold = _fold_of_rows(splits, len(sample))
    if fold is None or len(splits) > _MAX_FOLDS_PER_PASS or has_missing(sample.X):
        for train, test in steps(splits if scored is None else scored):
            if len(test):
                part = sample.rows(test)
                share = part.frequencies / part.frequencies.sum()
                yield from _sums_over(sample.rows(train), part, share, bandwidths)
        return
    K, C = len(splits), sample.n_classes
    columns = sample.codes * K + fold
    sizes = np.bincount(columns, sample.frequencies, minlength=C * K).reshape(C, K)
    queried = sample
    if scored is not None:
        among = np.sort(np.concatenate([test for _, test in scored]))
        queried, fold = sample.rows(among), fold[among]
    mass = np.bincount(fold, queried.frequencies, minlength=K)
    share = queried.frequencies / mass[fold]
    for rows in _batches(queried, C * K * len(bandwidths)):
        queries = queried.rows(rows)
        points = sample if len(queries) < len(sample) else queries
        sums = _sums(queries, points, bandwidths, labels=columns, n_labels=C * K)
        sums = sums.reshape(len(queries), C, K, -1)
        for k in np.unique(fold[rows]):
            here, others = fold[rows] == k, np.arange(K) != k
            left = log_sum(sums[here][:, :, others], axis=2)
            size = np.broadcast_to(sizes[:, others].sum(axis=1), (len(left), C))
            yield HeldOutSums(queries.codes[here], share[rows][here], left, size, sample.priors)


def holdout_sums(sample: KernelSample, bandwidths: Floats, split: Split) -> Iterator[HeldOutSums]:
    """Sums over the training rows of a split at its test rows."""
    part = sample.rows(split[1])
    return _sums_over(sample.rows(split[0]), part, part.frequencies, bandwidths)


def class_log_sums(X: Array, sample: KernelSample, points: Array, bandwidths: Floats) -> Floats:
    """Log-sums of the classes at queries, with ``points`` in place of the sample's rows."""
    arguments = _arguments(sample, sample, bandwidths) | {"X": X, "Y": points}
    return labelled_kernel_sums(**arguments).astype(np.float64, copy=False)


def log_copies(sample: KernelSample, bandwidths: Floats) -> Floats:
    """Log of the kernel mass of the copies that stay when one copy of each row is left out."""
    w = sample.frequencies
    peak = sample.kernel.log_normalizer(bandwidths, sample.X.shape[1])
    return log(w - np.minimum(w, 1.0))[:, None] + peak


def _sums_over(
    points: KernelSample, part: KernelSample, share: Floats, bandwidths: Floats
) -> Iterator[HeldOutSums]:
    """Sums over some points at all rows of a part."""
    for rows in _batches(part, part.n_classes * len(bandwidths)):
        queries = part.rows(rows)
        itself = part is points and len(queries) == len(points)  # then half of the pairs suffice
        sums = _sums(queries, queries if itself else points, bandwidths)
        sizes = np.broadcast_to(points.counts, (len(queries), part.n_classes))
        yield HeldOutSums(queries.codes, share[rows], sums, sizes, part.priors)


def _sums(
    queries: KernelSample,
    points: KernelSample,
    bandwidths: Floats,
    labels: Ints | None = None,
    n_labels: int | None = None,
) -> Floats:
    if has_missing(queries.X, points.X):
        return _gapped_log_sums(queries, points, bandwidths)
    arguments = _arguments(queries, points, bandwidths)
    if labels is not None:
        arguments |= {"labels": labels, "n_labels": n_labels}
    return labelled_kernel_sums(**arguments).astype(np.float64, copy=False)


def _arguments(queries: KernelSample, points: KernelSample, bandwidths: Floats) -> dict[str, Any]:
    """What `labelled_kernel_sums` takes for the classes' sums over the points at the queries."""
    return {
        "X": queries.X,
        "Y": points.X,
        "labels": points.codes,
        "n_labels": points.n_classes,
        "weights": points.weights,
        "kernel": points.kernel,
        "bandwidths": bandwidths,
        "n_jobs": points.n_jobs,
    }


def _gapped_log_sums(
    queries: KernelSample, points: KernelSample, bandwidths: Floats, **leave: Any
) -> Floats:
    arguments = _arguments(queries, points, bandwidths)
    return marginal_log_sums(**arguments, mismatch=points.mismatch, **leave)


def _batches(sample: KernelSample, values_per_row: int) -> Iterator[slice]:
    """Chunks of rows that fit ``working_memory``; progress is reported for each."""
    rows = get_chunk_n_rows(
        row_bytes=_ARRAYS_ALIVE * 8 * values_per_row, max_n_rows=max(1, len(sample))
    )
    return steps(list(gen_batches(len(sample), rows)))


def _fold_of_rows(splits: Sequence[Split], n: int) -> Ints | None:
    """The fold of each row where every row is tested once and trained on in all other folds."""
    fold = np.full(n, -1, np.intp)
    for k, (train, test) in enumerate(splits):
        is_in_split = np.zeros(n, bool)
        is_in_split[train] = is_in_split[test] = True
        if len(train) + len(test) != n or not is_in_split.all() or (fold[test] >= 0).any():
            return None
        fold[test] = k
    return None if (fold < 0).any() else fold
