"""
The weights of the Laplacian classifier
=======================================

Jenssen and others (2007): every row is weighted by the inverse root of the density, so rows in
thin regions count more. Left: the weights on two normal classes; the dark rows at the rim weigh
most. Right: with ``power=0`` the weights are equal; the two borders hardly differ here, and part
in the thin regions.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import LaplacianClassifier
from parzen.plots import BoundaryDisplay

rng = np.random.default_rng(0)
first = rng.normal(size=(150, 2)) @ [[1.2, 0.6], [0.0, 0.5]]
second = rng.normal(size=(60, 2)) * [0.5, 0.9] + [1.6, -0.9]
X, y = np.vstack([first, second]), np.repeat([0, 1], [150, 60])

models = {power: LaplacianClassifier(power=power).fit(X, y) for power in (0.5, 0.0)}
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
weights = np.exp(models[0.5].log_weights_)
weights = weights.max(axis=1) if weights.ndim == 2 else weights
shown = left.scatter(*X.T, c=weights / weights.max(), cmap="viridis_r", s=28, edgecolor="white")
figure.colorbar(shown, ax=left, label="weight, share of the largest")
left.set(title="weights", xticks=[], yticks=[])
lines = []
for (power, model), style in zip(models.items(), ("-", "--"), strict=True):
    BoundaryDisplay.from_estimator(
        model, X, y, ax=right, show_regions=False, show_kernels=False, point_size=10,
        line={"linestyles": style},
    )  # fmt: skip
    lines += right.plot([], [], "k" + style, label=f"power={power}")
right.legend(handles=lines)
right.set(title="borders", xticks=[], yticks=[])
plt.show()
