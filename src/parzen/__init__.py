"""Classifying with kernel densities.

Every classifier of this library is a weighted kernel expansion per class, and every expansion is
evaluated by one primitive, :func:`parzen.kernel_sums`: exact, in one pass over the pairs for a
whole grid of bandwidths.

Names are imported when they are first used, so that ``parzen --version`` does not wait for
scikit-learn.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

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

    __version__: str
    TRUSTED_TYPES: list[str]

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

_ROOM_OF = {
    "KernelDensity": "density",
    "L2KernelDensity": "l2",
    "NormalScores": "metric",
    "kernel_sums": "base",
    "load": "model_files",
    "save": "model_files",
}  # every other name is a classifier
_ROOMS = (
    "bandwidth", "classifiers", "compare", "datasets", "density", "distributed", "feature_space",
    "kernels", "l2", "metric", "model_files", "onnx", "papers", "plots", "report", "samples",
    "solvers", "sums", "table",
)  # fmt: skip

if os.environ.get("PARZEN_SIMD"):
    from parzen._core import choose_instruction_set

    choose_instruction_set()


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from parzen._core import package_version

        value: Any = package_version()
    elif name == "TRUSTED_TYPES":
        from parzen.model_files import trusted_types

        value = trusted_types()
    elif name in _ROOMS:
        return import_module(f"parzen.{name}")
    elif name in __all__:
        value = getattr(import_module(f"parzen.{_ROOM_OF.get(name, 'classifiers')}"), name)
    else:
        raise AttributeError(f"module 'parzen' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS, "TRUSTED_TYPES"})
