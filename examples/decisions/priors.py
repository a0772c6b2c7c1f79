"""
Other class shares than in the sample
=====================================

The sample was drawn with as many rows of one class as of the other. Where the model is used, one
row in twenty is of the second class. Told so by ``priors``, the same densities give another
border and far fewer false alarms. The left panel shows both borders, the right one the errors as
the share varies.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import ParzenClassifier
from parzen.plots import BoundaryDisplay

MEANS = np.array([[0.0, 0.0], [1.8, 0.8]])


def draw_sample(n, share, seed):
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n) < share).astype(int)
    return MEANS[y] + rng.normal(size=(n, 2)), y


X, y = draw_sample(500, 0.5, seed=0)
classifier = ParzenClassifier(bandwidth="conditional_likelihood").fit(X, y)
shares = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5])
fixed, adapted = [], []
for share in shares:
    new, truth = draw_sample(20_000, share, seed=1)
    fixed.append(np.mean(classifier.predict(new) != truth))
    rule = classifier.with_decision(priors=[1 - share, share])
    adapted.append(np.mean(rule.predict(new) != truth))
    print(f"share {share:.2f}: errors {fixed[-1]:.3f} as sampled, {adapted[-1]:.3f} with priors")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
new, truth = draw_sample(600, 0.05, seed=2)
for rule, style in ((classifier, "--"), (classifier.with_decision(priors=[0.95, 0.05]), "-")):
    BoundaryDisplay.from_estimator(
        rule, new, truth, ax=left, show_regions=False, show_kernels=False, point_size=9,
        line={"linestyles": style},
    )  # fmt: skip
lines = [
    left.plot([], [], "k--", label="shares of the sample")[0],
    left.plot([], [], "k-", label="priors=[0.95, 0.05]")[0],
]
left.legend(handles=lines, loc="lower right")
left.set_title("new rows, one in twenty of the second class")
right.semilogx(shares, fixed, "o--", label="shares of the sample")
right.semilogx(shares, adapted, "s-", label="the true shares")
right.set(xlabel="share of the second class", ylabel="error", ylim=(0, None))
right.legend(frameon=False)
plt.show()
