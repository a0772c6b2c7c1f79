"""What kernels make of a sample: maps to feature spaces, and measures of how classes lie there."""

from parzen.feature_space._information_cut import (
    cauchy_schwarz_divergence,
    laplacian_information_cut,
)
from parzen.feature_space._laplacian_embedding import LaplacianEmbedding

__all__ = ["LaplacianEmbedding", "cauchy_schwarz_divergence", "laplacian_information_cut"]
