"""The search over bandwidths and eta: Kim & Scott (2010), section 6.

The smallest mean error of the folds wins; of several, the largest bandwidth, then the smallest eta,
as in a grid search that lists them in that order.

Large samples are searched on a part, and few rows, the carriers, may have weights. The programme on
m rows is the whole one with all other weights held at 0: its quadratic term concerns these rows
only, and its linear term is the mean over all rows, n m kernel values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from parzen._core import Bools, Floats, Ints, warn
from parzen.bandwidth import (
    CrossValidation,
    Path,
    Rule,
    Selection,
    column_scales,
    own_criterion,
    resolve_bandwidth,
    search_grid,
)
from parzen.classifiers.base import PriorsAndCosts, error_weights, selector_options
from parzen.classifiers.l2.class_values import ClassValues
from parzen.classifiers.l2.grid import bandwidth_grid, eta_grid, per_class
from parzen.l2 import Carriers, L2Form, OtherRowsInChunks, Units
from parzen.samples import Merged, Sample, draw, stratified_splits
from parzen.solvers import Progress

_MAX_SEARCH_LANDMARKS = 5_000  # Landmarks on which bandwidths are compared, at most.


class Fold(NamedTuple):
    """A training set as a mask of the sorted rows, its held-out rows, and its class values."""

    train: Bools
    test: Ints
    weights: Floats  # how much an error at each held-out row counts
    classes: ClassValues


def folds_of(
    cv: Any, sample: Sample, order: Ints, rows: Ints | None, priors_and_costs: PriorsAndCosts
) -> list[Fold]:
    """The folds of a sample.

    ``order`` sorts the sample by class; ``rows`` are its rows in the input, None for all;
    ``priors_and_costs`` say how much each class and each error counts.
    """
    codes, frequencies = sample.codes[order], sample.frequencies[order]
    weights = frequencies * error_weights(priors_and_costs.class_weight, sample.classes)[codes]
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(place))
    if rows is not None and not (isinstance(cv, int | np.integer) or hasattr(cv, "split")):
        # Given folds number the rows of the input.
        cv = [[np.flatnonzero(np.isin(rows, part)) for part in pair] for pair in cv]
    folds = []
    for train, test in stratified_splits(sample, cv):
        mask = np.zeros(len(place), dtype=bool)
        mask[place[train]] = True
        counts = np.bincount(codes, frequencies * mask, len(sample.classes)).astype(np.float64)
        held_out = place[test]
        values = ClassValues.of(priors_and_costs, sample.classes, counts)
        folds.append(Fold(mask, held_out, weights[held_out], values))
    return folds


class SearchSample(NamedTuple):
    """The rows that bandwidth and eta are compared on."""

    sample: Sample
    rows: Ints | None  # their places in the input; None for all
    landmarks: Ints | None  # those of them that may carry weights; None for all


def search_sample(
    count: int | None, random_state: Any, sample: Sample, merged: Merged, rows: Ints | None
) -> SearchSample:
    """The part of a sample to search on; all of it where it is small.

    Its rows are as they were given, copies and all, so that folds mean what they say.
    """
    if count is None:
        return SearchSample(sample, rows, None)
    distinct, n_landmarks = merged.sample, min(count, _MAX_SEARCH_LANDMARKS)
    drawn = draw(distinct.codes, distinct.frequencies, n_landmarks, random_state)
    places = np.flatnonzero(np.isin(merged.into, drawn.part))
    landmarks = np.flatnonzero(np.isin(merged.into[places], drawn.landmarks))
    return SearchSample(sample.rows(places), places if rows is None else rows[places], landmarks)


def with_carriers(ordered: Carriers, places: Ints, chunks: Any) -> Carriers:
    """The sample with weights at some places only; the rest is here, or in chunks elsewhere."""
    if chunks is None:
        return ordered.among(places, np.ones((1, len(ordered)), dtype=bool))[0]
    part = ordered.rows(places)
    others = OtherRowsInChunks(chunks, part.X, part.codes)
    return part.beside(others, others.frequencies)


Report = Callable[[str], Progress | None]


class FoldedSample(NamedTuple):
    """A sample and its folds, over which bandwidths and values of eta are compared."""

    sample: Carriers  # its rows by class
    carriers: Ints | None  # the rows that may carry weights; None for all
    folds: list[Fold]
    etas: Floats
    report: Report


class WeightMethod(Protocol):
    """A way to find the weights, which the search compares bandwidths for."""

    def fold_path(self, folded: FoldedSample, grid: Floats) -> Path:
        """Errors of every fold for every bandwidth and every eta."""


@dataclass(frozen=True, eq=False)
class SearchOptions:
    """The parameters of an estimator that the search reads."""

    form: L2Form
    bandwidth: Any
    scale: str | None
    grid: Any
    eta: float | str
    eta_grid: Any
    cv: Any
    priors_and_costs: PriorsAndCosts  # how much each class and each error counts
    report: Report
    n_jobs: int | None


class BandwidthBeforeSearch(NamedTuple):
    """The bandwidth before the search: units of the columns, and the value unless searched for."""

    units: Units
    value: Floats | None  # in one of the shapes of ``bandwidth=``
    selection: Selection | None  # how a selector chose it
    scale: Floats | None  # by which columns of unequal spread were brought to one scale

    def shown(self, bandwidths: Floats) -> float | Floats:
        """Bandwidths of the classes, in these units, as ``bandwidth_`` shows them."""
        if self.value is not None and self.value.ndim == 2:
            return self.value
        return self.units.bandwidth(bandwidths)


class Choice(NamedTuple):
    """Bandwidths of the classes, in units of the columns, eta, and how they were chosen."""

    bandwidths: Floats
    eta: float
    selection: Selection | None  # None where both were given


def bandwidth_before_search(sample: Sample, options: SearchOptions) -> BandwidthBeforeSearch:
    """The bandwidth that was given or that a selector found, and the units of the columns."""
    own, n_classes = own_criterion(options.bandwidth), len(sample.classes)
    values = ClassValues.of(options.priors_and_costs, sample.classes, sample.counts)
    class_weight = options.priors_and_costs.class_weight
    under = selector_options(sample, class_weight, values.priors, values.observed)
    under |= {"kernel": options.form.kernel, "n_jobs": options.n_jobs}
    grid = None if own is None or own.grid is not None else options.grid
    scale = column_scales(options.scale, options.bandwidth, sample.X, sample.weights, grid)
    if own is None:
        h, selection = resolve_bandwidth(
            options.bandwidth, sample.X, sample.codes, n_classes=n_classes, scale=scale, **under
        )
        units = Units.of(h, n_classes)
        options.form.check_bandwidths(units.bandwidths)
        return BandwidthBeforeSearch(units, h, selection, scale)
    relative = np.ones(()) if scale is None else scale[None, :]
    if own.per == "feature":
        relative = own.relative_bandwidths(sample.X, sample.codes, **under)[None, :]
    return BandwidthBeforeSearch(Units.of(relative, n_classes), None, None, scale)


def choose(
    method: WeightMethod,
    searched: SearchSample,
    given: BandwidthBeforeSearch,
    options: SearchOptions,
) -> Choice:
    """Choose a bandwidth for each class, unless it is given, and eta where it is "cv"."""
    h = None if given.value is None else given.units.bandwidths
    if h is not None and options.eta != "cv":
        return Choice(h, float(options.eta), given.selection)
    sample, rows, landmarks = searched
    n_classes = len(sample.classes)
    if n_classes == 1 or np.bincount(sample.codes).max() < 2:
        return _without_folds(sample, given, options)
    own = own_criterion(options.bandwidth) or CrossValidation()
    order = np.argsort(sample.codes, kind="stable")
    carriers = None if landmarks is None else np.flatnonzero(np.isin(order, landmarks))
    cv = options.cv if own.folds is None else own.folds
    folds = folds_of(cv, sample, order, rows, options.priors_and_costs)
    etas = eta_grid(options.eta, options.eta_grid, options.form, sample.X.shape[1])
    if h is None:
        grid, widening = bandwidth_grid(
            options.grid if own.grid is None else own.grid, sample.X, sample.weights,
            options.form.kernel, n_classes,
        )  # fmt: skip
    else:
        grid, widening = (h[:1] if h.ndim == 1 and (h == h[0]).all() else h[None]), 0.0
    ordered = Carriers.over(sample.rows(order))
    found = search_grid(
        partial(method.fold_path, FoldedSample(ordered, carriers, folds, etas, options.report)),
        grid,
        widening=widening,
        name=own.name,
        criterion="cross-validated error",
        second=("eta", etas),
        cure="pass grid= with values {beyond} it",
    )
    assert found.second is not None
    bandwidths = per_class(found.grid, n_classes)[found.places[0]]
    selection = replace(found, bandwidth=given.shown(bandwidths))
    return Choice(bandwidths, found.second.chosen, selection)


def stage(grid: Floats, b: int) -> str:
    """Where in a grid of bandwidths the search is, as it is printed."""
    shown = " and ".join(f"{h:.4g}" for h in dict.fromkeys(grid[b].ravel()))
    return f"bandwidth {shown} ({b + 1} of {len(grid)}): "


def _without_folds(sample: Sample, given: BandwidthBeforeSearch, options: SearchOptions) -> Choice:
    """One class, or classes of one sample: nothing to hold out, so the rule of thumb."""
    eta = 1.0 if options.eta == "cv" else float(options.eta)
    if given.value is not None:
        return Choice(given.units.bandwidths, eta, given.selection)
    found = Rule().select(sample.X, kernel=options.form.kernel, sample_weight=sample.weights)
    if len(sample.classes) > 1:
        warn(
            "no class has two samples, so there is nothing to cross-validate; the bandwidth falls "
            f"back to Silverman's rule, {found.bandwidth:.4g}.",
        )
    bandwidths = np.full(len(sample.classes), found.bandwidth)
    return Choice(bandwidths, eta, replace(found, bandwidth=given.shown(bandwidths)))
