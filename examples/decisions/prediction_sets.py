"""
Sets of labels that keep a promise
==================================

A prediction set holds the labels that a point may have, and misses the true one in at most a
share alpha of the points, whatever the distribution. Left: at alpha = 0.03 one label in the
coloured regions, both in the grey ones, where the classes overlap. Right: the share of new points
whose set misses the true label, for ten samples. Single samples scatter; the promise is about
their mean, which lies on the diagonal.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_moons

from parzen import ParzenClassifier

alphas = np.linspace(0.01, 0.3, 30)
missed = []
for seed in range(10):
    X, y = make_moons(200, noise=0.4, random_state=seed)
    new, truth = make_moons(500, noise=0.4, random_state=100 + seed)
    classifier = ParzenClassifier(bandwidth=0.3).fit(X, y)
    p_true = classifier.p_values(new)[np.arange(len(new)), truth]
    missed.append([np.mean(p_true <= alpha) for alpha in alphas])
print(f"at alpha = {alphas[9]:.2f} the sets miss {np.mean(missed, axis=0)[9]:.3f} of the labels")

side1, side2 = np.linspace(-2.6, 3.6, 100), np.linspace(-2.2, 2.6, 80)
grid = np.stack(np.meshgrid(side1, side2), axis=-1).reshape(-1, 2)
kind = classifier.predict_set(grid, alpha=0.03) @ [1, 2]  # 0 none, 1 and 2 one label, 3 both

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
colours = ListedColormap(["#ffffff", "#9dbbe3", "#f3c592", "#b8b8b8"])
left.pcolormesh(side1, side2, kind.reshape(80, 100), cmap=colours, vmin=0, vmax=3)
left.scatter(*X.T, s=6, c=np.where(y == 1, "#d9822b", "#2b5fa8"))
left.set(title="the sets at alpha = 0.03", xticks=[], yticks=[])
right.plot(alphas, np.transpose(missed), color="tab:purple", alpha=0.2, linewidth=0.8)
right.plot(alphas, np.mean(missed, axis=0), color="tab:purple", label="missed, mean of ten samples")
right.plot(alphas, alphas, "k:", label="promised at most")
right.set(xlabel="alpha", ylabel="share of new points")
right.legend(frameon=False)
plt.show()
