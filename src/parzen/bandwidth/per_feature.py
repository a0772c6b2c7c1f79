"""Naive Bayes has a one-dimensional density per feature, and so a bandwidth problem per feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Floats, as_matrix
from parzen.bandwidth.resolve import get_selector
from parzen.bandwidth.selection import Selection
from parzen.bandwidth.selector import Selector
from parzen.kernels import Kernel


def per_feature(
    selector: str | Selector,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    kernel: str | Kernel = "gaussian",
    sample_weight: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> tuple[Floats, tuple[Selection, ...]]:
    """Select a bandwidth for each column by itself.

    Returns
    -------
    bandwidth : array of shape (1, d), or (C, d) for a selector with ``per="class"``
    selections : tuple of d Selections

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import Likelihood, per_feature
    >>> X = np.random.default_rng(0).normal(size=(100, 3)) * [1.0, 10.0, 100.0]
    >>> y = np.repeat([0, 1], 50)
    >>> per_feature("silverman", X, y)[0].shape, per_feature(Likelihood(per="class"), X, y)[0].shape
    ((1, 3), (2, 3))
    """
    chosen, points = get_selector(selector), as_matrix(X, "X")
    selections = tuple(
        chosen.select(
            points[:, [column]],
            y,
            kernel=kernel,
            sample_weight=sample_weight,
            priors=priors,
            n_jobs=n_jobs,
        )
        for column in range(points.shape[1])
    )
    columns = [np.ravel(selection.bandwidth) for selection in selections]
    return np.stack(columns, axis=1).astype(np.float64), selections
