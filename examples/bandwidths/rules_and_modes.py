"""
A rule of thumb and two modes
=============================

Silverman's rule is right for data that are nearly normal. As two modes move apart, the rule sees
a wide sample, smooths too much and merges them. Least-squares cross-validation looks at the data.
Left: the estimates for modes that lie six deviations apart. Right: the integrated squared error,
the mean of twenty samples, against the distance of the modes.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from parzen import KernelDensity

x = np.linspace(-9, 9, 601)
rng = np.random.default_rng(1)


def truth(distance):
    return 0.5 * norm.pdf(x, -distance / 2) + 0.5 * norm.pdf(x, distance / 2)


def estimate(distance, rule, n=200):
    X = rng.normal(size=n) + rng.choice([-0.5, 0.5], n) * distance
    return np.exp(KernelDensity(rule).fit(X[:, None]).score_samples(x[:, None]))


distances = np.arange(0, 11, 2)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.fill_between(x, truth(6), color="0.87", label="truth")
for rule, colour in (("silverman", "tab:red"), ("lscv", "tab:blue")):
    left.plot(x, estimate(6, rule), color=colour, label=rule)
    errors = [
        np.mean([np.sum((estimate(d, rule) - truth(d)) ** 2) * (x[1] - x[0]) for _ in range(20)])
        for d in distances
    ]
    right.semilogy(distances, errors, "o-", color=colour, label=rule)
    print(rule, " ".join(f"{error:.5f}" for error in errors))
left.legend(frameon=False)
right.set(xlabel="distance of the modes", ylabel="integrated squared error")
right.legend(frameon=False)
plt.show()
