"""
All pairs, or fewer
===================

Log-densities at n new points from n points take n squared kernels. ``method="tree"`` bounds far
points together, ``"fourier"`` replaces pairs by two transforms (Gaussian, up to three columns).
Both keep within ``rtol``. The times were measured while this page was built, beside other work;
the page on large samples in the guide has careful ones for up to a million points.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KernelDensity as SklearnDensity

from parzen import KernelDensity

SIZES = (1000, 3000, 10_000, 30_000)
rng = np.random.default_rng(0)


def seconds(density, n, queries=2000):
    """Fit n points, and the time of n queries scaled up from some of them."""
    X, new = rng.normal(size=(n, 2)), rng.normal(size=(n, 2))
    asked = new if getattr(density, "method", "") == "fourier" else new[:queries]
    density.fit(X)
    density.score_samples(asked[:10])
    start = time.perf_counter()
    density.score_samples(asked)
    return (time.perf_counter() - start) * n / len(asked)


h = 0.03
densities = {
    "parzen, dense": KernelDensity(h, method="dense"),
    "parzen, tree": KernelDensity(h, method="tree", rtol=1e-6),
    "scikit-learn": SklearnDensity(bandwidth=h, rtol=1e-6),
}
try:
    import finufft  # noqa: F401

    densities["parzen, fourier"] = KernelDensity(h, method="fourier", rtol=1e-6)
except ImportError:
    print("the extra 'fourier' is not installed: its line is left out")

figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for name, density in densities.items():
    times = [seconds(density, n) for n in SIZES]
    ax.loglog(SIZES, times, "s--" if "scikit" in name else "o-", label=name)
    print(f"{name:16s} " + " ".join(f"{t:8.3f} s" for t in times))
ax.set(xlabel="points and queries", ylabel="seconds", title="Two columns, relative error 1e-6")
ax.legend(frameon=False)
plt.show()
