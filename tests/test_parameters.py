"""Parameters are declared once: what is allowed, and what the docstring says."""

from __future__ import annotations

from inspect import getdoc
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from parzen._core import (
    Checked,
    Flag,
    Integer,
    Number,
    OneOf,
    Seed,
    check_parameters,
    constraints_of,
    described,
)


class Base(BaseEstimator):
    _constraints: ClassVar = {"folds": Integer(2), "ridge": Number("[0, inf)")}
    _descriptions = """
    folds : int, default=5
        Folds that
        compare candidates.
    ridge : float, default=1.0
        Penalty.
    **options
        Passed on.
    """


@described
class Estimator(Base):
    """An estimator.

    Parameters
    ----------
    {folds}
        Here they are shuffled.
    centred : bool, default=False
        One of {0, 1}.
    {ridge,
     n_jobs}

    Notes
    -----
    {folds} of them.
    """

    _constraints: ClassVar = {"centred": Flag(), "ridge": Number("(0, inf)", also=("cv",))}

    def __init__(self, folds=5, *, centred=False, ridge=1.0, n_jobs=None):
        self.folds = folds
        self.centred = centred
        self.ridge = ridge
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Fit.

        Parameters
        ----------
        {X}
            Of text.
        {y}
        """

    def split(self, folds):
        """Split.

        Parameters
        ----------
        {folds}
        """

    @classmethod
    def default(cls, **options):
        """Make.

        Parameters
        ----------
        {ridge, options}
        """


def test_shared_descriptions_stand_in_the_docstring():
    assert getdoc(Estimator).splitlines()[2:18] == [
        "Parameters",
        "----------",
        "folds : int, default=5",
        "    Folds that",
        "    compare candidates.",
        "    Here they are shuffled.",
        "centred : bool, default=False",
        "    One of {0, 1}.",
        "ridge : float, default=1.0",
        "    Penalty.",
        "n_jobs : int, default=None",
        "    Threads; None for all cores that the process may use.",
        "",
        "Notes",
        "-----",
        "{folds} of them.",
    ]


def test_shared_descriptions_stand_in_the_docstrings_of_methods():
    assert getdoc(Estimator.fit).splitlines()[4:] == [
        "X : array of shape (n_samples, n_features)",
        "    The sample.",
        "    Of text.",
        "y : array of shape (n_samples,)",
        "    The class of each row.",
    ]
    assert getdoc(Estimator.split).splitlines()[-3:] == [
        "folds : int, default=5",
        "    Folds that",
        "    compare candidates.",
    ]
    assert getdoc(Estimator.default).splitlines()[-4:] == [
        "ridge : float, default=1.0",
        "    Penalty.",
        "**options",
        "    Passed on.",
    ]


def test_a_name_without_a_description_is_an_error_of_the_class():
    with pytest.raises(KeyError, match="fold"):

        @described
        class Misspelt(Base):
            """{fold}"""


def test_a_subclass_adds_to_the_table_of_its_base_and_overrides_it():
    assert set(constraints_of(Estimator)) == {"folds", "ridge", "centred"}
    check_parameters(Estimator(ridge="cv"))
    with pytest.raises(ValueError, match=r"ridge=0.0 must be a positive number or 'cv'\.$"):
        check_parameters(Estimator(ridge=0.0))
    with pytest.raises(TypeError, match=r"centred must be True or False, got 1\.$"):
        check_parameters(Estimator(centred=1))


@pytest.mark.parametrize(
    ("constraint", "values"),
    [
        (Number("[0, 1)"), [0, 0.5, np.float32(0.9), np.int64(0)]),
        (Number("(0, 1]", also=(None, "cv")), [1, 1e-300, None, "cv"]),
        (Number("(0, inf)", several=True), [1.0, [1.0, 2], (3,), np.array([1.0]), np.array(2)]),
        (Integer(2, also=(None,)), [2, np.int32(7), None]),
        (OneOf("a", None), ["a", None]),
        (Flag(), [True, False, np.bool_(True)]),
        (Seed(), [None, 0, np.random.RandomState(0)]),
        (Checked(float), ["1.5"]),
    ],
)
def test_what_is_allowed_passes(constraint, values):
    for value in values:
        constraint.check("p", value)


@pytest.mark.parametrize(
    ("constraint", "value", "error", "message"),
    [
        (Number("[0, 1)"), 1.0, ValueError, "p=1.0 must be a number in [0, 1)."),
        (Number("[0, 1)"), np.nan, ValueError, "p=nan must be a number in [0, 1)."),
        (Number("(0, inf)"), np.inf, ValueError, "p=inf must be a positive number."),
        (Number("(0, inf)"), 0, ValueError, "p=0 must be a positive number."),
        (Number("[0, inf)", cure="0.5 is usual"), -1, ValueError,
         "p=-1 must be a number >= 0; 0.5 is usual."),
        (Number("[0, 1)"), True, TypeError, "p must be a number in [0, 1), got True."),
        (Number("[0, 1)"), "1", TypeError, "p must be a number in [0, 1), got '1'."),
        (Number("[0, 1)", also=("cv",)), "1", ValueError,
         "p='1' must be a number in [0, 1) or 'cv'."),
        (Number("[0, 1)", also=(None,)), "1", TypeError,
         "p must be a number in [0, 1) or None, got '1'."),
        (Number("[0, 1)", wanted="a rate below 1"), None, TypeError,
         "p must be a rate below 1, got None."),
        (Number("[0, 1)"), [0.5], TypeError, "p must be a number in [0, 1), got [0.5]."),
        (Number("[0, 1)", several=True), [0.5, 1], ValueError,
         "p=[0.5, 1] must be a number in [0, 1) or a list of them."),
        (Number("[0, 1)", several=True), [], TypeError,
         "p must be a number in [0, 1) or a list of them, got []."),
        (Integer(2, also=("auto", None)), 1, ValueError,
         "p=1 must be an integer >= 2, 'auto' or None."),
        (Integer(2), 2.0, TypeError, "p must be an integer >= 2, got 2.0."),
        (Integer(0), True, TypeError, "p must be an integer >= 0, got True."),
        (OneOf("a", "b", None), "c", ValueError, "p='c' is unknown; give 'a', 'b' or None."),
        (OneOf("a"), ["a"], ValueError, "p=['a'] is unknown; give 'a'."),
        (Flag(), 0, TypeError, "p must be True or False, got 0."),
        (Seed(), -1, ValueError,
         "p=-1 must be None, an integer that is not negative, or a numpy.random.RandomState."),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_refused_with_name_value_and_cure(constraint, value, error, message):
    with pytest.raises(error) as raised:
        constraint.check("p", value)
    assert str(raised.value) == message
