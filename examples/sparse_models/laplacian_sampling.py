"""Densities from a random few points: error against time.

The weights of the Laplacian classifier need the density at every training point, which costs all
pairs. With ``n_density_samples=m`` the density, and V_c, come from m points each (Jenssen et al.
(2007), Section III). The figure shows the error of the log-weights and the labels that change
against the time of fitting, for 8000 training points of the waveform data.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from parzen import LaplacianClassifier
from parzen.datasets import make_waveform

SIZES = (20, 50, 100, 200, 500, 1000, 2000, 4000)


def fitted(X, y, m):
    """A classifier and the best of three fitting times."""
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        clf = LaplacianClassifier(n_density_samples=m, random_state=0).fit(X, y)
        best = min(best, time.perf_counter() - start)
    return clf, best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    X, y = make_waveform(8000, random_state=0)
    X_test, y_test = make_waveform(2000, random_state=1)
    exact, full_time = fitted(X, y, None)
    labels = exact.predict(X_test)
    rows = []
    print("points   seconds  error of log-weights  labels changed  accuracy")
    for m in SIZES:
        clf, seconds = fitted(X, y, m)
        error = np.sqrt(np.mean((clf.log_weights_ - exact.log_weights_) ** 2))
        changed = np.mean(clf.predict(X_test) != labels)
        rows.append((seconds, error, changed))
        score = clf.score(X_test, y_test)
        print(f"{m:6}  {seconds:8.4f}  {error:20.4f}  {changed:14.4f}  {score:8.4f}")
    score = exact.score(X_test, y_test)
    print(f"{len(X):6}  {full_time:8.4f}  {0.0:20.4f}  {0.0:14.4f}  {score:8.4f}")

    seconds, error, changed = np.transpose(rows)
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.loglog(seconds, error, "o-", label="error of the log-weights")
    axes.loglog(seconds, np.maximum(changed, 1e-4), "s--", label="labels changed")
    axes.axvline(full_time, color="k", lw=0.8, label="all points")
    axes.set(xlabel="seconds to fit", title="Stochastic sampling of the density")
    axes.legend()
    figure.savefig(out / "laplacian_sampling.png", dpi=100)
    print(f"figure: {out / 'laplacian_sampling.png'}")


if __name__ == "__main__":
    main()
