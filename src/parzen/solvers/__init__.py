"""Solvers for the weights: each returns one Solution with its optimality gap."""

from parzen.solvers._simplex import Gram, Programmes, simplex_qp, solve_programmes
from parzen.solvers._solution import Solution

__all__ = ["Gram", "Programmes", "Solution", "simplex_qp", "solve_programmes"]
