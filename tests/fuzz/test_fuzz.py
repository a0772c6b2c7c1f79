"""A fixed part of the random cases, with fixed seeds; `python -m tests.fuzz` runs on."""

from __future__ import annotations

import sys

import pytest

from .runner import PARTS, run


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are watched by /proc")
@pytest.mark.parametrize("part", PARTS)
def test_no_case_of_a_part_fails(part):
    tally = run([part], iter(range(PARTS[part])))
    assert not tally.failures, tally
