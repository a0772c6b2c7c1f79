"""What the pages say of defaults is so."""

from __future__ import annotations

import pytest

from parzen.solvers import box_least_squares, simplex_qp, solve_programmes


@pytest.mark.parametrize("solver", [box_least_squares, simplex_qp, solve_programmes])
def test_defaults_are_those_of_the_description(solver, documented_defaults):
    defaults = documented_defaults(solver)
    assert len(defaults) >= 4
    assert all(described == given for described, given in defaults.values())
