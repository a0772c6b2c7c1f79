"""
The difference of two densities with a few kernels
==================================================

Two classes, each a mixture of two normal densities, after Kim and Scott (2010), section 6. From
200 points the L2 classifier estimates the difference of the densities with few kernels; the stems
show where they sit and how much they weigh. As the sample grows, the integrated squared error
falls: each dot is one sample, the line their median.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from parzen import L2Classifier
from parzen.datasets import make_mixture
from parzen.plots import DensitiesDisplay

GRID = np.linspace(-6.0, 16.0, 2001)
SIZES = [50, 100, 200, 400, 800, 1600]


def true_densities(x):
    first = 0.7 * norm.pdf(x, 0, 1) + 0.3 * norm.pdf(x, 10, np.sqrt(2))
    second = 0.2 * norm.pdf(x, 4, np.sqrt(2)) + 0.8 * norm.pdf(x, 8, 1)
    return np.column_stack([first, second])


def squared_error(n, seed):
    X, y = make_mixture(n, random_state=seed)
    model = L2Classifier(bandwidth=1.7 * n**-0.2).fit(X, y)
    kernels = norm.pdf(GRID[:, None], model.support_vectors_[:, 0], model.bandwidth_)
    first, second = true_densities(GRID).T
    difference = kernels @ model.dual_coef_[0] - (second - model.gamma_ * first)
    return float(np.sum(difference**2) * (GRID[1] - GRID[0]))


X, y = make_mixture(200, random_state=0)
model = L2Classifier().fit(X, y)
print(f"{len(model.support_)} of {len(X)} points carry a kernel")
errors = np.array([[squared_error(n, seed) for seed in range(8)] for n in SIZES])

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
DensitiesDisplay.from_estimator(
    model, GRID[:, None], truth=true_densities, margin=0.0, ax=left, what="difference"
)
left.set_title(f"{len(model.support_)} kernels from 200 points")
for n, values in zip(SIZES, errors, strict=True):
    right.plot([n] * len(values), values, ".", color="0.7")
right.plot(SIZES, np.median(errors, axis=1), color="tab:blue")
right.set(xscale="log", yscale="log", xlabel="points", title="integrated squared error")
plt.show()
