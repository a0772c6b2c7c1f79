"""The Laplacian classifier: the smallest angle to a class mean in a kernel feature space.

    gamma_c(x) = sum_{i in c} f(x_i)^(-1/2) (k*k)(x, x_i) / V_c      Jenssen et al. (2007), eq. (18)
    V_c^2 = sum_{i,j in c} f(x_i)^(-1/2) (k*k)(x_i, x_j) f(x_j)^(-1/2),                   eq. (19)

where f is the Parzen density of all points and gamma_c is the cosine between x and the mean of
class c, up to a factor common to all classes. Rare points weigh more than frequent ones, and the
weights come from two passes over the pairs: nothing is optimised.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Array,
    Checked,
    Constraints,
    Floats,
    Integer,
    Number,
    OneOf,
    Seed,
    available_if,
    declared,
    is_other_array,
    portion,
)
from parzen.bandwidth import (
    Selection,
    check_bandwidth_parameter,
    column_scales,
    own_criterion,
    resolve_bandwidth,
)
from parzen.base import TableKernel
from parzen.classifiers.base import (
    TemperedDecision,
    tempering_exponent,
    with_label,
)
from parzen.classifiers.laplacian.model import (
    LaplacianOptions,
    density_expansion,
    fit_model,
    log_scores,
)
from parzen.classifiers.laplacian.ranks import LaplacianRanks, keeps_all
from parzen.classifiers.laplacian.reduction import REDUCTIONS, check_keep
from parzen.classifiers.laplacian.selection import LaplacianKFoldError
from parzen.evidence import Explanation
from parzen.kernels import ColumnProduct, Kernel, Rescaled, get_density
from parzen.samples import Sample, gap_mismatch
from parzen.sums import check_serves, has_missing, refuses_missing

_SHARE_OF_SEARCH = 0.9  # Share of the progress of a fit that the choice of a bandwidth takes.


@declared
class LaplacianClassifier(TableKernel, LaplacianRanks):
    """Compare angles to the class means in the feature space of the Laplacian matrix.

    Read more in the :doc:`guide </guide/laplacian>`.

    Parameters
    ----------
    kernel : str or Kernel, default="gaussian"
        Any density kernel; `parzen.kernels.ColumnProduct` for tables of numbers and categories,
        with a bandwidth for every column.
    bandwidth : float, array, str or Selector, default="silverman"
        The Parzen bandwidth s of the density f; the scores use the self-convolution (Gaussian:
        bandwidth sqrt(2) s). A number; one per class, shape (C,); per feature, (1, d); both,
        (C, d); the name of a selector or a selector of `parzen.bandwidth`; or ``"cv"``, the error
        of this classifier, with its ``power``, ``keep``, ``reduction`` and ``n_density_samples``,
        in three stratified folds (`CrossValidation` for other folds or a grid).
    {bandwidth_rows}
        Needs ``keep=None``.
    {scale}
    power : float, default=0.5
        Exponent of the weights f^(-power); 0 is the unweighted rule (f = 1).
    keep : float or int, default=None
        Kernels that each class keeps: a share in (0, 1] of them, rounded up, or a number. None
        keeps all. Equal rows of a class are one kernel, so that a weight counts as its copies do.
    reduction : {"l2", "random", "weights"}, default="l2"
        Which they are: the points and new weights of the least integrated squared error of the
        score; a random subset; or the largest weights, as the paper suggests. Where fewer would
        give the same score, the first fills its number up without changing it.
    n_density_samples : int, default=None
        Random points from which f, and by the same share V_c, are estimated; None uses all. They
        are drawn among the rows: copies of a row draw differently than its weight.
    priors : None, "uniform" or array of shape (n_classes,), default=None
        None is the paper's rule, which has no priors. Others multiply the probabilities by
        their ratio to the classes' shares of the sample.
    {class_weight, costs, gamma}
        It is not the gamma_c of the scores.
    {reject, reject_label}
    novelty : float, default=None
        Share of false alarms at which a row is novel: f is smaller there than at all but this
        share of the training points, each left out of f. Needs ``keep=None``.
    {novelty_label}
    random_state : int, RandomState or None, default=None
        For ``reduction="random"`` and ``n_density_samples``.
    {method}
        The sums of a fit at its bandwidth are computed so, too. Labels are those of exact sums,
        whatever the method.
    {rtol}
        The choice of the bandwidth takes 1e-12.
    {n_jobs}

    Attributes
    ----------
    {classes_, class_count_, priors_, bandwidth_, selection_, scale_}
    log_weights_ : array of shape (n_samples,)
        -power log f(x_i) in training order; minus infinity for rows of weight 0.
    weights_ : array of shape (n_samples,)
        Their exponentials, f(x_i)^(-1/2); 0 or infinity where these leave the number range.
    log_normalizers_ : array of shape (n_classes,)
        log V_c.
    significance_ : array of shape (n_samples,)
        Training rows by decreasing weight, the paper's "significance vectors" first.
    exponent_ : float
        The a of the probabilities gamma_c^a / sum_j gamma_j^a.
    expansion_ : KernelExpansion
        The kernels in use, with weights relative to the largest of their class.
    {bandwidth_rows_, decision_, sums_method_, n_features_in_, feature_names_in_}

    Notes
    -----
    ``decision_function`` is log gamma_c. The exponent of the probabilities has the least log-loss
    over the training points, each left out of its own sum; the weights and V_c stay as they are,
    which makes it one pass for all points and an approximation of leaving one out. As it is
    positive, probabilities and labels agree. Where no kernel reaches (compact kernels) all gamma
    are zero, and the priors decide.

    With one bandwidth per class, f has each point's kernel in its class's width, and gamma_c and
    V_c use the class's own self-convolution.

    Prediction sets are full conformal with the weights f^(-power) held at those of the fit; the
    query has the weight that a density of the sample and itself gives it. The query would change
    the other weights a little, so the true label is missing in nearly a share alpha of the rows of
    each class, for a bandwidth that is given or chosen by ``bandwidth_rows``. With ``keep`` or
    ``n_density_samples`` the scores are ranked among those of held-out training rows.
    ``novelty_p_values`` are those of the density f.

    Entries may be missing (NaN; None in categories) where the kernel is ``"gaussian"`` or a
    `ColumnProduct`, with ``keep=None`` and ``n_density_samples=None``. A training row contributes
    by the columns that it has, times the density in its class of a column that it lacks. A row to
    be judged has the sums of its other columns, and for a column l that it lacks the factor
    Q_cl^(1/2): Q_cl is the mean of the density of the column at the rows of the class, so this is
    the length of the class mean in the column alone. In f of the weights the own kernel is whole,
    and the kernels of the other rows have the mean of their density in a column that the row lacks.
    Sets and novelty rank held-out rows then, ``"cv"`` fits every fold at every bandwidth, and
    `explain` and `cosines` need whole rows.

    Time is two passes over the pairs of training points, and one kernel per pair of query and
    kept point, or less where trees or transforms serve (``method``); their relative errors are
    within ``rtol``, and so are those of f and V_c. Memory is a copy of the points. All sums are
    logarithms, right in any dimension.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import LaplacianClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = LaplacianClassifier().fit(X[::2], y[::2])
    >>> round(clf.score(X[1::2], y[1::2]), 2)
    0.92
    >>> LaplacianClassifier(keep=0.2).fit(X, y).expansion_.points.shape
    (30, 4)
    """

    _constraints: ClassVar[Constraints] = {
        "kernel": Checked(get_density),
        "bandwidth": Checked(check_bandwidth_parameter),
        "power": Number("[0, inf)", cure="0.5 is usual"),
        "keep": Checked(check_keep),
        "reduction": OneOf(*REDUCTIONS),
        "n_density_samples": Integer(1, also=(None,)),
        "random_state": Seed(),
    }

    kernel: str | Kernel = "gaussian"
    bandwidth: Any = "silverman"
    _: KW_ONLY
    bandwidth_rows: float | None = None
    scale: str | None = "auto"
    power: float = 0.5
    keep: float | None = None
    reduction: str = "l2"
    n_density_samples: int | None = None
    random_state: Any = None

    @property
    def weights_(self) -> Floats:
        """f(x_i)^(-1/2), infinite where it leaves the range of floating point."""
        with np.errstate(over="ignore"):
            return np.exp(self.log_weights_)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Log gamma_c, shape (n, C); for two classes that of ``classes_[1]`` minus the other.

        Priors and costs shift it so that its sign still decides.
        """
        return super().decision_function(X)

    def cosines(self, X: ArrayLike) -> Floats:
        """Cosine of each row's image and the mean of each class, eq. (17), shape (n, C).

        The images are those of the Laplacian matrix; with one bandwidth for all classes and
        ``power=0.5`` the values are in [0, 1]. Priors and costs do not enter.

        Examples
        --------
        >>> from parzen import LaplacianClassifier
        >>> clf = LaplacianClassifier(bandwidth=1.0).fit([[0.0], [1.0], [5.0]], [0, 0, 1])
        >>> clf.cosines([[0.0], [5.0]]).round(2)
        array([[0.94, 0.  ],
               [0.01, 1.  ]])
        """
        self._check_fitted()
        points = self._validate(X, reset=False)
        if has_missing(points):
            raise ValueError("cosines take no missing values; impute them.")
        if self.bandwidth_rows is not None or np.ndim(self.bandwidth_) > 1:
            raise ValueError(
                f"cosines needs one bandwidth, or one per class, got bandwidth={self.bandwidth!r} "
                f"and bandwidth_rows={self.bandwidth_rows!r}; give a number."
            )
        zero = np.zeros((1, self.n_features_in_))
        kernel = get_density(self.kernel)
        peaks = [
            float(np.asarray(kernel.log_self_convolution(zero, zero, bandwidth=h)).item())
            for h in np.ravel(self.bandwidth_)
        ]
        return np.asarray(np.exp(self._log_densities(points) - 0.5 * np.array(peaks)))

    @available_if(keeps_all)
    def score_samples(self, X: ArrayLike) -> Floats:
        """Log f, the Parzen density of all training points, at each row."""
        if is_other_array(X):
            return self._answer_other("score_samples", X)
        check_is_fitted(self)
        return self._log_density_at(self._validate(X, reset=False))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        own = own_criterion(self.bandwidth)
        if own is not None:
            own.by(LaplacianKFoldError)
        if self.bandwidth_rows is not None and self.keep is not None:
            raise ValueError(f"bandwidth_rows={self.bandwidth_rows!r} needs keep=None.")
        if isinstance(self.kernel, ColumnProduct) and (own is not None or self.keep is not None):
            raise ValueError(
                f"a ColumnProduct takes keep=None and bandwidth='silverman', 'likelihood' or "
                f"'loo', got keep={self.keep!r} and bandwidth={self.bandwidth!r}."
            )
        if self.novelty is not None and self.keep is not None:
            raise ValueError(
                f"novelty={self.novelty!r} is judged by the density of all points; use keep=None."
            )

    _takes_missing = True

    def __sklearn_tags__(self) -> Any:
        """Say whether NaN is allowed: a part of the kernels or of the density needs whole rows."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan &= self._uses_all_rows and self.kernel != "laplacian"
        return tags

    @property
    def _uses_all_rows(self) -> bool:
        return self.keep is None and self.n_density_samples is None

    def _check_missing(self, X: Array, kernel: Kernel) -> None:
        super()._check_missing(X, kernel)
        if not has_missing(X):
            return
        if not self._uses_all_rows:
            raise ValueError(
                f"Input X contains NaN: keep={self.keep!r} and n_density_samples="
                f"{self.n_density_samples!r} need every column; use None for both, or impute."
            )
        if refuses_missing(kernel.convolved(X.shape[1]), X.shape[1]) is not None:
            raise ValueError(
                f"Input X contains NaN: kernel={kernel.name!r} convolved with itself has no "
                "density of fewer columns; use 'gaussian' or a ColumnProduct, or impute."
            )

    def _check_serves(self, n_features: int) -> None:
        super()._check_serves(n_features)
        if self.rtol > 0:  # the scores have the self-convolution
            overlap = get_density(self.kernel).convolved(n_features)
            plain = overlap.kernel if isinstance(overlap, Rescaled) else overlap
            check_serves(self.method, plain, n_features)

    def _fit_densities(self, sample: Sample) -> None:
        options = LaplacianOptions(
            kernel=self._kernel_of(sample.X),
            power=float(self.power),
            keep=self.keep,
            reduction=self.reduction,
            n_density_samples=self.n_density_samples,
            rng=check_random_state(self.random_state),
            mismatch=gap_mismatch(sample, self.n_jobs),
            **self._sums_options(),
        )
        choosing = self._choosing(sample)
        self.scale_ = column_scales(self.scale, self.bandwidth, choosing.X, choosing.weights)
        with portion(0, _SHARE_OF_SEARCH):
            h, self.selection_ = self._choose_bandwidth(choosing, options)
        self.bandwidth_ = float(h) if h.ndim == 0 else h
        with portion(_SHARE_OF_SEARCH):
            model = fit_model(sample, h, options)
        self.expansion_, self._points = model.expansion, model.points
        self._density = density_expansion(sample, h, options.kernel) if self.keep is None else None
        self.log_weights_, self.log_normalizers_ = model.log_weights, model.log_normalizers
        self._scored = model.left_out, model.codes, model.frequencies
        self._log_norms: Floats | None = None
        self.exponent_ = tempering_exponent(model.left_out, model.codes, model.frequencies)

    def _choose_bandwidth(
        self, sample: Sample, options: LaplacianOptions
    ) -> tuple[Floats, Selection | None]:
        own = own_criterion(self.bandwidth)
        bandwidth = self.bandwidth if own is None else own.by(LaplacianKFoldError)
        if isinstance(bandwidth, LaplacianKFoldError):
            bandwidth = bandwidth.judging(options)
        return resolve_bandwidth(
            bandwidth,
            sample.X,
            sample.codes,
            n_classes=len(sample.classes),
            kernel=options.kernel,
            sample_weight=sample.weights,
            scale=self.scale_,
            mismatch=options.mismatch,
            n_jobs=self.n_jobs,
        )

    def _explain(self, X: Array, top: int) -> list[Explanation]:
        if self.expansion_.has_gaps or has_missing(X):
            raise ValueError(
                "LaplacianClassifier.explain takes no missing values, in X or in the training "
                "rows; impute them, or explain the labels of ParzenClassifier."
            )
        return super()._explain(X, top)

    def _log_densities(self, X: Array) -> Array:
        """Log gamma_c at each row, of its other columns where it lacks some."""
        if not has_missing(X):
            return self.expansion_.log_sums(X, **self._sums_options())
        if self._log_norms is None:
            self._log_norms = self.expansion_.column_log_means()[0]
        return log_scores(self.expansion_, self._log_norms, X, **self._sums_options())

    def _labels_at(self, X: Array) -> Array:
        labels = super()._labels_at(X)
        if self._novel_below is None:
            return labels
        novel = self._log_density_at(X) < self._novel_below
        return with_label(labels, novel, self._rejection_labels()[1])

    def _set_decision(self) -> None:
        super()._set_decision()
        rule = self.decision_
        self._novel_below = rule.novelty_threshold  # of log f, not of the scores
        self.decision_ = TemperedDecision(
            log_priors=rule.log_priors,
            costs=rule.costs,
            reject=rule.reject,
            log_shares=np.log(self.class_count_ / self.class_count_.sum()),
            exponent=self.exponent_,
        )

    def _complete_fit(self, weights: Floats | None) -> None:
        """Give the rows of weight 0, which the model does not have, the weight 0."""
        if weights is not None and not (weights > 0).all():
            present, self.log_weights_ = self.log_weights_, np.full(len(weights), -np.inf)
            self.log_weights_[weights > 0] = present
        self.significance_ = np.argsort(-self.log_weights_, kind="stable")
