"""
The kernels
===========

Every registered density kernel, at bandwidth 1, and the estimate it gives from the same forty
points at the bandwidth with the smallest estimated integrated squared error. The shape of the
kernel changes the look of the estimate; the bandwidth changes what it says. Kernels of compact
support are exactly zero away from the data.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import KernelDensity, kernels

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(-1.5, 0.5, 20), rng.normal(1.2, 0.9, 20)])[:, None]
x = np.linspace(-4.5, 4.5, 601)[:, None]

names = sorted(kernels.density_names())
columns = 5
rows = -(-len(names) // columns)
figure, axes = plt.subplots(
    rows, columns, figsize=(11, 1.9 * rows), sharex=True, sharey=True, layout="constrained"
)
for ax in axes.flat[len(names) :]:
    ax.axis("off")
for number, (ax, name) in enumerate(zip(axes.flat, names, strict=False)):
    shape = KernelDensity(1.0, kernel=name).fit([[0.0]])
    ax.fill_between(x[:, 0], np.exp(shape.score_samples(x)), color="0.85")
    estimate = KernelDensity("lscv", kernel=name).fit(X)
    ax.plot(x, np.exp(estimate.score_samples(x)), color=f"C{number % 10}")
    ax.plot(X, np.full(len(X), -0.03), "|", color="black", markersize=4)
    ax.set(title=name.replace("_", " "), ylim=(-0.07, 0.75))
plt.show()
