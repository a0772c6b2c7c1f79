from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp


def clarabel_simplex(Q, c, groups, rates=None):
    """The programme of parzen.solvers.simplex_qp by an interior-point method."""
    n, n_groups = len(c), int(groups.max()) + 1
    extra = 0 if rates is None else 1
    A = np.zeros((n_groups, n + extra))
    A[groups, np.arange(n)] = 1.0
    if rates is not None:
        A[:, n] = rates
    P = np.zeros((n + extra, n + extra))
    P[:n, :n] = Q
    G = np.vstack([A, -np.eye(n + extra)])
    b = np.concatenate([np.ones(n_groups), np.zeros(n + extra)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solver = clarabel.DefaultSolver(
        sp.triu(sp.csc_matrix(P)).tocsc(), np.concatenate([-c, np.zeros(extra)]),
        sp.csc_matrix(G), b,
        [clarabel.ZeroConeT(n_groups), clarabel.NonnegativeConeT(n + extra)], settings,
    )  # fmt: skip
    x = np.clip(np.array(solver.solve().x)[:n], 0.0, None)
    return x, float(0.5 * x @ Q @ x - c @ x)


@pytest.fixture
def peer():
    return clarabel_simplex
