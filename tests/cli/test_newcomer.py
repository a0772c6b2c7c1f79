"""The first hour of a new user, as a script."""

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import environment

SCRIPT = Path(__file__).parents[2] / "tools" / "newcomer"


@pytest.mark.slow
def test_the_first_hour_has_no_faults(tmp_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, timeout=900,
        env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("no faults")
