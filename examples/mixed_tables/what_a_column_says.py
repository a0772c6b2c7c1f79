"""
What every column says by itself
================================

Naive Bayes is a sum over columns, so every column can be looked at alone. For six columns of the
breast cancer data: the densities of the two classes, and below, the log-ratio that the column
adds to the score. A column that separates has a steep ratio; one that says little stays near
zero.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from parzen import KernelDensity

data = load_breast_cancer()
columns = ["worst concave points", "worst area", "mean texture", "worst smoothness",
           "symmetry error", "mean fractal dimension"]  # fmt: skip
figure, axes = plt.subplots(2, 6, figsize=(14, 4.6), sharex="col", layout="constrained")
for (top, bottom), name in zip(axes.T, columns, strict=True):
    values = data.data[:, list(data.feature_names).index(name)]
    x = np.linspace(*np.percentile(values, [1, 99]), 300)[:, None]
    logs = []
    for label, colour in ((0, "tab:red"), (1, "tab:blue")):
        density = KernelDensity("silverman").fit(values[data.target == label, None])
        logs.append(density.score_samples(x))
        top.fill_between(x[:, 0], np.exp(logs[-1]), color=colour, alpha=0.45,
                         label=data.target_names[label])  # fmt: skip
    bottom.plot(x, logs[0] - logs[1], color="black")
    bottom.axhline(0, color="0.7", linewidth=0.8)
    bottom.set(ylim=(-6, 6))
    top.set(title=name, yticks=[])
axes[0, 0].legend(frameon=False)
axes[1, 0].set_ylabel("log-ratio, malignant")
plt.show()
