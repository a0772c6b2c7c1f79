"""
Nobody in the neighbourhood
===========================

A kernel of compact support is zero beyond its bandwidth. In few columns that does no harm. In
twenty columns every point is far from every other, so many new points have no neighbour in any
class, and only the priors are left to decide. The Gaussian is never zero, and its logarithm stays
exact.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import ParzenClassifier

DIMENSIONS = (2, 5, 10, 20, 40)


def draw_sample(n, d, rng):
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + np.outer(y, np.full(d, 2.5 / np.sqrt(d))), y


figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
for kernel, style in (("gaussian", "o-"), ("epanechnikov", "s--")):
    errors, alone = [], []
    for d in DIMENSIONS:
        rng = np.random.default_rng(d)
        (X, y), (new, truth) = draw_sample(300, d, rng), draw_sample(1000, d, rng)
        model = ParzenClassifier(kernel=kernel, bandwidth="silverman").fit(X, y)
        errors.append(np.mean(model.predict(new) != truth))
        alone.append(np.mean(np.isneginf(model.score_samples(new))))
    left.plot(DIMENSIONS, errors, style, label=kernel)
    right.plot(DIMENSIONS, alone, style, label=kernel)
    print(f"{kernel:13s} errors {np.round(errors, 3)}, without a neighbour {np.round(alone, 3)}")
left.set(xlabel="columns", ylabel="error on new points", ylim=(0, 0.55))
right.set(xlabel="columns", ylabel="new points without a neighbour")
left.legend(frameon=False)
plt.show()
