"""Programmes that are none, for each solver."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.solvers import box_least_squares, simplex_qp

EYE, ONES = np.eye(3), np.ones(3)


@pytest.mark.parametrize(
    ("A", "b", "options", "message"),
    [
        (ONES, ONES, {}, r"A must be a matrix with rows and columns, got shape \(3,\)"),
        (np.ones((3, 0)), ONES, {}, r"got shape \(3, 0\)"),
        (np.full((3, 3), np.inf), ONES, {}, "A must be finite; it contains NaN or infinity"),
        (EYE, ONES[:2], {}, r"b must have shape \(3,\), got \(2,\)"),
        (EYE, ONES * 1e200, {}, "b must be finite, and its squares within the range"),
        (EYE, ONES * 1e-200, {}, "b must be finite, and its squares within the range"),
        (EYE, ONES * np.nan, {}, "b must be finite, and its squares within the range"),
        (EYE, ONES, {"upper": [1.0, 1.0]}, "upper must be one finite number, or one for each of 3"),
        (EYE, ONES, {"linear": np.inf}, "linear must be one finite number, or one for each of 3"),
        (EYE, ONES, {"upper": [1.0, 0.0, 1.0]}, "upper must be positive; drop columns"),
    ],
)
def test_a_box_programme_that_is_none_is_refused(A, b, options, message):
    with pytest.raises(ValueError, match=message):
        box_least_squares(A, b, **({"upper": 1.0} | options))


@pytest.mark.parametrize(
    ("Q", "c", "groups", "message"),
    [
        (EYE, ONES[:2], None, r"Q must be square and c as long, got shapes \(3, 3\) and \(2,\)"),
        (np.zeros((0, 0)), [], None, "Q must be square and c as long"),
        (EYE * np.nan, ONES, None, "Q and c must be finite"),
        (EYE, ONES * np.inf, None, "Q and c must be finite"),
        (EYE, ONES, [0, 2, 2], "groups must hold the numbers 0, 1, ... of the groups"),
        (EYE, ONES, [0, 1], "groups must hold the numbers 0, 1, ... of the groups"),
    ],
)
def test_a_simplex_programme_that_is_none_is_refused(Q, c, groups, message):
    with pytest.raises(ValueError, match=message):
        simplex_qp(Q, c, groups=groups)
