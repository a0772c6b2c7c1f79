"""
A density with a few kernels
============================

``KernelDensity`` puts a kernel on each of 500 points. ``L2KernelDensity`` chooses weights that
minimise the integrated squared error on the simplex, and most of them become zero. Each chooses
its bandwidth by its own criterion. The stems show the weights: a few tall ones in place of five
hundred.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from parzen import KernelDensity, L2KernelDensity

rng = np.random.default_rng(0)
part = rng.choice(3, size=500, p=[0.5, 0.3, 0.2])
X = rng.normal(np.array([-2.0, 1.0, 3.0])[part], np.array([0.8, 0.4, 0.2])[part])[:, None]
x = np.linspace(-5, 4.5, 500)[:, None]
truth = sum(
    p * norm.pdf(x[:, 0], m, s) for p, m, s in ((0.5, -2, 0.8), (0.3, 1, 0.4), (0.2, 3, 0.2))
)

full = KernelDensity("lscv").fit(X)
sparse = L2KernelDensity(bandwidth="cv").fit(X)
kernels = {"KernelDensity": (X, np.full(500, 1 / 500))}
kernels["L2KernelDensity"] = (sparse.points_, sparse.weights_)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for ax, model in zip(axes, (full, sparse), strict=True):
    name = type(model).__name__
    value = np.exp(model.score_samples(x))
    centres, weights = kernels[name]
    ax.fill_between(x[:, 0], truth, color="0.88", label="truth")
    ax.plot(x, value, color="tab:blue", label="estimate")
    ax.vlines(centres[:, 0], 0, 3 * weights, color="tab:red", linewidth=1, label="weights, 3 ×")
    error = np.sum((value - truth) ** 2) * (x[1, 0] - x[0, 0])
    ax.set(title=f"{name}: {len(weights)} kernels, bandwidth {model.bandwidth_:.2f}", ylim=(0, 0.5))
    print(f"{name}: {len(weights)} kernels, integrated squared error {error:.4f}")
axes[0].legend(frameon=False)
plt.show()
