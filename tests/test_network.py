"""Importing, fitting and predicting open no socket."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
def forbid(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(f"a socket is used: {event} {arguments}")
sys.addaudithook(forbid)
import numpy as np
import parzen, tempfile, os
X = np.random.default_rng(0).normal(size=(60, 2))
y = X[:, 0] > 0
for model in (parzen.ParzenClassifier(), parzen.L2Classifier(), parzen.LaplacianClassifier(),
              parzen.KernelNaiveBayes(), parzen.StackedDensityClassifier()):
    model.fit(X, y).predict(X)
path = os.path.join(tempfile.mkdtemp(), "model.parzen")
parzen.save(model, path)
parzen.load(path).predict_proba(X)
try:
    import socket
    socket.socket()
except RuntimeError:
    print("forbidden")
"""


@pytest.mark.slow
def test_no_socket_is_opened():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "forbidden"  # the guard itself works
