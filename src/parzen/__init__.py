"""Classifying with kernel densities.

Every classifier of this library is a weighted kernel expansion per class, and every expansion is
evaluated by one primitive, :func:`parzen.kernel_sums`: exact, in one pass over the pairs for a
whole grid of bandwidths.

``import parzen`` loads the rooms below it only when they are used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from parzen._core import choose_instruction_set, package_version

if TYPE_CHECKING:
    from parzen.base import kernel_sums
    from parzen.classifiers import (
        BMachineClassifier,
        ConformalClassifier,
        KernelFisherClassifier,
        KernelLassoClassifier,
        KernelMSEClassifier,
        KernelNaiveBayes,
        L2Classifier,
        L2LinearClassifier,
        LaplacianClassifier,
        LSSVMClassifier,
        ParzenClassifier,
        RLSClassifier,
        StackedDensityClassifier,
    )
    from parzen.density import KernelDensity
    from parzen.l2 import L2KernelDensity
    from parzen.metric import NormalScores
    from parzen.model_files import load, save

choose_instruction_set()

__version__ = package_version()
__all__ = [
    "BMachineClassifier",
    "ConformalClassifier",
    "KernelDensity",
    "KernelFisherClassifier",
    "KernelLassoClassifier",
    "KernelMSEClassifier",
    "KernelNaiveBayes",
    "L2Classifier",
    "L2KernelDensity",
    "L2LinearClassifier",
    "LSSVMClassifier",
    "LaplacianClassifier",
    "NormalScores",
    "ParzenClassifier",
    "RLSClassifier",
    "StackedDensityClassifier",
    "__version__",
    "kernel_sums",
    "load",
    "save",
]

# The room of every public name.
_ROOMS = {
    "KernelDensity": "density",
    "L2KernelDensity": "l2",
    "NormalScores": "metric",
    "kernel_sums": "base",
    "load": "model_files",
    "save": "model_files",
}
# Rooms that ``import parzen`` makes available as its attributes.
_MODULES = ("bandwidth", "classifiers", "density", "feature_space", "kernels", "l2", "metric")


def __getattr__(name: str) -> Any:
    """Import a public name, or a room, when it is first used."""
    if name == "TRUSTED_TYPES":  # the types to trust in skops
        return import_module("parzen.model_files").trusted_types()
    if name in __all__:
        value = getattr(import_module(f"parzen.{_ROOMS.get(name, 'classifiers')}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"parzen.{name}")
    raise AttributeError(f"module 'parzen' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
