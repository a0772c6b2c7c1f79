"""Rejecting strangers: what a classifier should not decide.

A classifier that was trained on the digits 0 to 4 is shown all ten. With ``reject`` it refuses rows
between classes, with ``novelty`` rows that are like nothing seen; the threshold comes from the
leave-one-out densities of the training rows, so the false-alarm rate is known beforehand. The
figure shows the log-densities of known digits and strangers, and the share caught at each rate.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from parzen import ParzenClassifier

RATES = (0.01, 0.02, 0.05, 0.1, 0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    X, y = load_digits(return_X_y=True)
    known = y < 5
    train, test, labels, truth = train_test_split(X[known], y[known], test_size=0.4, random_state=0)
    strangers = X[~known]
    clf = ParzenClassifier(bandwidth="likelihood").fit(train, labels)

    print("rate   known refused  strangers caught  errors among answers")
    refused, caught = [], []
    for rate in RATES:
        strict = clf.with_decision(novelty=rate, novelty_label=-2, reject=0.1)
        answers = strict.predict(test)
        kept = answers >= 0
        refused.append(float((answers == -2).mean()))
        caught.append(float((strict.predict(strangers) == -2).mean()))
        wrong = float((answers[kept] != truth[kept]).mean())
        print(f"{rate:4.2f}  {refused[-1]:13.1%}  {caught[-1]:16.1%}  {wrong:20.2%}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    densities = [clf.score_samples(points) for points in (test, strangers)]
    bins = np.linspace(np.min(np.concatenate(densities)), np.max(np.concatenate(densities)), 60)
    for values, name in zip(densities, ("digits 0-4, new", "digits 5-9"), strict=True):
        left.hist(values, bins=bins, density=True, alpha=0.6, label=name)
    threshold = clf.with_decision(novelty=0.05).decision_.novelty_threshold
    left.axvline(threshold, color="black", label="5 % false alarms")
    left.set(xlabel="log-density of the mixture", title="like nothing seen?")
    left.legend()
    right.plot(RATES, caught, "o-", label="strangers caught")
    right.plot(RATES, refused, "s-", label="known digits refused")
    right.plot(RATES, RATES, "k:", label="asked for")
    right.set(xscale="log", xlabel="novelty", ylabel="share", title="the price of caution")
    right.legend()
    figure.savefig(out / "strangers.png", dpi=100)
    print(f"figure: {out / 'strangers.png'}")


if __name__ == "__main__":
    main()
