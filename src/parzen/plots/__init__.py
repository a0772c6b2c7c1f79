"""Pictures of fitted classifiers: Display classes in the manner of scikit-learn's.

Each has ``from_estimator`` or a sibling that computes what is shown, keeps it as attributes, and
draws it with ``plot(ax=...)``. matplotlib (extra ``plot``) is imported when something is drawn.
"""

from parzen.plots._bandwidth_path import BandwidthPathDisplay
from parzen.plots._boundary import BoundaryDisplay
from parzen.plots._boundary_pairs import BoundaryPairsDisplay
from parzen.plots._densities import DensitiesDisplay
from parzen.plots._embedding import EmbeddingDisplay
from parzen.plots._optimization import OptimizationDisplay
from parzen.plots._reliability import ReliabilityDisplay
from parzen.plots._sparsity import SparsityDisplay
from parzen.plots._stack import StackDisplay

__all__ = [
    "BandwidthPathDisplay",
    "BoundaryDisplay",
    "BoundaryPairsDisplay",
    "DensitiesDisplay",
    "EmbeddingDisplay",
    "OptimizationDisplay",
    "ReliabilityDisplay",
    "SparsityDisplay",
    "StackDisplay",
]
