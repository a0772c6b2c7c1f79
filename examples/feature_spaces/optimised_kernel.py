"""
A kernel optimised for the classes
==================================

``KernelOptimizer`` multiplies a kernel by a factor at both ends, k(x, y) = q(x) q(y) k0(x, y),
and chooses q so that the classes lie apart in the feature space (Xiong and others, 2005). The
base kernel here is wide, and its map is little more than a picture of the sample, with the moons
interleaved. With the factor they come apart along the first axis. Below: class separability and
alignment along the steps, for these rows and for rows that the optimiser has not seen.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from parzen.feature_space import EmpiricalKernelMap, KernelOptimizer
from parzen.plots import EmbeddingDisplay, OptimizationDisplay

X, y = make_moons(300, noise=0.2, random_state=0)
new, truth = make_moons(300, noise=0.2, random_state=1)
wide = EmpiricalKernelMap(bandwidth=3.0, n_components=2, centered=True).fit(X)
optimizer = KernelOptimizer(bandwidth=3.0, core_bandwidth=0.4, random_state=0).fit(X, y)

figure, axes = plt.subplots(2, 2, figsize=(9, 6.6), layout="constrained")
EmbeddingDisplay.from_estimator(wide, X, y, ax=axes[0, 0], title="wide Gaussian")
EmbeddingDisplay.from_estimator(optimizer, X, y, ax=axes[0, 1], title="optimised kernel")
display = OptimizationDisplay.from_estimator(optimizer, new, truth, ax=axes[1, 0])
display.plot(axes[1, 1], measure="alignment")
plt.show()
