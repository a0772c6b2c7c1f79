"""
Why this label?
===============

A tumour near the border between benign and malignant. Left: the training rows with the largest
shares in the density of its label, and in that of the other class. Right: how much of the
log-odds is gone without a column. The evidence is exact: the classifier is a sum of kernels, one
per training row, and a Gaussian kernel has a factor per column.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from parzen import ParzenClassifier
from parzen.plots import ExplanationDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data.iloc[:, :10], data.target_names[data.target]
model = make_pipeline(StandardScaler(), ParzenClassifier(bandwidth=0.5)).fit(X[::2], y[::2])

doubtful = np.argmin(np.abs(model.predict_proba(X[1::2])[:, 0] - 0.3))
display = ExplanationDisplay.from_estimator(model, X[1::2].iloc[[doubtful]])
found = display.explanation
print(f"{found.label} rather than {found.rival}, log-odds {found.log_odds:.2f}")
plt.show()
