"""Prediction sets for any classifier."""

from parzen.classifiers.conformal.conformal_classifier import (
    ConformalClassifier as ConformalClassifier,
)
