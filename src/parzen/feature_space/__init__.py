"""What kernels make of a sample: maps to feature spaces, and measures of how classes lie there."""

from parzen.feature_space.aligned_kernel import AlignedKernel
from parzen.feature_space.alignment import kernel_alignment
from parzen.feature_space.empirical_map import EmpiricalKernelMap
from parzen.feature_space.information_cut import (
    cauchy_schwarz_divergence,
    laplacian_information_cut,
)
from parzen.feature_space.kernel_optimizer import KernelOptimizer
from parzen.feature_space.labels import Classes
from parzen.feature_space.laplacian_embedding import LaplacianEmbedding
from parzen.feature_space.optimized_space import OptimizedSpace
from parzen.feature_space.sample_density import (
    log_sample_density,
    log_share_of_others,
    log_sums_without_self,
)
from parzen.feature_space.separability import class_separability

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
