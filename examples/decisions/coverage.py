"""
Which classifier has the smallest sets?
=======================================

Prediction sets of all classifiers promise the same: to hold the true label as often as they are
asked to. Left: on new points all come near it; the curves of one training sample scatter, as the
promise is about the mean over samples. Right: what it costs. Naive Bayes takes the columns for
independent, which they are not here, and pays with larger sets.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from parzen import KernelNaiveBayes, LSSVMClassifier, ParzenClassifier
from parzen.plots import CoverageDisplay

X, y = make_moons(400, noise=0.2, random_state=0)
new, truth = make_moons(2000, noise=0.2, random_state=1)

axes = None
for classifier in (ParzenClassifier(), LSSVMClassifier(), KernelNaiveBayes()):
    classifier.fit(X, y)
    display = CoverageDisplay.from_estimator(classifier, new, truth, axes=axes)
    axes = display.axes_
    at = display.levels == 0.9
    print(
        f"{display.name}: {display.coverage[at][0]:.3f} covered, {display.sizes[at][0]:.2f} labels"
    )
plt.show()
