"""A decision with costs: the same densities, four borders.

Two classes overlap. Left: the probability of the second class, and the border where each class is
as likely as the other. Middle: borders when overlooking the second class costs 1, 5 and 25 times
as much as a false alarm; none of them needs a new fit. Right: what each rule costs on fresh points
when an oversight costs 5. The rule that knows the costs is the cheapest, though it errs more often.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from parzen import ParzenClassifier
from parzen.plots import BoundaryDisplay

FACTORS = (1, 5, 25)


def sample(n, seed):
    """A round class and a curved one around its upper side."""
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n) < 0.35).astype(int)
    angle = rng.uniform(0.1, np.pi - 0.1, size=n)
    arc = 1.8 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.45, (n, 2))
    return np.where(y[:, None] == 1, arc, rng.normal(0, 0.8, (n, 2))), y


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    X, y = sample(400, seed=0)
    clf = ParzenClassifier(bandwidth="conditional_likelihood").fit(X, y)
    rules = {k: clf.with_decision(costs=[[0, 1], [k, 0]]) for k in FACTORS}

    queries, truth = sample(20_000, seed=1)
    judged = np.array([[0, 1], [5, 0]])
    costs, mistakes = {}, {}
    for k, rule in rules.items():
        labels = rule.predict(queries)
        costs[k] = float(judged[truth, labels].mean())
        mistakes[k] = float((labels != truth).mean())
        print(f"fitted to costs 1:{k:<2}  mean cost {costs[k]:.3f}  errors {mistakes[k]:.1%}")

    side = np.linspace(-3.2, 3.2, 161)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
    probability = clf.predict_proba(grid)[:, 1].reshape(161, 161)
    shown = left.contourf(side, side, probability, levels=np.linspace(0, 1, 11), cmap="RdBu_r")
    left.contour(side, side, probability, levels=[0.5], colors="black")
    figure.colorbar(shown, ax=left)
    left.set_title("probability of class 1")
    for k, style in zip(FACTORS, ("-", "--", ":"), strict=True):
        BoundaryDisplay.from_estimator(
            rules[k], X, y, ax=middle, show_regions=False, show_kernels=False, point_size=6,
            line={"linestyles": style},
        )  # fmt: skip
        middle.plot([], [], "k" + style, label=f"1 : {k}")
    lines = [line for line in middle.get_lines() if line.get_label().startswith("1 :")]
    middle.legend(handles=lines, title="false alarm : oversight", loc="lower right")
    middle.set_title("borders")
    right.bar([f"1 : {k}" for k in FACTORS], costs.values(), color="tab:gray")
    right.set(title="mean cost on fresh points at 1 : 5", xlabel="rule made for")
    figure.savefig(out / "costs.png", dpi=100)
    print(f"figure: {out / 'costs.png'}")


if __name__ == "__main__":
    main()
