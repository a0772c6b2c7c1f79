"""The parameters that all classifiers of scores share: allowed values, and descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from parzen._core import Checked, Constraints, Floats, Integer, OneOf, Seed
from parzen.bandwidth import Selector
from parzen.classifiers.least_squares.coding import CODINGS
from parzen.kernels import check_kernel
from parzen.samples import check_landmarks


def check_has_density(estimator: Any) -> None:
    """Refuse an estimator without densities."""
    if estimator.novelty is None:
        raise AttributeError(
            f"{type(estimator).__name__} has densities only where novelty is given; "
            "fit it with novelty=0.05, say."
        )


def rows_so_far(estimator: Any) -> Any:
    """The `TrainingRows` of an estimator, or None."""
    added = getattr(estimator, "training_rows_", None)
    return getattr(estimator, "_rows_of_fit", None) if added is None else added


def check_can_add(estimator: Any) -> None:
    """Refuse an estimator that chooses something from data, or does not know its rows so far."""
    name = estimator._regularizer
    value = getattr(estimator, name)
    chosen = isinstance(estimator.bandwidth, str | Selector) or isinstance(value, str)
    if chosen or np.ndim(value) or estimator._is_precomputed():
        raise AttributeError(
            f"partial_fit needs points and numbers: got kernel={estimator.kernel!r}, "
            f"bandwidth={estimator.bandwidth!r} and {name}={value!r}; what is chosen from data "
            "would change with every batch."
        )
    share = getattr(estimator, "bandwidth_rows", None)
    if share is not None:
        raise AttributeError(f"partial_fit needs bandwidth_rows=None, got {share!r}.")
    if hasattr(estimator, "decision_") and rows_so_far(estimator) is None:
        raise AttributeError(
            "partial_fit needs the rows so far, which a fit on landmarks or on dask arrays and a "
            "model file do not keep; begin with partial_fit in place of fit."
        )


def check_candidates(value: Any, name: str, words: tuple[str, ...]) -> None:
    """Refuse what is neither a positive number, nor several of them, nor one of the words."""
    word = " or ".join(map(repr, words))
    if isinstance(value, str):
        if value not in words:
            raise ValueError(
                f"{name}={value!r} is unknown; give a positive number, several, or {word}."
            )
        return
    wrong = f"{name} must be a number, several, or {word}, got {value!r}."
    if isinstance(value, bool) or not isinstance(value, Real | Sequence | np.ndarray):
        raise TypeError(wrong)
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(wrong) from None
    if numbers.ndim != 1 or len(numbers) == 0:
        raise ValueError(f"{name} must be a number or a 1-D array, got shape {numbers.shape}.")
    if not (np.isfinite(numbers) & (numbers > 0)).all():
        raise ValueError(f"{name}={value!r} must be positive and finite.")


def candidates(value: Any, default: tuple[float, ...]) -> Floats:
    """The numbers to try, ascending; the default for a word."""
    return np.unique(np.asarray(default if isinstance(value, str) else value, dtype=np.float64))


CONSTRAINTS: Constraints = {
    "kernel": Checked(check_kernel),
    "coding": OneOf(*CODINGS),
    "folds": Integer(2),
    "n_landmarks": Checked(check_landmarks),
    "random_state": Seed(),
}
DESCRIPTIONS = """
bandwidth : float, array, str or Selector, default="cv"
    Width of the kernel: a number; one per class in the order of ``classes_``, that of the
    class against the rest; one per feature, shape (1, n_features); or both,
    (n_classes, n_features). ``"cv"`` is the choice from a default grid of smallest K-fold
    error of this classifier; `CrossValidation` takes a grid or other folds. Any other selector
    of `parzen.bandwidth`, or its name, takes the plug-in rule's.
coding : {"one_vs_rest", "pairwise", "minimum", "error_correcting"}, default="one_vs_rest"
    How more than two classes become problems of two: each against the rest; every pair; the
    bits of the class's number; or every division of up to five classes in two (of more, a
    random code of large Hamming distance). The class whose targets agree best with the scores
    wins.
folds : int, default=5
    Folds for choosing candidates and the scale of the probabilities.
n_landmarks : int, None or "auto", default="auto"
    Rows that carry weights, drawn from every class by frequency; the loss is that of all rows.
    None for all rows; "auto" takes 1000 beyond 10 000 rows.
random_state : int, RandomState or None, default=0
    Draws the landmarks; None for other ones at every fit.
novelty : float, default=None
    Reject as novel where the kernel density of the training points, of the same kernel and
    bandwidth, is smaller than at all but this share of them, each left out of the estimate.
bandwidth_ : float or array
    In use, in one of the shapes above.
selection_ : Selection or None
    How bandwidth and regulariser were chosen; the latter is its second axis.
expansion_ : KernelExpansion or GramExpansion
    The fitted model.
dual_coef_ : array of shape (n_support, n_columns)
    The weights of these rows; one column for two classes, otherwise one for each column of
    ``code_book_``.
intercept_ : array of shape (n_columns,)
    The offsets; zeros where the classifier has none.
optimality_gap_ : float
    Certified bound on objective - optimum, relative to the objective of no weights.
support_ : array of shape (n_support,)
    Places of the distinct training rows that carry weights.
code_book_ : array of shape (n_classes, n_columns)
    Targets of each class in every column: -1, +1, or 0 where it takes no part.
probability_scale_ : float
    The a of softmax(a s).
density_ : ParzenClassifier or None
    The densities that novelty is judged by.
training_rows_ : TrainingRows
    The distinct rows so far, after `partial_fit`.
"""
