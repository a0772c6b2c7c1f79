"""How many training sets choose parameters, and how many splits judge them, as the papers say."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from parzen.papers import reproduce
from parzen.papers.bmachine import study as bmachine
from parzen.papers.engine.study import Extent
from parzen.papers.l2 import grids, study as l2
from parzen.papers.laplacian import study as laplacian


def benchmark(n_train, n_splits=100):
    return SimpleNamespace(n_train=n_train, n_splits=n_splits)


@pytest.mark.parametrize(
    ("study", "method", "n_train", "quick", "extent"),
    [
        (l2, "L2QP-0", 400, False, (5, 100)),
        (l2, "L2QP-0", 400, True, (1, 5)),
        (l2, "forest", 400, False, (1, 20)),
        (l2, "L2LE-0, CG", 400, False, (1, 20)),
        (l2, "S-SVM", 400, False, (5, 100)),
        (l2, "S-SVM", 1300, False, (5, 100)),
        (l2, "L2QPη-0", 1300, False, (5, 100)),
        (l2, "L2QPη-0", 4000, False, (5, 100)),
        (laplacian, "SVM", 400, True, (1, 10)),
        (laplacian, "forest", 400, False, (1, 20)),
        (laplacian, "Gaussian process", 400, False, (1, 10)),
        (laplacian, "SVM", 600, False, (1, 100)),
        (laplacian, "SVM", 400, False, (5, 100)),
        (laplacian, "KFD", 600, False, (5, 100)),
        (bmachine, "BM Cauchy", 400, False, (1, 100)),
        (bmachine, "ridge", 400, False, (1, 20)),
        (bmachine, "SVM", 400, True, (1, 10)),
    ],
)
def test_the_extent_of_a_study_is_the_papers(study, method, n_train, quick, extent):
    assert study.extent(benchmark(n_train), method, quick) == Extent(*extent)


def test_grids_hold_every_pair_once():
    """H-SVM and S-SVM: widths and costs; L2QP: widths; with eta, ten of them up to sqrt(2)^d."""
    plain, pairs = grids.points("L2QP-0", 4), grids.points("L2QPη-0", 4)
    machines = grids.points("S-SVM", 4)
    for found in (plain, pairs, machines):
        assert len({tuple(p.values()) for p in found}) == len(found)
    assert {p["eta"] for p in plain} == {1.0}
    etas = sorted({p["eta"] for p in pairs})
    assert len(etas) == 10
    np.testing.assert_allclose((etas[0], etas[-1]), (1.0, 4.0))
    assert set(machines[0]) == {"sigma", "C"}


@pytest.mark.parametrize(
    ("paper", "rows"),
    [("bmachine", {"Iris": 150, "Monks1": 432}), ("kernel_optimization", {"Monks1": 432})],
)
def test_the_tables_of_sizes_count_the_rows(paper, rows, tmp_path):
    (table,) = reproduce(paper, table=1, quick=True, out=tmp_path, n_jobs=1).tables
    found = {row.name: row.cells["rows"].mean for row in table.rows}
    assert {name: found[name] for name in rows} == rows
