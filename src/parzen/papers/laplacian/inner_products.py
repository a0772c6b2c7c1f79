"""Tables III and V of Jenssen et al. (2007) by inner products with the class means.

The paper gives an outlier a weight that its (8) cannot have, because f there includes the point
itself. So its program may have left the point out of f. Here f does so, and a row gets the class
with the largest inner product <Phi(x), m_c> instead of the largest cosine.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel

from parzen.bandwidth import silverman
from parzen.datasets import UnavailableError, load
from parzen.papers.engine import COMMON_SHARE, Setting, Table
from parzen.papers.laplacian import printed as printed
from parzen.papers.laplacian.rare_class import DRAWS, confusion_rows, of_all_draws

_TINY = 1e-300  # Least density, of a row without neighbours.


class InnerProductRule(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The means or sums over each class of k(x, x_i) / sqrt(f(x_i)); k has the width sqrt(2) sigma.

    Parameters
    ----------
    bandwidth : float, default=None
        sigma, the bandwidth of f; None for that of the rule (21).
    use_means : bool, default=True
        Whether the classes are compared by their means, else by their sums as in (18).

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> InnerProductRule().fit(X, y).predict([[0.2], [5.5]])
    array([0, 1])
    """

    def __init__(self, bandwidth: float | None = None, use_means: bool = True) -> None:
        self.bandwidth = bandwidth
        self.use_means = use_means

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Self:
        """Keep the rows with their weights."""
        self.X_, self.y_ = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.classes_ = np.unique(self.y_)
        self.bandwidth_ = float(silverman(self.X_)) if self.bandwidth is None else self.bandwidth
        f = rbf_kernel(self.X_, gamma=0.5 / self.bandwidth_**2)
        np.fill_diagonal(f, 0.0)
        self.weights_ = 1.0 / np.sqrt(np.maximum(f.sum(axis=1), _TINY))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the largest mean or sum."""
        K = rbf_kernel(np.asarray(X, dtype=np.float64), self.X_, gamma=0.25 / self.bandwidth_**2)
        K *= self.weights_
        of_class = np.mean if self.use_means else np.sum
        scores = [of_class(K[:, self.y_ == c], axis=1) for c in self.classes_]
        return np.asarray(self.classes_[np.argmax(scores, axis=0)])


def right_of_draws(kind: str, first: int, last: int) -> list[list[int]]:
    """For each draw how many rare and how many frequent rows are right."""
    out = []
    for seed in range(first, last):
        train, (X, y) = DRAWS[kind](seed)
        hit = InnerProductRule().fit(*train).predict(X) == y
        out.append([int(hit[y == 1].sum()), int(hit[y != 1].sum())])
    return out


def inner_products(setting: Setting) -> list[Table]:
    """Both tables, and of how many draws the printed figure is as far from the mean."""
    asked = [("3 inner", "two Gaussians", "gaussians", (10, 200), printed.RARE["Laplacian"]),
             ("5 inner", "echocardiograms", "echocardiograms", (12, 30),
              printed.ECHOCARDIOGRAM["Laplacian"])]  # fmt: skip
    tables = []
    for number, title, kind, sizes, theirs in asked:
        caption = f"Confusion matrix: inner products with class means, {title}"
        try:
            if kind == "echocardiograms":
                load("echocardiogram")
        except UnavailableError as reason:
            tables.append(Table(number, caption, [], [], [], {title: str(reason)}))
            continue
        found = np.array(of_all_draws(setting, right_of_draws, kind), dtype=np.float64)
        rows = confusion_rows(found, sizes, theirs, by_draws=True)
        columns = list(rows[0].cells)
        tables.append(Table(number, caption, columns, rows, _NOTES, explains=number[0]))
    return tables


_NOTES = [
    "f leaves out the point itself, and a row gets the class with the largest inner product of its "
    "image and the class mean: no angle, no norms. The weight of the outlier in section V is "
    "possible only if f leaves out the point. 'as far': of how many percent of our draws 'right' "
    "is as far from our mean as the printed one; a number is met from "
    f"{COMMON_SHARE:g} % on."
]
