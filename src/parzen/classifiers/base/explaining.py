"""Evidence for a label, in the manner of every classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen._core import Array, Floats, Integer
from parzen.evidence import Explanation


class Explaining:
    """Rows and columns that speak for a label; a subclass defines `_explain`."""

    _row_names: Array | None  # of the index of a data frame, for the rows of the fit

    def _forget(self) -> None:
        super()._forget()  # type: ignore[misc]
        self.__dict__.pop("_row_names", None)

    def _explain(self, X: Array, top: int) -> list[Explanation]:
        """Explain rows that are checked already."""
        raise ValueError(
            f"{type(self).__name__} is no kernel expansion, so training rows have no share in its "
            "labels; explain those of ParzenClassifier or LSSVMClassifier."
        )

    def explain(self, X: ArrayLike, top: int = 5) -> list[Explanation]:
        """Say for every row which training rows and which columns decided its label.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows to explain.
        top : int, default=5
            How many training rows to name for the label, and against it.

        Returns
        -------
        explanations : list of `parzen.evidence.Explanation`
            One per row: label, rival, their log-odds, the training rows that speak for and against
            the label with their shares, and the effect of every column on the log-odds. It takes
            about as long as d + 1 predictions and a matrix of kernels.
        """
        check_is_fitted(self)
        Integer(1).check("top", top)
        points = self._validate(X, reset=False)  # type: ignore[attr-defined]
        names = getattr(self, "_row_names", None)
        found = self._explain(points, top)
        return found if names is None else [one.named(names) for one in found]


def row_names(X: Any, weights: Floats | None = None) -> Array | None:
    """The index of a data frame as texts; None where rows have numbers only.

    Rows of ``weights`` zero are left out.
    """
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    names = np.asarray([str(name) for name in index])
    return names if weights is None else names[weights > 0]
