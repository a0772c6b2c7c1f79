"""Figures 1 to 3 of Basak's report: B-vectors of the Gaussian parity problem.

A sparsity of 1e-5 chooses the sparsest where wide kernels leave the weights undetermined.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from parzen.classifiers import BMachineClassifier
from parzen.datasets import make_parity
from parzen.papers.engine import Figure, Setting, quietly
from parzen.plots import BoundaryDisplay, pyplot


def kernel_size(setting: Setting) -> list[Figure]:
    """Figure 1: 2 sigma^2 = 1."""
    return [_drawn(setting, "1", "B-vectors", [(float(np.sqrt(0.5)), 0.5)])]


def kernel_sizes(setting: Setting) -> list[Figure]:
    """Figure 2: four bandwidths."""
    pairs = [(sigma, 0.5) for sigma in (0.2, 0.5, 1.0, 2.0)]
    return [_drawn(setting, "2", "B-vectors and the size of the kernel", pairs)]


def margins(setting: Setting) -> list[Figure]:
    """Figure 3: four margins."""
    pairs = [(1.0, margin) for margin in (0.1, 0.2, 0.5, 1.0)]
    return [_drawn(setting, "3", "B-vectors and the margin", pairs)]


def _drawn(setting: Setting, number: str, title: str, pairs: list[tuple[float, float]]) -> Figure:
    X, y = make_parity(200, random_state=0)
    n = len(pairs)
    figure, panels = pyplot().subplots(
        1, n, figsize=(3.5 * n + 0.5, 3.6), layout="constrained", squeeze=False
    )
    notes = [
        "With a wide kernel many weights fit equally well; `sparsity=1e-5` takes nearly the "
        "sparsest."
    ]
    for ax, (sigma, margin) in zip(panels[0], pairs, strict=True):
        machine = BMachineClassifier(bandwidth=sigma, margin=margin, sparsity=1e-5)
        quietly(partial(machine.fit, X, y))
        label = f"sigma {sigma:.3g}, margin {margin:g}: {len(machine.support_)}"
        BoundaryDisplay.from_estimator(machine, X, y, ax=ax, title=label)
        notes.append(f"{label} B-vectors of {len(X)}")
    return setting.saved(figure, "bmachine", number, title, notes)
