"""
A training error that goes to zero
==================================

From lecture notes on kernel classifiers: the training error of the plug-in rule falls to zero as
the bandwidth does, whatever the data, even with labels of pure noise. On the noise the
leave-one-out error stays near one half. It rises beyond that for a kernel as wide as the sample:
leaving a row out makes its own class the rarer one. The bands show ten samples.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen.bandwidth import EndOfGridWarning, LeaveOneOutError, TrainingError

warnings.simplefilter("ignore", EndOfGridWarning)  # it chooses the least, and says so

grid = np.geomspace(0.02, 3, 40)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for ax, noise in zip(axes, (False, True), strict=True):
    for selector, colour in ((TrainingError, "tab:red"), (LeaveOneOutError, "tab:blue")):
        paths = []
        for seed in range(10):
            X, y = make_moons(150, noise=0.3, random_state=seed)
            labels = np.random.default_rng(seed).permutation(y) if noise else y
            paths.append(selector(grid=grid).select(X, labels).scores)
        name = "training error" if selector is TrainingError else "leave-one-out error"
        ax.fill_between(grid, np.min(paths, axis=0), np.max(paths, axis=0), alpha=0.2, color=colour)
        ax.semilogx(grid, np.mean(paths, axis=0), color=colour, label=name)
    ax.axhline(0.5, color="0.6", linestyle=":")
    ax.set(title="labels of pure noise" if noise else "two moons", xlabel="bandwidth")
axes[0].set_ylabel("error")
axes[0].legend(frameon=False)
plt.show()
