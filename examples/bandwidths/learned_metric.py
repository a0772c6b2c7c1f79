"""
Columns that do not matter
==========================

Two columns tell the classes apart; the others are noise. One bandwidth for all columns drowns in
the noise. ``metric="learned"`` finds a bandwidth for every column by the likelihood of the
labels, and makes the kernels wide where a column says nothing. Right: the share of each column in
the learned distance, with twelve columns of noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen import ParzenClassifier


def draw_sample(n, noise_columns, seed):
    X, y = make_moons(n, noise=0.2, random_state=seed)
    noise = np.random.default_rng(seed).normal(size=(n, noise_columns))
    return np.hstack([X, noise]), y


counts = (0, 2, 4, 8, 12)
errors = {"one bandwidth": [], "learned metric": []}
for count in counts:
    (X, y), (new, truth) = draw_sample(250, count, 0), draw_sample(3000, count, 1)
    for name, metric in (("one bandwidth", None), ("learned metric", "learned")):
        model = ParzenClassifier(metric=metric, bandwidth="conditional_likelihood")
        if metric == "learned":
            model = ParzenClassifier(metric="learned")
        errors[name].append(np.mean(model.fit(X, y).predict(new) != truth))
        print(f"{count:2d} columns of noise, {name}: error {errors[name][-1]:.3f}")

shares = model.metric_
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
for (name, values), style in zip(errors.items(), ("o--", "s-"), strict=True):
    left.plot(counts, values, style, label=name)
left.set(xlabel="columns of noise", ylabel="error on new points", ylim=(0, None))
left.legend(frameon=False)
colours = ["tab:green"] * 2 + ["0.7"] * 12
right.bar(range(1, 15), shares, color=colours)
right.set(xlabel="column", ylabel="share in the distance", title="two columns matter")
plt.show()
