"""
Three criteria on one grid
==========================

The leave-one-out error judges decisions. It is a count, so its curve is a staircase; among equal
errors the likelihood of the labels decides. Least-squares cross-validation (LSCV) judges densities
by their integrated squared error. The likelihood judges how probable the left-out points are. The
last panel shows the error on new points with the three choices marked: here they hardly differ.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen.bandwidth import LSCV, LeaveOneOutError, Likelihood
from parzen.plots import BandwidthPathDisplay
from parzen.sums import labelled_kernel_sums

SELECTORS = {"leave-one-out error": LeaveOneOutError, "LSCV": LSCV, "likelihood": Likelihood}
GRID = 0.03 * 2.0 ** (np.arange(57) / 8)


def draw_sample(n, rng):
    """A narrow class and a wide one in one dimension."""
    y = rng.integers(0, 2, n)
    x = np.where(y == 0, rng.normal(size=n), 1.5 + 1.5 * rng.normal(size=n))
    return x[:, None], y


rng = np.random.default_rng(25)
X, y = draw_sample(120, rng)
new, labels = draw_sample(10_000, rng)
sums = labelled_kernel_sums(new, X, y, 2, bandwidths=GRID)  # one pass for the whole grid
true_error = np.mean(sums.argmax(axis=1) != labels[:, None], axis=0)

figure, axes = plt.subplots(2, 2, figsize=(8, 5.5), sharex=True, layout="constrained")
last = axes.flat[-1]
last.semilogx(GRID, true_error, color="0.5")
last.set(title="error on new points")
for number, (name, selector) in enumerate(SELECTORS.items()):
    found = selector(grid=GRID).select(X, y)
    ax, colour = axes.flat[number], f"C{number}"
    BandwidthPathDisplay.from_selection(found, ax=ax, color=colour)
    ax.set(title=name, xlabel="", ylabel="")
    reached = true_error[np.searchsorted(GRID, found.bandwidth)]
    last.plot(found.bandwidth, reached, "o", color=colour, label=name)
    print(f"{name:20s} bandwidth {found.bandwidth:.3f}, error on new points {reached:.3f}")
last.legend(frameon=False)
for ax in axes[1]:
    ax.set_xlabel("bandwidth")
plt.show()
