"""
The B-machine: weights in a box
===============================

The B-machine fits a margin by least squares with weights between 0 and 1. The kernel need not be
a Mercer kernel, and no penalty is needed. A wide margin uses many rows at full weight; a small
one leaves most rows out. Circles grow with the weight of a row; the bars count weights at 0,
between, and at 1.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen import BMachineClassifier
from parzen.plots import BoundaryDisplay

X, y = make_moons(200, noise=0.22, random_state=0)
new, truth = make_moons(5000, noise=0.22, random_state=1)
figure, axes = plt.subplots(2, 3, figsize=(10.5, 5.6), layout="constrained", height_ratios=[3, 1])
for column, margin in zip(axes.T, (0.1, 0.5, 2.0), strict=True):
    model = BMachineClassifier(bandwidth=0.35, margin=margin).fit(X, y)
    BoundaryDisplay.from_estimator(model, X, y, ax=column[0], point_size=7)
    error = np.mean(model.predict(new) != truth)
    column[0].set(
        title=f"margin {margin}: error {error:.1%}", xticks=[], yticks=[], xlabel="", ylabel=""
    )
    weights = np.abs(model.dual_coef_).max(axis=1)
    full = int(np.sum(weights >= 0.999 * weights.max()))
    counts = [len(X) - len(weights), len(weights) - full, full]
    column[1].barh(["0", "between", "1"], counts, color=["0.8", "tab:blue", "tab:red"])
    column[1].set(xlim=(0, len(X)), xlabel="rows")
    print(f"margin {margin}: error {error:.3f}, rows with weight 0, between, 1: {counts}")
plt.show()
