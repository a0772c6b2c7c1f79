"""One hundred points against five: who finds the rare class?

Figures 4 and 5 and Tables I to III of Jenssen et al. (2007), averaged over 200 draws instead of
one: unit Gaussians at (2, 2) and (0.6, 0.6), 100 and 5 training points, 200 and 10 test points. The
plug-in rule sacrifices the rare class; the Laplacian classifier does not. The honest rivals are the
plug-in rule with equal priors, and with priors in proportion to the roots of the classes' shares:
for separate classes V_c is about N_c / sqrt(P_c), so gamma_c is about sqrt(P_c) times the density
of the class. Where the classes overlap, V_c of the rare one is smaller still. Tables IV and V
(echocardiogram) follow where PARZEN_DATA has the data.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from parzen import LaplacianClassifier, ParzenClassifier
from parzen.datasets import UnavailableError, load, make_unbalanced

DRAWS = 200
SPAN = np.linspace(-2.5, 5.5, 161)


def contenders(y):
    """Fresh classifiers for a sample with the labels y, all at the rule's bandwidth."""
    roots = np.sqrt(np.unique(y, return_counts=True)[1])
    rule = {"bandwidth": "silverman"}
    return {
        "plug-in rule": ParzenClassifier(**rule),
        "plug-in, equal priors": ParzenClassifier(**rule, priors="uniform"),
        "plug-in, roots of the shares": ParzenClassifier(**rule, priors=roots / roots.sum()),
        "support vector machine": SVC(),
        "Laplacian classifier": LaplacianClassifier(**rule),
    }


def right(clf, train, test, rare):
    """How many rare and how many frequent test points get the right label."""
    labels = clf.fit(*train).predict(test[0])
    correct = labels == test[1]
    return correct[test[1] == rare].sum(), correct[test[1] != rare].sum()


def averages(draw, n_draws, rare):
    """Mean of the right labels over many draws of (train, test)."""
    totals = defaultdict(lambda: np.zeros(2))
    for seed in range(n_draws):
        train, test = draw(seed)
        for name, clf in contenders(train[1]).items():
            totals[name] += right(clf, train, test, rare)
    return {name: total / n_draws for name, total in totals.items()}


def gaussians(seed):
    """A training and a test sample of the paper's sizes."""
    return make_unbalanced(random_state=seed), make_unbalanced(200, 10, random_state=10_000 + seed)


def echocardiogram():
    """Draws of 10 training patients, 3 of them survivors, and 42 test patients; None if absent."""
    try:
        dataset = load("echocardiogram")
    except UnavailableError as reason:
        print(f"skipped: Tables IV and V: {reason}")
        return None
    columns = [2, 3, 4, 5, 6, 7, 8, 9]  # age and measurements of the heart, no outcomes
    known = (dataset.y >= 0) & np.isfinite(dataset.X[:, columns]).all(axis=1)
    X, y = dataset.X[known][:, columns], dataset.y[known]
    X = (X - X.mean(axis=0)) / X.std(axis=0)

    def draw(seed):
        rng = np.random.default_rng(seed)
        alive, dead = (rng.permutation(np.flatnonzero(y == c)) for c in (1, 0))
        train = np.concatenate([alive[:3], dead[:7]])
        test = np.concatenate([alive[3:15], dead[7:37]])
        return (X[train], y[train]), (X[test], y[test])

    return draw


def report(title, counts, sizes):
    """Print a table of right labels."""
    print(title)
    for name, (rare, frequent) in counts.items():
        share = (rare + frequent) / sum(sizes)
        print(f"  {name:28} rare {rare:5.1f} of {sizes[0]}   "
              f"frequent {frequent:6.1f} of {sizes[1]}   accuracy {share:.3f}")  # fmt: skip


def draw_regions(out):
    """Figures 4 and 5 for one draw."""
    train, test = gaussians(0)
    figure, axes = plt.subplots(1, 5, figsize=(18, 3.8), layout="constrained", sharey=True)
    grid = np.stack(np.meshgrid(SPAN, SPAN), axis=-1).reshape(-1, 2)
    for ax, (name, clf) in zip(axes, contenders(train[1]).items(), strict=True):
        regions = clf.fit(*train).predict(grid).reshape(len(SPAN), -1)
        ax.contourf(SPAN, SPAN, regions, levels=[-2, 0, 2], colors=["#dbe9f6", "#fde0cb"])
        for label, marker in ((-1, "b."), (1, "r^")):
            ax.plot(*test[0][test[1] == label].T, marker, ms=4 if label < 0 else 7)
        ax.set_title(name)
    figure.savefig(out / "laplacian_rare_class.png", dpi=100)
    print(f"figure: {out / 'laplacian_rare_class.png'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    report(f"Tables I-III, mean of {DRAWS} draws", averages(gaussians, DRAWS, 1), (10, 200))
    draw = echocardiogram()
    if draw is not None:
        warnings.filterwarnings("ignore", "class .* has", UserWarning)
        report(f"Tables IV-V, mean of {DRAWS} draws", averages(draw, DRAWS, 1), (12, 30))
    draw_regions(out)


if __name__ == "__main__":
    main()
