"""A real cluster of two worker processes: the same numbers, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import time

import joblib
import numpy as np
import pytest

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

from parzen import ParzenClassifier, RLSClassifier, kernel_sums  # noqa: E402
from parzen.distributed import connect, on_cluster  # noqa: E402

LIMIT = 500_000_000  # bytes for each worker


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, memory_limit=LIMIT,
        host="127.0.0.1", dashboard_address=None,
    ) as running:  # fmt: skip
        yield running


@pytest.fixture
def client(cluster):
    with connect(cluster.scheduler_address, timeout=30) as connected:
        connected.wait_for_workers(2, timeout=60)
        yield connected


@pytest.mark.slow
@pytest.mark.usefixtures("client")
def test_sums_and_labels_equal_those_of_one_machine():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(300, 2)), rng.normal(size=(900, 2))
    y = (Y[:, 0] > 0).astype(int)
    lazy = da.from_array(X, chunks=(100, 2)), da.from_array(Y, chunks=(300, 2))
    got = kernel_sums(*lazy, bandwidths=0.3, log=True).compute()
    np.testing.assert_allclose(got, kernel_sums(X, Y, bandwidths=0.3, log=True), rtol=1e-12)
    model = ParzenClassifier(bandwidth="loo").fit(lazy[1], da.from_array(y, chunks=300))
    alone = ParzenClassifier(bandwidth="loo").fit(Y, y)
    assert model.bandwidth_ == alone.bandwidth_
    np.testing.assert_array_equal(model.predict(lazy[0]).compute(), alone.predict(X))
    np.testing.assert_allclose(
        model.predict_proba(lazy[0]).compute(), alone.predict_proba(X), rtol=0, atol=1e-12
    )


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no record of peaks here")
def test_data_larger_than_a_worker_stay_within_its_memory(client):
    d, n = 100, 700_000  # 560 MB
    Y = da.random.default_rng(1).normal(size=(n, d), chunks=(10_000, d))
    assert Y.nbytes > LIMIT
    X = np.zeros((2, d))
    total = kernel_sums(X, Y, bandwidths=10.0, log=True, method="dense").compute()
    # E exp(-|y|^2 / 2h^2) = (1 + 1/h^2)^(-d/2) for standard normal y
    wanted = np.log(n) - 0.5 * d * np.log(1 + 0.01) - 0.5 * d * np.log(2 * np.pi * 100.0)
    np.testing.assert_allclose(total.ravel(), wanted, rtol=1e-4)
    assert max(client.run(_high_water_reader()).values()) < LIMIT


def _high_water_reader():
    """A function that workers can be sent, which this module cannot."""

    def high_water():  # not getrusage's, which a parent's memory raises
        with open("/proc/self/status") as status:
            return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))

    return high_water


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no record of peaks here")
def test_a_fit_on_landmarks_leaves_data_larger_than_memory_with_the_workers(client):
    d, n = 100, 700_000  # 560 MB
    X = da.random.default_rng(1).normal(size=(n, d), chunks=(10_000, d))
    y = (X[:, 0] > 0).astype(int)
    before = _high_water_reader()()
    clf = RLSClassifier(bandwidth=10.0, n_landmarks=50).fit(X, y)
    assert _high_water_reader()() - before < 250e6
    assert max(client.run(_high_water_reader()).values()) < LIMIT
    assert clf.class_count_.sum() == n
    Q = np.random.default_rng(2).normal(size=(1000, d))
    assert np.mean(clf.predict(Q) == (Q[:, 0] > 0)) > 0.6


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_does_not_change_the_result(client):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(24_000, 3))
    lazy = da.from_array(X, chunks=(4_000, 3))
    victims = client.run(os.getpid)
    future = client.compute(kernel_sums(lazy, lazy, bandwidths=0.3, exclude_self=True, log=True,
                                        method="dense"))  # fmt: skip
    busy = None
    while busy is None:
        time.sleep(0.01)
        assert not future.done()
        busy = next((worker for worker, tasks in client.processing().items() if tasks), None)
    os.kill(victims[busy], signal.SIGKILL)
    got = future.result(timeout=90)
    wanted = kernel_sums(X, X, bandwidths=0.3, exclude_self=True, log=True, method="dense")
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


@pytest.mark.slow
def test_a_comparison_fans_out_over_the_workers(cluster):
    from parzen.compare import compare, random_splits

    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] > 0).astype(int)
    splits = random_splits(y, 2, test_size=0.3)
    rules = {"narrow": ParzenClassifier(bandwidth=0.1), "wide": ParzenClassifier(bandwidth=1.0)}
    alone = compare(rules, X, y, splits, n_jobs=1)
    with on_cluster(cluster.scheduler_address, timeout=30) as client:
        client.wait_for_workers(2, timeout=60)  # joblib uses no cluster of a single thread
        pids = set(joblib.Parallel(2)(joblib.delayed(os.getpid)() for _ in range(8)))
        spread = compare(rules, X, y, splits, n_jobs=2)
    assert os.getpid() not in pids
    assert [row.error for row in spread.rows()] == [row.error for row in alone.rows()]


def test_an_unreachable_scheduler_is_named():
    with pytest.raises(ConnectionError, match=r"tcp://127.0.0.1:9.*dask scheduler"):
        connect("tcp://127.0.0.1:9", timeout=1)


@pytest.mark.slow
def test_the_command_line_names_an_unreachable_scheduler():
    testing = pytest.importorskip("typer.testing")
    from parzen.cli._app import app

    result = testing.CliRunner().invoke(
        app, ["compare", "banana", "--scheduler", "tcp://127.0.0.1:9"]
    )
    assert result.exit_code != 0
    assert "no scheduler answers" in str(result.exception) + result.output
