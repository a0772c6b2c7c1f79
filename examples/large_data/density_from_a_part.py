"""
Weights from a random part of the rows
======================================

The weights of the Laplacian classifier need the density at every row, which takes all pairs. With
``n_density_samples=m`` the density comes from m random rows (Jenssen and others, 2007, section
III). A few hundred rows are enough: the error of the weights is small, hardly a label changes, and
the fit takes a fraction of the time.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from parzen import LaplacianClassifier
from parzen.datasets import make_waveform

SIZES = (20, 50, 100, 200, 500, 1000, 2000)


def fitted(m):
    """A classifier and the time of its fit."""
    start = time.perf_counter()
    model = LaplacianClassifier(n_density_samples=m, random_state=0).fit(X, y)
    return model, time.perf_counter() - start


X, y = make_waveform(6000, random_state=0)
new, truth = make_waveform(2000, random_state=1)
exact, full_time = fitted(None)
labels = exact.predict(new)
times, errors, changes = [], [], []
for m in SIZES:
    model, seconds = fitted(m)
    times.append(seconds)
    errors.append(np.sqrt(np.mean((model.log_weights_ - exact.log_weights_) ** 2)))
    changes.append(np.mean(model.predict(new) != labels))
    print(f"{m:5d} rows: {seconds:.3f} s, error of the log-weights {errors[-1]:.3f}, "
          f"labels changed {changes[-1]:.2%}")  # fmt: skip

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.loglog(SIZES, errors, "o-", label="error of the log-weights")
left.loglog(SIZES, np.maximum(changes, 1e-4), "s--", label="labels changed")
left.set(xlabel="rows for the density")
left.legend(frameon=False)
right.semilogx(SIZES, times, "o-", color="tab:green", label="from a part")
right.axhline(full_time, color="black", linestyle=":", label="from all 6000 rows")
right.set(xlabel="rows for the density", ylabel="seconds to fit", ylim=(0, None))
right.legend(frameon=False)
plt.show()
