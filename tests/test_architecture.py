"""The map of the rooms is a law: imports point one way, and enter a room by its face only."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import parzen
from parzen import (
    L2Classifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    _native,
)

SOURCE = Path(parzen.__file__).parent

# A room may import from those before it. `parzen` itself and the native module are in no room.
ORDER = [
    "_core",
    "kernels",
    "sums",
    "samples",
    "solvers",
    "metric",
    "bandwidth",
    "metric.plug_in",
    "expansion",
    "conformal",
    "evidence",
    "distributed",
    "base",
    "density",
    "l2",
    "feature_space",
    "classifiers.base",
    "classifiers.plug_in",
    "classifiers.naive_bayes",
    "classifiers.l2",
    "classifiers.laplacian",
    "classifiers.least_squares",
    "classifiers.stack",
    "classifiers.conformal",
    "classifiers",
    "datasets",
    "table",
    "model_files",
    "onnx",
    "plots",
    "compare",
    "papers.engine",
    "papers.notes",
    "papers.l2",
    "papers.laplacian",
    "papers.bmachine",
    "papers.kernel_optimization",
    "papers.auto",
    "papers",
    "report",
    "cli",
]
MOST_LINES = 400  # of a module
MOST_FRAMES = 10  # of ours between a public method and the native call


def modules() -> dict[str, Path]:
    """Every module of the package by its name below `parzen`."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix("__init__")
        found[name.rstrip(".")] = path
    return found


MODULES = modules()


def room(name: str) -> str:
    """The room of a module: the longest name in ORDER that it begins with."""
    parts = name.split(".")
    heads = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((head for head in heads if head in ORDER), "")


@cache
def imported(name: str) -> frozenset[str]:
    """The modules of ours that a module imports, wherever the statement stands."""
    return frozenset(targets(name))


def targets(name: str) -> Iterator[str]:
    """Those modules, one for each imported name."""
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            if node.module == "parzen" or (node.module or "").startswith("parzen."):
                target = (node.module or "").removeprefix("parzen").removeprefix(".")
                for alias in node.names:
                    inner = f"{target}.{alias.name}".strip(".")
                    yield inner if inner in MODULES else target
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("parzen."):
                    yield alias.name.removeprefix("parzen.")


def test_every_module_is_in_a_room_of_the_order():
    outside = {name for name in MODULES if not room(name)}
    assert outside == {"", "__main__"}
    assert {room(name) for name in MODULES} - {""} == set(ORDER)


def test_rooms_import_only_from_rooms_before_them():
    places = {name: place for place, name in enumerate(ORDER)}
    wrong = [
        f"{name} imports {target}"
        for name in MODULES
        for target in sorted(imported(name))
        if room(name) and room(target) and places[room(target)] > places[room(name)]
    ]
    assert wrong == []


def test_no_import_goes_past_the_face_of_another_room():
    wrong = [
        f"{name} imports {target}"
        for name in MODULES
        for target in sorted(imported(name))
        if room(target) not in ("", room(name)) and target != room(target)
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    graph = {name: {t for t in imported(name) if t and t != room(name)} for name in MODULES}
    finished: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join((*way[way.index(name) :], name))
        if name not in finished:
            for target in sorted(graph[name]):
                visit(target, (*way, name))
            finished.add(name)

    for name in sorted(graph):
        visit(name, ())


def test_distributed_is_reached_from_the_base_class_and_the_command_line_only():
    entered = {name for name in MODULES if "distributed" in imported(name)}
    assert {name for name in entered if room(name) != "distributed"} == {"base", "cli._cluster"}


def test_no_module_is_longer_than_a_few_screens():
    lines = {name: path.read_text(encoding="utf-8").count("\n") for name, path in MODULES.items()}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def deepest_call(monkeypatch, method, *arguments):
    """Most Python functions of ours between a method and a computation of the native core."""
    depths = [0]

    def counted(function):
        def call(*args, **kwargs):
            frame, depth = sys._getframe(1), 0
            while frame is not None:
                depth += Path(frame.f_code.co_filename).is_relative_to(SOURCE)
                frame = frame.f_back
            depths.append(depth)
            return function(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        for name, function in list(vars(_native).items()):
            if type(function).__name__ == "nb_func" and name != "kernel_names":
                patch.setattr(_native, name, counted(function))
        method(*arguments)
    return max(depths)


@pytest.mark.parametrize(
    "make", [ParzenClassifier, L2Classifier, LaplacianClassifier, LSSVMClassifier]
)
def test_few_functions_lie_between_an_estimator_and_the_native_core(monkeypatch, make):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 0.2 * X[:, 1]).astype(int)
    classifier = make(n_jobs=1)  # on one thread all of them are on one stack
    assert deepest_call(monkeypatch, classifier.fit, X, y) <= MOST_FRAMES
    assert 1 < deepest_call(monkeypatch, classifier.predict, X[:1]) <= 10
