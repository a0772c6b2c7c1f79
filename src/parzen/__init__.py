"""Classifying with kernel densities.

Every classifier of this library is a weighted kernel expansion per class, and every expansion is
evaluated by one primitive, :func:`kernel_sums`: exact, in one pass over the pairs for a whole grid
of bandwidths.
"""

from parzen._core import choose_instruction_set, package_version
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
from parzen.sums import kernel_sums

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


def __getattr__(name: str) -> list[str]:
    """TRUSTED_TYPES, the types to trust in skops, on demand: it needs rooms not imported here."""
    if name == "TRUSTED_TYPES":
        from parzen.model_files import trusted_types

        return trusted_types()
    raise AttributeError(f"module 'parzen' has no attribute {name!r}")
