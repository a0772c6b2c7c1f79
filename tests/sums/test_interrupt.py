"""Ctrl-C is answered within a second, and the next call works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

# Sums that would take minutes; prints when they begin, when the interruption came, and a result.
SCRIPT = """
import sys, time
import numpy as np
from parzen import kernel_sums
mode = sys.argv[2]
X = np.random.default_rng(0).normal(size=(40_000, 12) if mode == "tree" else (300_000, 20))
Y = X if sys.argv[1] == "same" else X.copy()
kernel_sums(X[:100], Y[:100], bandwidths=1.0)
print("ready", flush=True)
try:
    options = {"method": mode} if mode == "tree" else {}
    kernel_sums(X, Y, bandwidths=1.0, log=mode != "plain", n_jobs=int(sys.argv[3]), **options)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(kernel_sums([[0.0]], [[0.0]], kernel="inverse_quadratic", bandwidths=1.0).item(), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent by os.kill")
@pytest.mark.parametrize(
    ("same", "mode", "threads"),
    [("other", "plain", 1), ("same", "plain", 2), ("other", "log", 2), ("other", "tree", 2)],
)
def test_an_interruption_is_answered_within_a_second(same, mode, threads):
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, same, mode, str(threads)],
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1.0)
            sent = time.perf_counter()
            os.kill(process.pid, signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            assert time.perf_counter() - sent < 1.0
            assert process.stdout.readline() == "1.0\n"
        finally:
            process.kill()
