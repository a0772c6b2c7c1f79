"""
A density from a sample, and samples from a density
===================================================

``KernelDensity`` finds the two ridges of this sample without being told their shape. The right
panel shows new points drawn from the estimate. One row of code each: ``fit``, ``score_samples``,
``sample``.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import KernelDensity

rng = np.random.default_rng(3)
angle = rng.uniform(0, 3 * np.pi, 700)
spiral = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)]) / 3
X = spiral + rng.normal(0, 0.13, spiral.shape)

density = KernelDensity(bandwidth="likelihood").fit(X)
print(f"bandwidth with the largest leave-one-out likelihood: {density.bandwidth_:.3f}")

side = np.linspace(-3.8, 3.8, 200)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
value = np.exp(density.score_samples(grid)).reshape(200, 200)

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
left.scatter(*X.T, s=4, color="0.3")
left.set_title("700 points")
middle.contourf(side, side, value, levels=25, cmap="magma")
middle.set_title("their density")
right.scatter(*density.sample(700, random_state=0).T, s=4, color="tab:purple")
right.set_title("700 points of the density")
for ax in (left, middle, right):
    ax.set(xlim=(-3.8, 3.8), ylim=(-3.8, 3.8), xticks=[], yticks=[], aspect="equal")
plt.show()
