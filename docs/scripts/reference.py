"""Write the pages of the reference at every build, from the names that the modules export.

A name of ``__all__`` appears without anybody listing it. Some rooms export names for other rooms
too; for those, ``PICKED`` says which names are meant for users.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sklearn.base import ClassifierMixin, TransformerMixin

HEAD = """\
```{{eval-rst}}
.. currentmodule:: {module}

.. autosummary::
   :toctree: ../generated/
   :template: name.rst

{names}
```
"""


@dataclass(frozen=True)
class Page:
    """A page of the reference: an introduction and the names of some modules."""

    title: str
    text: str
    modules: tuple[str, ...]


PAGES = {
    "classifiers": Page(
        "Classifiers",
        "Every classifier is a scikit-learn estimator. [Choose a classifier](../../choose.md) says"
        " which one to take.",
        ("parzen: classifiers", "parzen.classifiers"),
    ),
    "densities": Page(
        "Densities and sums",
        "Densities, and the sums of kernels under all estimators.",
        ("parzen: densities", "parzen.sums"),
    ),
    "kernels": Page(
        "Kernels",
        "Estimators take a kernel by name (`kernel=\"gaussian\"`) or as an object of these classes."
        " [Add a kernel](../../extend/kernel.md) shows how to write one.",
        ("parzen.kernels",),
    ),
    "bandwidth": Page(
        "Bandwidth selectors",
        "Rules and criteria. [Bandwidths](../../guide/bandwidths.md) says which estimator takes"
        " which.",
        ("parzen.bandwidth",),
    ),
    "feature_space": Page(
        "Feature spaces",
        "Maps into the feature space of a kernel, and measures of how far classes lie apart there.",
        ("parzen.feature_space",),
    ),
    "plots": Page(
        "Plots",
        "Display classes in the manner of scikit-learn. They need the extra `plot`.",
        ("parzen.plots",),
    ),
    "data": Page(
        "Data sets and tables",
        "Samples to try things on, and a transformer that makes points of a table.",
        ("parzen.datasets", "parzen.table", "parzen: tables"),
    ),
    "compare": Page(
        "Comparisons and reports",
        "Compare classifiers on the same splits, test the differences, and write reports.",
        ("parzen.compare", "parzen.report"),
    ),
    "papers": Page(
        "Papers",
        "Tables and figures of papers, computed anew.",
        ("parzen.papers",),
    ),
    "files": Page(
        "Model files and clusters",
        "Save and load models without pickle, write them as ONNX; connect to a dask cluster.",
        ("parzen: files", "parzen.model_files", "parzen.onnx", "parzen.distributed"),
    ),
    "solvers": Page(
        "Solvers",
        "The optimisers behind the sparse and the box-constrained classifiers.",
        ("parzen.solvers",),
    ),
}  # fmt: skip
PICKED = {
    "parzen.classifiers": ("DensityClassifier",),
    "parzen.distributed": ("connect",),
    "parzen.solvers": ("Solution", "box_least_squares", "simplex_qp"),
    "parzen.sums": ("labelled_kernel_sums", "ScaledSums"),
}


def public_names(module: str) -> list[str]:
    """The names of a module that are meant for users; none twice among the modules."""
    room, _, part = module.partition(": ")
    found = importlib.import_module(room)
    names = PICKED.get(room) or [n for n in found.__all__ if not n.startswith("__")]
    if part:
        return sorted((n for n in names if _part(getattr(found, n)) == part), key=str.lower)
    parzen = importlib.import_module("parzen")
    return sorted(
        (n for n in names if getattr(parzen, n, None) is not getattr(found, n)), key=str.lower
    )


def _part(thing: object) -> str:
    """Where a name of ``parzen`` itself belongs."""
    if inspect.isclass(thing):
        if issubclass(thing, ClassifierMixin):
            return "classifiers"
        return "tables" if issubclass(thing, TransformerMixin) else "densities"
    return "densities" if getattr(thing, "__name__", "") == "kernel_sums" else "files"


def _is_documented(module: str, name: str) -> bool:
    """Constants and aliases of types have no docstring to show: their page's text speaks."""
    thing = getattr(importlib.import_module(module.partition(": ")[0]), name)
    return inspect.isclass(thing) or inspect.isroutine(thing)


def documented() -> Iterator[tuple[str, str]]:
    """Module and name of everything that the reference shows."""
    for page in PAGES.values():
        for module in page.modules:
            for name in public_names(module):
                if _is_documented(module, name):
                    yield module.partition(": ")[0], name


def write(folder: Path) -> None:
    """Write all pages; a page that has not changed keeps its time, so builds stay quick."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        parts = [f"# {page.title}\n\n{page.text}\n"]
        for module in page.modules:
            names = [n for n in public_names(module) if _is_documented(module, n)]
            listed = "\n".join(f"   {n}" for n in names)
            parts.append(HEAD.format(module=module.partition(": ")[0], names=listed))
        write_if_new(folder / f"{name}.md", "\n".join(parts))


def write_if_new(path: Path, text: str) -> None:
    """Write a file unless it holds this text already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
