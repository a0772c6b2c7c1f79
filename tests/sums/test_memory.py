"""The matrix of pairs is never stored: 1e5 x 1e5 pairs fit in a small budget."""

from __future__ import annotations

import subprocess
import sys

import pytest

# The peak beyond what was in use before the call, the output included. Not from getrusage, whose
# peak a child inherits from the process that started it.
SCRIPT = """
import sys
import numpy as np
from parzen import kernel_sums
def kilobytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field + ":"))
n, same, log = int(sys.argv[1]), sys.argv[2] == "same", sys.argv[3] == "log"
rng = np.random.default_rng(0)
X = rng.random((n, 1), dtype=np.float32)
Y = X if same else rng.random((n, 1), dtype=np.float32)
kernel_sums(X[:500], Y[:500], bandwidths=1.0, log=log)
before = kilobytes("VmRSS")
kernel_sums(X, Y, kernel="uniform", bandwidths=0.1, log=log)
print(1024 * (kilobytes("VmHWM") - before))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.parametrize(("same", "log"), [("same", "plain"), ("other", "log")])
def test_ten_to_the_ten_pairs_in_300_megabytes(same, log):
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, "100000", same, log],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert 0 <= int(run.stdout) <= 300e6
