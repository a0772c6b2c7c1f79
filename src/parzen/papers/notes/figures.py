"""The sketches of the notes: kernels, widths, error estimates, least-squares cross-validation."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm
from sklearn.datasets import make_moons

from parzen import kernels as kernel_room
from parzen.bandwidth import LSCV, HoldoutError, KFoldError, LeaveOneOutError, TrainingError
from parzen.classifiers import ParzenClassifier
from parzen.density import KernelDensity
from parzen.papers.engine import Figure, Setting
from parzen.plots import BandwidthPathDisplay, BoundaryDisplay, pyplot
from parzen.sums import labelled_kernel_sums

_NAMES = ("gaussian", "uniform", "triangular", "epanechnikov")
_BANDWIDTH_FACTORS = {"too small": 1 / 8, "chosen": 1.0, "too large": 8.0}


def kernels(setting: Setting) -> list[Figure]:
    """Four kernels in one dimension."""
    x = np.linspace(-3, 3, 601)[:, None]
    figure, panels = pyplot().subplots(1, 4, figsize=(11, 2.4), layout="constrained", sharey=True)
    notes = []
    for ax, name in zip(panels, _NAMES, strict=True):
        log_values = KernelDensity(1.0, kernel=kernel_room.get(name)).fit([[0.0]]).score_samples(x)
        values = np.exp(log_values)
        ax.plot(x[:, 0], values)
        ax.set_title(name)
        height, integral = values.max(), values.sum() * 0.01
        notes.append(f"{name}: height {height:.3f}, integral of the drawn curve {integral:.3f}")
    return [setting.saved(figure, "notes", "kernels", "Kernels", notes)]


def widths(setting: Setting) -> list[Figure]:
    """Sigma too small, chosen, too large: a density and a decision."""
    rng = np.random.default_rng(2)
    sample = np.concatenate([rng.normal(-1.5, 0.5, 60), rng.normal(1.5, 0.8, 60)])[:, None]
    x = np.linspace(-4, 5, 500)
    truth = 0.5 * norm.pdf(x, -1.5, 0.5) + 0.5 * norm.pdf(x, 1.5, 0.8)
    X, y = make_moons(200, noise=0.35, random_state=0)
    Z, labels = make_moons(5000, noise=0.35, random_state=1)
    sigma = float(LSCV().select(sample).bandwidth)
    h = float(LeaveOneOutError(ties="largest").select(X, y).bandwidth)
    figure, panels = pyplot().subplots(2, 3, figsize=(9, 5), layout="constrained")
    notes = []
    for (name, factor), (above, below) in zip(_BANDWIDTH_FACTORS.items(), panels.T, strict=True):
        density = KernelDensity(factor * sigma).fit(sample)
        above.plot(x, truth, color="0.7", lw=4)
        above.plot(x, np.exp(density.score_samples(x[:, None])))
        above.set_title(f"σ {name}: {factor * sigma:.2f}")
        clf = ParzenClassifier(bandwidth=factor * h).fit(X, y)
        BoundaryDisplay.from_estimator(clf, X, y, ax=below, show_kernels=False, point_size=6)
        notes.append(f"{name}: test error {100 * (1 - clf.score(Z, labels)):.1f} %")
    return [setting.saved(figure, "notes", "widths", "Three widths", notes)]


def error_estimates(setting: Setting) -> list[Figure]:
    """The training error goes to zero with sigma; hold-out and cross-validation do not."""
    X, y = make_moons(300, noise=0.4, random_state=0)
    Z, labels = make_moons(10_000, noise=0.4, random_state=1)
    grid = 0.01 * 2.0 ** (np.arange(64) / 8)
    sums = labelled_kernel_sums(Z, X, y, 2, bandwidths=grid)
    error = np.mean(sums.argmax(axis=1) != labels[:, None], axis=0)
    figure, ax = pyplot().subplots(figsize=(6.5, 4), layout="constrained")
    ax.plot(grid, error, color="0.8", lw=5, label="new points")
    selectors = {"training": TrainingError, "hold-out": HoldoutError, "five folds": KFoldError,
                 "leave-one-out": LeaveOneOutError}  # fmt: skip
    notes = []
    for number, (name, selector) in enumerate(selectors.items()):
        found = selector(grid=grid.tolist()).select(X, y)
        BandwidthPathDisplay.from_selection(found, ax=ax, color=f"C{number}", label=name)
        reached = error[np.searchsorted(grid, float(found.bandwidth))]
        notes.append(f"{name}: sigma {found.bandwidth:.3f}, error on new points {reached:.3f}")
    ax.set(ylabel="error", ylim=(-0.01, 0.45))
    return [setting.saved(figure, "notes", "errors", "Error estimates along sigma", notes)]


def lscv(setting: Setting) -> list[Figure]:
    """LSCV over sigma: smooth, with a visible global minimum, perhaps local ones."""
    rng = np.random.default_rng(0)
    sample = np.concatenate([rng.normal(0, 1, 80), rng.normal(4, 0.3, 40)])[:, None]
    found = LSCV(grid=np.geomspace(0.02, 3.0, 120).tolist()).select(sample)
    figure, ax = pyplot().subplots(figsize=(6, 3.6), layout="constrained")
    BandwidthPathDisplay.from_selection(found, ax=ax)
    inner = found.scores[1:-1]
    minima = int(np.sum((inner < found.scores[:-2]) & (inner < found.scores[2:])))
    notes = [f"sigma {float(found.bandwidth):.3f}, local minima along the grid: {minima}"]
    return [setting.saved(figure, "notes", "lscv", "Least-squares cross-validation", notes)]
