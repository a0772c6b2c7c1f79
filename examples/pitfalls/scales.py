"""
Columns of different scales
===========================

One bandwidth for all columns needs columns of one scale. In the wine data ``proline`` has numbers
around a thousand and would decide alone. ``scale="auto"``, the default, brings such columns to one
scale; ``metric="class"`` measures distances in the covariance of each class, ``metric="learned"``
finds a bandwidth for each column.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

from parzen import ParzenClassifier
from parzen.bandwidth import EndOfGridWarning

warnings.simplefilter("ignore", EndOfGridWarning)  # flat criteria have no inner minimum

X, y = load_wine(return_X_y=True)
models = {
    "scale=None": ParzenClassifier(scale=None),
    "as it comes": ParzenClassifier(),
    'metric="class"': ParzenClassifier(metric="class"),
    'metric="learned"': ParzenClassifier(metric="learned"),
}
folds = StratifiedKFold(4, shuffle=True, random_state=0)
errors = [1 - cross_val_score(model, X, y, cv=folds) for model in models.values()]
figure, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for place, (name, values) in enumerate(zip(models, errors, strict=True)):
    ax.barh(place, values.mean(), color="tab:red" if place == 0 else "tab:green", alpha=0.75)
    ax.plot(values, np.full(4, place), "k.", markersize=4)
    print(f"{name:18s} error {values.mean():.3f}")
ax.set_yticks(range(len(models)), labels=models)
ax.invert_yaxis()
ax.set(xlabel="error in four folds", title="Wine: one column of large numbers")
plt.show()
