"""The steps from the interior of a box, beside Mehrotra's and Gondzio's written out densely."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from parzen.kernels import gram
from parzen.solvers import CompressedMatrix, box_least_squares
from parzen.solvers.box import asymmetric, interior
from parzen.solvers.box.asymmetric import asymmetric_box_least_squares
from parzen.solvers.box.compress import _orthonormal
from parzen.solvers.box.interior import Interior, descend, duality_gap
from parzen.solvers.box.newton_matrix import preconditioned_cg
from parzen.solvers.box.newton_system import Level, NewtonSystem

TINY = np.finfo(float).tiny


@pytest.fixture
def programme():
    rng = np.random.default_rng(0)
    A, c = rng.normal(size=(25, 20)), rng.normal(size=25)
    return CompressedMatrix.of(A), c, rng.normal(size=20), rng.uniform(0.5, 2.0, 20)


def test_a_cold_start_has_equal_products_whose_sum_is_about_the_objective_at_zero(programme):
    matrix, c, linear, upper = programme
    point = Interior.start(matrix, c, linear, upper, None)
    np.testing.assert_allclose(point.x, 0.4 * upper)
    np.testing.assert_allclose(point.room(), [0.4 * upper, 0.6 * upper])
    loss = 0.25 * c @ c - 0.5 * np.minimum(linear, 0.0) @ upper
    np.testing.assert_allclose(point.multipliers * point.room(), loss / 20)
    nothing = Interior.start(matrix, 0 * c, 0 * linear, upper, None)
    np.testing.assert_allclose(nothing.multipliers * nothing.room(), TINY)
    assert (point.steps, point.newton.threads) == (0, 1)


def test_a_warm_start_moves_a_fifth_of_the_way_inwards(programme):
    matrix, c, linear, upper = programme
    given = np.linspace(-1.0, 3.0, 20)
    cold = Interior.start(matrix, c, linear, upper, None)
    warm = Interior.start(matrix, c, linear, upper, given, threads=2)
    inside = np.clip(given, 0.0, upper)
    np.testing.assert_allclose(warm.x, 0.8 * inside + 0.2 * 0.4 * upper)
    np.testing.assert_allclose(warm.multipliers, 0.3 * cold.multipliers)
    assert warm.newton.threads == 2


def test_multipliers_are_lifted_to_a_share_of_the_gap(programme):
    point = Interior.start(*programme, None)
    before, level = point.multipliers, np.vdot(point.multipliers, point.room())
    point.lift(0.9e7 * level)
    assert point.multipliers is before
    point.lift(4e7 * level)
    np.testing.assert_allclose(point.multipliers, 4.0 * before)


def test_the_gap_bounds_what_a_linear_model_could_gain():
    g, x, slack = np.array([2.0, -3.0, 0.0]), np.array([0.5, 0.5, 1.0]), np.array([1.0, 4.0, 7.0])
    assert duality_gap(g, x, slack) == 2.0 * 0.5 + 3.0 * 4.0


def test_coordinates_very_near_a_bound_are_set_on_it(programme):
    matrix, c, linear, _ = programme
    upper = np.full(20, 4.0)
    point = Interior.start(matrix, c, linear, upper, None)
    point.x[:4] = [3.9e-9, 4.1e-9, 4.0 - 3.9e-9, 4.0 - 4.1e-9]
    found = point.snapped()
    assert found[[0, 2]].tolist() == [0.0, 4.0]
    np.testing.assert_array_equal(found[[1, 3]], point.x[[1, 3]])
    np.testing.assert_array_equal(found[4:], 1.6)


def test_a_step_inside_stops_short_of_each_bound_by_itself(programme):
    matrix, c, linear, _ = programme
    upper = np.full(20, 2.0)
    point = Interior.start(matrix, c, linear, upper, None)
    point.x = np.full(20, 0.5)
    before, d = point.multipliers, np.zeros(20)
    d[:4] = [-0.3, -1.0, 0.9, 9.0]
    point.step_inside(d)
    np.testing.assert_allclose(point.x[:5], [0.2, 0.05 * 0.5, 1.4, 2.0 - 0.05 * 1.5, 0.5])
    shrunk = point.multipliers / before
    np.testing.assert_allclose(shrunk[0, :5], [0.6, 2.0, 0.05, 0.05, 0.05])
    np.testing.assert_allclose(shrunk[1, :5], [0.05, 0.05, 0.6, 6.0, 0.05])


def dense_step(A, c, linear, upper, x, z, correctors):
    """Predictor, corrector and further correctors, by solving the whole system at once."""
    n, a_to_bound = len(x), 0.995
    room = np.stack([x, upper - x])
    g = A.T @ (A @ x - c) + linear
    products = z * room
    level = products.sum() / (2 * n)

    def direction(aim):
        """A'A d - dz + dw = -(g - z + w), and products that change by the aim."""
        eye, none = np.eye(n), np.zeros((n, n))
        system = np.block([
            [A.T @ A, -eye, eye], [np.diag(z[0]), np.diag(room[0]), none],
            [-np.diag(z[1]), none, np.diag(room[1])],
        ])  # fmt: skip
        solved = np.linalg.solve(system, np.concatenate([-(g - z[0] + z[1]), *aim]))
        move, change = np.stack([solved[:n], -solved[:n]]), solved[n:].reshape(2, n)
        with np.errstate(divide="ignore"):
            ratios = [-values / steps for values, steps in ((room, move), (z, change))]
        limits = [r[s < 0] for r, s in zip(ratios, (move, change), strict=True)]
        return move, change, min(1.0, *np.concatenate(limits))

    move, change, a = direction(-products)
    ahead = ((room + a * move) * (z + a * change)).sum() / (2 * n)
    centre = level * (ahead / level) ** 3
    aim = centre - products - move * change
    move, change, a = direction(aim)
    kept = 0
    for _ in range(correctors):
        far = min(1.0, a + 0.08 * (1.0 + a))
        there = (room + far * move) * (z + far * change)
        wanted = np.clip(there, 0.1 * centre, 10 * centre)
        aim = aim + np.maximum(wanted - there, -10 * centre)
        better = direction(aim)
        if better[2] <= 1.01 * a:
            break
        move, change, a = better
        kept += 1
    return x + a_to_bound * a * move[0], z + a_to_bound * a * change, kept


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_a_step_is_mehrotras_with_gondzios_correctors(programme, scale):
    matrix, c, linear, upper = programme
    point = Interior.start(matrix, scale * c, linear, upper, None)
    assert point.newton.level == Level.DOUBLE
    kept = []
    for _ in range(7):
        x, z, count = dense_step(matrix.A, scale * c, linear, upper, point.x, point.multipliers, 3)
        kept.append(count)
        assert interior._step(point, point.gradient(point.x), point.room())
        np.testing.assert_allclose(point.x, x, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(point.multipliers, z, rtol=1e-6, atol=1e-12)
    assert max(kept) > 0


def test_a_point_whose_products_vanish_takes_no_step(programme):
    point = Interior.start(*programme, None)
    point.multipliers = np.zeros_like(point.multipliers)
    assert not interior._step(point, point.gradient(point.x), point.room())


def test_steps_end_at_the_target_or_at_the_most_that_may_be_taken(programme):
    point = Interior.start(*programme, None)
    gap = duality_gap(point.gradient(point.x), *point.room())
    descend(point, target=gap, max_steps=9)
    assert point.steps == 0
    descend(point, target=1e-3 * gap, max_steps=2)
    assert point.steps == 2
    descend(point, target=1e-3 * gap, max_steps=50)
    assert 2 < point.steps < 12
    assert duality_gap(point.gradient(point.x), *point.room()) <= 1e-3 * gap
    steps = point.steps
    descend(point, target=1e-3 * gap, max_steps=50)
    assert point.steps == steps


def test_the_longest_step_keeps_everything_positive():
    room, z = np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((2, 2))
    up = np.ones((2, 2))
    assert interior._longest(room, z, up, up) == 1.0
    assert interior._longest(room, z, -up, up) == 1.0
    assert interior._longest(room, z, -4 * up, up) == 0.25
    assert interior._longest(room, z, up, -5 * up) == 0.2
    assert interior._longest(room, z, -4 * up, -5 * up) == 0.2


@pytest.mark.parametrize("n", [99, 100])
def test_a_matrix_that_is_not_compressed_starts_with_its_factor(n):
    system = NewtonSystem(CompressedMatrix.of(np.eye(n)))
    assert system.level == (Level.SINGLE if n == 100 else Level.DOUBLE)
    assert system.renew(np.ones(n))
    assert system.direct
    np.testing.assert_allclose(system.direction(np.arange(n)), np.arange(n) / 2, rtol=1e-5)
    assert system.sharpen() is (n == 100)
    assert not system.sharpen()
    assert not NewtonSystem(CompressedMatrix.of(np.zeros((n, n)))).renew(np.zeros(n))


def test_slow_steps_ask_for_more_accurate_and_then_for_finer_systems():
    system = NewtonSystem(CompressedMatrix.of(np.eye(120)))
    for ratio, accuracy, level in (
        (0.7, 0.03, Level.SINGLE), (0.71, 0.003, Level.SINGLE), (0.5, 0.003, Level.SINGLE),
        (0.8, 3e-4, Level.SINGLE), (0.8, 3e-5, Level.DOUBLE), (0.8, 3e-6, Level.DOUBLE),
        (0.8, 1e-6, Level.DOUBLE), (0.8, 1e-6, Level.DOUBLE),
    ):  # fmt: skip
        system.adapt_accuracy(ratio)
        assert system._accuracy == pytest.approx(accuracy)
        assert system.level == level
        assert system.renew(np.ones(120))
        assert system.direct == (level == Level.DOUBLE or accuracy == 0.03)


def test_an_accurate_direction_is_one_with_a_coarse_factor_too():
    rng = np.random.default_rng(1)
    A, D, q = rng.normal(size=(130, 120)), 10.0 ** rng.uniform(-3, 3, 120), rng.normal(size=120)
    system = NewtonSystem(CompressedMatrix.of(A), Level.SINGLE)
    assert system.renew(D)
    exact = np.linalg.solve(np.diag(D) + A.T @ A, q)
    wrong = system.accurate(q) - exact
    H = np.diag(D) + A.T @ A
    assert np.sqrt(wrong @ H @ wrong) <= 2e-6 * np.sqrt(exact @ H @ exact)


@pytest.mark.parametrize("over", [0.25, 1.0, 3.0])
def test_a_line_search_ends_where_the_slope_vanishes(over):
    rng = np.random.default_rng(2)
    ends = []
    for _ in range(30):
        r, Ad, v = rng.normal(size=9), rng.normal(size=9), rng.uniform(0.5, 2, 9)
        slope = -rng.uniform(0, 20)

        def derivative(t, r=r, Ad=Ad, v=v, slope=slope):
            at = r + t * Ad
            return np.sum(np.where(at > 0, over * v, v) * at * Ad) + slope

        found = asymmetric._line_search(r, Ad, v, over, slope)
        if derivative(0.0) > 0:
            assert found < 1e-15
        elif derivative(1.0) <= 0:
            assert found == 1.0
        else:
            assert found == pytest.approx(brentq(derivative, 0, 1, xtol=1e-15), abs=1e-12)
        ends.append(found)
    assert 0 < sum(end == 1.0 for end in ends) < 30


def asymmetric_problem():
    rng = np.random.default_rng(3)
    A, b, v = rng.normal(size=(30, 12)), rng.normal(size=30), rng.uniform(0.5, 2.0, 30)
    return (A, b, v, 3.0), {"upper": np.full(12, 0.4), "linear": 0.1 * rng.normal(size=12)}


def test_an_asymmetric_solution_says_its_objective_and_gap():
    (A, b, v, over), box = asymmetric_problem()
    found = asymmetric_box_least_squares(A, b, v, over, **box, tol=1e-9, max_iter=500)
    r = A @ found.weights - b
    c = np.where(r > 0, over * v, v)
    expected = 0.5 * c @ r**2 + box["linear"] @ found.weights
    assert found.objective == pytest.approx(expected, rel=1e-12)
    gap = duality_gap(A.T @ (c * r) + box["linear"], found.weights, 0.4 - found.weights)
    scale = 0.5 * np.where(b < 0, over * v, v) @ b**2
    assert found.gap == pytest.approx(gap / scale, abs=1e-14)
    assert found.status == "optimal"
    again = asymmetric_box_least_squares(
        A, b, v, over, **box, tol=1e-8, max_iter=500, start=found.weights
    )
    assert again.iterations == 0
    np.testing.assert_array_equal(again.weights, found.weights)


def test_too_few_steps_for_an_asymmetric_loss_are_said():
    arguments, box = asymmetric_problem()
    found = asymmetric_box_least_squares(*arguments, **box, tol=1e-12, max_iter=1)
    assert found.status == "max_iter"
    assert found.gap > 1e-12
    none = asymmetric_box_least_squares(*arguments, **box, tol=1e-12, max_iter=0)
    assert none.iterations == 0
    assert not none.weights.any()
    far = asymmetric_box_least_squares(
        *arguments, **box, tol=1e-12, max_iter=0, start=np.linspace(-1.0, 1.0, 12)
    )
    np.testing.assert_array_equal(far.weights, np.clip(np.linspace(-1.0, 1.0, 12), 0.0, 0.4))


def test_what_is_not_said_is_a_box_of_ones_without_a_cost_solved_to_a_millionth():
    X = np.random.default_rng(4).normal(size=(60, 3))
    A, b = gram(X, X, "gaussian", 1.5), np.linspace(-1.0, 2.0, 60)
    found = box_least_squares(A, b)
    said = box_least_squares(A, b, upper=1.0, linear=0.0, tol=1e-6, max_iter=100, start=None)
    np.testing.assert_array_equal(found.weights, said.weights)
    assert found.gap <= 1e-6 < box_least_squares(A, b, tol=1e-3).gap
    assert found.weights.max() <= 1.0


def test_a_programme_that_needs_more_steps_than_allowed_says_so():
    X = np.random.default_rng(4).normal(size=(60, 3))
    A, b = gram(X, X, "gaussian", 1.5), np.linspace(-1.0, 2.0, 60)
    steps = box_least_squares(A, b).iterations
    assert box_least_squares(A, b, max_iter=steps).converged
    short = box_least_squares(A, b, max_iter=2)
    assert (short.status, short.iterations) == ("max_iter", 2)


@pytest.mark.parametrize(("condition", "off"), [(1e2, 1e-11), (1e7, 1e-13), (1e15, 1e-13)])
def test_a_basis_is_orthonormal_however_dependent_the_columns_are(condition, off):
    rng = np.random.default_rng(5)
    U, V = (np.linalg.qr(rng.normal(size=(n, 6)))[0] for n in (40, 6))
    Y = (U * np.geomspace(1.0, 1 / condition, 6)) @ V
    Q = _orthonormal(Y.copy())
    np.testing.assert_allclose(Q.T @ Q, np.eye(6), atol=off)
    if condition < 1e12:
        np.testing.assert_allclose(Q @ (Q.T @ Y), Y, atol=1e-9)


@pytest.mark.parametrize("accuracy", [0.3, 1e-2, 1e-6])
def test_conjugate_gradients_end_at_the_accuracy_and_not_beyond(accuracy):
    rng = np.random.default_rng(6)
    A, D, q = rng.normal(size=(50, 40)), rng.uniform(0.5, 2.0, 40), rng.normal(size=40)
    H, asked = np.diag(D) + A.T @ A, {"accuracy": accuracy, "max_iterations": 200}
    d, count = preconditioned_cg(A, D, q, lambda r: r.copy(), **asked)
    assert np.linalg.norm(q - H @ d) <= 1.0001 * accuracy * np.linalg.norm(q)
    asked["max_iterations"] = count - 1
    before, same = preconditioned_cg(A, D, q, lambda r: r.copy(), **asked)
    assert same == count - 1
    assert np.linalg.norm(q - H @ before) > accuracy * np.linalg.norm(q)


def test_coarse_directions_of_many_columns_take_products_in_single_precision():
    X = np.random.default_rng(7).uniform(-1, 1, size=(320, 2))
    A = gram(X, X, "gaussian", 0.5)
    system = NewtonSystem(CompressedMatrix.of(A))
    assert system.level == Level.ROWS
    D, q = np.full(320, 1e-3), np.random.default_rng(8).normal(size=320)
    assert system.renew(D)
    assert not system.direct
    H = np.diag(D) + A.T @ A
    exact = np.linalg.solve(H, q)
    for _ in range(2):
        wrong = system.direction(q) - exact
        assert wrong @ H @ wrong <= 0.1**2 * (exact @ H @ exact)
    assert system._single.dtype == np.float32
    np.testing.assert_array_equal(system._single, A.astype(np.float32))


@pytest.mark.parametrize(("dtype", "off"), [(np.float32, 1e-5), (np.float64, 1e-13)])
def test_columns_that_are_multiplied_share_the_factor(dtype, off):
    rng = np.random.default_rng(9)
    A, factors = rng.normal(size=(30, 12)), rng.uniform(-3.0, 3.0, 12)
    matrix = CompressedMatrix.of(A)
    scaled = matrix.times_columns(factors)
    np.testing.assert_array_equal(scaled.A, A * factors)
    for given, expected in ((matrix, A), (scaled, A * factors)):
        R = given.triangular(dtype)
        assert R.dtype == dtype
        assert not np.tril(R, -1).any()
        np.testing.assert_allclose(R.T @ R, expected.T @ expected, atol=300 * off)
    assert matrix.triangular(dtype) is matrix.triangular(dtype)
    X = rng.uniform(-1, 1, size=(250, 2))
    wide = CompressedMatrix.of(gram(X, X, "gaussian", 2.0))
    factors = rng.uniform(-3.0, 3.0, 250)
    both = wide.times_columns(factors)
    assert both.reaches(1e-3)
    assert both.residual_norm == wide.residual_norm
    np.testing.assert_array_equal(both.rows(), wide.rows() * factors)


def test_steps_ask_for_more_accuracy_where_the_matrix_is_nearly_singular():
    rng = np.random.default_rng(10)
    X, ones = rng.uniform(-1, 1, size=(260, 2)), np.ones(260)
    A, c = gram(X, X, "gaussian", 1.5), rng.normal(size=260)
    point = Interior.start(CompressedMatrix.of(A), c, 0 * ones, ones, None)
    assert point.newton.level == Level.ROWS
    descend(point, target=1e-9, max_steps=100)
    assert duality_gap(point.gradient(point.x), *point.room()) <= 1e-9
    assert point.newton._accuracy < 0.03
    assert point.steps < 40


def test_a_point_without_a_gap_is_optimal_at_any_tolerance():
    """Where zero is the solution and every gradient points inwards."""
    A, b, box = np.eye(3), -np.ones(3), {"upper": np.ones(3), "linear": np.zeros(3)}
    found = asymmetric_box_least_squares(A, b, np.ones(3), 2.0, **box, tol=0.0, max_iter=5)
    assert (found.status, found.gap, found.iterations) == ("optimal", 0.0, 0)
    assert found.objective == 3.0
    plain = box_least_squares(A, b, tol=0.0)
    assert (plain.status, plain.gap, plain.iterations) == ("optimal", 0.0, 0)
    assert plain.objective == 1.5
