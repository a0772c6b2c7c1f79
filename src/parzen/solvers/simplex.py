"""Quadratic programmes over one simplex per group: Kim & Scott (2010), eq. (7) and section 5.2.

    minimise  1/2 a'Qa - c'a   subject to  a >= 0  and, for every group g,
    sum_(i in g) a_i = 1,   or, relaxed,   sum_(i in g) a_i = 1 - rates[g] t   with a common t >= 0

Native sequential minimal optimisation on a working set; see native/include/parzen/simplex_qp.hpp.
A group's gap, sum a_i (G_i - min G) with G = Qa - c, bounds its distance to the optimum and is
measured against the group's own scale max|G| + max|c|.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config

from parzen import _native
from parzen._core import Bools, Floats, Ints, effective_threads
from parzen.solvers.solution import Solution

Progress = Callable[[int, float], Any]

DEFAULT_MAX_ITER = 10_000_000  # Exchanges of weight between two points.


@dataclass(frozen=True, kw_only=True)
class Gram:
    """Kernel values in units of their peak between points that are sorted by class.

    Either ``matrix`` is given, or ``points`` and a ``shape`` that the native core evaluates, or
    ``evaluate``, a function of i that gives row i: rows are then computed when they are needed.
    """

    starts: NDArray[np.uint64]  # first point of every class, and the number of points
    bandwidths: Floats  # (n_classes, n_classes)
    points: Floats | None = None
    matrix: Floats | None = None
    evaluate: Callable[[int], Floats] | None = None
    shape: str = "gaussian"
    power: float = 1.0


class Programmes(NamedTuple):
    """Solutions of several programmes over one sample: ``chains`` x ``steps``."""

    weights: Floats  # (chains, steps, n)
    objectives: Floats
    gaps: Floats
    iterations: NDArray[np.int64]
    floors: Floats  # (chains, steps, n_classes), the smallest gradient of each class


def solve_programmes(
    gram: Gram,
    linear: Floats,
    coupling: Floats,
    *,
    factors: ArrayLike = (1.0,),
    active: Bools | None = None,
    rates: Floats | None = None,
    start: Floats | None = None,
    tol: float,
    max_iter: int | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Programmes:
    """Solve ``chains`` independent programmes, each for a path of ``factors``.

    Parameters
    ----------
    gram : Gram
        The kernel values K; Q_ij = coupling[g_i, g_j] K_ij.
    linear : array of shape (chains, n)
        c in units of the factors: step s has the linear term factors[s] * linear.
    coupling : array of shape (chains, n_classes, n_classes)
        Symmetric and positive semi-definite.
    factors : sequence of float, default=(1.0,)
        Each step of a chain starts from the solution of the one before.
    active : bool array of shape (chains, n), default=None
        Points that take part; the others keep weight 0.
    rates : array of shape (chains, n_classes), default=None
        For the relaxed constraints.
    start : array of shape (chains, n), default=None
        Where to start; a class without weight starts from a guess of the solver.
    tol, max_iter, n_jobs, progress
        As in :func:`simplex_qp`; the chains share the threads.
    """
    chains, n = linear.shape
    steps = np.ascontiguousarray(factors, dtype=np.float64)
    n_classes = len(gram.starts) - 1
    weights = np.zeros((chains, len(steps), n))
    if start is not None:
        weights[:, 0] = start
    objectives, gaps = np.empty((chains, len(steps))), np.empty((chains, len(steps)))
    iterations = np.empty((chains, len(steps)), dtype=np.int64)
    floors = np.empty((chains, len(steps), n_classes))
    _native.simplex_qp(
        gram.points, gram.matrix, gram.evaluate, gram.shape, gram.power, gram.starts,
        np.ascontiguousarray(gram.bandwidths, dtype=np.float64), row_budget(),
        np.ascontiguousarray(linear), steps,
        None if active is None else np.ascontiguousarray(active, dtype=np.uint8),
        np.ascontiguousarray(coupling), None if rates is None else np.ascontiguousarray(rates),
        tol, DEFAULT_MAX_ITER if max_iter is None else max_iter,
        weights, objectives, gaps, iterations, floors, effective_threads(n_jobs), progress,
    )  # fmt: skip
    # Beside the largest, a smaller weight is the rounding of the constraint that they sum to one.
    weights[weights < np.finfo(float).eps * weights.max(axis=2, keepdims=True)] = 0.0
    return Programmes(weights, objectives, gaps, iterations, floors)


def row_budget() -> int:
    """Bytes that kernel rows may take: scikit-learn's ``working_memory``."""
    return int(get_config()["working_memory"] * 2**20)


def simplex_qp(
    Q: ArrayLike,
    c: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    rates: ArrayLike | None = None,
    start: ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Minimise 1/2 a'Qa - c'a with each group's weights on its own simplex.

    Parameters
    ----------
    Q : array of shape (n, n)
        Symmetric and positive semi-definite; it may be singular.
    c : array of shape (n,)
        The linear term.
    groups : array of int of shape (n,), default=None
        The group of each variable, counted from 0; None for one group.
    rates : array of shape (n_groups,), default=None
        Relaxed constraints: group g sums to 1 - rates[g] t, with t >= 0 free.
    start : array of shape (n,), default=None
        Where to start.
    tol : float, default=1e-6
        Largest relative violation of the optimality conditions within a group.
    max_iter : int, default=None
        Largest number of exchanges; None for ten million.
    progress : callable, default=None
        Called about twenty times a second with the iterations so far and the present gap.

    Returns
    -------
    Solution
        Its gap is the largest relative gap of the groups.

    Notes
    -----
    Memory beyond ``Q``: a working set of at most 1024 variables, 8 MB.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.solvers import simplex_qp
    >>> simplex_qp(np.eye(3), [0.0, 0.5, 0.5]).weights
    array([0. , 0.5, 0.5])
    """
    matrix, linear, labels = _checked(Q, c, groups)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max() + 2)).astype(np.uint64)
    n_groups = len(starts) - 1
    sorted_matrix = np.ascontiguousarray(matrix[np.ix_(order, order)])
    found = solve_programmes(
        Gram(matrix=sorted_matrix, starts=starts, bandwidths=np.ones((n_groups, n_groups))),
        linear[None, order],
        np.ones((1, n_groups, n_groups)),
        rates=None if rates is None else np.asarray(rates, dtype=np.float64)[None],
        start=None if start is None else np.asarray(start, dtype=np.float64)[None, order],
        tol=tol,
        max_iter=max_iter,
        n_jobs=1,
        progress=progress,
    )
    weights = np.empty(len(linear))
    weights[order] = found.weights[0, 0]
    objective, gap = float(found.objectives[0, 0]), float(found.gaps[0, 0])
    return Solution.of(weights, objective, gap, int(found.iterations[0, 0]), tol)


def _checked(Q: ArrayLike, c: ArrayLike, groups: ArrayLike | None) -> tuple[Floats, Floats, Ints]:
    matrix = np.asarray(Q, dtype=np.float64)
    linear = np.asarray(c, dtype=np.float64)
    if linear.ndim != 1 or len(linear) == 0 or matrix.shape != (len(linear), len(linear)):
        raise ValueError(
            f"Q must be square and c as long, got shapes {matrix.shape} and {linear.shape}."
        )
    if not (np.isfinite(matrix).all() and np.isfinite(linear).all()):
        raise ValueError("Q and c must be finite.")
    labels = np.zeros(len(linear), np.intp) if groups is None else np.asarray(groups, np.intp)
    if labels.shape != linear.shape or set(np.unique(labels)) != set(range(labels.max() + 1)):
        raise ValueError("groups must hold the numbers 0, 1, ... of the groups, none left out.")
    return matrix, linear, labels
