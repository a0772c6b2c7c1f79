"""Figures 1 and 3 to 10 of Xiong, Swamy & Ahmad (2005).

Two overlapping Gaussians of 150 and 170 points in the plane, and what a kernel makes of them before
and after its optimisation; then three real sets, where separability and alignment grow on test data
that the gradient does not see.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen._core import Floats
from parzen.datasets import UnavailableError
from parzen.feature_space import EmpiricalKernelMap, KernelOptimizer, class_separability
from parzen.kernels import Polynomial, get
from parzen.papers.engine import Figure, Setting
from parzen.papers.kernel_optimization.thirds import bandwidth, thirds
from parzen.plots import EmbeddingDisplay, OptimizationDisplay, pyplot

# title: numbers of the figures, gamma_0, gamma
REAL: dict[str, tuple[tuple[str, str], float, float]] = {
    "Ionosphere": (("5", "6"), 1e-4, 0.05),
    "Breast": (("7", "8"), 1e-4, 0.05),
    "Monks3": (("9", "10"), 1e-4, 0.1),
}
_PRINTED_J = {1: 0.6027, 2: 0.0234, 3: 0.1350}
_DRAWS = 50  # J is averaged over this many samples.
_SQUARE = Polynomial(degree=2, constant=0.0)


def two_gaussians(seed: int = 0) -> tuple[Floats, NDArray[np.int64]]:
    """The sample of Fig. 1(a)."""
    rng = np.random.default_rng(seed)
    wide = rng.normal([-2.0, 0.0], [2.0, 1.0], size=(150, 2))
    tall = rng.normal([2.0, 0.0], [1.0, 2.0], size=(170, 2))
    return np.vstack([wide, tall]), np.repeat([-1, 1], [150, 170])


def basic_kernels(setting: Setting) -> list[Figure]:
    """Figure 1: the sample, and its images by (x.y)^2 and by a wide Gaussian."""
    X, y = two_gaussians()
    figure, panels = pyplot().subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    EmbeddingDisplay.from_points(X, y, ax=panels[0], title="(a) the sample")
    for ax, kernel, h, title in (
        (panels[1], _SQUARE, 1.0, "(b) (x.y)^2"),
        (panels[2], get("gaussian"), bandwidth(0.001), "(c) Gaussian"),
    ):
        EmbeddingDisplay.from_points(_image(kernel, h, X), y, ax=ax, title=title)
    draws = [two_gaussians(seed) for seed in range(10 if setting.quick else _DRAWS)]
    notes = []
    for p, value in _PRINTED_J.items():
        kernel = Polynomial(degree=p, constant=0.0)
        J = [class_separability(*draw, kernel=kernel) for draw in draws]
        notes.append(
            f"J of (x.y)^{p}: {J[0]:.4f} for this sample, {np.mean(J):.4f} ± {np.std(J):.4f} over "
            f"{len(J)} (printed {value:.4f} for one)"
        )
    return [setting.saved(figure, "kernel_optimization", "1", "Two Gaussians", notes)]


def polynomial_kernel(setting: Setting) -> list[Figure]:
    """Figure 3: the polynomial kernel, optimised."""
    return [_optimised(setting, "3", _SQUARE, 1.0, bandwidth(1.0), 0.5)]


def gaussian_kernel(setting: Setting) -> list[Figure]:
    """Figure 4: the Gaussian kernel, optimised."""
    h = bandwidth(0.001)
    return [_optimised(setting, "4", get("gaussian"), h, bandwidth(0.5), 0.01)]


def real_data(title: str, setting: Setting) -> list[Figure]:
    """Two figures of a set: projections before and after, and the measures along the steps."""
    try:
        return _real(setting, title)
    except UnavailableError as reason:
        skipped = [f"skipped: {title}: {reason}"]
        return [Figure(number, title, [], skipped) for number in REAL[title][0]]


def _optimised(
    setting: Setting, number: str, base: Any, h: float, core_h: float, rate: float
) -> Figure:
    X, y = two_gaussians()
    optimizer = KernelOptimizer(base, h, core_h, learning_rate=rate, random_state=0).fit(X, y)
    figure, panels = pyplot().subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    for ax, kernel, name in ((panels[0], base, "before"), (panels[1], optimizer.kernel_, "after")):
        EmbeddingDisplay.from_points(_image(kernel, h, X), y, ax=ax, title=name)
    display = OptimizationDisplay.from_estimator(optimizer, ax=panels[2])
    J = display.training["separability"]
    notes = [f"J from {J[0]:.4f} to {J[-1]:.4f} in {len(J) - 1} steps"]
    title = f"An optimised {'polynomial' if base is _SQUARE else 'Gaussian'} kernel"
    return setting.saved(figure, "kernel_optimization", number, title, notes)


def _real(setting: Setting, title: str) -> list[Figure]:
    numbers, gamma0, gamma = REAL[title]
    X, y, (cores, train, test) = thirds(title, 0)
    h = bandwidth(gamma0)
    optimizer = KernelOptimizer("gaussian", h, bandwidth(gamma), cores=X[cores])
    optimizer.fit(X[train], y[train])
    figure, panels = pyplot().subplots(2, 2, figsize=(8, 6), layout="constrained")
    for row, rows, part in ((panels[0], train, "training"), (panels[1], test, "test")):
        for ax, kernel, name in (
            (row[0], "gaussian", "before"),
            (row[1], optimizer.kernel_, "after"),
        ):
            image = _image(kernel, h, X[rows])
            EmbeddingDisplay.from_points(image, y[rows], ax=ax, title=f"{part}, {name}")
    caption = f"{title}: the first two coordinates of the feature space, before and after"
    maps = setting.saved(figure, "kernel_optimization", numbers[0], caption, [])
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    display = OptimizationDisplay.from_estimator(optimizer, X[test], y[test], ax=left)
    display.plot(right, measure="alignment")
    notes = [
        f"{measure} of the test data from {path[0]:.3f} to {path[-1]:.3f}"
        for measure, path in display.unseen.items()
    ]
    title = f"{title}: separability J and alignment A_c against the steps"
    return [maps, setting.saved(figure, "kernel_optimization", numbers[1], title, notes)]


def _image(kernel: Any, h: float, X: Floats) -> Floats:
    return np.asarray(EmpiricalKernelMap(kernel, h, n_components=2).fit_transform(X))
