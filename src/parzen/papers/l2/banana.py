"""Banana: Figure 2 of Kim & Scott (2010), and how many kernels the smoothing k leaves.

Without the data set two crescents take its place, and the notes say so.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons

from parzen._core import Floats
from parzen.classifiers import L2Classifier
from parzen.datasets import UnavailableError
from parzen.papers.engine import Figure, Parameters, Setting, Study, quietly
from parzen.papers.l2.methods import COLUMNS, SIGMAS
from parzen.papers.l2.printed import SETS
from parzen.plots import BoundaryDisplay, pyplot

SMOOTHINGS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
_COUNTS = {"L2QP-0": 77, "L2QP-1": 66, "S-SVM": 142}
_NEIGHBOUR = 23  # Place in the grid of the sigma, 0.256, that gives L2QP-1 its printed number.
_CRESCENTS, _TRAINING = 5300, 400  # as many as Banana has


class Split(NamedTuple):
    """Training and test data."""

    X: Floats
    y: NDArray[Any]
    X_test: Floats
    y_test: NDArray[Any]


def banana_boundaries(setting: Setting, study: Study) -> list[Figure]:
    """Figure 2: boundaries and kernels on the first split, at the medians of Table 2.

    A fourth panel has L2QP-1 at the next sigma of the grid, where it has the printed number.
    """
    (split,), source = _splits(1)
    X, y = split.X, split.y
    chosen = {name: _medians(setting, study, name, X, y) for name in _COUNTS}
    panels_at = [(name, chosen[name]) for name in _COUNTS]
    panels_at.append(("L2QP-1", chosen["L2QP-1"] | {"sigma": float(SIGMAS[_NEIGHBOUR])}))
    figure, panels = pyplot().subplots(2, 2, figsize=(9, 8), layout="constrained")
    notes = [source]
    for ax, (name, parameters) in zip(panels.flat, panels_at, strict=True):
        clf = quietly(partial(COLUMNS[name].make(parameters).fit, X, y))
        where = f"{name}, σ {parameters['sigma']:.3f}"
        BoundaryDisplay.from_estimator(clf, X, y, ax=ax, title=f"{where}: {len(clf.support_)}")
        notes.append(f"{where}: {len(clf.support_)} of {len(X)} kernels (printed {_COUNTS[name]})")
    return [setting.saved(figure, "l2", "2", "Decision boundaries on Banana", notes)]


def _medians(setting: Setting, study: Study, name: str, X: Floats, y: NDArray[Any]) -> Parameters:
    """The parameters of Table 2; of one training set where Banana is not there."""
    try:
        SETS["Banana"].load()
        return study.parameters(setting, "Banana", name)
    except UnavailableError:
        select = COLUMNS[name].select
        assert select is not None
        return dict(quietly(partial(select, X, y, setting.quick)))


def sparsity_against_smoothing(setting: Setting) -> list[Figure]:
    """Share of kernels and error of L2QP-k against k: sigma chosen for each k, or held fixed."""
    splits, source = _splits(2 if setting.quick else 10)
    grid = SIGMAS[::3] if setting.quick else SIGMAS
    chosen = np.array([_along_smoothings(split, grid) for split in splits])
    held = np.array([_along_smoothings(split, np.array([s])) for split, s in
                     zip(splits, chosen[:, 0, 2], strict=True)])  # fmt: skip
    figure, panels = pyplot().subplots(1, 2, figsize=(9, 4), layout="constrained")
    for ax, column, label in ((panels[0], 0, "kernels kept (%)"), (panels[1], 1, "error (%)")):
        for found, name in ((chosen, "σ chosen for each k"), (held, "σ chosen for k = 0")):
            ax.errorbar(SMOOTHINGS, found[..., column].mean(axis=0), found[..., column].std(axis=0),
                        fmt="o-", capsize=2, label=name)  # fmt: skip
        ax.set(xlabel="k", ylabel=label)
    panels[0].set_ylim(0, None)
    panels[0].legend(frameon=False)
    notes = [source, f"mean and standard deviation over {len(splits)} splits"]
    for k, (kept, error, sigma), (same, same_error, _) in zip(
        SMOOTHINGS, chosen.mean(axis=0), held.mean(axis=0), strict=True
    ):
        notes.append(
            f"k = {k:g}: {kept:.1f} % of the kernels, error {error:.1f} % (σ {sigma:.2f}); "
            f"{same:.1f} %, error {same_error:.1f} % with the σ of k = 0"
        )
    title = "Sparsity against the smoothing k on Banana"
    return [setting.saved(figure, "l2", "sparsity", title, notes)]


def _along_smoothings(split: Split, grid: Floats) -> list[tuple[float, float, float]]:
    """Kernels kept and error in percent, and sigma, for every k."""
    found = []
    for k in SMOOTHINGS:
        clf = L2Classifier(smoothing=k, grid=grid, n_jobs=1)
        quietly(partial(clf.fit, split.X, split.y))
        kept = 100.0 * len(clf.support_) / len(split.X)
        error = 100.0 * (1.0 - clf.score(split.X_test, split.y_test))
        found.append((kept, error, float(clf.bandwidth_)))
    return found


def _splits(n: int) -> tuple[list[Split], str]:
    """The first n splits, and where they are from."""
    benchmark = SETS["Banana"]
    try:
        X, y = benchmark.sample()
    except UnavailableError as reason:
        X, y = make_moons(_CRESCENTS, noise=0.3, random_state=0)
        rows = [np.random.default_rng(seed).permutation(len(X)) for seed in range(n)]
        pairs = [(r[:_TRAINING], r[_TRAINING:]) for r in rows]
        source = f"two crescents instead of Banana: {reason}"
    else:
        pairs, _ = benchmark.splits(n)
        source = f"Banana, {benchmark.note(n)}"
    return [Split(X[a], y[a], X[b], y[b]) for a, b in pairs], source
