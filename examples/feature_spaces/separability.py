"""
Measures of a kernel without a classifier
=========================================

Class separability and centred alignment judge a kernel matrix by the labels, before any
classifier is fitted. They ask whether the classes lie apart as two clouds, so on the two moons
they prefer kernels much wider than the plug-in rule can use: the lower panel shows its
leave-one-out error at their choices. Tune a bandwidth by the criterion of the classifier that
will use it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen.bandwidth import LeaveOneOutError
from parzen.feature_space import class_separability, kernel_alignment

X, y = make_moons(300, noise=0.25, random_state=0)
grid = np.geomspace(0.03, 5, 50)
errors = LeaveOneOutError(grid=grid).select(X, y).scores
squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
grams = [np.exp(-squared / (2 * h**2)) for h in grid]
measures = {
    "class separability": np.array([class_separability(K, y) for K in grams]),
    "centred alignment": np.array([kernel_alignment(K, y) for K in grams]),
}

figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.5, 5.4), sharex=True, layout="constrained")
for name, values in measures.items():
    (line,) = top.semilogx(grid, values / values.max(), label=name)
    best = grid[np.argmax(values)]
    top.axvline(best, color=line.get_color(), linestyle=":")
    bottom.axvline(best, color=line.get_color(), linestyle=":")
    print(f"{name}: best at {best:.2f}, leave-one-out error {errors[np.argmax(values)]:.3f}")
top.set(ylabel="share of its largest value", title="two measures of the kernel")
top.legend(frameon=False)
bottom.semilogx(grid, errors, color="black")
bottom.set(xlabel="bandwidth", ylabel="leave-one-out error")
plt.show()
