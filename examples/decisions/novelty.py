"""
Digits that were never seen
===========================

A classifier that knows the digits 0 to 4 is shown all ten. With ``novelty`` it refuses rows that
are like nothing in its sample. The threshold comes from the leave-one-out densities of the
training rows, so the share of false alarms is known beforehand: in the right panel the orange
line stays near the dotted one. At one false alarm in twenty most of the unknown digits are
caught.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from parzen import ParzenClassifier

RATES = (0.01, 0.02, 0.05, 0.1, 0.2)

X, y = load_digits(return_X_y=True)
known = y < 5
train, test, labels, truth = train_test_split(X[known], y[known], test_size=0.4, random_state=0)
unknown = X[~known]
classifier = ParzenClassifier(bandwidth="likelihood").fit(train, labels)

print("rate   known refused  unknown caught  errors among answers")
refused, caught = [], []
for rate in RATES:
    strict = classifier.with_decision(novelty=rate, reject=0.1)
    answers = strict.predict(test)
    kept = answers >= 0
    refused.append(float((answers == -2).mean()))
    caught.append(float((strict.predict(unknown) == -2).mean()))
    wrong = float((answers[kept] != truth[kept]).mean())
    print(f"{rate:4.2f}  {refused[-1]:13.1%}  {caught[-1]:14.1%}  {wrong:20.2%}")

# %%
# The densities of known and of unknown digits, and the price of caution.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
densities = [classifier.score_samples(points) for points in (test, unknown)]
bins = np.linspace(np.quantile(densities[1], 0.2), np.max(np.concatenate(densities)), 60)
for values, name in zip(densities, ("digits 0 to 4, new", "digits 5 to 9"), strict=True):
    left.hist(values, bins=bins, density=True, alpha=0.6, label=name)
threshold = classifier.with_decision(novelty=0.05).decision_.novelty_threshold
left.axvline(threshold, color="black", label="5 % false alarms")
left.set(xlabel="log-density", yticks=[], title="like nothing seen?")
left.legend(frameon=False)
right.plot(RATES, caught, "o-", label="unknown digits caught")
right.plot(RATES, refused, "s-", label="known digits refused")
right.plot(RATES, RATES, "k:", label="asked for")
right.set(xscale="log", xlabel="novelty", ylabel="share", title="the price of caution")
right.legend(frameon=False)
plt.show()
