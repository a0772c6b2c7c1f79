"""A stack of leave-one-out densities: the classifier that needs no parameter.

Level 0: a few families of kernel densities, each at a few bandwidths, give log-densities of the
classes at rows they have not seen. Level 1: one log-linear pool with weights that are not negative,

    P(c|x) = softmax_c( a_c + sum_m v_m g_c^(m)(x) ),

g^(m) the calibrated log-posterior of member m. All densities come from `kernel_sums`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils._chunking import get_chunk_n_rows
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Anything,
    CategoryColumns,
    Checked,
    Constraints,
    Flag,
    Integer,
    Number,
    Seed,
    described,
    effective_threads,
    is_dask,
    portion,
    steps,
    validate_table,
)
from parzen.classifiers.base import DensityClassifier, Sample, canonical_rows
from parzen.classifiers.stack.families import ALLOW_MISSING, COSTS, FAMILIES, family_names
from parzen.classifiers.stack.kernels import MOST_COLUMNS, KernelRule
from parzen.classifiers.stack.least_squares import MOST_ROWS
from parzen.classifiers.stack.pool import best_of_families, calibrate_all, doubted, fit_pool
from parzen.classifiers.stack.reference import fit_reference
from parzen.classifiers.stack.relevance import relevance
from parzen.classifiers.stack.stage import Stage, judged_rows
from parzen.classifiers.stack.table import Table
from parzen.samples import log
from parzen.sums import DEFAULT_RTOL

Floats = NDArray[np.float64]

_REFERENCE, _JUDGING = 0.05, 0.85  # shares of the work that are done after these stages


@described
class StackedDensityClassifier(DensityClassifier):
    """Classify by a pool of kernel densities; nothing needs to be chosen.

    Parameters
    ----------
    families : {"core", "fast", "all"} or list of str, default="core"
        Densities that may enter the pool: ``iso`` and ``lap`` (Gaussian, product Laplacian on
        standardised columns), ``mix`` (with indicators for columns of few values), ``white``
        (whitened by the pooled covariance), ``cov`` (covariance of each class), ``nb`` and ``dnb``
        (naive Bayes, with learned weights), ``ard``, ``ardl``, ``ardw`` (relevance of every column
        learned: Gaussian, product Laplacian, Gaussian in whitened space). ``"core"`` is lap, white,
        cov, dnb, ardl; ``"fast"`` leaves ardl out.
    per_family : int, default=2
        Most members of one family in the pool.
    ridge : float, default=10.0
        Penalty on the squared weights of the pool.
    folds : int, default=5
        Folds for members whose metric or weights are shaped by labels.
    least_squares : bool, default=False
        Add kernel least squares (``ls``) to the families; takes a factorisation of a Gram matrix.
    categorical_features : list, "from_dtype" or None, default="from_dtype"
        Columns of categories: their numbers, names or a mask; ``"from_dtype"`` takes the columns of
        text and categories of a data frame.
    random_state : int, RandomState or None, default=None
        Order of the rows in folds; None takes every fifth row of the sorted sample.
    {priors, class_weight, costs, gamma, reject, reject_label, novelty, novelty_label, method,
     rtol, n_jobs}

    Attributes
    ----------
    experts_ : list of Expert
        The members of the pool: name, family, bandwidth, log_loss out of sample, calibration.
    weights_ : array of shape (n_experts,)
        Their weights.
    offsets_ : array of shape (n_classes,)
        The a of the pool.
    doubt_ : float
        Share of the uniform distribution in the probabilities, 1 / (10 n) or more.
    metric_ : array of shape (n_features,)
        Relevance of every column of the input: its share of the distances in the learned metrics of
        the pool, or of the weights of naive Bayes. Sums to 1; 0 for constant columns.
    loo_log_loss_ : float
        Mean log-loss of the pool on the training rows, no member having seen the row it scores.
    {classes_, class_count_, priors_, decision_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    Time is that of some kernel sums over all pairs, and of some 600 gradients over 400 n pairs for
    a learned metric. Beyond 4000 rows only 4000 of them are scored, all of them against all points:
    time grows in proportion to n, memory stays at ``working_memory``. Copies of a row are merged,
    so a weight of 2 is two copies to the last bit. Probabilities are those of the observed class
    shares; other ``priors`` multiply them by the ratio. Missing entries are allowed where every
    family is ``nb`` or ``dnb``. Beyond 300 columns (indicators counted) ``white``, ``cov`` and
    ``ardw`` stay out of the pool, beyond 2500 different rows ``ls``.

    ``score_samples`` and ``novelty`` use the density of a product Laplacian on standardised
    columns, at the bandwidth of largest leave-one-out likelihood.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import StackedDensityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = StackedDensityClassifier(families="fast").fit(X[::2], y[::2])
    >>> clf.score(X[1::2], y[1::2]) > 0.94
    True
    >>> clf.loo_log_loss_ < 0.2, len(clf.experts_) == len(clf.weights_)
    (True, True)
    """

    _constraints: ClassVar[Constraints] = {
        "families": Checked(family_names),
        "per_family": Integer(1),
        "ridge": Number("[0, inf)"),
        "folds": Integer(2),
        "least_squares": Flag(),
        "categorical_features": Anything(),  # depends on the columns
        "random_state": Seed(),
    }

    def __init__(
        self,
        families: str | list[str] = "core",
        *,
        per_family: int = 2,
        ridge: float = 10.0,
        folds: int = 5,
        least_squares: bool = False,
        categorical_features: ArrayLike | str | None = "from_dtype",
        random_state: Any = None,
        priors: ArrayLike | str | None = None,
        class_weight: dict[Any, float] | str | None = None,
        costs: ArrayLike | None = None,
        gamma: float | None = None,
        reject: float | None = None,
        reject_label: Any = None,
        novelty: float | None = None,
        novelty_label: Any = None,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            priors=priors,
            class_weight=class_weight,
            costs=costs,
            gamma=gamma,
            reject=reject,
            reject_label=reject_label,
            novelty=novelty,
            novelty_label=novelty_label,
            method=method,
            rtol=rtol,
            n_jobs=n_jobs,
        )
        self.families = families
        self.per_family = per_family
        self.ridge = ridge
        self.folds = folds
        self.least_squares = least_squares
        self.categorical_features = categorical_features
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Say whether NaN is allowed, and that categories are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing()
        tags.input_tags.categorical = True
        return tags

    def _allows_missing(self) -> bool:
        named = isinstance(self.families, str) or not isinstance(self.families, Iterable)
        return not named and set(self.families) <= ALLOW_MISSING and not self.least_squares

    def _validate(self, X: ArrayLike, *, reset: bool) -> NDArray[Any]:
        if reset:
            self._categories = CategoryColumns.find(X, self.categorical_features)
        try:
            points = validate_table(
                self, X, self._categories, reset=reset, allow_nan=self._allows_missing()
            )
        except ValueError as error:
            if "contains NaN" not in str(error):
                raise
            raise ValueError(f"{error} Or use families=['nb', 'dnb'], which allow them.") from None
        return np.asarray(points, dtype=np.float64)

    def _fit_densities(self, sample: Sample) -> None:
        X, codes, weights = canonical_rows(sample)
        C = len(sample.classes)
        self._log_shares = log(sample.counts / sample.counts.sum())
        self._table = Table.fit(X, self._categories.is_categorical, weights)
        blocks = self._table.apply(X)
        folds = int(self.folds)
        order = np.arange(len(X))
        if self.random_state is not None:
            order = check_random_state(self.random_state).permutation(len(X))
        judged = judged_rows(len(X), blocks, C, folds)
        stage = Stage(
            blocks, self._table.is_discrete if len(self._table.kept) else np.zeros(1, dtype=bool),
            codes, weights, C, order % folds, order % (2 * folds), judged,
            effective_threads(self.n_jobs),
        )  # fmt: skip
        self._fit_pool(stage)

    def _fit_pool(self, stage: Stage) -> None:
        y = stage.codes[stage.judged]
        w = stage.frequencies[stage.judged]
        known = stage.sample(stage.blocks.columns, "gaussian").companions()[stage.judged] > 0
        with portion(0, _REFERENCE):
            self._reference = fit_reference(stage)
        self.experts_, self.weights_, self.offsets_ = [], np.empty(0), np.zeros(stage.n_classes)
        log_posterior = np.tile(stage.log_shares, (len(y), 1))
        self.loo_log_loss_ = self.doubt_ = 0.0
        if stage.n_classes > 1 and known.any():
            with portion(_REFERENCE, _JUDGING):
                names = self._family_names()
                told = steps(names, [COSTS.get(name, 1.0) for name in names])
                candidates = [c for name in told for c in FAMILIES[name](stage)]
            if not candidates:
                raise ValueError(
                    f"families={self.families!r} leaves no member: white, cov and ardw take at "
                    f"most {MOST_COLUMNS} columns (indicators counted), ls at most {MOST_ROWS} "
                    "different rows. Add 'lap', or use families='core'."
                )
            best = best_of_families(
                calibrate_all(candidates, y, np.where(known, w, 0.0)), int(self.per_family)
            )
            G = np.stack([c.log_posterior() for c in best])
            pool = fit_pool(G, y, w, known, float(self.ridge))
            kept = np.flatnonzero(pool.weights)
            with portion(_JUDGING):
                self.experts_ = [best[m].expert() for m in steps(kept.tolist())]
            self.weights_, self.offsets_ = pool.weights[kept], pool.offsets
            self.doubt_ = pool.doubt
            log_posterior, self.loo_log_loss_ = pool.log_posterior, pool.log_loss
        elif stage.n_classes > 1:  # every class has one row: nothing can be judged
            self.experts_, self.weights_ = [self._reference.expert(stage)], np.ones(1)
        self.metric_ = relevance(self.experts_, self.weights_, self._table, self.n_features_in_)
        self._judged = y, w
        self._left_out = log_posterior - self._log_shares

    def _family_names(self) -> tuple[str, ...]:
        names = family_names(self.families)
        return (*names, "ls") if self.least_squares and "ls" not in names else names

    def _log_densities(self, X: Floats) -> Floats:
        """Log f_c by Bayes' rule from the pool's posteriors and the density of all classes."""
        return self._in_batches(X, with_reference=self.novelty is not None)

    def score_samples(self, X: ArrayLike) -> NDArray[np.float64]:
        """Log-density of the mixture of the classes at each row, in standardised units."""
        if is_dask(X):
            return self._answer_by_chunks("score_samples", X)
        check_is_fitted(self)
        points = self._validate(X, reset=False)
        return self.decision_.log_mixture(self._in_batches(points, with_reference=True))

    def _in_batches(self, X: Floats, *, with_reference: bool) -> Floats:
        """Rows in batches whose blocks, and as much again to make them, fit the working memory."""
        width = 2 * (2 * len(self._table.mixed_columns()) + X.shape[1]) + 6 * len(self.classes_)
        rows = get_chunk_n_rows(row_bytes=8 * width, max_n_rows=max(1, len(X)))
        batches = gen_batches(max(1, len(X)), rows)
        return np.concatenate([self._batch(X[batch], with_reference) for batch in batches])

    def _batch(self, X: Floats, with_reference: bool) -> Floats:
        blocks = self._table.apply(X)
        logits = np.tile(self.offsets_ if self.experts_ else self._log_shares, (len(X), 1))
        if len(X) == 0:
            return logits
        options = {**self._sums_options(), "n_jobs": effective_threads(self.n_jobs)}
        for expert, v in zip(self.experts_, self.weights_, strict=True):
            logits += v * expert.log_posterior(expert.rule.scores(blocks, **options))
        out = doubted(log_softmax(logits, axis=1), self.doubt_) - self._log_shares
        if with_reference:
            out += self._reference.log_density(blocks, **options)[:, None]
        return np.asarray(out)

    def _model(self) -> Any:
        rules = [expert.rule for expert in self.experts_] + [self._reference.rule]
        return next((r.expansion for r in rules if isinstance(r, KernelRule)), self)

    def sums_method(self, method: str, rtol: float) -> str:
        """The method of one-dimensional sums, where the pool has no others."""
        return "dense" if method == "auto" else method

    def _leave_one_out_log_densities(self) -> Floats:
        return np.asarray(self._left_out + self._reference.left_out[:, None])

    def _training_sample(self) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        return self._judged
