"""
Effects of columns, beside shap
===============================

The effects of columns on the log-odds of a tumour's label, exact and by shap's ``KernelExplainer``.
The density of the other columns follows from the kernels, so the exact effect needs no background
sample and takes about as long as a prediction for each column. ``KernelExplainer`` evaluates the
classifier at thousands of rows in which entries of the tumour and of a background are mixed.

Left: naive Bayes adds one term per column, and both agree once the mean over the background is
taken off. Right: joint densities. Radius, perimeter and area say nearly the same, so little is lost
without one of them, while shap divides what they say together.

shap is optional: without it (``pip install shap``), the figure shows the exact effects alone.
"""

import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from parzen import KernelNaiveBayes, ParzenClassifier

try:
    from shap import KernelExplainer
except ImportError:
    KernelExplainer = None
    print("shap is not installed, so the exact effects stand alone: pip install shap")

data = load_breast_cancer()
names, X, y = data.feature_names[:10], scale(data.data[:, :10]), data.target
background, tumour = X[::2][:50], X[1::2][[3]]


def exact(classifier, rows):
    """The effects on the log-odds of class 0, malignant, over class 1."""
    found = classifier.explain(rows)
    return np.array([one.column_effects * (1 if one.label == 0 else -1) for one in found])


def log_odds(classifier, rows):
    """The log-odds themselves."""
    logs = classifier.predict_log_proba(rows)
    return logs[:, 0] - logs[:, 1]


figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
places = np.arange(len(names))
classifiers = KernelNaiveBayes(bandwidth=0.5), ParzenClassifier(bandwidth=0.7)
for ax, classifier in zip(axes, classifiers, strict=True):
    classifier.fit(X[::2], y[::2])
    start = time.process_time()
    effects = exact(classifier, tumour)[0]
    seconds = time.process_time() - start
    if isinstance(classifier, KernelNaiveBayes):
        effects = effects - exact(classifier, background).mean(axis=0)
    ax.barh(places - 0.2, effects, 0.4, label=f"exact, {1e3 * seconds:.0f} ms")
    if KernelExplainer is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.process_time()
            explainer = KernelExplainer(lambda rows, c=classifier: log_odds(c, rows), background)
            values = explainer.shap_values(tumour, silent=True)[0]
            seconds = time.process_time() - start
        ax.barh(places + 0.2, values, 0.4, label=f"shap, {1e3 * seconds:.0f} ms")
        print(type(classifier).__name__, "largest difference", np.abs(values - effects).max())
    ax.set(title=type(classifier).__name__, xlabel="effect on the log-odds of malignant")
    ax.axvline(0, color="k", lw=0.8)
    ax.legend()
axes[0].set_yticks(places, names)
axes[0].invert_yaxis()
plt.show()
