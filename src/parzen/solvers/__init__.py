"""Solvers for the weights: each returns one Solution with its optimality gap."""

from parzen.solvers.box import (
    CompressedMatrix,
    asymmetric_box_least_squares,
    box_least_squares,
)
from parzen.solvers.landmark_factor import LandmarkFactor, LandmarkFeatures
from parzen.solvers.landmark_ridge import LandmarkRidge, landmark_ridges
from parzen.solvers.left_out_ridge import LeftOutRidge, left_out_ridges
from parzen.solvers.linear_systems import (
    RidgePath,
    conjugate_gradients,
    significant,
    solve_ridge,
    spectrum,
    with_offset,
)
from parzen.solvers.pilot import PartialFactor, Pilot
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
    "LandmarkRidge",
    "LeftOutRidge",
    "PartialFactor",
    "Pilot",
    "Programmes",
    "Progress",
    "RidgePath",
    "RidgeSystem",
    "Solution",
    "Status",
    "asymmetric_box_least_squares",
    "box_least_squares",
    "conjugate_gradients",
    "early_stopped",
    "landmark_ridges",
    "left_out_ridges",
    "row_budget",
    "significant",
    "simplex_qp",
    "solve_programmes",
    "solve_ridge",
    "spectrum",
    "with_offset",
]
