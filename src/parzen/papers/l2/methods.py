"""The columns of Tables 2 to 4 of Kim & Scott (2010), and a few beside them.

Grids as in section 6: 50 values of sigma from 0.01 to 10 (11 beside eta), 10 of eta from 1 to
sqrt(2)^d, for smoothing k = 1 too; five folds, ties to the largest sigma.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from parzen.bandwidth import KFoldError
from parzen.classifiers import L2Classifier, L2LinearClassifier, ParzenClassifier
from parzen.papers.engine import (
    BASELINE_COLUMNS,
    COSTS,
    Column,
    Floats,
    Parameters,
    support_vector_machine,
)
from parzen.papers.l2.all_columns import l2_with_all_columns, ratio_of_constant_columns
from parzen.papers.l2.linear_rule import LinearL2, LinearParzen

SIGMAS, FEW_SIGMAS = np.geomspace(1e-2, 1e1, 50), np.geomspace(1e-2, 1e1, 11)
_PAIRS = np.array([[a, b] for a in np.geomspace(0.3, 2.0, 7) for b in np.geomspace(0.3, 2.0, 7)])


def _l2(
    smoothing: float,
    *,
    with_eta: bool = False,
    grid: Floats | None = None,
    kernel: str = "gaussian",
    **variant: Any,
) -> Column:
    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        sigmas, etas = grid if grid is not None else _every(SIGMAS, quick), np.ones(1)
        if with_eta:
            sigmas = FEW_SIGMAS
            etas = np.geomspace(1.0, np.sqrt(2.0) ** X.shape[1], 5 if quick else 10)
        own_etas = etas / (ratio_of_constant_columns(X, smoothing) if counts_all else 1.0)
        clf = L2Classifier(smoothing=smoothing, eta="cv", eta_grid=own_etas, grid=sigmas, n_jobs=1,
                           kernel=kernel, **variant).fit(X, y)  # fmt: skip
        eta = etas[np.argmin(np.abs(own_etas - clf.eta_))]
        return {"sigma": np.asarray(clf.bandwidth_).tolist(), "eta": float(eta)}

    def make(p: Parameters) -> L2Classifier:
        options = {"eta": p["eta"], "smoothing": smoothing, "kernel": kernel, **variant}
        if counts_all:
            return l2_with_all_columns(p["sigma"], **options)
        return L2Classifier(bandwidth=p["sigma"], n_jobs=1, **options)

    counts_all = kernel == "gaussian"  # The power of a Cauchy kernel depends on d too.
    return Column(make, select)


def _l2_linear(**variant: Any) -> Column:
    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        clf = L2LinearClassifier(grid=_every(FEW_SIGMAS, quick), n_jobs=1, **variant).fit(X, y)
        ridge = {} if clf.ridge_ is None else {"ridge": clf.ridge_}
        return {"sigma": float(clf.bandwidth_), **ridge}

    def make(p: Parameters) -> L2LinearClassifier:
        return L2LinearClassifier(bandwidth=p["sigma"], ridge=p.get("ridge"), n_jobs=1, **variant)

    return Column(make, select)


def _parzen(ties: Literal["largest", "smallest"]) -> Column:
    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        selector = KFoldError(grid=SIGMAS.tolist(), ties=ties)
        clf = ParzenClassifier(bandwidth=selector, scale=None, n_jobs=1)
        return {"sigma": clf.fit(X, y).bandwidth_}

    return Column(lambda p: ParzenClassifier(bandwidth=p["sigma"], scale=None, n_jobs=1), select)


def _linear(rule: LinearParzen) -> Column:
    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        return {"sigma": rule.select(X, y, _every(SIGMAS, quick))}

    return Column(lambda p: clone(rule).set_params(sigma=p["sigma"]), select)


def _every(grid: Floats, quick: bool) -> Floats:
    return grid[::3] if quick else grid


COLUMNS: dict[str, Column] = {
    "H-SVM": support_vector_machine(COSTS[-1:]),
    "S-SVM": support_vector_machine(),
    "L2QP-0": _l2(0),
    "L2QP-1": _l2(1),
    "L2QPη-0": _l2(0, with_eta=True),
    "L2QPη-1": _l2(1, with_eta=True),
    "Parzen": _parzen("largest"),
    "Parzen, smallest": _parzen("smallest"),
    "Parzen, linear": _linear(LinearParzen()),
    "L2QP-0, linear": _linear(LinearL2()),
    "L2QP-1, linear": _linear(LinearL2(smoothing=1.0)),
    "L2QP-0, σ per class": _l2(0, grid=_PAIRS),
    "L2QP-0, A'": _l2(0, constraint="relaxed"),
    "L2QP-0, Cauchy": _l2(0, kernel="cauchy"),
    "L2LE-0, ridge": _l2_linear(),
    "L2LE-0, CG": _l2_linear(solver="cg"),
    **BASELINE_COLUMNS,
}
