"""What was built: instruction sets forced by name, the description, the stubs."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib import resources

import pytest

import parzen
from parzen import _native
from parzen._core import instruction_set, usable_instruction_sets

SUMS = """
import numpy as np
from parzen import _native, kernel_sums, kernels
rng = np.random.default_rng(0)
worst = 0.0
for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-5)):
    for d in (2, 9):
        X = rng.normal(size=(11, d)).astype(dtype)
        Y = rng.normal(size=(203, d)).astype(dtype)
        for name in kernels.density_names():
            got = kernel_sums(X, Y, kernel=name, bandwidths=[2.0, 8 ** 0.5])
            k = kernels.get(name)
            for b, h in enumerate([2.0, 8 ** 0.5]):
                terms = k(X.astype(float), Y.astype(float), bandwidth=h)
                error = np.abs(got[:, 0, b] - terms.sum(axis=1)) / (len(Y) * terms.max())
                worst = max(worst, error.max() / tolerance)
print(_native.instruction_set(), worst)
"""


def run(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_can_be_forced(name):
    if not dict(_native.instruction_sets()).get(name):
        pytest.skip(f"this processor has no {name}")
    result = run(SUMS, PARZEN_SIMD=name)
    assert result.returncode == 0, result.stderr
    used, worst = result.stdout.split()
    assert used == name
    assert float(worst) <= 1


def test_another_instruction_set_serves_for_a_while():
    before = _native.instruction_set()
    narrowest = usable_instruction_sets()[-1]
    with instruction_set(narrowest):
        assert _native.instruction_set() == narrowest
    assert _native.instruction_set() == before
    with pytest.raises(ValueError, match="'abacus' is none of"), instruction_set("abacus"):
        pass
    assert _native.instruction_set() == before


def test_the_widest_instruction_set_is_the_default():
    widest = next(name for name, supported in _native.instruction_sets() if supported)
    result = run("from parzen import _native; print(_native.instruction_set())", PARZEN_SIMD="")
    assert result.stdout.strip() == widest


@pytest.mark.slow
def test_an_instruction_set_that_cannot_be_used_is_refused_at_import():
    result = run("import parzen", PARZEN_SIMD="abacus")
    assert result.returncode != 0
    assert "PARZEN_SIMD='abacus' cannot be used" in result.stderr
    assert "baseline" in result.stderr


@pytest.mark.slow
def test_info_prints_version_build_instruction_set_and_threads():
    result = run(
        "import runpy, sys; sys.argv[1:] = ['info']; runpy.run_module('parzen', {}, '__main__')"
    )
    assert re.search(rf"^parzen {re.escape(parzen.__version__)}$", result.stdout, re.M)
    assert re.search(
        rf"^build +{_native.build_type}, {re.escape(_native.compiler)}$", result.stdout, re.M
    )
    assert re.search(rf"^instruction set +{_native.instruction_set()} ", result.stdout, re.M)
    assert re.search(r"^threads +[1-9]\d*$", result.stdout, re.M)


def test_the_package_is_typed():
    assert resources.files("parzen").joinpath("py.typed").is_file()


def test_the_stub_names_what_the_native_module_has():
    stub = ast.parse(resources.files("parzen").joinpath("_native.pyi").read_text())
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name for node in stub.body if isinstance(node, ast.ClassDef)}
    attributes = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    public = {name for name in vars(_native) if not name.startswith("__")}
    assert functions | classes | attributes == public
