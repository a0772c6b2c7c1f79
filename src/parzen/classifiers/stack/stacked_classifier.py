"""A stack of leave-one-out kernel methods: the classifier that needs no parameter.

Level 0: a few families of kernel densities, and of kernel least squares, each at a few settings,
score the classes at rows they have not seen. Level 1: one log-linear pool with weights that are not
negative,

    P(c|x) = softmax_c( a_c + sum_m v_m g_c^(m)(x) ),

g^(m) the calibrated log-posterior of member m. All densities come from `kernel_sums`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
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
    Integer,
    Number,
    Seed,
    as_numpy,
    declared,
    effective_threads,
    few_blas_threads,
    is_other_array,
    portion,
    steps,
    validate_table,
)
from parzen.classifiers.base import DensityClassifier
from parzen.classifiers.stack.families import (
    COSTS,
    FAMILIES,
    PREDICTION_COSTS,
    Preset,
    preset_of,
)
from parzen.classifiers.stack.kernels import MOST_COLUMNS, KernelRule
from parzen.classifiers.stack.least_squares import MOST_ROWS
from parzen.classifiers.stack.pool import (
    Calibrated,
    Expert,
    Pool,
    best_of_families,
    calibrate_all,
    doubted,
    fit_pool,
    worth_their_time,
)
from parzen.classifiers.stack.reference import fit_reference
from parzen.classifiers.stack.relevance import relevance
from parzen.classifiers.stack.table import Table
from parzen.classifiers.stack.training_set import MOST_CENTRES, StackTrainingSet, scored_rows
from parzen.samples import Sample, draw_rows, log

Floats = NDArray[np.float64]

_REFERENCE, _SCORING = 0.05, 0.85  # shares of the work that are done after these stages
_NEGLIGIBLE = 1e-9  # weight of a metric that counts only where the pool has no other


@declared
class StackedDensityClassifier(DensityClassifier):
    """Classify by a pool of kernel densities and kernel least squares; nothing is to be chosen.

    Parameters
    ----------
    families : {"core", "density", "fast", "all"} or list of str, default="core"
        Members that may enter the pool. Densities: ``iso`` and ``lap`` (Gaussian, product Laplacian
        on standardised columns), ``mix`` (with indicators for columns of few values), ``white``
        (whitened by the pooled covariance), ``cov`` (covariance of each class), ``nb`` and ``dnb``
        (naive Bayes, with learned weights), ``ard``, ``ardl``, ``ardw`` (relevance of every column
        learned: Gaussian, product Laplacian, Gaussian in whitened space); ``lapq``, ``whiteq``,
        ``covq`` on normal scores, each competing with the family of its name. Kernel least squares:
        ``ls`` (Gaussian, product Laplacian), ``an`` (ANOVA kernel), ``lsard`` (in ardl's metric).
        ``"core"`` has lap, white, cov with both forms, dnb, ardl and all least squares;
        ``"density"`` lap, white, cov, dnb, ardl; ``"fast"`` lap, white, cov, dnb.
    per_family : int, default=None
        Most members of one family in the pool; None for 4, or 2 for "density" and "fast".
    ridge : float, default=None
        Penalty on the squared weights of the pool; None for 20, or 10 for "density" and "fast".
    folds : int, default=5
        Folds for members whose metric or weights are shaped by labels.
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
    Time is that of some kernel sums over all pairs, of some 700 gradients over 400 n pairs for a
    learned metric, and of some 40 factorisations of a Gram matrix. Beyond 2500 different rows least
    squares is that of two Gaussian kernels on 2000 landmarks that carry weights, with the loss of
    all rows: n x 2000^2 operations for each kernel. Beyond 4000 rows only 4000 of them are scored;
    beyond 14 000 densities have 14 000 centres, drawn at random, the scored rows are held out
    instead of folds, and ``"core"`` has lap, white, cov, dnb, ard, ardl and lsard: one Gaussian in
    ard's metric on 1200 landmarks, in single precision. There one member of each density family may
    enter the pool, if its weight pays for its time; time grows in proportion to n, that of
    prediction no longer grows, and memory is 200 MB beyond some copies of the table. Copies of a
    row are merged, so a weight of 2 is two copies to the last bit. Probabilities are those of the
    observed class shares; other ``priors`` multiply them by the ratio. Where entries are missing,
    ``lap``, ``nb`` and ``dnb`` judge a row by the densities of the columns that it has; the other
    families see the mean in their place, and the pool weighs both. Beyond 300 columns (indicators
    counted) ``white``, ``cov`` and ``ardw`` stay out of the pool, beyond 2500 different rows
    ``an``, from there to 14 000 ``lsard``.

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

    _takes_sparse: ClassVar[bool] = False
    _constraints: ClassVar[Constraints] = {
        "families": Checked(preset_of),
        "per_family": Integer(1, also=(None,)),
        "ridge": Number("[0, inf)", also=(None,)),
        "folds": Integer(2),
        "categorical_features": Anything(),  # depends on the columns
        "random_state": Seed(),
    }

    families: str | list[str] = "core"
    _: KW_ONLY
    per_family: int | None = None
    ridge: float | None = None
    folds: int = 5
    categorical_features: ArrayLike | str | None = "from_dtype"
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        """Say whether NaN is allowed, and that categories are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _validate(self, X: ArrayLike, *, reset: bool) -> NDArray[Any]:
        X = as_numpy(X)
        if reset:
            self._categories = CategoryColumns.find(X, self.categorical_features)
        points = validate_table(self, X, self._categories, reset=reset)
        return np.asarray(points, dtype=np.float64)

    def _fit_densities(self, sample: Sample) -> None:
        distinct = sample.merged(by="value").sample
        X, codes, weights = distinct.X, distinct.codes, distinct.weights
        C = len(sample.classes)
        self._log_shares = log(sample.counts / sample.counts.sum())
        self._table = Table.fit(X, self._categories.is_categorical, weights)
        folds = int(self.folds)
        order = np.arange(len(X))
        if self.random_state is not None:
            order = check_random_state(self.random_state).permutation(len(X))
        d = max(len(self._table.kept), 1)
        training = StackTrainingSet(
            self._table.apply(X), codes, weights, C, order % folds, order % (2 * folds),
            scored_rows(len(X), d, C, folds), effective_threads(self.n_jobs),
        )  # fmt: skip
        if len(X) > MOST_CENTRES:
            rng = check_random_state(0 if self.random_state is None else self.random_state)
            rows = draw_rows(codes, np.ones(len(X)), MOST_CENTRES, rng)
            training = training.part(rows, scored_rows(len(rows), d, C, folds))
        with few_blas_threads(len(X)):
            self._fit_pool(training)

    def _fit_pool(self, training: StackTrainingSet) -> None:
        preset = self._preset(large=training.is_part)
        y = training.codes[training.scored_rows]
        w = training.frequencies[training.scored_rows]
        sample = training.sample(training.blocks.columns, "gaussian")
        known = sample.same_class_weight_without_self()[training.scored_rows] > 0
        with portion(0, _REFERENCE):
            self._reference = fit_reference(training)
        self.experts_, self.weights_, self.offsets_ = [], np.empty(0), np.zeros(training.n_classes)
        log_posterior = np.tile(training.log_shares, (len(y), 1))
        self.loo_log_loss_ = self.doubt_ = 0.0
        unweighted: list[Expert] = []  # a learned metric, for its relevance, if the pool has none
        if training.n_classes > 1 and known.any():
            with portion(_REFERENCE, _SCORING):
                names = steps(preset.families, [COSTS.get(f, 1.0) for f in preset.families])
                candidates = [c for name in names for c in FAMILIES[name](training)]
            if not candidates:
                raise ValueError(
                    f"families={self.families!r} leaves no member: white, cov and ardw take at "
                    f"most {MOST_COLUMNS} columns (indicators counted), an and lsard at most "
                    f"{MOST_ROWS} different rows. Add 'lap', or use families='core'."
                )
            calibrated = calibrate_all(candidates, y, np.where(known, w, 0.0))
            best = best_of_families(calibrated, preset.per_family)
            if training.is_part:
                best = best_of_families(best, 1, among=PREDICTION_COSTS)
            pool = _pool(best, y, w, known, preset.ridge)
            if training.is_part:
                best = worth_their_time(best, pool, PREDICTION_COSTS)
                pool = _pool(best, y, w, known, preset.ridge)
            kept = np.flatnonzero(pool.weights)
            unweighted = [c.expert() for c in best if c.candidate.family == "ardl"][:1]
            with portion(_SCORING):
                self.experts_ = [best[m].expert() for m in steps(kept.tolist())]
            self.weights_, self.offsets_ = pool.weights[kept], pool.offsets
            self.doubt_ = pool.doubt
            log_posterior, self.loo_log_loss_ = pool.log_posterior, pool.log_loss
        elif training.n_classes > 1:  # every class has one row: nothing can be scored
            self.experts_, self.weights_ = [self._reference.expert(training)], np.ones(1)
        self.metric_ = relevance(
            [*self.experts_, *unweighted], [*self.weights_, *[_NEGLIGIBLE] * len(unweighted)],
            self._table, self.n_features_in_,
        )  # fmt: skip
        self._scored = y, w
        self._left_out = log_posterior - self._log_shares

    def _preset(self, *, large: bool) -> Preset:
        """Families and pool, with what was given in place of the preset's own."""
        preset = preset_of(self.families)
        if large and preset.large is not None:
            preset = preset._replace(families=preset.large)
        if self.per_family is not None:
            preset = preset._replace(per_family=int(self.per_family))
        return preset if self.ridge is None else preset._replace(ridge=float(self.ridge))

    def _log_densities(self, X: Floats) -> Floats:
        """Log f_c by Bayes' rule from the pool's posteriors and the density of all classes."""
        return self._in_batches(X, with_reference=self.novelty is not None)

    def score_samples(self, X: ArrayLike) -> NDArray[np.float64]:
        """Log-density of the mixture of the classes at each row, in standardised units."""
        if is_other_array(X):
            return self._answer_other("score_samples", X)
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
        return self._scored


def _pool(
    members: list[Calibrated],
    y: NDArray[np.intp],
    w: Floats,
    known: NDArray[np.bool_],
    ridge: float,
) -> Pool:
    return fit_pool(np.stack([c.log_posterior() for c in members]), y, w, known, ridge)
