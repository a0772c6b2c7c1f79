"""Pictures of fitted classifiers: Display classes in the manner of scikit-learn's.

Each has ``from_estimator`` or a sibling that computes what is shown, keeps it as attributes, and
draws it with ``plot(ax=...)``. matplotlib (extra ``plot``) is imported when something is drawn.
"""

from parzen.plots.bandwidth_path import BandwidthPathDisplay
from parzen.plots.boundary import BoundaryDisplay
from parzen.plots.boundary_pairs import BoundaryPairsDisplay
from parzen.plots.coverage import CoverageDisplay
from parzen.plots.densities import DensitiesDisplay
from parzen.plots.embedding import EmbeddingDisplay
from parzen.plots.explanation import ExplanationDisplay
from parzen.plots.figure import figure_svg, pyplot
from parzen.plots.optimization import OptimizationDisplay
from parzen.plots.reliability import ReliabilityDisplay
from parzen.plots.sparsity import SparsityDisplay
from parzen.plots.stack import StackDisplay

__all__ = [
    "BandwidthPathDisplay",
    "BoundaryDisplay",
    "BoundaryPairsDisplay",
    "CoverageDisplay",
    "DensitiesDisplay",
    "EmbeddingDisplay",
    "ExplanationDisplay",
    "OptimizationDisplay",
    "ReliabilityDisplay",
    "SparsityDisplay",
    "StackDisplay",
]
