"""A table of numbers, few-valued columns and text, without choosing anything.

Four hundred invented customers: income and age are numbers, the number of visits has few values,
the town is text, and one column is noise. A customer buys when income and age agree in direction,
or lives in one of two towns and comes often. The stack takes the data frame as it is. The figure
shows the pool, with the log-loss of each member alone, the relevance of the columns, and how
reliable the probabilities are on new customers.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    rng = np.random.default_rng(0)
    (table, labels), (fresh, truth) = customers(400, rng), customers(4000, rng)
    clf = StackedDensityClassifier(random_state=0).fit(table, labels)
    print(
        f"error {1 - clf.score(fresh, truth):.3f}, log-loss out of sample {clf.loo_log_loss_:.3f}"
    )
    for name, share in zip(clf.feature_names_in_, clf.metric_, strict=True):
        print(f"{name:8s} {share:.2f}")

    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    StackDisplay.from_estimator(clf, axes=axes[:2])
    ReliabilityDisplay.from_estimator(clf, fresh, truth, ax=axes[2])
    figure.savefig(out / "mixed_table.png", dpi=120)


if __name__ == "__main__":
    main()
