"""Naive Bayes has a one-dimensional density per feature, and so a bandwidth problem per feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth._resolve import get_selector
from parzen.bandwidth._selection import Selection
from parzen.bandwidth._selector import Selector
from parzen.kernels import Kernel


def per_feature(
    selector: str | Selector,
    X: NDArray[Any],
    y: NDArray[Any] | None = None,
    *,
    kernel: str | Kernel = "gaussian",
    sample_weight: NDArray[Any] | None = None,
    priors: NDArray[Any] | None = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.float64], tuple[Selection, ...]]:
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
    chosen = get_selector(selector)
    selections = tuple(
        chosen.select(
            np.ascontiguousarray(X[:, [column]]),
            y,
            kernel=kernel,
            sample_weight=sample_weight,
            priors=priors,
            n_jobs=n_jobs,
        )
        for column in range(X.shape[1])
    )
    columns = [np.ravel(selection.bandwidth) for selection in selections]
    return np.stack(columns, axis=1).astype(np.float64), selections
