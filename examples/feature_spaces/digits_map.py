"""
Handwritten digits by their angles
==================================

Four digits of 64 pixels each in the feature space of the Laplacian: each digit stretches along a
direction of its own from the origin, so angles tell them apart. No label was used for the map;
the colours are the true digits. The ``LaplacianClassifier`` compares exactly these angles.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from parzen import LaplacianClassifier
from parzen.feature_space import LaplacianEmbedding

X, y = load_digits(n_class=4, return_X_y=True)
points = LaplacianEmbedding(n_components=3, bandwidth=9.0).fit_transform(X)
model = LaplacianClassifier(bandwidth=9.0).fit(X[::2], y[::2])
print(
    f"error of the Laplacian classifier on the other half: {1 - model.score(X[1::2], y[1::2]):.3f}"
)

figure = plt.figure(figsize=(6.5, 5.6), layout="constrained")
ax = figure.add_subplot(projection="3d")
for digit in range(4):
    ax.scatter(*points[y == digit].T, s=8, label=str(digit))
ax.scatter(0, 0, 0, color="black", marker="+", s=80)
ax.legend(title="digit", frameon=False, loc="upper left")
ax.set(xticklabels=[], yticklabels=[], zticklabels=[], title="Laplacian map of four digits")
ax.view_init(25, 40)
plt.show()
