"""Classifiers: one file each over a common base."""

from parzen.classifiers._base import DensityClassifier
from parzen.classifiers._labels import Sample

__all__ = ["DensityClassifier", "Sample"]
