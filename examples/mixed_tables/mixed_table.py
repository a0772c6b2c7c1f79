"""
A raw table, nothing to choose
==============================

Four hundred invented customers: income and age are numbers, the number of visits has few values,
the town is text, and one column is noise. A customer buys if income and age agree in direction,
or comes often and lives in one of two towns. The stack takes the data frame as it is. Left: its
members and their log-loss. Middle: the noise gets almost no share. Right: the probabilities are
reliable on new customers.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from parzen import StackedDensityClassifier
from parzen.plots import ReliabilityDisplay, StackDisplay


def customers(n, rng):
    """A table and who buys."""
    table = pd.DataFrame(
        {
            "income": np.exp(rng.normal(10.0, 0.5, size=n)),
            "age": rng.normal(45.0, 12.0, size=n),
            "visits": rng.integers(0, 6, size=n),
            "town": rng.choice(["Bath", "Leeds", "York", "Ely"], size=n),
            "noise": rng.normal(size=n),
        }
    )
    agree = (np.log(table["income"]) - 10.0) * (table["age"] - 45.0) / 6.0
    regular = table["town"].isin(["Bath", "York"]) & (table["visits"] >= 3)
    logit = 2.0 * agree + 3.0 * regular - 1.0
    buys = rng.uniform(size=n) < 1.0 / (1.0 + np.exp(-logit))
    return table, np.where(buys, "buys", "leaves")


rng = np.random.default_rng(0)
(table, labels), (new, truth) = customers(400, rng), customers(4000, rng)
model = StackedDensityClassifier(random_state=0).fit(table, labels)
print(f"error {1 - model.score(new, truth):.3f}")
for name, share in zip(model.feature_names_in_, model.metric_, strict=True):
    print(f"{name:8s} {share:.2f}")

figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
StackDisplay.from_estimator(model, axes=axes[:2])
ReliabilityDisplay.from_estimator(model, new, truth, ax=axes[2])
plt.show()
