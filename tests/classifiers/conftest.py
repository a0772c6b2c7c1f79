"""Samples that every test of the classifiers shares."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def blobs():
    """Three overlapping classes of unequal size in two dimensions."""
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [2.0, 0.5], [0.5, 2.5]])
    y = np.repeat([0, 1, 2], [40, 25, 15])
    return centres[y] + rng.normal(size=(80, 2)), y
