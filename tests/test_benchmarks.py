"""Every benchmark can be imported, and finds in the library what it imports there."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("*.py"))
REQUIRED = {"benchmarks", "joblib", "numpy", "parzen", "scipy", "sklearn"}


def is_there(module: str, name: str) -> bool:
    """Whether a module has a name, or a module of that name in it."""
    if hasattr(import_module(module), name):
        return True
    try:
        import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_can_be_imported(name):
    try:
        module = import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in REQUIRED:
            raise
        pytest.skip(f"the peer {error.name} is not installed")
    assert name.startswith("_") or callable(module.run)


@pytest.mark.parametrize("name", MODULES)
def test_what_a_benchmark_imports_from_the_library_exists(name):
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    absent = [
        f"{node.module}.{alias.name}"
        for node in imports
        if node.module is not None and node.module.partition(".")[0] in ("benchmarks", "parzen")
        for alias in node.names
        if not is_there(node.module, alias.name)
    ]
    assert absent == []
