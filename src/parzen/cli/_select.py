"""``parzen select``: bandwidths by every criterion, their paths, and a plot."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen import ParzenClassifier
from parzen.bandwidth import Selection, get_selector
from parzen.cli._console import following, progress, remark, say, say_json, table
from parzen.cli._data import load_labelled, preparation
from parzen.cli._errors import UserError
from parzen.cli._figures import check_figure, save_figure
from parzen.cli._options import SelectOptions
from parzen.kernels import density_names
from parzen.table import TableEncoder

SELECTORS = ("loo", "kfold", "conditional_likelihood", "lscv", "likelihood", "silverman", "scott")
_BARS = " ▁▂▃▄▅▆▇█"  # The bars of a path, from the smallest score to the largest.
_LEGEND = """bandwidths are in standard deviations of the columns; the error is that of the plug-in
rule with the bandwidth, each row left out in its turn"""


def run_select(data: str, options: SelectOptions) -> None:
    """Choose a bandwidth by every criterion and print them with their paths."""
    kernel, plot = options.kernel, options.plot
    if kernel not in density_names():
        raise UserError(f"--kernel: unknown {kernel!r}; there are {', '.join(density_names())}")
    check_figure(plot, inputs=[data], overwrite=options.overwrite)
    sample = load_labelled(data, options)
    missing = "refuse" if sample.missing == "refuse" else "impute"
    X = TableEncoder(missing=missing).fit_transform(sample.X)
    codes = np.unique(sample.y, return_inverse=True)[1]
    found, errors = _choices(X, codes, kernel)
    if plot is not None:
        _draw(found, plot, sample.name)
    if options.as_json:
        say_json([_plain(s, e) for s, e in zip(found, errors, strict=True)])
        return
    say(*sample.facts, *preparation(sample, {"parzen": missing}), "")
    table(
        ["selector", "bandwidth", "loo error %", "criterion", "path over falling bandwidths"],
        [
            [s.name, f"{float(s.bandwidth):.4g}", f"{100 * e:.2f}", s.criterion, sparkline(s)]
            for s, e in zip(found, errors, strict=True)
        ],
        texts=(0, 3, 4),
    )
    say("", _LEGEND)


def _choices(
    X: NDArray[Any], codes: NDArray[Any], kernel: str
) -> tuple[list[Selection], list[float]]:
    """What every criterion chooses, and the leave-one-out error of the plug-in rule with it."""
    found, errors = [], []
    with progress("choosing") as tell, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an edge of a grid shows in the path
        for done, name in enumerate(SELECTORS):
            with following(tell, 2 * done, 2 * len(SELECTORS), name):
                selection = get_selector(name).select(X, codes, kernel=kernel)
            with following(tell, 2 * done + 1, 2 * len(SELECTORS), f"error with {name}"):
                rule = ParzenClassifier(kernel=kernel, bandwidth=selection.bandwidth)
                wrong = rule.fit(X, codes).loo_predictions_ != codes
            found.append(selection)
            errors.append(float(np.mean(wrong)))
    return found, errors


def sparkline(selection: Selection) -> str:
    """The path as a row of bars, from the largest bandwidth to the smallest.

    Examples
    --------
    >>> sparkline(Selection(1.0, 0.0, np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 2.0]), "", ""))
    '█▄ '
    """
    scores = np.asarray(selection.scores, dtype=float)[::-1]
    finite = np.isfinite(scores)
    if scores.ndim != 1 or not finite.any():
        return "a rule"
    low, high = scores[finite].min(), scores[finite].max()
    shares = (np.where(finite, scores, high) - low) / (high - low or 1.0)
    return "".join(_BARS[round(8 * float(s))] for s in shares)


def _draw(found: list[Selection], plot: Path, name: str) -> None:
    import matplotlib.pyplot as plt

    from parzen.plots import BandwidthPathDisplay

    paths = [s for s in found if len(s.grid)]
    figure, axes = plt.subplots(
        len(paths), 1, figsize=(6.4, 2.1 * len(paths)), layout="constrained"
    )
    for ax, selection in zip(axes, paths, strict=True):
        BandwidthPathDisplay.from_selection(selection, ax=ax)
        ax.set_title(f"{selection.name}: {float(selection.bandwidth):.3g}", fontsize="medium")
        ax.set_ylabel("")
    figure.suptitle(f"Bandwidths for {Path(name).name}")
    save_figure(figure, plot)
    remark(f"plot: {plot}")


def _plain(selection: Selection, error: float) -> dict[str, Any]:
    return {
        "selector": selection.name,
        "bandwidth": float(selection.bandwidth),
        "criterion": selection.criterion,
        "loo_error": error,
        "grid": np.asarray(selection.grid).tolist(),
        "scores": np.ravel(selection.scores).tolist(),
        "at_edge": bool(selection.at_edge),
    }
