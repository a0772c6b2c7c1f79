"""The table of a coordinate search is kept where it fits the memory, and made anew elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn

from parzen.bandwidth import LeaveOneOutError
from parzen.bandwidth.coordinate import _table
from parzen.samples import KernelSample, leave_one_out_sums

RNG = np.random.default_rng(0)
X, Y, GRID = RNG.normal(size=(60, 2)), np.arange(60) % 3, np.geomspace(0.1, 2.0, 11)


@pytest.mark.parametrize(("share", "passes"), [(1.0, 1), (0.999, 3)])
def test_sums_are_computed_once_where_they_fit(share, passes):
    sample, asked = KernelSample.of(X, Y, "gaussian", None, None, 1), []

    def scheme(sample, grid):
        asked.append(len(grid))
        return leave_one_out_sums(sample, grid)

    size = 8 * 60 * 3 * 11 / 2**20  # in mebibytes
    with sklearn.config_context(working_memory=share * size):
        table = _table(scheme, sample, GRID)
        found = [np.concatenate([part.log_sums for part in table()]) for _ in range(3)]
    assert asked == [11] * passes
    for again in found[1:]:
        np.testing.assert_array_equal(again, found[0])
    assert found[0].shape == (60, 3, 11)


@pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")
def test_the_choice_does_not_depend_on_the_memory():
    selector = LeaveOneOutError(grid=GRID, per="class")
    kept = selector.select(X, Y)
    with sklearn.config_context(working_memory=0.01):
        anew = selector.select(X, Y)
    np.testing.assert_array_equal(anew.bandwidth, kept.bandwidth)
    np.testing.assert_allclose(anew.scores, kept.scores, rtol=1e-12)
