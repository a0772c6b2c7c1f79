"""What kernels make of a sample: maps to feature spaces, and measures of how classes lie there."""

from parzen.feature_space._aligned_kernel import AlignedKernel
from parzen.feature_space._alignment import kernel_alignment
from parzen.feature_space._empirical_map import EmpiricalKernelMap
from parzen.feature_space._information_cut import (
    cauchy_schwarz_divergence,
    laplacian_information_cut,
)
from parzen.feature_space._kernel_optimizer import KernelOptimizer
from parzen.feature_space._laplacian_embedding import LaplacianEmbedding
from parzen.feature_space._separability import class_separability

__all__ = [
    "AlignedKernel",
    "EmpiricalKernelMap",
    "KernelOptimizer",
    "LaplacianEmbedding",
    "cauchy_schwarz_divergence",
    "class_separability",
    "kernel_alignment",
    "laplacian_information_cut",
]
