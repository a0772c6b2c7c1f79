"""Naive Bayes with kernel densities (the notes' last section).

    f_c(x) = prod_l f_cl(x_l),      f_cl a one-dimensional density per class and column

The model is the sum of the logs of d one-dimensional kernel expansions. Columns may also hold
categories (smoothed frequencies), and entries may be missing: they are left out of the product.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Anything,
    Array,
    CategoryColumns,
    Checked,
    Constraints,
    Floats,
    Ints,
    Number,
    as_numpy,
    declared,
    effective_threads,
    validate_table,
    warn,
)
from parzen.bandwidth import (
    EndOfGridWarning,
    Selector,
    check_bandwidth_parameter,
    get_selector,
    own_criterion,
    resolve_bandwidth,
)
from parzen.classifiers.base import StreamClassifier
from parzen.classifiers.naive_bayes.column_bandwidths import ColumnBandwidths, column_bandwidths
from parzen.classifiers.naive_bayes.columns import (
    AbsentColumn,
    CategoricalColumn,
    ColumnDensities,
    NumericColumn,
)
from parzen.classifiers.naive_bayes.cross_validation import check_factors, choose_factor
from parzen.conformal import joined_log_odds, log_odds_of_all, p_values_in_bags
from parzen.evidence import Duel, Explanation, explain_by_class
from parzen.kernels import Kernel, get_density
from parzen.samples import Sample, log

_MAX_NAMED_COLUMNS = 10  # Columns that a warning names; it counts the others.


@declared
class KernelNaiveBayes(StreamClassifier):
    """Naive Bayes with one kernel density per class and column.

    Read more in the :doc:`guide </guide/naive_bayes>`.

    Parameters
    ----------
    kernel : str or Kernel, default="gaussian"
        Any density kernel, in one dimension.
    bandwidth : float, array, str or Selector, default="silverman"
        A number; an array of shape (n_classes,), (1, n_features) or (n_classes, n_features); the
        name of a selector, or a selector. A rule, ``"lscv"`` and ``"likelihood"`` choose one per
        class and column; a selector that needs labels (``"loo"``, ...) one per column. ``"cv"`` is
        the K-fold error of this classifier over a common factor on Silverman's rule;
        `CrossValidation` takes other folds or a grid of factors.
    categorical_features : list, "from_dtype" or None, default="from_dtype"
        Columns of categories: their numbers, names or a mask; ``"from_dtype"`` takes the columns of
        text and categories of a data frame, and of an array none. ``is_categorical_`` says which.
    smoothing : float, default=1.0
        Added to the count of every category.
    background : float, default=0.0
        Share of a uniform density on the range of each column, mixed into its densities. It bounds
        what a single column can say; with a compact kernel, it also keeps one entry off the
        support from deciding alone.
    {bandwidth_rows}
    {priors, class_weight, costs, gamma, reject, reject_label, novelty, novelty_label, method,
     rtol, window, forget, rechoose, n_jobs}

    Attributes
    ----------
    {classes_, class_count_, priors_, decision_, loo_predictions_}
    bandwidth_ : array of shape (n_classes, n_features)
        Bandwidths in use; NaN for categories.
    selection_ : Selection or None
        With ``bandwidth="cv"``, the factors tried and their errors.
    columns_ : list of length n_features
        The fitted columns.
    is_categorical_ : array of shape (n_features,) of bool
        Which columns hold categories.
    {bandwidth_rows_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    Time and memory are those of d one-dimensional estimates. Where a class has equal entries only
    in a column, the bandwidth is the rule of the whole column. A missing entry, and a category
    never seen in training, leaves its column out of the product.

    Prediction sets are full conformal, and what they promise is what those of `ParzenClassifier`
    do. It is exact for a bandwidth that is given or chosen by ``bandwidth_rows``, but for queries
    with a category that no training row has. They take a logarithm per column for every pair of a
    query and a training row.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelNaiveBayes
    >>> X = np.array([[0.0, 1.0], [0.5, 1.2], [1.0, np.nan], [3.0, 5.0], [3.5, 5.5], [4.0, 4.0]])
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> clf = KernelNaiveBayes().fit(X, y)
    >>> clf.predict([[0.7, np.nan], [np.nan, 5.0]])
    array([0, 1])
    """

    _takes_sparse: ClassVar[bool] = False
    _constraints: ClassVar[Constraints] = {
        "kernel": Checked(get_density),
        "bandwidth": Checked(check_bandwidth_parameter),
        "categorical_features": Anything(),  # depends on the columns
        "smoothing": Number("(0, inf)"),
        "background": Number("[0, 1)"),
    }

    kernel: str | Kernel = "gaussian"
    bandwidth: float | ArrayLike | str | Selector = "silverman"
    _: KW_ONLY
    categorical_features: ArrayLike | str | None = "from_dtype"
    smoothing: float = 1.0
    background: float = 0.0
    bandwidth_rows: float | None = None

    def __sklearn_tags__(self) -> Any:
        """Say that NaN is allowed, and categories too."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_factors(own_criterion(self.bandwidth))

    def _validate(self, X: ArrayLike, *, reset: bool) -> Array:
        X = as_numpy(X)
        if reset:
            self._table = CategoryColumns.find(X, self.categorical_features)
        return validate_table(self, X, self._table, reset=reset, allow_nan=True)

    def _fit_densities(self, sample: Sample) -> None:
        self.is_categorical_ = self._table.is_categorical
        self._rows = sample
        own = own_criterion(self.bandwidth)
        choosing = self._choosing(sample)
        if not self._holds_bandwidth:
            self.selection_ = None
        if own is not None and not self._holds_bandwidth:
            priors = None if self._observed_priors else self.priors_
            threads = effective_threads(self.n_jobs)
            self.selection_ = choose_factor(
                choosing, self._fit_columns, get_density(self.kernel), priors, threads, own
            )
        factor = 1.0 if self.selection_ is None else float(self.selection_.bandwidth)
        self.columns_ = self._fit_columns(choosing, factor)
        if choosing is not sample:
            self.columns_ = [c.on(sample, j) for j, c in enumerate(self.columns_)]
        self.bandwidth_ = np.stack([_bandwidths(c) for c in self.columns_], axis=1)

    def _fit_columns(self, sample: Sample, factor: float) -> list[ColumnDensities]:
        """Every column's densities, the rule of ``bandwidth="cv"`` times a factor."""
        given, kept = self._given_bandwidths(sample), getattr(self, "_kept_sums", None)
        ruled = None
        if given is None and kept is not None:
            ruled = kept.rule(self.bandwidth, sample, get_density(self.kernel))
        at_edge: list[int] = []
        columns = [
            self._fit_column(sample, j, given, ruled, factor, at_edge)
            for j in range(sample.X.shape[1])
        ]
        if at_edge:
            self._warn_of_edges(at_edge)
        return columns

    def _warn_of_edges(self, columns: list[int]) -> None:
        """One warning for all columns."""
        assert isinstance(self.bandwidth, str | Selector)
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        shown = ", ".join(repr(names[j]) for j in columns[:_MAX_NAMED_COLUMNS])
        more = len(columns) - _MAX_NAMED_COLUMNS
        warn(
            f"the bandwidth chosen by {get_selector(self.bandwidth).name!r} is at the edge of its "
            f"grid in {'columns' if len(columns) > 1 else 'column'} {shown}"
            f"{f' and {more} more' if more > 0 else ''}; widen it: pass a selector with a longer "
            "grid. Where a column has few distinct values, name it in categorical_features or use "
            "bandwidth='silverman'.",
            EndOfGridWarning,
        )

    def _given_bandwidths(self, sample: Sample) -> Floats | None:
        """Numbers as a matrix (C, d); None where they are to be chosen."""
        bandwidth = self._bandwidth_in_use()
        if isinstance(bandwidth, str | Selector):
            return None
        shape = (len(sample.classes), sample.X.shape[1])
        if self._holds_bandwidth:
            return np.asarray(bandwidth)
        h, _ = resolve_bandwidth(bandwidth, sample.X, sample.codes, n_classes=shape[0])
        return np.broadcast_to(h[:, None] if h.ndim == 1 else h, shape)

    def _fit_column(
        self,
        sample: Sample,
        j: int,
        given: Floats | None,
        ruled: Floats | None,
        factor: float,
        at_edge: list[int],
    ) -> ColumnDensities:
        column = sample.columns(slice(j, j + 1))
        if self.is_categorical_[j]:
            x, w, C = column.X[:, 0], sample.weights, sample.n_classes
            return CategoricalColumn.fit(x, sample.codes, w, C, float(self.smoothing))
        entries = column.rows(~np.isnan(column.X[:, 0]))
        x = entries.X[:, 0]
        if len(x) == 0 or (x == x[0]).all():
            return AbsentColumn(len(sample), sample.n_classes)
        if given is not None and not np.isnan(given[0, j]):
            h = np.array(given[:, j])
        elif ruled is not None and not np.isnan(ruled[0, j]):
            h = factor * ruled[:, j]
        else:
            chosen = self._chosen_bandwidths(j, entries)
            h = factor * chosen.values
            at_edge += [j] if chosen.at_edge else []
        bandwidth = np.array(h[0]) if (h == h[0]).all() else h
        floor = self._log_background(x, h)
        return NumericColumn.fit(sample, j, get_density(self.kernel), bandwidth, floor)

    def _chosen_bandwidths(self, j: int, entries: Sample) -> ColumnBandwidths:
        assert isinstance(self.bandwidth, str | Selector)
        return column_bandwidths(
            self.bandwidth if own_criterion(self.bandwidth) is None else "silverman",
            entries,
            kernel=get_density(self.kernel),
            priors=None if self._observed_priors else self.priors_,
            n_jobs=self.n_jobs,
            served=lambda selector, c: self._in_stream(selector, (j, c)),
        )

    def _log_background(self, x: Array, h: Floats) -> tuple[float, float]:
        """Logs of the share of the kernels, and of the background's density times its share."""
        width = float(x.max()) - float(x.min())
        width = width if width > 0 else float(h.max())
        share = float(self.background)
        with np.errstate(divide="ignore"):
            return float(np.log1p(-share)), float(np.log(share) - np.log(width))

    @property
    def sums_method_(self) -> str:
        """The method for kernel sums at many new points, of the first column of numbers."""
        check_is_fitted(self)
        numeric = [c.expansion for c in self.columns_ if isinstance(c, NumericColumn)]
        return numeric[0].sums_method(self.method, self.rtol) if numeric else "dense"

    def _check_serves(self, n_features: int) -> None:
        super()._check_serves(1)

    def _log_densities(self, X: Array) -> Floats:
        total = np.zeros((len(X), len(self.classes_)))
        options = self._sums_options() | {"n_jobs": effective_threads(self.n_jobs)}
        for j, column in enumerate(self.columns_):
            total += column.log_densities(X[:, j], **options)
        return total

    def _leave_one_out_log_densities(self) -> Floats:
        threads = effective_threads(self.n_jobs)
        total = np.zeros((len(self._rows), len(self.classes_)))
        for column in self.columns_:
            total += column.leave_one_out(n_jobs=threads)
        return total

    def _rows_so_far(self) -> Sample:
        return self._rows

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        """Every row is compared in the bag that the query has joined; see `parzen.conformal`."""
        points = self._validate(X, reset=False)
        if not hasattr(self, "_held_out"):
            threads = effective_threads(self.n_jobs)
            self._held_out = np.stack([c.leave_one_out(n_jobs=threads) for c in self.columns_])
        at_X, is_density = self._log_densities(points), conformity == "density"
        weights = log(self.class_count_ if self._observed_priors else self.priors_)
        return p_values_in_bags(
            lambda c, batch, rows: self._conformities(c, points[batch], rows, is_density),
            at_X if is_density else log_odds_of_all(at_X + weights),
            self._rows.codes,
            self._ranked(),
            conditional=conditional,
        )

    def _conformities(self, c: int, X: Array, rows: Ints, is_density: bool) -> Floats:
        """Log-odds of training rows' labels, or log f_c, when queries join class c: (m, rows).

        One kernel value, or one count, changes per column: log f_c is the sum over the columns.
        """
        joined = np.zeros((len(X), len(rows)))
        for j, (column, held_out) in enumerate(zip(self.columns_, self._held_out, strict=True)):
            joined += column.joined(X[:, j], c, rows, held_out[rows, c])
        if is_density:
            return joined
        weights = self._log_priors_in_bag(c, rows)
        logs = self._held_out[:, rows].sum(axis=0) + weights
        return joined_log_odds(logs, joined + weights[:, c], c, self._rows.codes[rows])

    def _log_priors_in_bag(self, c: int, rows: Ints) -> Floats:
        """Log-priors at training rows; observed shares count the query, and not the row."""
        if not self._observed_priors:
            return np.tile(log(self.priors_), (len(rows), 1))
        counts = np.tile(self.class_count_ + np.eye(len(self.classes_))[c], (len(rows), 1))
        taken = np.minimum(self._rows.frequencies[rows], 1.0)
        counts[np.arange(len(rows)), self._rows.codes[rows]] -= taken
        return log(counts)

    def _explain(self, X: Array, top: int) -> list[Explanation]:
        """Explain log-odds by the terms of the columns.

            log-odds = log(pi_c / pi_r) + sum_l log(f_cl(x_l) / f_rl(x_l))

        Integrating a column out of a product leaves the product of the others, so the terms are the
        exact effects. A training row has a share of the density in every column; its share of the
        label is their mean.
        """
        codes = self._rows.codes
        options = self._sums_options() | {"n_jobs": effective_threads(self.n_jobs)}
        duel = Duel.of(self.decision_.joint(self._log_densities(X)))
        logs = [column.log_densities(X[:, j], **options) for j, column in enumerate(self.columns_)]
        effects = np.stack([duel.odds(each) for each in logs], axis=1)

        def shares_of(queries: Array, c: int) -> tuple[Ints, Floats]:
            rows = np.flatnonzero(codes == c)
            parts = (each.shares(queries[:, j], c, rows) for j, each in enumerate(self.columns_))
            return rows, sum(parts, np.zeros((len(queries), len(rows))))

        return explain_by_class(shares_of, X, duel, effects, self.classes_, len(codes), top)

    def _training_sample(self) -> tuple[Ints, Floats | None]:
        return self._rows.codes, self._rows.weights


def _bandwidths(column: ColumnDensities) -> Floats:
    """One per class; NaN where the column has none."""
    if isinstance(column, NumericColumn):
        h = column.expansion.bandwidth
        return np.broadcast_to(h, len(column.counts))
    return np.full(column.n_classes, np.nan)
