"""The parameters that all classifiers of scores share: allowed values, descriptions."""

from __future__ import annotations

from parzen._core import Checked, Constraints, Integer, OneOf, Seed
from parzen.classifiers.least_squares.coding import CODINGS
from parzen.kernels import check_kernel
from parzen.samples import check_landmarks

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
