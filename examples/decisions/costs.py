"""
Errors that cost different amounts
==================================

Two classes overlap. Left: the probability of the second class. Middle: the borders if an
oversight costs 1, 5 and 25 times as much as a false alarm; none of them needs a new fit. Right:
what each rule costs on new points where an oversight costs 5. The rule that knows the costs is
the cheapest, although it errs more often.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import ParzenClassifier
from parzen.plots import BoundaryDisplay

FACTORS = (1, 5, 25)


def draw_sample(n, seed):
    """A round class and a curved one around its upper side."""
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n) < 0.35).astype(int)
    angle = rng.uniform(0.1, np.pi - 0.1, size=n)
    arc = 1.8 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.45, (n, 2))
    return np.where(y[:, None] == 1, arc, rng.normal(0, 0.8, (n, 2))), y


X, y = draw_sample(400, seed=0)
classifier = ParzenClassifier(bandwidth="conditional_likelihood").fit(X, y)
rules = {k: classifier.with_decision(costs=[[0, 1], [k, 0]]) for k in FACTORS}

new, truth = draw_sample(20_000, seed=1)
judged = np.array([[0, 1], [5, 0]])  # rows: the true class, columns: the predicted one
costs, mistakes = {}, {}
for k, rule in rules.items():
    labels = rule.predict(new)
    costs[k] = float(judged[truth, labels].mean())
    mistakes[k] = float((labels != truth).mean())
    print(f"decides by costs 1 : {k:<2}  mean cost {costs[k]:.3f}  errors {mistakes[k]:.1%}")

# %%
# The three borders belong to the same densities.

side = np.linspace(-3.2, 3.2, 161)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
probability = classifier.predict_proba(grid)[:, 1].reshape(161, 161)
shown = left.contourf(side, side, probability, levels=np.linspace(0, 1, 11), cmap="RdBu_r")
left.contour(side, side, probability, levels=[0.5], colors="black")
figure.colorbar(shown, ax=left)
left.set_title("probability of class 1")
for k, style in zip(FACTORS, ("-", "--", ":"), strict=True):
    BoundaryDisplay.from_estimator(
        rules[k], X, y, ax=middle, show_regions=False, show_kernels=False, point_size=6,
        line={"linestyles": style},
    )  # fmt: skip
lines = [
    middle.plot([], [], "k" + s, label=f"1 : {k}")[0] for k, s in zip(FACTORS, ("-", "--", ":"))
]
middle.legend(handles=lines, title="false alarm : oversight", loc="lower right")
middle.set_title("borders")
names = [f"1 : {k}" for k in FACTORS]
right.bar(names, costs.values(), color=["0.7", "tab:green", "0.7"])
for place, k in enumerate(FACTORS):
    right.text(place, costs[k], f"{mistakes[k]:.0%} errors", ha="center", va="bottom")
right.set(title="mean cost if an oversight costs 5", xlabel="costs that the rule was given")
plt.show()
