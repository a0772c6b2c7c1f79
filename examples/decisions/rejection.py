"""
Saying "I do not know"
======================

With ``reject=t`` a row gets no label if even the best decision is expected to err more often than
t. Left: the strip without an answer lies along the border, where the classes overlap. Right: the
more rows are refused, the fewer errors remain among the answers. No refit is needed along the
curve.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen import ParzenClassifier
from parzen.plots import BoundaryDisplay

X, y = make_moons(400, noise=0.35, random_state=0)
new, truth = make_moons(20_000, noise=0.35, random_state=1)
classifier = ParzenClassifier(bandwidth="conditional_likelihood").fit(X, y)

limits = np.linspace(0.005, 0.5, 34)
answered, errors = [], []
for limit in limits:
    labels = classifier.with_decision(reject=limit).predict(new)
    kept = labels != -1
    answered.append(kept.mean())
    errors.append((labels[kept] != truth[kept]).mean())

chosen = classifier.with_decision(reject=0.2)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
BoundaryDisplay.from_estimator(chosen, X, y, ax=left, show_kernels=False, point_size=8)
left.set(title="reject=0.2", xticks=[], yticks=[])
right.plot(answered, errors, color="tab:purple")
for limit in (0.05, 0.2, 0.5):
    place = np.argmin(abs(limits - limit))
    right.plot(answered[place], errors[place], "o", color="tab:purple")
    right.annotate(f" reject={limit}", (answered[place], errors[place]), ha="right", va="bottom")
    print(f"reject={limit}: {answered[place]:.1%} answered, {errors[place]:.2%} of them wrong")
right.set(xlabel="share of rows with an answer", ylabel="errors among the answers", ylim=(0, None))
plt.show()
