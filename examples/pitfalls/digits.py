"""
Densities that underflow
========================

The plug-in rule gives each class a kernel density and chooses the largest. On the digits, 64
columns, all densities of a test image can be smaller than the smallest floating-point number, and
only exact logarithms tell them apart. Same rule, same bandwidths, both at exact settings: at
small bandwidths scikit-learn's estimate loses the order of the classes.
"""

import matplotlib.pyplot as plt
import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KernelDensity as SklearnKernelDensity

from parzen import KernelDensity

BANDWIDTHS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)


def accuracy(density):
    """Share of right labels with equal priors."""
    scores = [density.fit(train[labels == c]).score_samples(test) for c in range(10)]
    return float(np.mean(np.argmax(scores, axis=0) == truth))


X, y = load_digits(return_X_y=True)
train, test, labels, truth = train_test_split(X, y, random_state=0)
ours = [accuracy(KernelDensity(h)) for h in BANDWIDTHS]
theirs = [accuracy(SklearnKernelDensity(bandwidth=h, atol=0, rtol=0)) for h in BANDWIDTHS]
print("bandwidth  parzen  scikit-learn")
for h, a, b in zip(BANDWIDTHS, ours, theirs, strict=True):
    print(f"{h:9}  {a:6.3f}  {b:12.3f}")

figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
ax.plot(BANDWIDTHS, ours, "o-", label="parzen")
ax.plot(BANDWIDTHS, theirs, "s--", label=f"scikit-learn {sklearn.__version__}")
ax.set(xscale="log", xlabel="bandwidth", ylabel="accuracy", ylim=(0, 1.02))
ax.set_xticks(BANDWIDTHS, labels=map(str, BANDWIDTHS))
ax.minorticks_off()
ax.set_title("Plug-in rule on the digits")
ax.legend(frameon=False)
plt.show()
