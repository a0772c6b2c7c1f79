"""A long run can be stopped at any moment, and goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parzen.compare.cache import Cache, write_atomically
from parzen.compare.tasks import Runner, Task
from parzen.papers.laplacian.rare_class import draw

CALLS: list[int] = []


def square(x):
    CALLS.append(x)
    return {"square": x * x}


def other(x):
    return {"square": -x}


def fail_at_three(x):
    if x == 3:
        raise RuntimeError("three")
    return square(x)


@pytest.fixture(autouse=True)
def _forget_calls():
    CALLS.clear()


def tasks(n, function=square):
    return [Task(function, {"x": i}) for i in range(n)]


def test_results_come_in_the_order_of_the_tasks_and_are_computed_once(tmp_path):
    runner = Runner(Cache(tmp_path))
    assert [r["square"] for r in runner.run(tasks(5))] == [0, 1, 4, 9, 16]
    assert [r["square"] for r in runner.run(tasks(7))] == [0, 1, 4, 9, 16, 25, 36]
    assert CALLS == [0, 1, 2, 3, 4, 5, 6]


def test_another_function_or_version_has_other_results(tmp_path, monkeypatch):
    runner = Runner(Cache(tmp_path))
    runner.run(tasks(2))
    assert runner.run(tasks(2, other)) == [{"square": 0}, {"square": -1}]
    monkeypatch.setattr("parzen.compare.tasks.package_version", lambda: "9.9")
    runner.run(tasks(2))
    assert CALLS == [0, 1, 0, 1]


def test_what_was_done_before_a_failure_is_kept(tmp_path):
    runner = Runner(Cache(tmp_path))
    with pytest.raises(RuntimeError, match="three"):
        runner.run(tasks(5, fail_at_three))
    assert CALLS == [0, 1, 2]
    done = []
    Runner(Cache(tmp_path), progress=lambda *a: done.append(a)).run(tasks(3, fail_at_three), "t")
    assert CALLS == [0, 1, 2]
    assert done == [(3, 3, "t")]


def test_progress_counts_every_task(tmp_path):
    seen = []
    Runner(Cache(tmp_path), progress=lambda *a: seen.append(a)).run(tasks(3), "squares")
    # Another thread reports as well, now and then: on a busy machine some numbers come twice.
    assert list(dict.fromkeys(seen)) == [(i, 3, "squares") for i in range(4)]


@pytest.mark.slow
def test_two_processes_find_what_one_finds(tmp_path):
    jobs = [Task(draw, {"kind": "gaussians", "first": i, "last": i + 1}) for i in range(4)]
    alone = Runner(Cache(tmp_path / "one")).run(jobs)
    assert Runner(Cache(tmp_path / "two"), n_jobs=2).run(jobs) == alone
    assert len(list((tmp_path / "two").rglob("*.json"))) == 4


def test_a_damaged_file_is_computed_again(tmp_path):
    runner = Runner(Cache(tmp_path))
    runner.run(tasks(2))
    for file in tmp_path.rglob("*.json"):
        file.write_text(file.read_text()[:-5])
    assert runner.run(tasks(2)) == [{"square": 0}, {"square": 1}]
    assert CALLS == [0, 1, 0, 1]


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_atomically(path, "old")

    def refuse(*args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


WORK = """
import sys, time
from pathlib import Path
from parzen.compare.cache import Cache
from parzen.compare.tasks import Runner, Task

def slow(x):
    with open(sys.argv[2], "a") as log:
        log.write(f"{x}\\n")
    time.sleep(0.05)
    return list(range(1000))

if __name__ == "__main__":
    import work
    Runner(Cache(Path(sys.argv[1]))).run([Task(work.slow, {"x": i}) for i in range(40)])
"""


@pytest.mark.slow
def test_a_killed_run_loses_only_what_was_under_way(tmp_path):
    (tmp_path / "work.py").write_text(WORK)
    log, cache = tmp_path / "log", tmp_path / "cache"
    command = [sys.executable, str(tmp_path / "work.py"), str(cache), str(log)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    run = subprocess.Popen(command, env=env)
    while len(list(cache.rglob("*.json"))) < 5 and run.poll() is None:
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)
    run.wait()
    whole = [p for p in cache.rglob("*") if p.is_file() and p.name[0] != "."]
    assert 5 <= len(whole) < 40
    assert all(len(json.loads(p.read_text())["value"]) == 1000 for p in whole)
    subprocess.run(command, env=env, check=True)
    calls = Path(log).read_text().split()
    assert set(calls) == {str(i) for i in range(40)}
    assert len(calls) - 40 <= 1  # the one that was interrupted
