"""
Which rows carry the decision
=============================

Four classifiers on the same sample, with a circle around every training row that carries a
kernel, larger where it weighs more. The support vectors of an SVC lie along the border. The
kernels of the L2 classifier lie inside the classes, because they describe densities. The
Laplacian classifier, reduced to a tenth of its kernels, spreads them over the classes. The
B-machine keeps what its box does not push to zero.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from parzen import BMachineClassifier, L2Classifier, LaplacianClassifier
from parzen.plots import BoundaryDisplay

X, y = make_moons(300, noise=0.25, random_state=0)
new, truth = make_moons(5000, noise=0.25, random_state=1)
models = {
    "SVC": SVC(gamma=2.0),
    "L2": L2Classifier(bandwidth=0.3),
    "Laplacian, a tenth": LaplacianClassifier(keep=0.1),
    "B-machine": BMachineClassifier(bandwidth=0.3),
}
figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items(), strict=True):
    BoundaryDisplay.from_estimator(model.fit(X, y), X, y, ax=ax, point_size=7)
    error = np.mean(model.predict(new) != truth)
    ax.set(title=f"{name}: error {error:.1%}", xticks=[], yticks=[], xlabel="", ylabel="")
    print(f"{name:20s} error on new points {error:.3f}")
plt.show()
