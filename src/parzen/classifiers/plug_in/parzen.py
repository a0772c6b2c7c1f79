"""The plug-in rule of kernel density estimates (the notes' "kernel classifier").

    f_c(x) = (1/n_c) sum_{i in c} k_h(x, x_i),      predict argmin_k sum_j costs[j, k] pi_j f_j(x)

The weights of the expansion are uniform, so there is nothing to fit but the bandwidth: by default
the one whose leave-one-out error is smallest, over a whole grid in one pass over the pairs.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._core import (
    Array,
    Bools,
    Checked,
    Constraints,
    Flag,
    Floats,
    OneOf,
    declared,
)
from parzen.bandwidth import Selector, check_bandwidth_parameter, gives_matrices, refuse_matrices
from parzen.base import TableKernel
from parzen.classifiers.base import (
    OffsetDecision,
    StreamClassifier,
    selector_options,
    take_own_from_means,
)
from parzen.conformal import FullConformal
from parzen.expansion import KernelExpansion, LocalExpansion
from parzen.kernels import Kernel, get_density
from parzen.metric.plug_in import get_metric
from parzen.samples import KernelSample, Sample, gap_mismatch
from parzen.sums import has_missing


@declared
class ParzenClassifier(TableKernel, StreamClassifier):
    """Classify by kernel density estimates of the classes.

    Read more in the :doc:`guide </guide/plug_in>`.

    Parameters
    ----------
    kernel : str or Kernel, default="gaussian"
        Any density kernel: ``parzen.kernels.density_names()``; `parzen.kernels.ColumnProduct` for
        tables of numbers and categories, with a bandwidth for every column.
    bandwidth : float, array, str or Selector, default="loo"
        A number; an array with one entry per class in the order of ``classes_``; shape
        (1, n_features) per feature, (n_classes, n_features) both; bandwidth matrices
        (n_classes, n_features, n_features) like covariances; the name of a selector
        (``"loo"``, ``"kfold"``, ``"lscv"``, ``"silverman"``, ...); or a selector with options.
        ``"cv"`` is the K-fold error of this classifier.
    {priors, class_weight, costs, gamma}
    metric : None, "class" or "learned", default=None
        ``"class"`` scales the kernel by the shrunk covariance of each class; the bandwidth is then
        in standard deviations of the class. ``"learned"`` finds a bandwidth for every column, a
        scale for every class and a temperature by the leave-one-out likelihood of the labels, for
        the kernels "gaussian" and "laplacian"; a given ``bandwidth`` is where the search starts.
    adaptive : bool, default=False
        Whether kernels are wider where their class is thin: the bandwidth of a point goes with one
        over the square root of the density there (Abramson's law). Sums then take all pairs, and
        leaving one out leaves the widths of the others as they are.
    {scale, bandwidth_rows, reject, reject_label, novelty, novelty_label, method}
        Labels are those of exact sums, whatever the method.
    {rtol, window, forget, rechoose, n_jobs}

    Attributes
    ----------
    {classes_, class_count_, priors_}
    {bandwidth_, selection_}
        With ``metric="learned"``, the penalties on unequal columns that were tried, and their
        held-out log-losses.
    {scale_}
    metric_ : array of shape (n_features,)
        With ``metric="learned"``, the relevance of every column: its share of the mean distance
        between two rows. Sums to 1.
    temperature_ : float
        The exponent of the densities in the posteriors.
    {bandwidth_rows_, expansion_, decision_, loo_predictions_, sums_method_, n_features_in_,
     feature_names_in_}

    Notes
    -----
    Prediction takes one kernel per pair of query and training point, and memory for a copy of the
    points. Densities are log-sums: posteriors are right in 500 dimensions and a million bandwidths
    away from the data. Off the support of a compact kernel, where every density is zero, the priors
    decide: the majority class. Exact ties go to the first class.

    Prediction sets are full conformal: for exchangeable rows the true label is missing from a set
    at level alpha in at most a share alpha of the rows of each class, for every sample size, where
    the bandwidth is given or chosen by ``bandwidth_rows``. Where all rows chose it, the share is
    nearly alpha: the choice has seen the training rows and not the query. With ``adaptive=True``,
    with missing entries in the table, or for rows that have them, sets rank held-out rows, and
    the share is near alpha.

    Entries may be missing (NaN; None in categories), for kernels that are products of their columns
    and with ``metric=None``. A row is judged by the densities of the columns that it has. Where
    gaps alone predict the labels better than the shares of the classes do, they are a category of
    two levels beside their column, and densities are those of entries and gaps together.

    With ``metric="class"`` a named selector works in the space whitened by the pooled within-class
    covariance, and its choice is used in units of each class's own covariance. Labels have shaped
    that space, so leave-one-out errors are optimistic there; ``bandwidth="cv"`` fits the metric
    anew in every fold.

    With ``metric="learned"`` (columns in units of their deviation) a penalty draws the columns
    towards one bandwidth; the penalty is the best of 16, 3, 0.5 and infinity on five folds.
    Posteriors are proportional to pi_c exp(b_c) f_c^tau, ``score_samples`` stays the mixture of
    the densities. The cost is some 600 passes over at most 400 n pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import ParzenClassifier
    >>> X = np.array([[0.0], [0.5], [1.0], [3.0], [3.5], [4.0]])
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> clf = ParzenClassifier(bandwidth=0.5).fit(X, y)
    >>> clf.predict([[0.7], [3.1], [1e6]])
    array(['a', 'b', 'b'], dtype='<U1')
    >>> clf.with_decision(reject=0.1).predict([[0.7], [2.1]])
    array(['a', 'rejected'], dtype='<U8')
    """

    _constraints: ClassVar[Constraints] = {
        "kernel": Checked(get_density),
        "bandwidth": Checked(check_bandwidth_parameter),
        "metric": OneOf(None, "class", "learned"),
        "adaptive": Flag(),
    }

    kernel: str | Kernel = "gaussian"
    bandwidth: float | ArrayLike | str | Selector = "loo"
    _: KW_ONLY
    metric: str | None = None
    adaptive: bool = False
    scale: str | None = "auto"
    bandwidth_rows: float | None = None

    @property
    def _takes_missing(self) -> bool:
        return self.metric is None and not self.adaptive  # those need every column

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_columns_alone()
        get_metric(self.metric, self.scale).check_kernel(get_density(self.kernel))
        if self.metric is not None and gives_matrices(self.bandwidth, labelled=True):
            raise ValueError(
                f"bandwidth={self.bandwidth!r} means matrices, and metric={self.metric!r} has a "
                "metric of its own; give one bandwidth, or metric=None."
            )
        refuse_matrices(self.kernel, self.bandwidth, labelled=True)
        if self.adaptive and self.metric == "learned":
            raise ValueError("adaptive=True needs metric=None or 'class', got 'learned'.")

    def _check_missing(self, X: Array, kernel: Kernel) -> None:
        super()._check_missing(X, kernel)
        if has_missing(X) and gives_matrices(self.bandwidth, labelled=True):
            raise ValueError("Input X contains NaN: a bandwidth matrix needs every column.")

    def _fit_densities(self, sample: Sample) -> None:
        kernel, choosing = self._kernel_of(sample.X), self._choosing(sample)
        mismatch = gap_mismatch(sample, self.n_jobs)
        weighted = replace(self._weighted(choosing, kernel), mismatch=mismatch)
        found = get_metric(self.metric, self.scale).fit(
            self._bandwidth_in_use(), choosing, weighted
        )
        h = found.bandwidth
        if not self._holds_bandwidth:  # else they are those of the last choice
            self.selection_, self.scale_ = found.selection, found.scale
        self._tempering = found.tempering
        if found.relevance is not None and found.tempering is not None:
            self.metric_, self.temperature_ = found.relevance, found.tempering.exponent
        self.bandwidth_ = float(h) if h.ndim == 0 else h
        if found.matrices is not None:
            self.bandwidth_ = found.matrices
        with np.errstate(divide="ignore"):
            log_counts = np.log(sample.counts)
        if mismatch:  # the density is that of the entries and of their gaps
            log_counts += np.isnan(sample.X).any(axis=0).sum() * np.log1p(np.exp(mismatch))
        expansion = KernelExpansion(
            points=sample.X,
            kernel=kernel,
            bandwidth=h,
            n_classes=len(sample.classes),
            labels=sample.codes,
            weights=sample.weights,
            log_factors=np.where(sample.counts > 0, -log_counts, 0.0),
            whitening=found.whitening,
            mismatch=mismatch,
        )
        self.expansion_ = LocalExpansion.of(expansion, self.n_jobs) if self.adaptive else expansion

    def _weighted(self, sample: Sample, kernel: Kernel) -> KernelSample:
        """The sample as a selector scores it: weights count the costs of the classes too."""
        under = selector_options(sample, self.class_weight, self.priors_, self._observed_priors)
        weights, priors = under["sample_weight"], under["priors"]
        weighted = sample.reweighted(weights)
        if weights is not None and not (weights > 0).all():
            weighted = weighted.rows(np.flatnonzero(weights))
        chosen = isinstance(self._bandwidth_in_use(), str | Selector) or self.metric is not None
        return KernelSample.over(weighted, kernel, priors, self.n_jobs, counted=chosen)

    def _set_decision(self) -> None:
        super()._set_decision()
        if self._tempering is not None:
            tau, offsets = self._tempering
            self.decision_ = OffsetDecision.of(
                self.decision_, tau, offsets - tau * self.expansion_.log_peaks()
            )

    def _certain_codes(self, X: Array) -> NDArray[np.int32] | None:
        # Trees judge novelty by what they decide by, here densities to a power.
        is_judged = self._tempering is not None and self.decision_.novelty_threshold is not None
        return None if is_judged else super()._certain_codes(X)

    def _needs_ranks(self, X: Array) -> Bools:
        # A new row would change the widths of all kernels, or the columns that other rows lack.
        return np.asarray(np.isnan(X).any(axis=1) | self.adaptive | self.expansion_.has_gaps)

    def _full_p_values(self, X: Array, conformity: str, conditional: bool) -> Floats:
        if not hasattr(self, "_held_out_sums"):
            sums = self.expansion_.leave_one_out_log_sums(n_jobs=self.n_jobs)
            self._held_out_sums = sums.astype(np.float64)
        priors = None if self._observed_priors else self.priors_
        unranked = () if self.bandwidth_rows_ is None else self.bandwidth_rows_
        full = FullConformal(
            self.expansion_, self._held_out_sums, self.class_count_, priors, unranked
        )
        return full.p_values(
            X,
            self._log_densities(X),
            conformity=conformity,
            conditional=conditional,
            n_jobs=self.n_jobs,
        )

    def _leave_one_out_log_densities(self) -> Array:
        sums = self.expansion_.leave_one_out_log_sums(n_jobs=self.n_jobs).astype(np.float64)
        return take_own_from_means(sums, *self._training_sample(), self.class_count_)
