"""Least squares in a box: against Clarabel, on matrices as singular as wide kernels make them."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import lsq_linear

from parzen.kernels import gram
from parzen.solvers import CompressedMatrix, box_least_squares
from parzen.solvers.box.asymmetric import asymmetric_box_least_squares
from parzen.solvers.box.compress import RangeBasis
from parzen.solvers.box.newton_matrix import (
    by_reflections,
    by_rows,
    preconditioned_cg,
    triangular_factor,
)
from parzen.solvers.box.newton_system import NewtonSystem
from parzen.solvers.box.projected_cg import _has_even_singular_values, projected_cg

clarabel = pytest.importorskip("clarabel")


def by_clarabel(A, b, upper, linear=0.0, row_weights=None, over=1.0):
    """The same programme with the residual as a variable: no product of A with itself.

    Residuals are p - q with p, q >= 0, weighted by v * over and by v.
    """
    m, n = A.shape
    v = np.ones(m) if row_weights is None else row_weights
    P = sp.diags(np.concatenate([np.zeros(n), v * over, v])).tocsc()
    q = np.concatenate([np.broadcast_to(linear, n), np.zeros(2 * m)]).astype(float)
    equal = np.hstack([A, -np.eye(m), np.eye(m)])
    above = np.hstack([np.eye(n), np.zeros((n, 2 * m))])
    G = sp.csc_matrix(np.vstack([equal, above, -np.eye(n + 2 * m)]))
    h = np.concatenate([b, np.broadcast_to(upper, n), np.zeros(n + 2 * m)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(m), clarabel.NonnegativeConeT(2 * n + 2 * m)]
    x = np.clip(clarabel.DefaultSolver(P, q, G, h, cones, settings).solve().x[:n], 0, upper)
    return x, objective(A, b, x, linear, v, over)


def objective(A, b, x, linear=0.0, v=1.0, over=1.0):
    r = A @ x - b
    return 0.5 * np.sum(v * np.where(r > 0, over, 1.0) * r**2) + np.sum(linear * x)


def problem(seed):
    """A random kernel problem; some with repeated rows, some with hardly more than one row."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 60)), int(rng.integers(1, 6))
    if seed % 10 == 0:
        n = 2
    X = rng.uniform(-1, 1, size=(n, d))
    if seed % 3 == 0:
        X = X[rng.integers(0, max(1, n // 2), size=n)]
    t = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    name = ["gaussian", "inverse_quadratic", "gaussian_exponential"][seed % 3]
    K = gram(X, X, name, float(10 ** rng.uniform(-1, 1)))
    upper = rng.uniform(0.2, 2.0, size=n) if seed % 4 == 0 else np.ones(n)
    return K * t, rng.uniform(0.1, 1.0) * t, upper


def parity(n, columns, seed=0, noise=0.3):
    """A sample whose classes are the signs of a product of two columns, but for some noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, columns))
    return X, np.where(X[:, 0] * X[:, 1] + noise * rng.normal(size=n) > 0, 1.0, -1.0)


@pytest.mark.parametrize("start", range(0, 200, 20))
def test_objectives_equal_those_of_a_general_solver(start):
    for seed in range(start, start + 20):
        A, b, upper = problem(seed)
        ours = box_least_squares(A, b, upper=upper, tol=1e-10)
        _, best = by_clarabel(A, b, upper)
        scale = 0.5 * b @ b
        assert ours.converged
        assert ours.gap <= 1e-10
        assert (ours.weights >= 0).all()
        assert (ours.weights <= upper).all()
        assert ours.objective == pytest.approx(objective(A, b, ours.weights), rel=1e-12)
        assert abs(ours.objective - best) <= 1e-8 * scale


def test_the_gap_bounds_the_distance_from_the_optimum():
    A, b, upper = problem(7)
    _, best = by_clarabel(A, b, upper)
    scale = 0.5 * b @ b
    for tol in (1e-1, 1e-3, 1e-6):
        solution = box_least_squares(A, b, upper=upper, tol=tol)
        r = A @ solution.weights - b
        g = A.T @ r
        gap = np.where(g > 0, g * solution.weights, -g * (upper - solution.weights)).sum() / scale
        assert solution.gap == pytest.approx(gap, abs=1e-15)
        assert solution.objective - best <= (solution.gap + 1e-12) * scale


@pytest.fixture
def singular():
    """The report's best bandwidth for its data: a Gram matrix of rank far below its size."""
    X, t = parity(400, 2)
    K = gram(X, X, "gaussian", 2.0)
    return K, t, X


@pytest.mark.slow
def test_a_singular_matrix_is_compressed_and_solved_on_itself(singular):
    K, t, X = singular
    matrix = CompressedMatrix.of(K)
    assert matrix.reaches(1e-6)
    assert len(matrix.rows()) < 150
    b = 0.2 * t
    ours = box_least_squares(matrix.times_columns(t), b, tol=1e-8)
    x, best = by_clarabel(K * t, b, np.ones(400))
    assert ours.gap <= 1e-8
    assert abs(ours.objective - best) <= 1e-8 * 0.5 * b @ b
    queries = np.random.default_rng(1).uniform(-1, 1, size=(50, 2))
    across = gram(queries, X, "gaussian", 2.0) * t
    np.testing.assert_allclose(across @ ours.weights, across @ x, atol=2e-4)


@pytest.mark.parametrize("factor", [1e-100, 1e-20, 1e20, 1e100])
@pytest.mark.parametrize("sigma", [0.3, 2.0])
def test_units_make_no_difference(sigma, factor):
    """Neither those of A and b nor those of the weights, with a linear cost as well."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(250, 2))
    A, b = gram(X, X, "gaussian", sigma), rng.normal(size=250)
    usual = box_least_squares(A, b, linear=0.1)
    assert usual.converged
    larger = box_least_squares(factor * A, factor * b, linear=0.1 * factor**2)
    wider = box_least_squares(A / factor, b, upper=factor, linear=0.1 / factor)
    for ours, unit in ((larger, 1.0), (wider, factor)):
        assert ours.converged
        assert ours.iterations == usual.iterations
        np.testing.assert_allclose(A @ ours.weights / unit, A @ usual.weights, atol=1e-5)


def test_a_matrix_whose_squares_are_out_of_range_is_as_good_as_another():
    """Neither they nor those of the box fit double precision; their products do."""
    rng = np.random.default_rng(0)
    A, b, cost = rng.normal(size=(30, 20)), rng.normal(size=30), 0.1
    usual = box_least_squares(A, b, linear=cost, tol=1e-10)
    for unit in (1e180, 1e-180):
        other = box_least_squares(unit * A, b, upper=1 / unit, linear=cost * unit, tol=1e-10)
        assert other.converged
        np.testing.assert_allclose(unit * other.weights, usual.weights, atol=1e-6)


@pytest.mark.parametrize("factor", [1e-20, 1e-10, 1e10, 1e20])
def test_units_of_single_weights_make_no_difference(factor):
    rng = np.random.default_rng(0)
    A, b, units = rng.normal(size=(120, 120)), rng.normal(size=120), np.ones(120)
    usual = box_least_squares(A, b, tol=1e-10)
    units[::3] = factor
    other = box_least_squares(A / units, b, upper=units, tol=1e-10)
    assert other.converged
    np.testing.assert_allclose(other.weights / units, usual.weights, atol=1e-6)


@pytest.mark.parametrize("size", [0.0, 1e-6])
def test_a_target_beside_which_the_linear_cost_is_large_is_no_harder(size):
    """With no target at all it is a quadratic programme in a box; gaps are then absolute."""
    for seed in range(1, 9):
        A, b, upper = problem(seed)
        b, linear = size * b, np.random.default_rng(seed).normal(size=len(b))
        scale = 0.5 * b @ b if size else 1.0
        ours = box_least_squares(A, b, upper=upper, linear=linear, tol=1e-8 / scale)
        _, best = by_clarabel(A, b, upper, linear=linear)
        assert ours.converged
        assert abs(ours.objective - best) <= 2e-8


def test_a_target_that_is_small_beside_the_box_is_no_harder():
    rng = np.random.default_rng(4)
    A, upper = rng.normal(size=(25, 250)), 10.0 ** rng.uniform(-2, 2, size=250)
    A *= 10.0 ** rng.uniform(-3, 3, size=250)
    b = 1e-3 * rng.normal(size=25)
    ours = box_least_squares(A, b, upper=upper, linear=0.1 * np.abs(A.T @ b).max(), tol=1e-4)
    assert ours.converged


def test_threads_make_no_difference():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(900, 8))
    A, b = gram(X, X, "gaussian", 1.0), rng.normal(size=900)
    one, two = (box_least_squares(A, b, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.weights, two.weights)


def test_few_rows_miss_no_more_of_a_matrix_than_they_may(singular):
    """As M = Q'A, A'A - M'M is positive semidefinite, and its trace is |A - QQ'A|^2."""
    K, t, _ = singular
    matrix = CompressedMatrix.of(K).times_columns(t)
    last = 0
    for delta in (10.0, 0.1, 1e-4):
        assert matrix.reaches(delta)
        M = matrix.rows()
        assert len(M) >= last
        missed = K.T @ K * np.outer(t, t) - M.T @ M
        assert np.sqrt(abs(np.trace(missed))) <= 2 * delta + 1e-5
        last = len(M)
    assert not CompressedMatrix.of(np.eye(400)).reaches(0.1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(30, 30), (50, 30), (20, 30)])
def test_newton_matrices_are_solved_without_being_formed(shape, dtype):
    rng = np.random.default_rng(0)
    A, D, q = rng.normal(size=shape), 10.0 ** rng.uniform(-2, 2, size=30), rng.normal(size=30)
    expected = np.linalg.solve(np.diag(D) + A.T @ A, q)
    single, double = 2e-4 * abs(expected).max(), 1e-9 * abs(expected).max()
    reflected = by_reflections(triangular_factor(A, dtype), D)
    atol = single if dtype is np.float32 else double
    np.testing.assert_allclose(reflected(q), expected, atol=atol)
    np.testing.assert_allclose(by_rows(A, D)(q), expected, atol=double)


def test_conjugate_gradients_make_up_for_a_coarse_factor():
    rng = np.random.default_rng(0)
    A, D, q = rng.normal(size=(40, 30)), 10.0 ** rng.uniform(-2, 2, size=30), rng.normal(size=30)
    coarse, exact = by_rows(A[:10], D + 30.0), by_reflections(triangular_factor(A, float), D)
    d, count = preconditioned_cg(A, D, q, coarse, accuracy=1e-12, max_iterations=100)
    assert 2 < count < 100
    np.testing.assert_allclose(d, np.linalg.solve(np.diag(D) + A.T @ A, q), atol=1e-9)
    assert preconditioned_cg(A, D, q, exact, accuracy=1e-6, max_iterations=100)[1] == 1


@pytest.mark.slow
def test_directions_are_right_whatever_stands_for_the_matrix():
    """Few rows, more rows, the factor in single and in double precision, one after the other."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(250, 8))
    A = gram(X, X, "gaussian", 3.0)
    D = 10.0 ** rng.uniform(-2, 1, size=250)
    system, levels, finer = NewtonSystem(CompressedMatrix.of(A)), 0, True
    while finer:
        for _ in range(2):
            q = rng.normal(size=250)
            assert system.renew(D)
            H = np.diag(D) + A.T @ A
            exact = np.linalg.solve(H, q)
            wrong = system.direction(q) - exact
            assert wrong @ H @ wrong <= 0.1**2 * (exact @ H @ exact)
            D = D * rng.uniform(0.5, 1.0, size=250)
        levels, finer = levels + 1, system.sharpen()
    assert levels >= 3


def test_large_matrices_are_multiplied_in_single_precision_and_solved_in_double():
    X, t = parity(1000, 8)
    A, b = gram(X, X, "gaussian", 1.0) * t, 0.2 * t
    coarse, fine = box_least_squares(A, b), box_least_squares(A, b, tol=1e-10)
    assert coarse.gap <= 1e-6
    assert fine.gap <= 1e-10
    assert 0 <= coarse.objective - fine.objective <= 1e-6 * 0.5 * b @ b


@pytest.mark.slow
def test_full_rank_is_solved_in_single_and_in_double_precision():
    X, t = parity(250, 8)
    A, b = gram(X, X, "gaussian", 1.0) * t, 0.2 * t
    coarse, fine = box_least_squares(A, b), box_least_squares(A, b, tol=1e-11)
    assert coarse.gap <= 1e-6
    assert fine.gap <= 1e-11
    assert abs(coarse.objective - fine.objective) <= 1e-6 * 0.5 * b @ b
    reference = lsq_linear(A, b, (0, 1), method="bvls", tol=1e-12, max_iter=2000)
    assert fine.objective == pytest.approx(reference.cost, rel=1e-9)


def test_a_narrow_kernel_is_solved_by_a_few_products_and_a_wide_one_is_left_to_others():
    X, t = parity(200, 8)
    zeros, ones, b = np.zeros(200), np.ones(200), 0.2 * t
    narrow, wide = gram(X, X, "gaussian", 0.4) * t, gram(X, X, "gaussian", 2.0) * t
    x, rounds = projected_cg(narrow, b, zeros, ones, None, 1e-10)
    g = narrow.T @ (narrow @ x - b)
    assert rounds <= 8
    assert np.where(g > 0, g * x, -g * (1 - x)).sum() <= 1e-10
    reference = lsq_linear(narrow, b, (0, 1), method="bvls", tol=1e-12)
    np.testing.assert_allclose(x, reference.x, atol=1e-5)
    assert projected_cg(wide, b, zeros, ones, None, 1e-10) is None


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_whether_singular_values_are_even_does_not_depend_on_units(size):
    X, t = parity(200, 8)
    for sigma, even in ((0.4, True), (2.0, False)):
        A = gram(X, X, "gaussian", sigma)
        assert _has_even_singular_values(A, size * t) is even
        assert _has_even_singular_values(size * A, t) is even


def test_decisions_are_those_of_a_general_solver_where_the_matrix_is_regular():
    X, t = parity(120, 8, noise=0.0)
    K = gram(X, X, "gaussian", 0.7)
    ours = box_least_squares(K * t, 0.5 * t, tol=1e-13)
    x, _ = by_clarabel(K * t, 0.5 * t, np.ones(120))
    np.testing.assert_allclose((K * t) @ ours.weights, (K * t) @ x, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "sigma"), [(2, 0.2), (8, 1.0), (8, 2.0)])
def test_few_rows_and_the_single_precision_factor_end_where_a_general_solver_does(columns, sigma):
    X, t = parity(220, columns, seed=1)
    A, b = gram(X, X, "gaussian", sigma) * t, 0.2 * t
    ours = box_least_squares(A, b, tol=1e-13)
    x, best = by_clarabel(A, b, np.ones(220))
    assert ours.gap <= 1e-13
    assert abs(ours.objective - best) <= 1e-8 * 0.5 * b @ b
    np.testing.assert_allclose(A @ ours.weights, A @ x, atol=1e-6)


@pytest.mark.parametrize(
    ("rows", "columns", "sigma", "tol", "steps"),
    [
        (220, 2, 0.2, 1e-6, 7), (220, 2, 0.2, 1e-10, 11), (220, 8, 1.0, 1e-6, 6),
        (220, 8, 1.0, 1e-10, 9), (220, 8, 2.0, 1e-10, 11), (300, 2, 2.0, 1e-6, 14),
        (300, 2, 2.0, 1e-10, 19), (300, 4, 0.7, 1e-10, 11), (120, 8, 0.7, 1e-10, 8),
    ],
)  # fmt: skip
def test_a_programme_takes_few_steps_whatever_its_condition(rows, columns, sigma, tol, steps):
    X, t = parity(rows, columns, seed=1)
    found = box_least_squares(gram(X, X, "gaussian", sigma) * t, 0.2 * t, tol=tol)
    assert found.iterations <= steps + 1  # as measured, and one for another rounding


def test_small_programmes_take_seven_steps_on_the_average():
    steps = []
    for seed in range(60):
        A, b, upper = problem(seed)
        steps.append(box_least_squares(A, b, upper=upper, tol=1e-10).iterations)
    assert np.mean(steps) < 6.7
    assert max(steps) <= 14


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "rows"), [(0.5, (48, 96, 96)), (1.0, (48, 48, 48))])
def test_a_basis_grows_by_blocks_until_it_misses_little(sigma, rows):
    X, _ = parity(300, 2, seed=1)
    K = gram(X, X, "gaussian", sigma)
    basis = RangeBasis(K)
    for delta, expected in zip((1.0, 1e-2, 1e-5), rows, strict=True):
        assert basis.reaches(delta)
        assert len(basis.M) == expected
        assert basis.max_rows == 0.4 * 300
        np.testing.assert_allclose(basis.Q.T @ basis.Q, np.eye(expected), atol=1e-13)
        np.testing.assert_allclose(basis.M, basis.Q.T @ K, atol=1e-12)
        missed = np.linalg.norm(K - basis.Q @ basis.M)
        assert missed < basis.residual_norm < 2 * missed  # the largest of six probes


@pytest.mark.slow
def test_a_basis_that_would_need_too_many_rows_stops_at_once():
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(300, 300)))[0] for _ in range(2))
    slow = RangeBasis((U * 0.97 ** np.arange(300)) @ V)  # 100 rows divide the rest by 20 only
    assert not slow.reaches(0.1)
    assert len(slow.M) == 0  # its columns say so, before any product
    hardly = RangeBasis((U * np.maximum(0.8 ** np.arange(300), 1e-4)) @ V)
    assert not hardly.reaches(1e-5)  # it falls at first, but stays at 1e-4
    assert len(hardly.M) == 96
    assert not RangeBasis(np.ones((199, 300))).reaches(1.0)
    assert RangeBasis(np.ones((200, 300))).reaches(1.0)


def test_coordinates_at_rest_lie_exactly_on_their_bounds(singular):
    K, t, _ = singular
    cost = 1e-5 * np.abs(K.T @ (0.2 * t)).max()  # enough to choose among equally good solutions
    x = box_least_squares(K * t, 0.2 * t, linear=cost, tol=1e-8).weights
    assert ((x == 0) | (x == 1)).mean() > 0.8
    plain = box_least_squares(K * t, 0.2 * t, tol=1e-8)
    assert objective(K * t, 0.2 * t, x) <= plain.objective * (1 + 1e-3)
    reference = lsq_linear(K * t, 0.2 * t, (0, 1), method="bvls", max_iter=2000)
    assert plain.objective <= reference.cost * (1 + 1e-6)


def test_a_linear_cost_leaves_out_coordinates():
    A, b, upper = problem(13)
    cost = 0.01 * np.abs(A.T @ b).max()
    ours = box_least_squares(A, b, upper=upper, linear=cost, tol=1e-10)
    _, best = by_clarabel(A, b, upper, linear=cost)
    assert abs(ours.objective - best) <= 1e-8 * 0.5 * b @ b
    plain = box_least_squares(A, b, upper=upper, tol=1e-10)
    assert (ours.weights > 0).sum() <= (plain.weights > 0).sum()
    everything = box_least_squares(A, b, linear=1.01 * np.abs(A.T @ b).max(), tol=1e-10)
    np.testing.assert_allclose(everything.weights, 0.0, atol=1e-8)


def test_a_warm_start_ends_at_the_same_objective_in_fewer_steps():
    X, t = parity(150, 6, noise=0.2)
    A = gram(X, X, "gaussian", 0.8) * t
    before = box_least_squares(A, 0.4 * t)
    cold = box_least_squares(A, 0.42 * t)
    warm = box_least_squares(A, 0.42 * t, start=before.weights)
    assert warm.iterations < cold.iterations
    assert abs(warm.objective - cold.objective) <= 2e-6 * 0.5 * np.sum((0.42 * t) ** 2)


def test_stopping_too_early_is_said():
    A, b, upper = problem(5)
    solution = box_least_squares(A, b, upper=upper, tol=1e-12, max_iter=2)
    assert solution.status == "max_iter"
    assert solution.iterations <= 2
    with pytest.warns(UserWarning, match="optimality gap of"):
        solution.warn_unless_converged()


def test_a_target_of_zeros_has_the_solution_zero():
    solution = box_least_squares(np.eye(3), np.zeros(3))
    assert solution.converged
    assert solution.objective <= 1e-6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"A": np.ones(3), "b": np.ones(3)}, "A must be a matrix"),
        ({"A": np.eye(3), "b": np.ones(2)}, "b must have shape"),
        ({"A": np.eye(3), "b": np.ones(3), "upper": 0.0}, "upper must be positive"),
        ({"A": np.eye(3), "b": np.ones(3), "upper": np.inf}, "upper must be one finite"),
        ({"A": np.eye(3), "b": np.ones(3), "linear": np.ones(2)}, "linear must be one finite"),
        ({"A": np.eye(3), "b": np.ones(3), "start": np.ones(4)}, "start must be one finite"),
        ({"A": np.diag([1.0, np.nan, 1.0]), "b": np.ones(3)}, "A must be finite"),
        ({"A": np.diag([1.0, -np.inf, 1.0]), "b": np.ones(3)}, "A must be finite"),
        ({"A": np.eye(3), "b": np.array([1.0, np.nan, 1.0])}, "b must be finite"),
        ({"A": np.eye(3), "b": np.full(3, 1e200)}, "b must be finite"),
    ],
)
def test_senseless_programmes_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        box_least_squares(arguments.pop("A"), arguments.pop("b"), **arguments)


@pytest.mark.parametrize("over", [0.0, 0.3, 1.0, 4.0])
def test_an_asymmetric_loss_is_minimised(over):
    for seed in (2, 3, 16, 28):
        A, b, upper = problem(seed)
        t = np.sign(b)
        v = np.random.default_rng(seed).uniform(0.5, 2.0, size=len(b))
        A, b = t[:, None] * A, np.abs(b)
        ours = asymmetric_box_least_squares(
            A, b, v, over, upper=upper, linear=np.zeros(len(b)), tol=1e-9, max_iter=1000
        )
        _, best = by_clarabel(A, b, upper, row_weights=v, over=over)
        assert ours.gap <= 1e-9
        if seed != 3:  # elsewhere the weight of positive residuals matters
            assert (A @ ours.weights - b).max() > 0.02 or over > 1
        assert abs(ours.objective - best) <= 1e-8 * 0.5 * np.sum(v * b**2)


def test_an_interruption_is_answered_within_a_second():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(600, 8))
    t = np.where(X[:, 0] > 0, 1.0, -1.0)
    A = gram(X, X, "gaussian", 0.7) * t
    fired = []

    def interrupt():
        fired.append(time.perf_counter())
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()

    def for_ever():
        while True:
            box_least_squares(A, 0.3 * t, tol=1e-12)

    with pytest.raises(KeyboardInterrupt):
        for_ever()
    assert time.perf_counter() - fired[0] < 1.0
