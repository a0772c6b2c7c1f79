"""The cosine between class means and the probability of error, as two classes move apart.

Equations (1), (5) and (6) of Jenssen et al. (2007): for well separated classes the argument P_f of
the Cauchy-Schwarz divergence goes like P_e / sqrt(P1 P2), where P_e is the Bayes error. Two
Gaussians on the line, exact integrals by quadrature, and the information cut of a sample at the
rule's bandwidth beside them. The paper's approximation takes f for one class's part of it, which
fails at the boundary where all errors happen: the ratio tends to pi/4, not to 1, whatever the
priors. The kernel of the sample widens both densities, so its cut lies above.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", sharey=True)
    for ax, p1 in zip(axes, (0.5, 0.9), strict=True):
        cut, error = np.transpose([exact(d, p1) for d in DISTANCES])
        ax.semilogy(DISTANCES, cut, label="P_f")
        ax.semilogy(DISTANCES, error, "--", label="P_e / sqrt(P1 P2)")
        ax.semilogy(DISTANCES, [sampled(d, p1) for d in DISTANCES], ".", label="cut of 2000 points")
        ax.set(xlabel="distance of the means", title=f"P1 = {p1}", ylim=(1e-4, 1.5))
        ax.legend()
        print(f"P1 = {p1}: distance, P_f, P_e / sqrt(P1 P2), ratio (pi/4 = 0.785)")
        for i in range(0, len(DISTANCES), 6):
            ratio = cut[i] / error[i]
            print(f"  {DISTANCES[i]:4.2f}  {cut[i]:.5f}  {error[i]:.5f}  {ratio:.2f}")
    figure.savefig(out / "laplacian_bayes_error.png", dpi=100)
    print(f"figure: {out / 'laplacian_bayes_error.png'}")


if __name__ == "__main__":
    main()
