"""What the pages say of defaults is so."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

from parzen.solvers import box_least_squares, simplex_qp, solve_programmes


@pytest.mark.parametrize("solver", [box_least_squares, simplex_qp, solve_programmes])
def test_defaults_are_those_of_the_description(solver):
    described = dict(re.findall(r"^ +(\w+) : .*default=(.+)$", solver.__doc__, re.M))
    given = inspect.signature(solver).parameters
    assert len(described) >= 4
    for name, default in described.items():
        assert given[name].default == ast.literal_eval(default)
