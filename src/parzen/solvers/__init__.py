"""Solvers for the weights: each returns one Solution with its optimality gap."""

from parzen.solvers.box import (
    CompressedMatrix,
    asymmetric_box_least_squares as asymmetric_box_least_squares,
    box_least_squares,
)
from parzen.solvers.landmark_factor import LandmarkFactor, LandmarkFeatures
from parzen.solvers.left_out_ridge import LeftOutRidge, left_out_ridges
from parzen.solvers.linear_systems import (
    RidgePath,
    _with_offset,
    conjugate_gradients,
    significant,
    solve_ridge,
    spectrum,
)
from parzen.solvers.pilot import Pilot, Seen
from parzen.solvers.ridge import RidgeSystem, early_stopped
from parzen.solvers.simplex import (
    Gram,
    Programmes,
    Progress,
    row_budget,
    simplex_qp,
    solve_programmes,
)
from parzen.solvers.solution import Solution, Status

__all__ = [
    "CompressedMatrix",
    "Gram",
    "LandmarkFactor",
    "LandmarkFeatures",
    "LeftOutRidge",
    "Pilot",
    "Programmes",
    "Progress",
    "RidgeSystem",
    "Seen",
    "Solution",
    "box_least_squares",
    "conjugate_gradients",
    "early_stopped",
    "left_out_ridges",
    "simplex_qp",
    "solve_programmes",
]
