"""Columns that end, columns that close, and long tails
====================================================

Left: waiting times cannot be negative. The plain estimate (dashed) loses mass below zero and falls
near it; with ``bounds`` it is reflected and keeps both. Middle: hours of a day close at midnight.
With ``periods`` the rush around midnight is one mode. Right: one bandwidth is too narrow for the
tail or too wide for the peak; ``adaptive=True`` widens the kernels where points are rare.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import KernelDensity

rng = np.random.default_rng(0)
waiting = rng.exponential(1.0, size=(400, 1))
hours = (rng.vonmises(0, 4, size=(400, 1)) * 12 / np.pi) % 24
tailed = rng.standard_t(1.5, size=(400, 1))

panels = [
    (waiting, np.linspace(-1, 5, 600), {"bounds": {0: (0, None)}}, "waiting time", "bounds"),
    (hours, np.linspace(0, 24, 600), {"periods": {0: 24}, "bandwidth": 1.0}, "hour", "periods"),
    (tailed, np.linspace(-12, 12, 600), {"adaptive": True, "bandwidth": 0.5}, "x", "adaptive"),
]
fig, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
for ax, (sample, grid, options, name, word) in zip(axes, panels, strict=True):
    plain = KernelDensity(bandwidth=options.get("bandwidth", "silverman")).fit(sample)
    with_option = KernelDensity(**options).fit(sample)
    ax.plot(grid, np.exp(plain.score_samples(grid[:, None])), "--", color="0.5", label="plain")
    ax.plot(grid, np.exp(with_option.score_samples(grid[:, None])), label=word)
    inside = sample[(sample >= grid[0]) & (sample <= grid[-1])]
    ax.plot(inside, np.full(inside.shape, -0.01), "|", color="0.3", alpha=0.3)
    ax.set_xlabel(name)
    ax.legend()
axes[2].set_yscale("log")
axes[2].set_ylim(1e-4, 1)
axes[0].set_ylabel("density")
plt.show()
