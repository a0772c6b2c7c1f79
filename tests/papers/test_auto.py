"""The comparison of the automatic classifier: splits, tables and the null test, made small."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from parzen import datasets
from parzen.papers import reproduce
from parzen.papers.auto import rival_autogluon, study as auto
from parzen.papers.engine.benchmark import load_form


def test_splits_are_seeded_disjoint_and_of_the_stated_size():
    for name in ("iris", "wine"):
        data, (train, test) = auto.split_of(name, 3)
        again = auto.split_of(name, 3)[1][0]
        np.testing.assert_array_equal(train, again)
        assert not set(train) & set(test)
        assert abs(len(train) - auto.SETS[name]) <= 1
        assert set(data.y[train]) == set(data.y[test]) == set(data.y)


@pytest.mark.slow
def test_no_set_is_both_designed_on_and_unseen():
    assert not set(auto.SETS) & set(auto.UNSEEN)
    for name in (*auto.SETS, *auto.UNSEEN):
        with contextlib.suppress(datasets.UnavailableError):  # a name nobody knows is another error
            load_form(name)
    with pytest.raises(ValueError, match="nobody"):
        load_form("nobody")


@pytest.mark.slow
def test_labels_of_pure_noise_cost_little_more_than_a_coin(tmp_path):
    found = reproduce("auto", table="noise", quick=True, out=tmp_path, n_jobs=1)
    cell = found.table("noise").rows[0].cells["log-loss"]
    assert 0.68 < cell.mean <= 0.71


@pytest.mark.slow
def test_tables_hold_means_ranks_and_what_was_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(auto, "QUICK_SETS", ("iris", "usps"))
    monkeypatch.delenv("PARZEN_DATA", raising=False)
    found = reproduce("auto", table="error-papers", quick=True, out=tmp_path, n_jobs=1)
    table = found.table("error-papers")
    assert [row.name for row in table.rows] == ["iris", "mean", "median", "mean rank"]
    assert "PARZEN_DATA" in table.skipped["usps"]
    assert table.rows[0].cells["core"].mean == pytest.approx(table.rows[1].cells["core"].mean)
    assert table.rows[0].cells["core"].mean < 15.0


@pytest.mark.slow
def test_a_rival_that_is_not_installed_is_named_beside_its_table(tmp_path, monkeypatch):
    monkeypatch.setattr(rival_autogluon, "ABSENT", "autogluon is not installed.")
    found = reproduce("auto", table="autogluon", quick=True, out=tmp_path, n_jobs=1)
    table = found.table("autogluon")
    assert table.skipped["autogluon"] == "autogluon is not installed."
    assert {column.split(",")[0] for column in table.columns} == {"core"}
    names = [row.name for row in table.rows]
    assert set(names) | set(table.skipped) == {*auto.QUICK_SETS, "autogluon", "mean"}
    assert "iris" in names
    assert names[-1] == "mean"
