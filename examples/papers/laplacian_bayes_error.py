"""
The information cut and the Bayes error
=======================================

Jenssen and others (2007), equations 1, 5 and 6: for well separated classes the argument
:math:`P_f` of the Cauchy-Schwarz divergence should go like :math:`P_e / \\sqrt{P_1 P_2}`, where
:math:`P_e` is the Bayes error. Two normal classes on the line, exact integrals, and the cut of a
sample. The lines run parallel: the ratio tends to :math:`\\pi / 4` and not to 1, whatever the
priors, because the paper's approximation fails at the border, where all errors happen.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import trapezoid
from scipy.stats import norm

from parzen.feature_space import laplacian_information_cut

DISTANCES = np.linspace(0.5, 7.0, 27)
LINE = np.linspace(-12.0, 20.0, 20_001)


def exact(distance, p1):
    """P_f and P_e / sqrt(P1 P2) of N(0, 1) and N(distance, 1)."""
    first, second = norm.pdf(LINE), norm.pdf(LINE - distance)
    f = p1 * first + (1 - p1) * second

    def inner(a, b):
        return trapezoid(a * b / f, LINE)

    cut = inner(first, second) / np.sqrt(inner(first, first) * inner(second, second))
    error = trapezoid(np.minimum(p1 * first, (1 - p1) * second), LINE)
    return cut, error / np.sqrt(p1 * (1 - p1))


def sampled(distance, p1, n=2000, seed=0):
    """The information cut of a sample."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) > p1
    return laplacian_information_cut((rng.normal(size=n) + distance * y)[:, None], y)


figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
for ax, p1 in zip(axes, (0.5, 0.9), strict=True):
    cut, error = np.transpose([exact(d, p1) for d in DISTANCES])
    ax.semilogy(DISTANCES, cut, label="$P_f$")
    ax.semilogy(DISTANCES, error, "--", label=r"$P_e / \sqrt{P_1 P_2}$")
    ax.semilogy(DISTANCES, [sampled(d, p1) for d in DISTANCES], ".", label="cut of 2000 points")
    ax.set(xlabel="distance of the means", title=f"$P_1$ = {p1}", ylim=(1e-4, 1.5))
    ax.legend(frameon=False)
    print(f"P1 = {p1}: ratio at distance 7 {cut[-1] / error[-1]:.3f}, pi/4 = {np.pi / 4:.3f}")
plt.show()
