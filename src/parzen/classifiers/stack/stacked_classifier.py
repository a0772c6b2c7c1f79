"""A stack of leave-one-out kernel methods: the classifier that needs no parameter.

Level 0: a few families of kernel densities, and of kernel least squares, each at a few settings,
score the classes at rows they have not seen. Level 1: one log-linear mixture of them, with weights
that are not negative,

    P(c|x) = softmax_c( a_c + sum_m v_m g_c^(m)(x) ),

g^(m) the calibrated log-posterior of member m. All densities come from `kernel_sums`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils._chunking import get_chunk_n_rows
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Anything,
    Array,
    Bools,
    CategoryColumns,
    Checked,
    Constraints,
    Floats,
    Integer,
    Ints,
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
from parzen.classifiers.stack.budget import TimeBudget
from parzen.classifiers.stack.evidence import FitRows, explain_stack
from parzen.classifiers.stack.families import FAMILIES, PREDICTION_COSTS, Preset, cost, preset_of
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
    gains,
    log_posteriors,
    log_softmax,
    worth_their_time,
)
from parzen.classifiers.stack.reference import fit_reference
from parzen.classifiers.stack.relevance import relevance
from parzen.classifiers.stack.table import StackTable
from parzen.classifiers.stack.training_set import (
    LEAST_SQUARES_ROWS,
    MOST_CENTRES,
    StackTrainingSet,
    scored_rows,
)
from parzen.evidence import Explanation
from parzen.samples import Sample, draw_rows, log

_REFERENCE, _SCORING = 0.05, 0.85  # Shares of a fit's progress at which these stages end.
_FALLBACK_WEIGHT = 1e-9  # Weight of a metric that counts only where the stack has no other.


@declared
class StackedDensityClassifier(DensityClassifier):
    """Classify by a stack of kernel densities and kernel least squares; nothing is to be chosen.

    Read more in the :doc:`guide </guide/auto>`.

    Parameters
    ----------
    families : {"core", "density", "fast", "all"} or list of str, default="core"
        Members that may enter the stack. Densities: ``iso`` and ``lap`` (Gaussian, product
        Laplacian on standardised columns), ``mix`` (with indicators for columns of few values),
        ``white`` (whitened by the common covariance), ``cov`` (covariance of each class), ``nb``
        and ``dnb`` (naive Bayes, with learned weights), ``ard``, ``ardl``, ``ardw`` (relevance of
        every column learned: Gaussian, product Laplacian, Gaussian in whitened space); ``lapq``,
        ``whiteq``, ``covq`` on normal scores, each competing with the family of its name; ``prod``
        (a kernel and a bandwidth for every column, `parzen.kernels.ColumnProduct`). Kernel least
        squares: ``ls`` (Gaussian, product Laplacian), ``an`` (ANOVA kernel), ``lsard`` (in ardl's
        metric). ``"core"`` has lap, white, cov with both forms, dnb, ardl and all least squares;
        ``"density"`` lap, white, cov, dnb, ardl; ``"fast"`` lap, white, cov, dnb.
    per_family : int, default=None
        Most members of one family in the stack; None for 4, or 2 for "density" and "fast".
    ridge : float, default=None
        Penalty on the squared weights of the stack; None for 20, or 10 for "density" and "fast".
    folds : int, default=5
        Folds for members whose metric or weights are shaped by labels.
    time_budget : float, default=None
        Seconds after which the fit has ended, up to a fifth more; it may end much earlier. Families
        that would take longer are left out, or ``lsard`` has fewer landmarks; those that add most
        for their time are tried first. The result then depends on the machine. The first family, a
        pass over the pairs of rows, is tried in any case, however small the budget. None for all
        families.
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
        The members of the stack: name, family, bandwidth, log_loss out of sample, calibration.
    weights_, gains_ : arrays of shape (n_experts,)
        Their weights, and what the log-loss grows by without each of them; see `expert_table`.
    skipped_families_ : list of str
        Families that there was no time for.
    offsets_ : array of shape (n_classes,)
        The offsets a of the stack.
    doubt_ : float
        Share of the uniform distribution in the probabilities, 1 / (10 n) or more.
    metric_ : array of shape (n_features,)
        Relevance of every column of the input: its share of the distances in the learned metrics of
        the stack, or of the weights of naive Bayes. Sums to 1; 0 for constant columns.
    loo_log_loss_ : float
        Mean log-loss of the stack on the training rows, no member having seen the row it scores.
    {classes_, class_count_, priors_, decision_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    Time is that of some kernel sums over all pairs, of some 700 gradients over 400 n pairs for a
    learned metric, and of some 40 factorisations of a Gram matrix. Beyond 2500 different rows a
    third of them, at most 4000, are held out and scored instead of folds. ``"core"`` then has the
    densities in both forms, ard and lsard: one Gaussian in ard's metric on 2600 landmarks, 1800
    beyond 20 000 rows, with the loss of at most 25 000 rows, or a tenth of all if that is more, in
    single precision. One member of each density family may enter the stack, if its weight pays for
    its time. Densities have at most 14 000 centres. These rows are drawn at random: from 250 000
    rows on time grows in proportion to n, that of prediction and memory beyond some copies of the
    table no longer. Copies of a row are merged, so a weight of 2 is two copies to the last bit.
    Probabilities are those of the observed class shares; other ``priors`` multiply them by the
    ratio. Class weights, priors and costs act on the finished stack and have no part in its choice:
    the log-loss is a proper score, so its best probabilities serve every prior and cost. Where
    entries are missing,
    ``lap``, ``nb``, ``dnb`` and ``prod`` judge a row by the densities of the columns that it has;
    the other families see the mean in their place, and the stack weighs both. Beyond 300 columns
    (indicators counted) ``white``, ``cov`` and ``ardw`` stay out of the stack, beyond 2500
    different rows ``an``.

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
    >>> clf.expert_table()[["family", "weight"]].shape == clf.gains_.shape
    True
    """

    _takes_sparse: ClassVar[bool] = False
    _constraints: ClassVar[Constraints] = {
        "families": Checked(preset_of),
        "per_family": Integer(1, also=(None,)),
        "ridge": Number("[0, inf)", also=(None,)),
        "folds": Integer(2),
        "time_budget": Number("(0, inf)", also=(None,)),
        "categorical_features": Anything(),  # depends on the columns
        "random_state": Seed(),
    }

    families: str | list[str] | tuple[str, ...] = "core"
    _: KW_ONLY
    per_family: int | None = None
    ridge: float | None = None
    folds: int = 5
    time_budget: float | None = None
    categorical_features: ArrayLike | str | None = "from_dtype"
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        """Say whether NaN is allowed, and that categories are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _validate(self, X: ArrayLike, *, reset: bool) -> Array:
        X = as_numpy(X)
        if reset:
            self._categories = CategoryColumns.find(X, self.categorical_features)
        points = validate_table(self, X, self._categories, reset=reset)
        return np.asarray(points, dtype=np.float64)

    def _fit_densities(self, sample: Sample) -> None:
        budget = TimeBudget(self.time_budget)
        merged = sample.merged(by="value")
        distinct, self._rows = merged.sample, FitRows.of(sample, merged)
        X, codes, weights = distinct.X, distinct.codes, distinct.weights
        C = len(sample.classes)
        self._log_shares = log(sample.counts / sample.counts.sum())
        self._table = StackTable.fit(X, self._categories.is_categorical, weights)
        folds = int(self.folds)
        order = np.arange(len(X))
        if self.random_state is not None:
            order = check_random_state(self.random_state).permutation(len(X))
        d = max(len(self._table.kept), 1)
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        most = max(LEAST_SQUARES_ROWS, len(X) // 10)
        rows = draw_rows(codes, np.ones(len(X)), most, rng)
        codes, weights = codes[rows], None if weights is None else weights[rows]
        training = StackTrainingSet(
            self._table.apply(X[rows]), codes, weights, C, order[rows] % folds,
            order[rows] % (2 * folds), scored_rows(len(rows), d, C, folds),
            effective_threads(self.n_jobs), rows,
        )  # fmt: skip
        if len(X) > MOST_ROWS:
            some = draw_rows(codes, np.ones(len(rows)), MOST_CENTRES, rng)
            training = training.part(some, scored_rows(len(some), d, C, folds, held_out=True))
        with few_blas_threads(len(X)):
            self._fit_pool(training, budget)

    def _fit_pool(self, training: StackTrainingSet, budget: TimeBudget) -> None:
        preset = self._preset(large=training.is_part)
        y = training.codes[training.scored_rows]
        w = training.frequencies[training.scored_rows]
        sample = training.sample(training.blocks.columns, "gaussian")
        known = sample.same_class_weight_without_self()[training.scored_rows] > 0
        before = perf_counter()
        with portion(0, _REFERENCE):
            self._reference = fit_reference(training)
        unit = budget.seconds_of_a_pass(perf_counter() - before, training)
        self.skipped_families_: list[str] = []
        self.experts_, self.weights_, self.offsets_ = [], np.empty(0), np.zeros(training.n_classes)
        self.gains_ = np.empty(0)
        log_posterior = np.tile(training.log_shares, (len(y), 1))
        self.loo_log_loss_ = self.doubt_ = 0.0
        unweighted: list[Expert] = []  # a learned metric, for its relevance, if the stack has none
        if training.n_classes > 1 and known.any():
            with portion(_REFERENCE, _SCORING):
                order = budget.ordered(preset.families)
                calibrated: list[Calibrated] = []
                for name in steps(order, [cost(f, training) for f in order]):
                    form = budget.form(name, training, unit) if calibrated else training
                    if form is None:
                        self.skipped_families_.append(name)
                        continue
                    calibrated += calibrate_all(FAMILIES[name](form), y, np.where(known, w, 0.0))
            if not calibrated:
                raise ValueError(
                    f"families={self.families!r} leaves no member: white, cov and ardw take at "
                    f"most {MOST_COLUMNS} columns (indicators counted), an at most "
                    f"{MOST_ROWS} different rows. Add 'lap', or use families='core'."
                )
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
            self.gains_ = gains(_posteriors(best), pool, y, w, known)[kept]
            log_posterior, self.loo_log_loss_ = pool.log_posterior, pool.log_loss
        elif training.n_classes > 1:  # every class has one row: nothing can be scored
            self.experts_, self.weights_ = [self._reference.expert(training)], np.ones(1)
            self.gains_ = np.full(1, np.nan)
        self.metric_ = relevance(
            [*self.experts_, *unweighted], [*self.weights_, *[_FALLBACK_WEIGHT] * len(unweighted)],
            self._table, self.n_features_in_,
        )  # fmt: skip
        self._scored = y, w
        self._left_out = log_posterior - self._log_shares

    def _preset(self, *, large: bool) -> Preset:
        """Families and limits, with what was given in place of the preset's own."""
        preset = preset_of(self.families)
        if large and preset.large is not None:
            preset = preset._replace(families=preset.large)
        if self.per_family is not None:
            preset = preset._replace(per_family=int(self.per_family))
        return preset if self.ridge is None else preset._replace(ridge=float(self.ridge))

    def expert_table(self) -> Array:
        """The members with what they add and what they cost, the heaviest first.

        Returns
        -------
        array of shape (n_experts,) with the fields
            ``name``, ``family``, ``weight``; ``log_loss``: out of sample, alone; ``gain``: what the
            log-loss of the stack grows by without the member, the other weights unchanged;
            ``terms``: numbers that one prediction sums over, training points times columns.
        """
        check_is_fitted(self)
        rows = [
            (e.name, e.family, v, e.log_loss, gain, e.rule.terms)
            for e, v, gain in zip(self.experts_, self.weights_, self.gains_, strict=True)
        ]
        fields = [("name", "U40"), ("family", "U8"), ("weight", "f8"), ("log_loss", "f8"),
                  ("gain", "f8"), ("terms", "i8")]  # fmt: skip
        return np.array(sorted(rows, key=lambda row: -row[2]), dtype=fields)

    def _log_densities(self, X: Floats) -> Floats:
        """Log f_c by Bayes' rule from the stack's posteriors and the density of all classes."""
        return self._in_batches(X, with_reference=self.novelty is not None)

    def score_samples(self, X: ArrayLike) -> Floats:
        """Log-density of the mixture of the classes at each row, in standardised units."""
        if is_other_array(X):
            return self._answer_other("score_samples", X)
        check_is_fitted(self)
        points = self._validate(X, reset=False)
        return self.decision_.log_mixture(self._in_batches(points, with_reference=True))

    def _in_batches(self, X: Floats, *, with_reference: bool) -> Floats:
        """Rows in batches whose blocks, and as much again to make them, fit the working memory."""
        if len(X) <= 1:
            return self._batch(X, with_reference)
        width = 2 * (2 * len(self._table.origins("mixed")) + X.shape[1])
        width += (6 + 4 * len(self.experts_)) * len(self.classes_)
        rows = get_chunk_n_rows(row_bytes=8 * width, max_n_rows=max(1, len(X)))
        batches = gen_batches(max(1, len(X)), rows)
        return np.concatenate([self._batch(X[batch], with_reference) for batch in batches])

    def _batch(self, X: Floats, with_reference: bool) -> Floats:
        blocks = self._table.apply(X)
        logits = np.tile(self._offsets(), (len(X), 1))
        if len(X) == 0:
            return logits
        options = self._member_options(is_small=len(X) == 1)
        if self.experts_:
            scores = np.array([expert.rule.scores(blocks, **options) for expert in self.experts_])
            logits += np.tensordot(self.weights_, log_posteriors(self.experts_, scores), 1)
        out = doubted(log_softmax(logits), self.doubt_) - self._log_shares
        if with_reference:
            out += self._reference.log_density(blocks, **options)[:, None]
        return np.asarray(out)

    def _offsets(self) -> Floats:
        return np.asarray(self.offsets_ if self.experts_ else self._log_shares)

    def _member_options(self, *, is_small: bool = False) -> dict[str, Any]:
        return {**self._sums_options(), "n_jobs": effective_threads(self.n_jobs, is_small=is_small)}

    def _explain(self, X: Floats, top: int) -> list[Explanation]:
        return explain_stack(
            self.experts_, self.weights_, self._rows, self._table, X,
            lambda logits: self.decision_.joint(logits + self._offsets() - self._log_shares),
            self.classes_, top, **self._member_options(),
        )  # fmt: skip

    def _model(self) -> Any:
        rules = [expert.rule for expert in self.experts_] + [self._reference.rule]
        return next((r.expansion for r in rules if isinstance(r, KernelRule)), self)

    def sums_method(self, method: str, rtol: float) -> str:
        """The method of one-dimensional sums, where the stack has no others."""
        return "dense" if method == "auto" else method

    def _leave_one_out_log_densities(self) -> Floats:
        return np.asarray(self._left_out + self._reference.left_out[:, None])

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        if conformity == "posterior":
            return super()._label_p_values(X, conformity, conditional)
        points = self._validate(X, reset=False)
        at_X = self._in_batches(points, with_reference=True)
        return self._ranks(at_X, conformity, conditional)

    def _training_sample(self) -> tuple[Ints, Floats | None]:
        return self._scored


def _pool(members: list[Calibrated], y: Ints, w: Floats, known: Bools, ridge: float) -> Pool:
    return fit_pool(_posteriors(members), y, w, known, ridge)


def _posteriors(members: list[Calibrated]) -> Floats:
    return np.stack([member.log_posterior() for member in members])
