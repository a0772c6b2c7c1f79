"""
Are the probabilities right?
============================

A reliability diagram: of the rows to which a model gives 80 %, about 80 % should belong to the
class. A bandwidth chosen for labels can give probabilities that are too cautious, as here, or too
sure; the conditional likelihood chooses one for the probabilities. Naive Bayes counts dependent
columns twice and is too sure. The stack calibrates, and has the smallest log-loss.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import log_loss

from parzen import KernelNaiveBayes, ParzenClassifier, StackedDensityClassifier
from parzen.plots import ReliabilityDisplay


def draw_sample(n, seed):
    """Ten columns that repeat three hidden ones."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    hidden = rng.normal(size=(n, 3)) + 0.7 * y[:, None]
    mixing = np.random.default_rng(99).normal(size=(3, 10))
    return hidden @ mixing + 0.5 * rng.normal(size=(n, 10)), y


X, y = draw_sample(400, 0)
new, truth = draw_sample(6000, 1)
models = {
    "leave-one-out error": ParzenClassifier(bandwidth="loo"),
    "conditional likelihood": ParzenClassifier(bandwidth="conditional_likelihood"),
    "naive Bayes": KernelNaiveBayes(),
    "stack": StackedDensityClassifier("fast", random_state=0),
}
figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    proba = model.fit(X, y).predict_proba(new)
    ReliabilityDisplay.from_predictions(truth, proba, classes=[0, 1], ax=ax)
    loss, error = log_loss(truth, proba), np.mean(model.predict(new) != truth)
    ax.set_title(f"{name}\nerror {error:.1%}, log-loss {loss:.2f}")
    print(f"{name:24s} error {error:.3f}, log-loss {loss:.3f}")
plt.show()
