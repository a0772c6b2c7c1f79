"""Solvers for the weights: each returns one Solution with its optimality gap."""

from parzen.solvers._solution import Solution

__all__ = ["Solution"]
