"""
How few kernels are enough?
===========================

Three ways to fewer kernels: L2 weights, of which more are zero as ``eta`` grows; a Laplacian
classifier reduced to the expansion of least integrated squared error; and one reduced to random
rows. Within this range a few per cent of the kernels decide nearly as well as all of them. With
hardly any left, the expansion of least error loses less than random rows; from five per cent on
random rows do as well or better here.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from parzen import L2Classifier, LaplacianClassifier
from parzen.plots import SparsityDisplay

X, y = make_moons(400, noise=0.25, random_state=0)
new, truth = make_moons(5000, noise=0.25, random_state=1)
figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for model, parameter, values in (
    (L2Classifier(bandwidth=0.3), "eta", [0.5, 0.6, 0.7, 0.85, 1.0, 1.4, 2.0]),
    (LaplacianClassifier(reduction="l2"), "keep", [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]),
    (LaplacianClassifier(reduction="random", random_state=0), "keep", [0.02, 0.05, 0.1, 0.2, 0.4]),
):
    name = f"{type(model).__name__}, {getattr(model, 'reduction', 'eta')}"
    SparsityDisplay.from_estimator(
        model, X, y, new, truth, parameter=parameter, values=values, ax=ax, name=name
    )
ax.set_title("Accuracy against the share of kernels kept")
plt.show()
