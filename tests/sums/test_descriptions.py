"""What the pages say of defaults is so."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

from parzen import kernel_sums
from parzen.sums import PreparedSums, marginal_log_sums


@pytest.mark.parametrize("sums", [kernel_sums, PreparedSums, marginal_log_sums])
def test_defaults_are_those_of_the_description(sums):
    described = dict(re.findall(r"^ +(\w+) : .*default=(.+)$", sums.__doc__, re.M))
    given = inspect.signature(sums).parameters
    assert len(described) >= 5
    for name, default in described.items():
        assert given[name].default == ast.literal_eval(default)
