"""What a selection tells of its grid: positions, curves and choices."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.bandwidth.selection import SecondAxis, Selection

GRID = np.array([0.5, 1.0, 2.0])


def selection(grid=GRID, scores=GRID, **more):
    return Selection(1.0, 0.0, grid, scores, "cv", "error", **more)


def test_one_curve_has_no_name():
    found = selection(scores=np.array([3.0, 1.0, 2.0]), places=(1,))
    assert found.positions().tolist() == GRID.tolist()
    assert {name: curve.tolist() for name, curve in found.curves().items()} == {"": [3, 1, 2]}
    assert found.choices() == [(1.0, 1.0)]
    assert found.spread is None


def test_classes_have_a_curve_each():
    found = selection(scores=np.array([[3.0, 1.0, 2.0], [5.0, 6.0, 4.0]]), places=(1, 2))
    assert list(found.curves()) == ["class 0", "class 1"]
    assert found.choices() == [(1.0, 1.0), (2.0, 4.0)]


def test_a_second_parameter_has_a_curve_for_each_value():
    scores = np.array([[3.0, 9.0], [1.0, 8.0], [2.0, 7.0]])
    both = SecondAxis("regularization", np.array([0.1, 1.0]), 1)
    found = selection(
        scores=scores, places=(2,), second=both, fold_scores=np.stack([scores, -scores])
    )
    assert list(found.curves()) == ["regularization = 0.1", "regularization = 1"]
    assert found.choices() == [(2.0, 7.0)]
    assert both.chosen == 1.0
    np.testing.assert_allclose(found.spread, scores)
    single = SecondAxis("regularization", np.array([0.1]), 0)
    assert list(selection(scores=scores[:, :1], places=(0,), second=single).curves()) == [""]


def test_candidates_of_many_features_stand_at_their_geometric_mean():
    grid = np.array([[[1.0, 4.0]], [[2.0, 8.0]], [[9.0, 16.0]]])
    assert selection(grid=grid).positions() == pytest.approx([2.0, 4.0, 12.0])
    assert selection(grid=grid[:, 0]).positions() == pytest.approx([2.0, 4.0, 12.0])
