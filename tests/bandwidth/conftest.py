"""A plug-in rule written down plainly: every refit is a refit, every density a sum."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import get


class PlugIn:
    """Fitted class densities at one bandwidth, or at one per class."""

    def __init__(self, X, y, h, *, n_classes, kernel="gaussian", weights=None, priors=None):
        self.X, self.y, self.kernel = X, y, get(kernel)
        self.w = np.ones(len(X)) if weights is None else weights
        self.h = np.broadcast_to(h, n_classes)
        self.sizes = np.array([self.w[y == c].sum() for c in range(n_classes)])
        self.priors = self.sizes / self.sizes.sum() if priors is None else np.asarray(priors)

    def log_joint(self, Q):
        out = np.full((len(Q), len(self.sizes)), -np.inf)
        for c in np.flatnonzero(self.sizes > 0):
            own = (self.y == c) & (self.w > 0)
            logs = self.kernel.log(Q, self.X[own], bandwidth=float(self.h[c])).astype(np.longdouble)
            top = logs.max(axis=1, keepdims=True)
            top[np.isneginf(top)] = 0
            with np.errstate(divide="ignore"):
                total = np.log(np.exp(logs - top) @ self.w[own]) + top[:, 0]
                out[:, c] = total - np.log(self.sizes[c]) + np.log(self.priors[c])
        return out

    def predict(self, Q):
        joint = self.log_joint(Q)
        majority = np.where(self.sizes > 0, self.priors, 0).argmax()
        return np.where(np.isneginf(joint.max(axis=1)), majority, joint.argmax(axis=1))

    def log_posterior(self, Q):
        joint = self.log_joint(Q)
        top = joint.max(axis=1, keepdims=True)
        top[np.isneginf(top)] = 0
        return joint - top - np.log(np.exp(joint - top).sum(axis=1, keepdims=True))


def one_out(X, y, w, i):
    """The sample without one copy of row i."""
    left = w.copy()
    left[i] -= min(w[i], 1.0)
    return X, y, left


@pytest.fixture(scope="session")
def plug_in():
    return PlugIn


@pytest.fixture(scope="session")
def without():
    return one_out


@pytest.fixture
def three_classes():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], [20, 15, 10])
    X = rng.normal(size=(45, 2)) * [1.0, 2.0] + y[:, None] * [1.5, 0.5]
    order = rng.permutation(45)
    return X[order], y[order]
