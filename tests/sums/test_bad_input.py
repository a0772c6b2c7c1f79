"""Bad input is refused by a ValueError that names the argument, before any computation."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import kernel_sums, kernels

X = np.zeros((3, 2))
Y = np.ones((4, 2))


def with_entry(value):
    bad = np.ones((4, 2))
    bad[2, 1] = value
    return bad


CASES = {
    "one dimension": ({"Y": np.ones(4)}, r"Y must be a 2-D array.*reshape"),
    "three dimensions": ({"X": np.ones((2, 2, 2))}, r"X must be a 2-D array"),
    "widths differ": ({"Y": np.ones((4, 3))}, r"X has 2 columns but Y has 3"),
    "no columns": ({"X": np.ones((3, 0)), "Y": np.ones((4, 0))}, r"X has no columns"),
    "no points": ({"Y": np.ones((0, 2))}, r"Y has no points"),
    "NaN": ({"Y": with_entry(np.nan)}, r"Y contains NaN in column 1"),
    "infinity": (
        {"X": with_entry(-np.inf)},
        r"X contains infinity in column 1, row \d; replace it by a finite number, or drop the row",
    ),
    "strings": ({"Y": [["a", "b"]] * 4}, r"Y must hold real numbers"),
    "objects": ({"Y": np.array([[object(), 1.0]] * 4)}, r"Y must hold real numbers"),
    "complex": ({"X": X + 1j}, r"X must hold real numbers.*complex"),
    "ragged": ({"X": [[1.0, 2.0], [1.0]]}, r"X"),
    "bandwidth zero": ({"bandwidths": 0.0}, r"bandwidths must be positive and finite, got 0"),
    "bandwidth negative": ({"bandwidths": [1.0, -2.0]}, r"positive and finite, got -2"),
    "bandwidth infinite": ({"bandwidths": np.inf}, r"positive and finite, got inf"),
    "bandwidth NaN": ({"bandwidths": np.nan}, r"positive and finite, got nan"),
    "bandwidth out of range": (
        {"Y": with_entry(2.0), "bandwidths": [1e-160, 1.0]},
        r"bandwidth 1e-160 is too small for points that spread over 1.*range of float64",
    ),
    "bandwidth out of a short range": (
        {
            "X": X.astype(np.float32),
            "Y": with_entry(2.0).astype(np.float32),
            "bandwidths": 1e-25,
        },
        r"range of float32 numbers.*larger one or give the data as float64",
    ),
    "bandwidth word": ({"bandwidths": "wide"}, r"bandwidths must be"),
    "bandwidth None": ({"bandwidths": None}, r"bandwidths must be"),
    "no bandwidths": ({"bandwidths": []}, r"bandwidths must be a number or a 1-D array"),
    "bandwidth matrix": ({"bandwidths": np.ones((2, 2))}, r"1-D array, got shape \(2, 2\)"),
    "weights too few": ({"weights": np.ones(3)}, r"weights must have shape \(4,\)"),
    "weights 4-D": ({"weights": np.ones((4, 1, 1, 1))}, r"weights must have shape"),
    "weights scalar": ({"weights": 2.0}, r"weights must have shape"),
    "weights of no column": ({"weights": np.ones((4, 0))}, r"weights has no columns"),
    "weights of other bandwidths": ({"weights": np.ones((4, 1, 3))}, r"there are 1 bandwidths"),
    "weights NaN": ({"weights": [1, 1, np.nan, 1]}, r"weights contain NaN or infinity"),
    "weights strings": ({"weights": ["a"] * 4}, r"weights must hold real numbers"),
    "negative weights in a logarithm": (
        {"weights": [1, -1, 1, 1], "log": True},
        r"weights must not be negative with log=True; use scaled=True",
    ),
    "not the same sample": ({"exclude_self": True}, r"exclude_self=True needs the queries X"),
    "two forms": ({"log": True, "scaled": True}, r"log=True and scaled=True exclude each other"),
    "no logarithm": ({"kernel": "linear", "log": True}, r"'linear' does not give"),
    **{
        f"tolerance {rtol}": ({"rtol": rtol}, r"must be a relative error from 0.*to below 1")
        for rtol in (-0.1, 1.0, 2.0, np.nan)
    },
    "unknown method": ({"method": "quick"}, r"method='quick' is unknown; choose one of auto"),
    "no threads": ({"n_jobs": 0}, r"n_jobs=0 has no meaning"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_refused(case):
    changes, message = CASES[case]
    arguments = {"X": X, "Y": Y, "bandwidths": 1.0, **changes}
    with pytest.raises(ValueError, match=message):
        kernel_sums(
            arguments.pop("X"), arguments.pop("Y"), arguments.pop("weights", None), **arguments
        )


def test_an_unknown_kernel_is_refused_with_a_list_of_the_known():
    with pytest.raises(ValueError, match="unknown kernel 'gausian'") as error:
        kernel_sums(X, Y, kernel="gausian", bandwidths=1.0)
    assert all(name in str(error.value) for name in kernels.names())


def test_nan_among_zero_queries_and_one_query_are_told_apart():
    assert kernel_sums(np.empty((0, 2)), Y, bandwidths=1.0).shape == (0, 1, 1)
    with pytest.raises(ValueError, match="NaN in column 0"):
        kernel_sums([[np.nan, 0.0]], Y, bandwidths=1.0)


def test_finite_numbers_whose_sum_overflows_are_accepted():
    huge = np.full((4, 2), 1e308)
    assert kernel_sums(huge, huge, bandwidths=1e300).shape == (4, 1, 1)
