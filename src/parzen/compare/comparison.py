"""Several estimators on the same splits, and what can be said about their differences.

    compare(estimators, X, y, splits) -> Comparison: rows, ranks, differences

Every pair of estimator and split is one task; tasks run in parallel and in any order. Differences
are judged by Nadeau and Bengio's corrected resampled t-test against the best, with Holm's
adjustment for the number of rivals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from parzen._core import Floats, effective_threads
from parzen.compare.outcome import Outcome, judge
from parzen.compare.paired_tests import PairedResult, corrected_resampled_t_test
from parzen.compare.shares import telling
from parzen.samples import Split


@dataclass(frozen=True)
class Row:
    """One estimator over all splits: means, and the spread of its error.

    Attributes
    ----------
    name : str
        The estimator.
    error, error_sd : float
        Mean and standard deviation of the share of errors over the splits.
    balanced_error : float
        Mean.
    log_loss, brier, auc, set_size, kept : float or None
        Means; None where the estimator has no probabilities, no scores, no prediction sets or no
        kernels.
    fit_seconds, predict_seconds : float
        Means.
    rank : float
        Mean of the ranks in the splits, 1 is the best; NaN where a split failed.
    pvalue : float
        Of the difference from the best, adjusted for the number of rivals; 1 for the best itself.
    failures : list of str
        Reasons for splits without a result.
    """

    name: str
    error: float
    error_sd: float
    balanced_error: float
    log_loss: float | None
    brier: float | None
    auc: float | None
    set_size: float | None
    kept: float | None
    fit_seconds: float
    predict_seconds: float
    rank: float
    pvalue: float
    failures: list[str]

    def numbers(self) -> list[tuple[float | None, str]]:
        """What a table shows of it, by `COLUMNS`: numbers in their units, and their formats."""
        values = [(getattr(self, name), factor, form) for name, factor, form in COLUMNS.values()]
        return [(None if v is None else factor * v, form) for v, factor, form in values]


# Of a table of rows: title, then member of `Row`, factor from its unit to the title's, and format.
COLUMNS = {
    "error %": ("error", 100, ".2f"),
    "sd": ("error_sd", 100, ".2f"),
    "bal. %": ("balanced_error", 100, ".2f"),
    "log-loss": ("log_loss", 1, ".3f"),
    "Brier": ("brier", 1, ".3f"),
    "AUC": ("auc", 1, ".3f"),
    "set size": ("set_size", 1, ".2f"),
    "kernels %": ("kept", 100, ".0f"),
    "fit s": ("fit_seconds", 1, ".3f"),
    "predict ms": ("predict_seconds", 1e3, ".2f"),
    "rank": ("rank", 1, ".1f"),
    "p": ("pvalue", 1, ".3f"),
}


@dataclass(frozen=True)
class Comparison:
    """The outcomes of several estimators on the same splits.

    Attributes
    ----------
    names : tuple of str
        The estimators, in the order in which they were given.
    outcomes : tuple of Outcome
        One per estimator and split, by estimator, then split.
    train_size, test_size : float
        Mean number of rows of a split's two parts.
    """

    names: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    train_size: float
    test_size: float

    def of(self, name: str) -> list[Outcome]:
        """The outcomes of one estimator, by split."""
        return [o for o in self.outcomes if o.name == name]

    def errors(self, name: str) -> Floats:
        """Its errors by split, NaN where it failed."""
        return np.array([o.error for o in self.of(name)])

    @property
    def complete(self) -> list[str]:
        """Names of the estimators that failed on no split."""
        return [name for name in self.names if np.isfinite(self.errors(name)).all()]

    def best(self) -> str | None:
        """The estimator of the smallest mean error, the first of several; None if all failed."""
        return min(self.complete, key=lambda name: self.errors(name).mean(), default=None)

    def difference(self, first: str, second: str) -> PairedResult:
        """Corrected resampled t-test of two estimators' errors; negative: the first errs less."""
        return corrected_resampled_t_test(
            self.errors(first),
            self.errors(second),
            train_size=self.train_size,
            test_size=self.test_size,
            resolution=1 / self.test_size,
        )

    def confusion(self, name: str) -> dict[str, dict[str, float]]:
        """Weight of the test rows of all splits, by true and predicted label."""
        total: dict[str, dict[str, float]] = {}
        for outcome in self.of(name):
            for true, row in outcome.confusion.items():
                sums = total.setdefault(true, {})
                for predicted, weight in row.items():
                    sums[predicted] = sums.get(predicted, 0.0) + weight
        return total

    def rows(self) -> list[Row]:
        """One row per estimator, the best first, those that failed last."""
        ranks, pvalues = self._ranks(), self._pvalues()
        rows = [
            self._row(name, ranks.get(name, np.nan), pvalues.get(name, np.nan))
            for name in self.names
        ]
        return sorted(rows, key=lambda row: (bool(row.failures), np.nan_to_num(row.error, nan=2.0)))

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "names": list(self.names),
            "train_size": self.train_size,
            "test_size": self.test_size,
            "outcomes": [o.as_dict() for o in self.outcomes],
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Comparison:
        """The inverse of `as_dict`."""
        outcomes = tuple(Outcome.from_dict(o) for o in plain["outcomes"])
        return cls(tuple(plain["names"]), outcomes, plain["train_size"], plain["test_size"])

    def _ranks(self) -> dict[str, float]:
        names = self.complete
        if not names:
            return {}
        ranks = rankdata([self.errors(name) for name in names], axis=0).mean(axis=1)
        return dict(zip(names, ranks.tolist(), strict=True))

    def _pvalues(self) -> dict[str, float]:
        best, n_splits = self.best(), len(self.of(self.names[0]))
        if best is None or n_splits < 2:
            return {}
        rivals = [name for name in self.complete if name != best]
        raw = [self.difference(best, name).pvalue for name in rivals]
        return {best: 1.0, **dict(zip(rivals, holm(raw).tolist(), strict=True))}

    def _row(self, name: str, rank: float, pvalue: float) -> Row:
        outcomes = self.of(name)
        done = [o for o in outcomes if o.failure is None]
        always = ("error", "balanced_error", "fit_seconds", "predict_seconds")
        means: dict[str, Any] = {
            field: _mean([getattr(o, field) for o in done], np.nan if field in always else None)
            for field in (*always, "log_loss", "brier", "auc", "set_size", "kept")
        }
        return Row(
            name=name,
            error_sd=float(np.std([o.error for o in done], ddof=1)) if len(done) > 1 else np.nan,
            **means,
            rank=rank,
            pvalue=pvalue,
            failures=[o.failure for o in outcomes if o.failure is not None],
        )


def compare(
    estimators: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    splits: Iterable[Split],
    *,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    known: Iterable[Outcome] = (),
    on_outcome: Callable[[Outcome], None] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Comparison:
    """Fit and judge every estimator on every split.

    Parameters
    ----------
    estimators : dict of str to estimator
        Any classifiers, cloned for each split; model selection belongs inside them.
    X : array or data frame of shape (n_samples, n_features)
        The sample.
    y : array of shape (n_samples,)
        The class of each row.
    splits : iterable of (train, test) index arrays
        The same for all estimators.
    sample_weight : array of shape (n_samples,), default=None
        How often each row counts, in the fits and in the errors.
    n_jobs : int, default=None
        Processes; None for all cores that the process may use. Threads inside the estimators
        share what is left.
    known : iterable of Outcome, default=()
        Results of an earlier run on the same splits, which are not computed again.
    on_outcome : callable, default=None
        Called in this process with every new outcome, in the order in which they come.
    progress : callable, default=None
        Called now and then, from another thread, with the number of new outcomes that are done;
        those under way count by their parts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import ParzenClassifier
    >>> from parzen.compare import compare, random_splits
    >>> X, y = load_iris(return_X_y=True)
    >>> splits = random_splits(y, 3, test_size=0.3)
    >>> found = compare({"narrow": ParzenClassifier(bandwidth=0.4),
    ...                  "wide": ParzenClassifier(bandwidth=4.0)}, X, y, splits, n_jobs=1)
    >>> [row.name for row in found.rows()]
    ['narrow', 'wide']
    """
    labels, pairs = np.asarray(y), list(splits)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if not estimators or not pairs:
        raise ValueError("compare needs at least one estimator and one split.")
    results = {(o.name, o.split): o for o in known if o.name in estimators and o.split < len(pairs)}
    missing = [(n, s) for s in range(len(pairs)) for n in estimators if (n, s) not in results]
    processes = min(effective_threads(-1 if n_jobs is None else n_jobs), max(1, len(missing)))
    pool = Parallel(processes, batch_size=1, return_as="generator_unordered")
    with telling(progress, len(missing)) as shares:
        tasks = [
            delayed(judge)(
                name, estimators[name], X, labels, split, *pairs[split], listener, weights
            )
            for (name, split), listener in zip(missing, shares.listeners, strict=True)
        ]
        for outcome in pool(tasks):
            results[outcome.name, outcome.split] = outcome
            if on_outcome is not None:
                on_outcome(outcome)
            shares.look()
    return Comparison(
        names=tuple(estimators),
        outcomes=tuple(results[name, s] for name in estimators for s in range(len(pairs))),
        train_size=float(np.mean([len(train) for train, _ in pairs])),
        test_size=float(np.mean([len(test) for _, test in pairs])),
    )


def holm(pvalues: Sequence[float]) -> Floats:
    """Holm's adjustment of p-values for their number.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(pvalues, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    out = np.empty_like(p)
    out[order] = np.minimum(adjusted, 1.0)
    return out


def _mean(values: Sequence[float | None], otherwise: Any = None) -> Any:
    """The mean, None if a value is missing."""
    numbers = [v for v in values if v is not None]
    return float(np.mean(numbers)) if numbers and len(numbers) == len(values) else otherwise
