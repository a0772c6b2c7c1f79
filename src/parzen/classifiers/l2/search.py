"""The search over bandwidths and eta that L2Classifier does by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from parzen._core import portion, steps, warn
from parzen.bandwidth import CrossValidation, own_criterion, silverman
from parzen.classifiers.base import Decision, resolve_costs, resolve_priors
from parzen.classifiers.l2.grid import bandwidth_grid, eta_grid, widened
from parzen.classifiers.l2.landmarks import Searched
from parzen.classifiers.l2.linear import decide, fit_linear
from parzen.classifiers.l2.progress import progress_of
from parzen.classifiers.l2.selection import Fold, FoldErrors, fold_errors, folds_of
from parzen.classifiers.l2.values import class_values
from parzen.l2 import L2Form, L2Sample
from parzen.samples import Sample

if TYPE_CHECKING:
    from parzen.classifiers.l2.l2_classifier import L2Classifier

Floats = NDArray[np.float64]

_FIRST = 0.8  # share of the work that a grid takes which may have to be widened


def search(
    estimator: L2Classifier,
    searched: Searched,
    form: L2Form,
    given: Floats | None,
) -> tuple[Floats, float]:
    """Choose a bandwidth per class (unless ``given``) and eta; sets ``cv_results_``."""
    sample, rows, landmarks = searched
    d, own = sample.X.shape[1], own_criterion(estimator.bandwidth) or CrossValidation()
    ordered = L2Sample.of(sample.X, sample.codes, sample.weights, len(sample.classes))
    places = None if landmarks is None else np.flatnonzero(np.isin(ordered.order, landmarks))
    cv = estimator.cv if own.folds is None else own.folds
    folds = _folds(estimator, cv, sample, ordered, rows)
    if not folds:
        return _without_folds(estimator, sample, form, given)
    etas = (
        np.ones(1)
        if estimator.constraint is None
        else eta_grid(estimator.eta, estimator.eta_grid, form, d)
    )
    if given is None:
        grid, may_widen = bandwidth_grid(
            estimator.grid if own.grid is None else own.grid,
            sample.X, sample.weights, form.kernel, len(sample.classes),
        )  # fmt: skip
    else:
        grid, may_widen = given[None], False
    with portion(0, _FIRST if may_widen else 1):
        errors = _errors(estimator, sample, ordered, places, folds, grid, etas, form)
    if may_widen and len(grid) > 1 and errors.best()[0] in (0, len(grid) - 1):
        larger = errors.best()[0] == 0
        wider = widened(grid, larger=larger)
        with portion(_FIRST):
            more = _errors(estimator, sample, ordered, places, folds, wider, etas, form)
        errors = errors.joined(more, larger=larger)
    b, e = errors.best()
    _warn_at_edge(errors, b)
    common = bool((errors.grid == errors.grid[:, :1]).all())
    estimator.cv_results_ = {
        "bandwidth": errors.grid[:, 0] if common else errors.grid,
        "eta": etas,
        "errors": errors.means,
        "fold_errors": errors.errors,
        "sparsity": errors.sparsity.mean(axis=0),
    }
    return errors.grid[b], float(etas[e])


def _folds(
    estimator: L2Classifier,
    cv: Any,
    sample: Sample,
    ordered: L2Sample,
    rows: NDArray[np.intp] | None,
) -> list[Fold]:
    if len(sample.classes) == 1:
        return []
    n_classes = len(sample.classes)
    costs = resolve_costs(estimator.costs, n_classes)
    judged = ordered.weights * estimator._importance(sample)[ordered.codes]
    rank = np.empty(len(ordered.order), dtype=np.intp)
    rank[ordered.order] = np.arange(len(rank))
    folds = []
    for train, test in _splits(cv, sample, rows):
        mask = np.zeros(len(rank), dtype=bool)
        mask[rank[train]] = True
        w = ordered.weights * mask
        counts = np.bincount(ordered.codes, w, n_classes).astype(np.float64)
        priors, _ = resolve_priors(estimator, sample.classes, counts)
        with np.errstate(divide="ignore"):
            decision = Decision(np.log(priors), costs)
        places = rank[test]
        folds.append(Fold(mask, places, judged[places], class_values(priors, costs), decision))
    return folds


def _splits(cv: Any, sample: Sample, present: NDArray[np.intp] | None) -> list[tuple[Any, Any]]:
    """Training and test rows among the rows that count."""
    if present is None or isinstance(cv, int) or hasattr(cv, "split"):
        return folds_of(cv, sample.X, sample.codes)
    place = np.full(int(present.max()) + 1, -1)
    place[present] = np.arange(len(present))

    def counted(rows: Any) -> NDArray[np.intp]:
        found = np.asarray(rows)
        found = place[found[found < len(place)]]
        return np.asarray(found[found >= 0])

    return [(counted(train), counted(test)) for train, test in cv]


def _errors(
    estimator: L2Classifier,
    sample: Sample,
    ordered: L2Sample,
    places: NDArray[np.intp] | None,
    folds: list[Fold],
    grid: Floats,
    etas: Floats,
    form: L2Form,
) -> FoldErrors:
    if estimator.constraint is None:
        return _linear_errors(estimator, sample, ordered, places, folds, grid, form)
    return fold_errors(
        ordered, folds, grid, etas, form, places=places,
        relaxed=estimator.constraint == "relaxed",
        max_iter=estimator.max_iter, n_jobs=estimator.n_jobs,
        progress=lambda b: progress_of(estimator, _stage(grid, b)),
    )  # fmt: skip


def _linear_errors(
    estimator: L2Classifier,
    sample: Sample,
    ordered: L2Sample,
    places: NDArray[np.intp] | None,
    folds: list[Fold],
    grid: Floats,
    form: L2Form,
) -> FoldErrors:
    """L2LE has no path to share: every fold and bandwidth is a system of its own."""
    options = estimator._linear_options(sample, form)
    errors = np.empty((len(folds), len(grid), 1))
    for f, fold in enumerate(steps(folds)):
        part = ordered.rows_of(fold.train)
        if places is not None:
            carrying = np.isin(np.flatnonzero(fold.train)[part.order], places)
            part = part.on(np.flatnonzero(carrying), np.ones((1, len(part.X)), dtype=bool))[0]
        w, codes = fold.weights, ordered.codes[fold.test]
        for b, h in enumerate(steps(list(grid))):
            fitted = fit_linear(part, h, fold.values, options)
            report = progress_of(estimator, f"fold {f + 1} of {len(folds)}, {_stage(grid, b)}")
            if report is not None:
                report(fitted.solution.iterations, fitted.solution.gap)
            scores = fitted.expansion.scaled_scores(ordered.X[fold.test]).mantissa
            errors[f, b, 0] = w @ (decide(scores) != codes) / w.sum()
    return FoldErrors(grid, errors, np.ones_like(errors))


def _stage(grid: Floats, b: int) -> str:
    shown = " and ".join(f"{h:.4g}" for h in dict.fromkeys(grid[b].ravel()))
    return f"bandwidth {shown} ({b + 1} of {len(grid)}): "


def _without_folds(
    estimator: L2Classifier, sample: Sample, form: L2Form, given: Floats | None
) -> tuple[Floats, float]:
    """One class, or classes of one sample: nothing to validate, so the rule of thumb."""
    unused = estimator.constraint is None or estimator.eta == "cv"
    eta = 1.0 if unused else float(estimator.eta)
    if given is not None:
        return given, eta
    rule = silverman(sample.X, kernel=form.kernel, weights=sample.weights)
    if len(sample.classes) > 1:
        warn(
            "no class has two samples, so there is nothing to cross-validate; the bandwidth falls "
            f"back to Silverman's rule, {rule:.4g}.",
        )
    return np.full(len(sample.classes), rule), eta


def _warn_at_edge(errors: FoldErrors, b: int) -> None:
    at_end = b in (0, len(errors.grid) - 1)
    if len(errors.grid) < 3 or not at_end or np.ptp(errors.means) == 0:
        return
    side, cure = ("largest", "larger") if b == 0 else ("smallest", "smaller")
    warn(
        f"the bandwidth chosen by cross-validation is the {side} of its grid, "
        f"{errors.grid[b].max():.4g}; widen it: pass grid= with {cure} values.",
    )
