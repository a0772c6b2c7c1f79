"""What the pages say of defaults is so."""

from __future__ import annotations

import pytest

from parzen import kernel_sums
from parzen.sums import PreparedSums, marginal_log_sums


@pytest.mark.parametrize("sums", [kernel_sums, PreparedSums, marginal_log_sums])
def test_defaults_are_those_of_the_description(sums, documented_defaults):
    defaults = documented_defaults(sums)
    assert len(defaults) >= 5
    assert all(described == given for described, given in defaults.values())
