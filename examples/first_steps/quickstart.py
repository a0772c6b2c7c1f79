"""
Two classes, two densities, one decision
========================================

One fit gives a label, a probability and a density. The background is the probability of the
orange class; the black line is where both classes are equally likely. Outside the red line a
point is less likely than 99 of 100 training points, so the star at the top left is known to be
new.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from sklearn.datasets import make_moons

from parzen import ParzenClassifier

X, y = make_moons(300, noise=0.12, random_state=0)
classifier = ParzenClassifier(novelty=0.01).fit(X, y)
star = np.array([-2.0, 2.0])

print(f"bandwidth, by the leave-one-out error: {classifier.bandwidth_:.3f}")
print(f"label of the star: {classifier.predict([star])[0]} (novel)")
print(f"log-density of the star: {classifier.score_samples([star])[0]:.1f}")

# %%
# What the classifier knows at every point of the plane. ``with_decision`` changes how it decides
# without a new fit.

x1, x2 = np.meshgrid(np.linspace(-2.6, 3.4, 241), np.linspace(-1.9, 2.6, 181))
grid = np.column_stack([x1.ravel(), x2.ravel()])
probability = classifier.with_decision(novelty=None).predict_proba(grid)[:, 1].reshape(x1.shape)
density = classifier.score_samples(grid).reshape(x1.shape)
novel = (classifier.predict(grid) == -2).reshape(x1.shape)

figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
blue_to_orange = LinearSegmentedColormap.from_list("", ["#9dbbe3", "#ffffff", "#f3c592"])
ax.contourf(x1, x2, probability, levels=np.linspace(0, 1, 21), cmap=blue_to_orange)
ax.contour(x1, x2, density, levels=range(-40, 0, 4), colors="0.6", linewidths=0.5)
ax.contour(x1, x2, probability, levels=[0.5], colors="black", linewidths=1.6)
ax.contour(x1, x2, novel, levels=[0.5], colors="tab:red", linewidths=1.6)
for label, colour in enumerate(["#2b5fa8", "#d9822b"]):
    ax.scatter(*X[y == label].T, s=13, color=colour, edgecolor="white", linewidth=0.4)
ax.scatter(*star, marker="*", s=180, color="tab:red", edgecolor="white")
ax.annotate("like nothing seen", star, xytext=(-1.75, 2.15), color="tab:red")
ax.set(xticks=[], yticks=[], title="Two densities, one decision, and a sense of novelty")
plt.show()
