"""A stream that drifts
====================

The classes of a stream begin to turn after 3000 rows. A classifier that forgets nothing (grey)
gets worse and worse; one with ``forget`` follows. Below, the p-value of a two-sample test between
each window of 250 rows and the first: it is anywhere between 0 and 1 until the drift begins, and
falls to its smallest value soon after. At the end the classes have changed places, and the rows
without their labels look as they did at first.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import ParzenClassifier
from parzen.compare import two_sample_test

rng = np.random.default_rng(0)
n, size = 6000, 250
angle = np.clip(np.arange(n) - 3000, 0, None) / 3000 * np.pi
y = rng.integers(0, 2, n)
centre = np.column_stack([np.cos(angle), np.sin(angle)]) * (2 * y - 1)[:, None]
X = centre + rng.normal(scale=0.7, size=(n, 2))

keeps = ParzenClassifier(bandwidth=0.4)
forgets = ParzenClassifier(bandwidth=0.4, forget=0.005)
errors, p_values = [], []
for start in range(0, n, size):
    rows = slice(start, start + size)
    if start:
        errors.append([np.mean(c.predict(X[rows]) != y[rows]) for c in (keeps, forgets)])
        p_values.append(two_sample_test(X[:size], X[rows], random_state=0).pvalue)
    for classifier in (keeps, forgets):
        classifier.partial_fit(X[rows], y[rows], classes=[0, 1])

at = np.arange(size, n, size)
fig, (top, bottom) = plt.subplots(2, sharex=True, figsize=(7, 4.5), layout="constrained")
top.plot(at, errors, label=["keeps all rows", "forgets"])
top.lines[0].set_color("0.6")
top.set_ylabel("error of the next rows")
top.legend()
bottom.semilogy(at, p_values, "o-", ms=3)
bottom.axhline(0.01, color="0.6", ls="--")
bottom.set_ylabel("p-value of no drift")
bottom.set_xlabel("row of the stream")
for ax in (top, bottom):
    ax.axvline(3000, color="0.8")
plt.show()
