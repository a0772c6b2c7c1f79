"""
Too narrow, right, too wide
===========================

A narrow kernel follows every point, a wide one sees one blob. Between them lies a wide range of
bandwidths that serve equally well. The training error cannot find it: it falls to zero as the
kernel narrows. The leave-one-out error can, from the same sample and in the same pass.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen import ParzenClassifier
from parzen.bandwidth import LeaveOneOutError, TrainingError
from parzen.plots import BoundaryDisplay
from parzen.sums import labelled_kernel_sums

X, y = make_moons(200, noise=0.3, random_state=4)
new, truth = make_moons(5000, noise=0.3, random_state=5)
grid = np.geomspace(0.02, 4, 60)
left_out = LeaveOneOutError(grid=grid).select(X, y)
training = TrainingError(grid=grid).select(X, y)
sums = labelled_kernel_sums(new, X, y, 2, bandwidths=grid)
error = np.mean(sums.argmax(axis=1) != truth[:, None], axis=0)

figure = plt.figure(figsize=(10, 6), layout="constrained")
panels = figure.subplot_mosaic([["narrow", "right", "wide"], ["path"] * 3])
for name, h in (("narrow", 0.04), ("right", left_out.bandwidth), ("wide", 2.5)):
    model = ParzenClassifier(bandwidth=h).fit(X, y)
    BoundaryDisplay.from_estimator(model, X, y, ax=panels[name], show_kernels=False, point_size=7)
    panels[name].set(title=f"bandwidth {h:.2g}", xticks=[], yticks=[], xlabel="", ylabel="")
ax = panels["path"]
ax.semilogx(grid, training.scores, label="training error")
ax.semilogx(grid, left_out.scores, label="leave-one-out error")
ax.semilogx(grid, error, color="black", label="error on 5000 new points")
ax.axvline(left_out.bandwidth, color="0.6", linestyle=":", label="chosen by leave-one-out")
ax.set(xlabel="bandwidth", ylabel="error")
ax.legend(frameon=False)
plt.show()
