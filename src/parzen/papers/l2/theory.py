"""Section 3 of Kim & Scott (2010) as a simulation: what its lemma, theorems and corollary claim.

Both classes are normal with variance 1, at -1 and +1, so that every integral has a closed form: two
normal densities convolve to one whose variance is the sum of theirs. sigma = 1.7 n^(-1/5), which
goes to 0 slowly enough; 40 % of the rows are of the class at -1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from parzen._core import Floats, steps
from parzen.classifiers import L2Classifier
from parzen.kernels import get
from parzen.l2 import L2KernelDensity, oracle_epsilon
from parzen.papers.engine import Figure, Setting
from parzen.plots import pyplot

SIZES = (50, 100, 200, 400, 800)
_MEANS, _PRIOR, _DELTA = np.array([-1.0, 1.0]), 0.6, 0.1
_GAMMA = (1 - _PRIOR) / _PRIOR
_LINE = np.linspace(-9.0, 9.0, 3001)
_JOINT = np.array([1 - _PRIOR, _PRIOR])[:, None] * norm.pdf(_LINE, _MEANS[:, None], 1.0)
CLAIMS = {
    "own kernel left out": "bias of h",
    "own kernel kept": "bias of h",
    "deviation": "sup |H_n - H|",
    "bound": "sup |H_n - H|",
    "classifier": "integrated squared error",
    "density": "integrated squared error",
    "error": "error above Bayes's",
}


def sigma(n: int) -> float:
    """The bandwidth for n rows."""
    return float(1.7 * n**-0.2)


def draw(n: int, seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Rows of the two classes, in fixed numbers."""
    y = (np.arange(n) < round(_PRIOR * n)).astype(np.int64)
    return np.random.default_rng(seed).normal(_MEANS[y])[:, None], y


def measured(n: int, seed: int) -> dict[str, float]:
    """What each claim is about, on one sample; the bias of h is a mean over the rows at +1."""
    (X, y), s = draw(n, seed), sigma(n)
    h, with_own = (_estimated_h(X, y, s, own) for own in (False, True))
    truth = _true_h(X[:, 0], s)
    first, second = ((h - truth)[y == c] for c in (0, 1))
    largest = max(second.max() - _GAMMA * first.min(), _GAMMA * first.max() - second.min())
    counts = np.bincount(y).astype(np.float64)
    clf = L2Classifier(bandwidth=s, n_jobs=1).fit(X, y)
    density = L2KernelDensity(bandwidth=s, n_jobs=1).fit(X[y == 1])
    assert density.weights_ is not None
    decided = (clf.decision_function(_LINE[:, None]) > 0).astype(np.int64)
    wrong = _JOINT[1 - decided, np.arange(len(_LINE))] - _JOINT.min(axis=0)
    return {
        "own kernel left out": float(second.mean()),
        "own kernel kept": float((with_own - truth)[y == 1].mean()),
        "deviation": float(largest),
        "bound": oracle_epsilon(_DELTA, counts, _GAMMA, float(norm.logpdf(0.0, 0.0, s))),
        "classifier": _squared_error(clf.support_vectors_[:, 0], clf.dual_coef_[0], s, _GAMMA),
        "density": _squared_error(density.points_[:, 0], density.weights_, s, 0.0),
        "error": float(np.trapezoid(wrong, _LINE)),
    }


def _estimated_h(X: Floats, y: NDArray[np.int64], s: float, own: bool) -> Floats:
    """The estimates of h at the rows, with or without the kernel of the row itself."""
    K = get("gaussian")(X, X, bandwidth=s)
    if not own:
        np.fill_diagonal(K, 0.0)
    sums = [K[:, y == c].sum(axis=1) / (np.sum(y == c) - (y == c) * (not own)) for c in (0, 1)]
    return np.asarray(sums[1] - _GAMMA * sums[0])


def _true_h(x: Floats, s: float, gamma: float = _GAMMA) -> Floats:
    """The h of (6): the integral of the kernel around x times the true difference."""
    spread = np.sqrt(1 + s**2)
    return np.asarray(norm.pdf(x, 1.0, spread) - gamma * norm.pdf(x, -1.0, spread))


def _squared_error(x: Floats, weights: Floats, s: float, gamma: float) -> float:
    """The integral of (d_a - d)^2, where d is the second density less gamma times the first."""
    square = weights @ norm.pdf(x[:, None], x, np.sqrt(2) * s) @ weights
    cross = weights @ _true_h(x, s, gamma)
    same, between = norm.pdf([0.0, 2.0], 0.0, np.sqrt(2))
    return float(square - 2 * cross + (1 + gamma**2) * same - 2 * gamma * between)


def convergence(setting: Setting) -> list[Figure]:
    """A panel for each claim, against the number of rows."""
    sizes, draws = (SIZES[::2], 10) if setting.quick else (SIZES, 40)
    found = {n: [measured(n, seed) for seed in range(draws)] for n in steps(sizes)}
    figure, panels = pyplot().subplots(1, 4, figsize=(14, 3.4), layout="constrained")
    axes = dict(zip(dict.fromkeys(CLAIMS.values()), panels, strict=True))
    notes = [
        f"mean over {draws} samples of two normal classes, with standard errors; σ = 1.7 n^-0.2"
    ]
    for name, claim in CLAIMS.items():
        values = np.array([[one[name] for one in found[n]] for n in sizes])
        means, errors = values.mean(axis=1), values.std(axis=1) / np.sqrt(draws)
        axes[claim].errorbar(sizes, means, errors, fmt="o-", capsize=2, label=name)
        notes.append(f"{claim}, {name}: {means[0]:.4f} for n = {sizes[0]}, {means[-1]:.4f} for n = "
                     f"{sizes[-1]}")  # fmt: skip
    for claim, ax in axes.items():
        ax.set(xscale="log", yscale="linear" if "bias" in claim else "log", xlabel="n", title=claim)
        ax.minorticks_off()
        ax.set_xticks(sizes, [f"{n}" for n in sizes])
        ax.legend(frameon=False, fontsize="small")
    axes["bias of h"].axhline(0.0, color="0.7")
    exceeded = np.mean([one["deviation"] > one["bound"] for n in sizes for one in found[n]])
    notes.append(f"the bound of Lemma 1 for δ = {_DELTA} is exceeded in {100 * exceeded:.0f} % of "
                 "the samples")  # fmt: skip
    title = "Lemma 1, Theorems 2 and 3 and Corollary 2 in a simulation"
    return [setting.saved(figure, "l2", "theory", title, notes)]
