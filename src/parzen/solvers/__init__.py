"""Solvers for the weights: each returns one Solution with its optimality gap."""

from parzen.solvers._box_least_squares import box_least_squares
from parzen.solvers._compress import CompressedMatrix
from parzen.solvers._l2_form import L2Form
from parzen.solvers._l2_programme import L2Sample, counts_of
from parzen.solvers._l2_solver import L2Solution, L2Solver
from parzen.solvers._landmark_factor import LandmarkFactor, LandmarkFeatures
from parzen.solvers._linear_systems import conjugate_gradients
from parzen.solvers._pilot import Pilot, Seen
from parzen.solvers._ridge import RidgeSystem, early_stopped
from parzen.solvers._simplex import Gram, Programmes, Progress, simplex_qp, solve_programmes
from parzen.solvers._solution import Solution

__all__ = [
    "CompressedMatrix",
    "Gram",
    "L2Form",
    "L2Sample",
    "L2Solution",
    "L2Solver",
    "LandmarkFactor",
    "LandmarkFeatures",
    "Pilot",
    "Programmes",
    "Progress",
    "RidgeSystem",
    "Seen",
    "Solution",
    "box_least_squares",
    "conjugate_gradients",
    "counts_of",
    "early_stopped",
    "simplex_qp",
    "solve_programmes",
]
