"""The search over bandwidths and eta: Kim & Scott (2010), section 6.

The smallest mean error of the folds wins; of several, the largest bandwidth, then the smallest eta,
as in a grid search that lists them in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from parzen._core import portion, warn
from parzen.bandwidth import CrossValidation, Selection, own_criterion, resolve_bandwidth, silverman
from parzen.classifiers.l2.class_rule import ClassRule
from parzen.classifiers.l2.folds import Fold, FoldErrors, folds_of
from parzen.classifiers.l2.grid import bandwidth_grid, eta_grid, widened
from parzen.classifiers.l2.landmarks import Searched
from parzen.l2 import Carriers, L2Form, Units
from parzen.samples import Sample
from parzen.solvers import Progress

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Report = Callable[[str], Progress | None]

_SHARE_OF_FIRST_GRID = 0.8  # of the work, where the grid may have to be widened


class Weights(Protocol):
    """A way to find the weights, which the search compares bandwidths for."""

    def fold_errors(
        self,
        sample: Carriers,
        carriers: Rows | None,
        folds: list[Fold],
        grid: Floats,
        etas: Floats,
        report: Report,
    ) -> FoldErrors:
        """Errors of every fold; rows at ``carriers``, or all of them, may carry weights."""


@dataclass(frozen=True, eq=False)
class SearchOptions:
    """The parameters of an estimator that the search reads."""

    form: L2Form
    bandwidth: Any
    grid: Any
    eta: float | str
    eta_grid: Any
    cv: Any
    rule: ClassRule
    report: Report
    n_jobs: int | None


class GivenBandwidth(NamedTuple):
    """The bandwidth before the search: units of the columns, and the value unless searched for."""

    units: Units
    value: Floats | None  # in one of the shapes of ``bandwidth=``
    selection: Selection | None  # how a selector chose it

    def shown(self, bandwidths: Floats) -> float | Floats:
        """Bandwidths of the classes, in these units, as ``bandwidth_`` shows them."""
        if self.value is not None and self.value.ndim == 2:
            return self.value
        return self.units.bandwidth(bandwidths)


class Choice(NamedTuple):
    """Bandwidths of the classes, in units of the columns, eta, and the table of ``cv_results_``."""

    bandwidths: Floats
    eta: float
    results: dict[str, Floats] | None  # None where nothing was compared


def given_bandwidth(sample: Sample, options: SearchOptions) -> GivenBandwidth:
    """The bandwidth that was given or that a selector found, and the units of the columns."""
    own, kernel, n_classes = (
        own_criterion(options.bandwidth),
        options.form.kernel,
        len(sample.classes),
    )
    if own is None:
        h, selection = resolve_bandwidth(
            options.bandwidth, sample.X, sample.codes, n_classes=n_classes, kernel=kernel,
            n_jobs=options.n_jobs, **_selector_options(sample, options.rule),
        )  # fmt: skip
        units = Units.of(h, n_classes)
        options.form.check_bandwidths(units.bandwidths)
        return GivenBandwidth(units, h, selection)
    relative = np.ones(())
    if own.per == "feature":
        relative = own.relative_bandwidths(
            sample.X, sample.codes, kernel=kernel, n_jobs=options.n_jobs,
            **_selector_options(sample, options.rule),
        )[None, :]  # fmt: skip
    return GivenBandwidth(Units.of(relative, n_classes), None, None)


def _selector_options(sample: Sample, rule: ClassRule) -> dict[str, Any]:
    """Weights and priors under which a selector is to judge the plug-in rule."""
    if isinstance(rule.class_weight, dict):
        errors = rule.error_weights(sample.classes, sample.counts)
        return {"sample_weight": sample.frequencies * errors[sample.codes], "priors": None}
    classes = rule.at(sample.classes, sample.counts)
    return {"sample_weight": sample.weights, "priors": None if classes.observed else classes.priors}


def choose(
    weights: Weights, searched: Searched, given: GivenBandwidth, options: SearchOptions
) -> Choice:
    """Choose a bandwidth for each class, unless it is given, and eta where it is "cv"."""
    h = None if given.value is None else given.units.bandwidths
    if h is not None and options.eta != "cv":
        return Choice(h, float(options.eta), None)
    sample, rows, landmarks = searched
    own = own_criterion(options.bandwidth) or CrossValidation()
    order = np.argsort(sample.codes, kind="stable")
    ordered = Carriers.over(sample.rows(order))
    carriers = None if landmarks is None else np.flatnonzero(np.isin(order, landmarks))
    folds = folds_of(
        options.cv if own.folds is None else own.folds, sample, order, rows, options.rule
    )
    if not folds:
        return _without_folds(sample, h, options)
    etas = eta_grid(options.eta, options.eta_grid, options.form, sample.X.shape[1])
    grid, may_widen = (h[None], False) if h is not None else bandwidth_grid(
        options.grid if own.grid is None else own.grid, sample.X, sample.weights,
        options.form.kernel, len(sample.classes),
    )  # fmt: skip
    with portion(0, _SHARE_OF_FIRST_GRID if may_widen else 1):
        errors = weights.fold_errors(ordered, carriers, folds, grid, etas, options.report)
    if may_widen and len(grid) > 1 and errors.best()[0] in (0, len(grid) - 1):
        larger = errors.best()[0] == 0
        wider = widened(grid, larger=larger)
        with portion(_SHARE_OF_FIRST_GRID):
            more = weights.fold_errors(ordered, carriers, folds, wider, etas, options.report)
        errors = errors.joined(more, larger=larger)
    b, e = errors.best()
    _warn_at_edge(errors, b)
    return Choice(errors.grid[b], float(etas[e]), errors.results(etas))


def stage(grid: Floats, b: int) -> str:
    """Where in a grid of bandwidths the search is, as it is printed."""
    shown = " and ".join(f"{h:.4g}" for h in dict.fromkeys(grid[b].ravel()))
    return f"bandwidth {shown} ({b + 1} of {len(grid)}): "


def _without_folds(sample: Sample, h: Floats | None, options: SearchOptions) -> Choice:
    """One class, or classes of one sample: nothing to hold out, so the rule of thumb."""
    eta = 1.0 if options.eta == "cv" else float(options.eta)
    if h is not None:
        return Choice(h, eta, None)
    rule = silverman(sample.X, kernel=options.form.kernel, weights=sample.weights)
    if len(sample.classes) > 1:
        warn(
            "no class has two samples, so there is nothing to cross-validate; the bandwidth falls "
            f"back to Silverman's rule, {rule:.4g}.",
        )
    return Choice(np.full(len(sample.classes), rule), eta, None)


def _warn_at_edge(errors: FoldErrors, b: int) -> None:
    at_end = b in (0, len(errors.grid) - 1)
    if len(errors.grid) < 3 or not at_end or np.ptp(errors.means) == 0:
        return
    side, cure = ("largest", "larger") if b == 0 else ("smallest", "smaller")
    warn(
        f"the bandwidth chosen by cross-validation is the {side} of its grid, "
        f"{errors.grid[b].max():.4g}; widen it: pass grid= with {cure} values.",
    )
