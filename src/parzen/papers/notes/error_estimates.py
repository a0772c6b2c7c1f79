"""How good are estimates of an error? Hold-out and K folds over many samples.

The quantity to estimate is the error of the rule that is trained on all n rows. Two unit Gaussians
in one dimension, two apart, equally likely; the plug-in rule with a fixed width.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parzen._core import Floats
from parzen.compare import Task
from parzen.papers.engine import Cell, Figure, Setting, Table, TableRow
from parzen.plots import pyplot

SCHEMES = ("hold-out half", "2 folds", "5 folds", "10 folds", "leave-one-out")
_ROWS, _BANDWIDTH, _TEST_ROWS = 40, 0.3, 4000


def estimates(first: int, last: int) -> list[dict[str, float]]:
    """For each seed: the error of every estimate, and the true ones, in percent."""
    return [_estimates(np.random.default_rng(seed)) for seed in range(first, last)]


def _estimates(rng: np.random.Generator) -> dict[str, float]:
    (x, y), (z, truth) = _sample(rng, _ROWS), _sample(rng, _TEST_ROWS)
    order = rng.permutation(_ROWS)
    half = order[: _ROWS // 2]
    found = {
        "true": _error(x, y, z, truth),
        "true, half": _error(x[half], y[half], z, truth),
        "hold-out half": _folds_error(x, y, [order[_ROWS // 2 :]]),
    }
    folds = {"2 folds": 2, "5 folds": 5, "10 folds": 10, "leave-one-out": _ROWS}
    return found | {k: _folds_error(x, y, np.array_split(order, n)) for k, n in folds.items()}


def _sample(rng: np.random.Generator, n: int) -> tuple[Floats, NDArray[np.bool_]]:
    y = rng.random(n) < 0.5
    return rng.normal(np.where(y, 2.0, 0.0)), y


def _error(x: Floats, y: NDArray[np.bool_], z: Floats, truth: NDArray[np.bool_]) -> float:
    kernels = np.exp(-((z[:, None] - x) ** 2) / (2 * _BANDWIDTH**2))
    return 100.0 * float(np.mean((kernels @ (2.0 * y - 1.0) > 0) != truth))


def _folds_error(x: Floats, y: NDArray[np.bool_], folds: list[NDArray[np.intp]]) -> float:
    wrong = [
        len(test) * _error(np.delete(x, test), np.delete(y, test), x[test], y[test])
        for test in folds
    ]
    return sum(wrong) / sum(map(len, folds))


def fold_table(setting: Setting) -> list[Table]:
    """Bias and deviation of every estimate."""
    values = _drawn(setting)
    n = len(values["true"])
    rows = []
    for scheme in SCHEMES:
        own = values["true, half"] if scheme == "hold-out half" else values["true"]
        cells = {
            "mean": Cell.of(values[scheme]),
            "true error, trained on all": Cell.of(values["true"]),
            "bias": Cell.of(values[scheme] - values["true"], digits=2),
            "bias for its own training rows": Cell.of(values[scheme] - own, digits=2),
        }
        without_values = {name: replace(cell, values=None) for name, cell in cells.items()}
        rows.append(TableRow(scheme, without_values, f"{n} samples"))
    notes = [
        f"{_ROWS} rows, errors in percent, mean ± standard deviation over the samples. The "
        "hold-out error is unbiased for the rule that its half trains, and too large for the one "
        "that all rows train. K folds train on n - n/K rows: the bias falls as K grows and is not "
        "0 even for leave-one-out, where n - 1 rows train, though it is hardly seen there.",
    ]
    title = "Estimates of an error: bias and deviation"
    return [Table("folds", title, list(rows[0].cells), rows, notes)]


def fold_figure(setting: Setting) -> list[Figure]:
    """The same as a picture: bias with its standard error, and the deviation, by scheme."""
    values = _drawn(setting)
    figure, panels = pyplot().subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    away = {scheme: values[scheme] - values["true"] for scheme in SCHEMES}
    errors = [v.std() / np.sqrt(len(v)) for v in away.values()]
    panels[0].errorbar(SCHEMES, [v.mean() for v in away.values()], errors, fmt="o", capsize=3)
    half = values["hold-out half"] - values["true, half"]
    panels[0].plot(SCHEMES[0], half.mean(), "kx", label="against the rule that its half trains")
    panels[0].axhline(0.0, color="0.7")
    panels[0].legend(frameon=False, fontsize="small")
    panels[1].plot(SCHEMES, [values[scheme].std() for scheme in SCHEMES], "o")
    panels[1].set_ylim(0, None)
    for ax, title in zip(panels, ("bias (%)", "standard deviation (%)"), strict=True):
        ax.set_title(title)
        ax.tick_params(axis="x", rotation=20)
    notes = [
        f"{scheme}: bias {v.mean():+.2f}, deviation {values[scheme].std():.2f}"
        for scheme, v in away.items()
    ]
    title = "Bias and deviation of hold-out and of K folds"
    return [setting.saved(figure, "notes", "folds", title, notes)]


def _drawn(setting: Setting) -> dict[str, Floats]:
    """Every estimate, and the true errors, on many samples."""
    n, step = (200 if setting.quick else 2000), 200
    tasks = [Task(estimates, {"first": i, "last": i + step}) for i in range(0, n, step)]
    draws = [d for batch in setting.runner.run(tasks, "error estimates") for d in batch]
    return {k: np.array([d[k] for d in draws]) for k in draws[0]}
