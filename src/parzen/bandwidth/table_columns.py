"""A bandwidth for every column of a `ColumnProduct`: lengths of numbers, shares of categories.

    silverman, scott   h_l = rule of the column,  lambda_l = widest * n^(-2/(q+4)), where q columns
                       are numbers
    likelihood         -(1/N) sum_i log f^{-i}(x_i) by L-BFGS over the logarithms of all rates
    loo, kfold, ...    rates by the gradient of the conditional likelihood, drawn towards the best
                       multiple of the rule by a ridge that folds choose; then one factor on all
                       lengths by the selector's own criterion

The kernel is a Gaussian of codes (see `parzen.kernels.columns`), and the gradient of a sum of
Gaussians is a sum with other weights: both come from one native pass over the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
from scipy.optimize import minimize

from parzen._core import Bools, Floats, Ints, few_blas_threads, look_up
from parzen.bandwidth.coordinate import common_path
from parzen.bandwidth.cross_validation import CrossValidation
from parzen.bandwidth.density_criteria import Likelihood
from parzen.bandwidth.error_criteria import ClassifierSelector
from parzen.bandwidth.losses import LogLoss
from parzen.bandwidth.rule import Rule
from parzen.bandwidth.search import Path, search_grid
from parzen.bandwidth.selection import Selection
from parzen.bandwidth.selector import Selector
from parzen.bandwidth.thinned import with_standard_error
from parzen.kernels import ColumnProduct, get
from parzen.metric import RIDGES, Metric, MetricLoss, systematic_rows
from parzen.samples import (
    HeldOutSums,
    KernelSample,
    Scheme,
    Thinning,
    best_place,
    column_medians,
    feature_scales,
    leave_one_out_sums,
)
from parzen.sums import has_missing, kernel_sums

_LOG_RATES = (-9.0, 3.2)  # Range of the logarithms of a category's rate: lambda of 1e-11 to widest.
_LOG_FACTORS = 9.0  # Range of the logarithm of a number's rate, to both sides of the rule.
_MOST_ROWS = 1000  # Rows whose posteriors enter the conditional likelihood.
_FOLDS = 3  # Folds on which the ridges are compared.
_START_FACTORS = 2.0 ** (np.arange(-2, 7) / 2)  # On the rule: the search starts at one of them.
_COMMON_FACTORS = 2.0 ** (np.arange(-8, 9) / 4)  # Of all columns: tried where none are given.


def select_columns(selector: Selector, sample: KernelSample) -> Selection:
    """Choose the bandwidths of a `ColumnProduct`, shape (1, n_features)."""
    if getattr(selector, "per", "all") == "class":
        raise ValueError(
            "per='class' is not available for a ColumnProduct, which has a bandwidth per column."
        )
    if has_missing(sample.X):  # the densities have the gaps, the choice fills them
        sample = replace(sample, X=_filled(sample))
    start = _rule(sample)
    if isinstance(selector, Rule):
        return _selection(sample, start, selector.name, selector.criterion)
    if isinstance(selector, CrossValidation) and sample.n_classes > 1:
        selector = selector._default_selector(sample)
    if isinstance(selector, Likelihood):
        rates, score = _likeliest(sample, start)
        return _selection(sample, rates, selector.name, selector.criterion, score)
    if isinstance(selector, ClassifierSelector):
        return _of_least_error(selector, sample, start)
    raise ValueError(
        f"bandwidth={selector.name!r} does not choose a bandwidth for every column of a "
        "ColumnProduct; use 'silverman', 'scott' or 'likelihood', for a classifier also 'loo', "
        "'kfold' or 'conditional_likelihood'."
    )


def _filled(sample: KernelSample) -> Floats:
    """Medians in place of missing numbers, the most frequent value of missing categories."""
    X, w = sample.X.astype(np.float64), sample.frequencies
    for j, factor in enumerate(_kernel(sample).factors):
        lacks = np.isnan(X[:, j])
        if lacks.all():
            X[:, j] = 0.0
        elif factor is None:
            X[lacks, j] = column_medians(X[:, [j]], w)[0]
        else:
            values, places = np.unique(X[~lacks, j], return_inverse=True)
            X[lacks, j] = values[np.bincount(places, w[~lacks]).argmax()]
    return X


def _kernel(sample: KernelSample) -> ColumnProduct:
    return cast("ColumnProduct", sample.kernel)


def _selection(
    sample: KernelSample, rates: Floats, name: str, criterion: str, score: float = float("nan")
) -> Selection:
    row = _kernel(sample).row_of(rates)[None, :]
    return Selection.by_formula(row, name, criterion, score)


def _rule(sample: KernelSample) -> Floats:
    """Rates by a rule of thumb."""
    kernel, n = _kernel(sample), float(sample.frequencies.sum())
    is_number = np.array([factor is None for factor in kernel.factors])
    power = -1.0 / (is_number.sum() + 4)
    row = np.empty(len(is_number))
    if is_number.any():
        scales = feature_scales(sample.X[:, is_number], sample.weights)
        row[is_number] = scales * (n * (2 * is_number.sum() + 1) / 4.0) ** power
    for j in np.flatnonzero(~is_number):
        factor = kernel.factors[j]
        assert factor is not None
        row[j] = factor.widest * max(n, 2.0) ** (2.0 * power)
    return kernel.rates(row)


def _likeliest(sample: KernelSample, start: Floats) -> tuple[Floats, float]:
    """The rates of largest leave-one-out likelihood, and its negative mean."""
    loss = _LikelihoodLoss(sample)
    if not loss.parts:
        return start, float("nan")
    origin = np.log(start)
    is_number = np.array([factor is None for factor in _kernel(sample).factors])
    bounds = [
        (o - _LOG_FACTORS, o + _LOG_FACTORS) if number else _LOG_RATES
        for o, number in zip(origin, is_number, strict=True)
    ]
    with few_blas_threads(0):  # the optimiser's own products are tiny
        found = minimize(
            loss, origin, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-10}
        )
    return np.exp(found.x), float(found.fun)


class _LikelihoodLoss:
    """Negative mean leave-one-out log-likelihood over the logarithms of the rates, with slope."""

    def __init__(self, sample: KernelSample) -> None:
        self.kernel, self.n_jobs = _kernel(sample), sample.n_jobs
        self.parts = []
        for part in sample.by_class():
            others = part.same_class_weight_without_self()
            if (others > 0).any():
                codes, self.owners, self.factors = self.kernel.codes(part.X)
                self.parts.append((codes - codes.mean(axis=0), part.frequencies, others))
        self.total = float(sample.frequencies.sum())

    def __call__(self, log_rates: Floats) -> tuple[float, Floats]:
        look_up()
        rates = np.exp(log_rates)
        moving = self.factors > 0
        weights = np.where(moving, self.factors * rates[self.owners], -self.factors)
        value, slope = 0.0, np.zeros(len(rates))
        for codes, w, others in self.parts:
            z = codes * np.sqrt(weights)
            log_sums, gaps = self._sums(z, w, moving)
            known = others > 0
            value -= float(w[known] @ (log_sums[known] - np.log(others[known])))
            slope += 0.5 * (w[known] @ gaps[known])
            peaks, peak_slopes = self._peaks(rates)
            value -= float(w[known].sum()) * peaks
            slope -= w[known].sum() * peak_slopes
        return value / self.total, slope / self.total

    def _sums(self, z: Floats, w: Floats, moving: Bools) -> tuple[Floats, Floats]:
        """Log-sums over the other rows in units of the peak, and the columns' mean differences.

        The latter are the squared differences (z_i - z_j)^2 along each column, averaged over j with
        the kernel: half of it is the slope of -log S_i in the logarithm of the column's rate. They
        follow from sums with the weights w, w z and w z^2.
        """
        d, owners = int(self.owners.max()) + 1, self.owners[moving]
        own = np.zeros((len(owners), d))
        own[np.arange(len(owners)), owners] = 1.0
        squares = z[:, moving] ** 2 @ own
        columns = np.column_stack([np.ones(len(z)), z[:, moving], squares]) * w[:, None]
        gaussian = get("gaussian")
        mantissa, scale = kernel_sums(
            z, z, columns, kernel=gaussian, bandwidths=1.0, exclude_self=True, scaled=True,
            method="dense", n_jobs=self.n_jobs,
        )  # fmt: skip
        level = scale[:, 0, 0] - float(gaussian.log_normalizer(1.0, z.shape[1]))
        sums = mantissa[:, :, 0]
        copies = w - np.minimum(w, 1.0)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            log_sums = np.logaddexp(np.log(sums[:, 0]) + level, np.log(copies))
            shares = np.exp(level - log_sums)[:, None]
        products = (z[:, moving] * sums[:, 1 : len(owners) + 1]) @ own
        total = squares * sums[:, :1] - 2.0 * products + sums[:, len(owners) + 1 :]
        return log_sums, np.nan_to_num(total * shares)

    def _peaks(self, rates: Floats) -> tuple[float, Floats]:
        """Log of the kernel's peak, and its slopes in the logarithms of the rates."""
        row = self.kernel.row_of(rates)
        slopes = np.array([
            0.5 if factor is None else rate * (share if factor.name == "aitchison_aitken"
                                               else share / (1.0 - share))
            for factor, rate, share in zip(self.kernel.factors, rates, row, strict=True)
        ])  # fmt: skip
        return float(self.kernel.log_peaks(row).sum()), slopes


def _of_least_error(selector: ClassifierSelector, sample: KernelSample, start: Floats) -> Selection:
    if not selector._can_compare(sample):
        return _selection(sample, start, "silverman", "rule of thumb")
    rates = _conditional_rates(sample, start)
    thinning = selector._thinning(sample)

    def path(grid: Floats, rows: Thinning | None = thinning) -> Path:
        scheme = partial(_scaled_sums, selector._scheme(rows), rates)
        return common_path(scheme, selector.loss, selector.ties, sample, grid)

    found = search_grid(
        path,
        _COMMON_FACTORS if selector.grid is None else np.array(selector.grid),
        widening=0,
        name=selector.name,
        criterion=selector.criterion,
    )
    chosen = np.atleast_1d(found.bandwidth)
    found = with_standard_error(found, thinning, lambda group: path(chosen, group).score)
    row = _kernel(sample).row_of(rates / np.asarray(found.bandwidth) ** 2)
    return replace(found, bandwidth=row[None, :], axis="factor")


def column_rates(sample: KernelSample, *, conditional: bool) -> Floats:
    """Rates of the columns of a `ColumnProduct` by leave-one-out likelihood.

    ``conditional`` is that of the labels given the rows; else that of the densities.
    """
    if has_missing(sample.X):
        sample = replace(sample, X=_filled(sample))
    start = _rule(sample)
    return _conditional_rates(sample, start) if conditional else _likeliest(sample, start)[0]


def _conditional_rates(sample: KernelSample, start: Floats) -> Floats:
    # The rule is far too narrow for many columns: the search starts at the best factor on it.
    sums = partial(_scaled_sums, leave_one_out_sums, start)
    first = common_path(sums, LogLoss(), "largest", sample, _START_FACTORS)
    start = start / _START_FACTORS[first.places] ** 2
    return np.asarray(start * np.exp(_learned(sample, start)))


def _scaled_sums(
    scheme: Scheme, rates: Floats, sample: KernelSample, factors: Floats
) -> Iterator[HeldOutSums]:
    """What a scheme holds out, with every length multiplied by each of the factors."""
    tables = [list(scheme(_embedded(sample, rates / t**2), np.ones(1))) for t in factors]
    for parts in zip(*tables, strict=True):
        sums = np.concatenate([part.log_sums for part in parts], axis=2)
        yield replace(parts[0], log_sums=sums)


def _embedded(sample: KernelSample, rates: Floats) -> KernelSample:
    """The sample as codes, in which its kernel is a Gaussian of bandwidth 1."""
    kernel = _kernel(sample)
    row = kernel.row_of(rates)
    return replace(sample, X=kernel.embedded(sample.X, row), kernel=get("gaussian"))


def _learned(sample: KernelSample, start: Floats) -> Floats:
    """Logarithms of the factors on the rates, by the conditional likelihood and a ridge."""
    codes = _embedded(sample, start)
    _, owners, factors = _kernel(sample).codes(sample.X[:1])
    # Coordinates that no bandwidth changes belong to one more column, whose slope is dropped.
    owners = np.where(factors > 0, owners, len(start))
    fold = np.arange(len(sample)) % _FOLDS
    losses = np.zeros(1 + len(RIDGES))
    for k in range(_FOLDS):
        train, test = codes.rows(np.flatnonzero(fold != k)), codes.rows(np.flatnonzero(fold == k))
        if train.counts.min() == 0 or len(test) == 0:
            return np.zeros(len(start))
        judge = MetricLoss.held_out(test, train)
        weight = test.frequencies.sum()
        path = [np.zeros(len(start)), *_path(train, owners, len(start))]
        losses += [weight * _value(judge, theta, owners)[0] for theta in path]
    place = best_place(losses, "smallest")
    return np.zeros(len(start)) if place == 0 else _path(codes, owners, len(start))[place - 1]


def _path(codes: KernelSample, owners: Ints, d: int) -> list[Floats]:
    """The factors of every ridge, each search starting where the one before ended."""
    loss = MetricLoss.leave_one_out(codes, systematic_rows(codes, _MOST_ROWS))
    size = codes.frequencies.sum() * min(1.0, _MOST_ROWS / len(codes))
    theta, path = np.zeros(d), []
    for ridge in RIDGES:

        def objective(theta: Floats, strength: float = ridge / size) -> tuple[float, Floats]:
            look_up()
            value, slope = _value(loss, theta, owners)
            return value + 0.5 * strength * float(theta @ theta), slope + strength * theta

        theta = minimize(
            objective, theta, jac=True, method="L-BFGS-B", bounds=[(-_LOG_FACTORS, 4.0)] * d,
            options={"maxiter": 30, "ftol": 1e-6},
        ).x  # fmt: skip
        path.append(theta)
    return path


def _value(loss: MetricLoss, theta: Floats, owners: Ints) -> tuple[float, Floats]:
    d = len(theta)
    value, slopes = loss(Metric.plain(np.append(theta, 0.0)[owners], loss.n_classes))
    slope = np.bincount(owners, slopes.log_weights, minlength=d + 1)[:d]
    return value, slope.astype(np.float64)
