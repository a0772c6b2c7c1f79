"""
Rounded data and the likelihood
===============================

Measurements are often rounded, so that rows repeat. The leave-one-out likelihood then prefers a
bandwidth near zero: each value predicts its own copies perfectly. Least-squares cross-validation
is tempted, too. A rule such as Silverman's is safe. See the comb in the middle, and the paths of
the criterion on the right: rounding opens an abyss at the left end.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from parzen import KernelDensity
from parzen.bandwidth import EndOfGridWarning, Likelihood

warnings.simplefilter("ignore", EndOfGridWarning)  # it chooses the least, and says so

rng = np.random.default_rng(0)
exact = rng.normal(170, 8, size=(300, 1))
rounded = 5 * np.round(exact / 5)
grid = np.geomspace(0.02, 10, 60)
x = np.linspace(145, 195, 2000)[:, None]

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for ax, X, name in ((left, exact, "as measured"), (middle, rounded, "rounded")):
    found = Likelihood(grid=grid).select(X)
    density = KernelDensity(found.bandwidth).fit(X)
    ax.plot(x, np.exp(density.score_samples(x)), color="tab:blue", linewidth=0.8)
    ax.plot(x, np.exp(KernelDensity("silverman").fit(X).score_samples(x)), "k--", linewidth=1)
    ax.set(title=f"{name}: bandwidth {found.bandwidth:.2g}", xlabel="height in cm", ylim=(0, 0.12))
    right.semilogx(grid, found.scores, label=name)
    print(f"{name}: {len(np.unique(X))} different values, bandwidth {found.bandwidth:.3g}")
right.set(xlabel="bandwidth", ylabel="minus the mean log-likelihood", ylim=(2.0, 6))
right.legend(frameon=False)
plt.show()
