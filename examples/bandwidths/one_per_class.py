"""
One bandwidth for each class
============================

One class is a narrow ring, the other a wide cloud. A common bandwidth is either too wide for the
ring or too narrow for the cloud. ``per="class"`` chooses one for each. Watch the ring: with its
own bandwidth it stays thin, and the cloud stays smooth.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import ParzenClassifier
from parzen.bandwidth import LSCV


def draw_sample(n, seed):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.06, (n, 2))
    return np.vstack([ring, rng.normal(0.6, 1.6, (n, 2))]), np.repeat([0, 1], n)


X, y = draw_sample(150, 0)
new, truth = draw_sample(3000, 1)
side = np.linspace(-3, 4, 180)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)

figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.4), layout="constrained")
for ax, per in zip(axes, (None, "class"), strict=True):
    model = ParzenClassifier(bandwidth=LSCV() if per is None else LSCV(per=per)).fit(X, y)
    error = np.mean(model.predict(new) != truth)
    probability = model.predict_proba(grid)[:, 0].reshape(180, 180)
    ax.contourf(side, side, probability, levels=np.linspace(0, 1, 21), cmap="RdBu", alpha=0.6)
    ax.scatter(*X.T, s=6, c=np.where(y == 0, "navy", "darkred"))
    widths = ", ".join(f"{h:.2f}" for h in np.atleast_1d(model.bandwidth_))
    ax.set(title=f"bandwidth {widths}: error {error:.1%}", xticks=[], yticks=[])
    ax.set(xlim=(-3, 4), ylim=(-3, 4), aspect="equal")
    print(f"per={per}: bandwidth {widths}, error {error:.3f}")
plt.show()
