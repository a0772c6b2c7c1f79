"""The simplex programme against an interior-point solver."""

from __future__ import annotations

import _thread
import threading
import time

import numpy as np
import pytest

from parzen.solvers import Gram, simplex_qp, solve_programmes


def random_problem(seed):
    """Rank-deficient matrices, duplicated variables and n = 2 among them."""
    rng = np.random.default_rng(seed)
    n = 2 if seed % 10 == 0 else int(rng.integers(3, 60))
    rank = int(rng.integers(1, n + 1))
    factor = rng.normal(size=(n, rank))
    c = rng.normal(size=n) * 10.0 ** rng.uniform(-2, 1)
    if seed % 3 == 0 and n > 4:
        factor[n // 2 :] = factor[: n - n // 2]
        c[n // 2 :] = c[: n - n // 2]
    n_groups = min(1 + seed % 4, n)
    groups = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, n - n_groups)])
    return factor @ factor.T, c, groups


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("block", range(10))
def test_it_reaches_the_optimum_of_an_interior_point_method(block, relaxed, peer):
    for seed in range(10 * block, 10 * block + 10):
        Q, c, groups = random_problem(seed)
        n_groups = groups.max() + 1
        rates = np.random.default_rng(seed).uniform(0.3, 2.0, n_groups) if relaxed else None
        mine = simplex_qp(Q, c, groups, rates=rates, tol=1e-12)
        x, value = peer(Q, c, groups, rates)
        scale = 0.5 * x @ Q @ x + np.abs(c).max()
        assert abs(mine.objective - value) <= 1e-8 * scale
        assert mine.objective <= value + 1e-9 * scale
        assert mine.gap <= 1e-10
        sums = np.bincount(groups, mine.weights)
        if rates is None:
            np.testing.assert_allclose(sums, 1.0, atol=1e-14, rtol=0)
        else:
            shortfall = (1.0 - sums) / rates
            np.testing.assert_allclose(shortfall, shortfall.mean(), atol=1e-14, rtol=0)
            assert shortfall.mean() >= -1e-15
        assert (mine.weights >= 0).all()


def test_the_reported_objective_and_gap_are_those_of_the_weights():
    Q, c, groups = random_problem(7)
    loose = simplex_qp(Q, c, groups, tol=1e-2)
    a = loose.weights
    gradient = Q @ a - c
    assert loose.objective == pytest.approx(0.5 * a @ Q @ a - c @ a, rel=1e-12)
    best = simplex_qp(Q, c, groups, tol=1e-12).objective
    total = 0.0
    for g in range(groups.max() + 1):
        own = groups == g
        gap = a[own] @ gradient[own] - gradient[own].min()
        total += gap
        assert gap <= 1e-2 * (np.abs(gradient[own]).max() + np.abs(c[own]).max())
    assert loose.objective - best <= total


def test_groups_of_very_different_scale_are_both_solved():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(40, 40))
    scale = np.where(np.arange(40) < 20, 1.0, 1e-5)
    Q, c = factor @ factor.T * np.outer(scale, scale), scale * rng.normal(size=40)
    Q[:20, 20:] = Q[20:, :20] = 0.0
    groups = (np.arange(40) >= 20).astype(int)
    both = simplex_qp(Q, c, groups, tol=1e-10).weights
    alone = simplex_qp(Q[20:, 20:] * 1e10, c[20:] * 1e10, tol=1e-10).weights
    np.testing.assert_allclose(both[20:], alone, atol=1e-8)


def test_a_warm_start_at_the_solution_takes_no_step():
    Q, c, groups = random_problem(3)
    first = simplex_qp(Q, c, groups, tol=1e-9)
    again = simplex_qp(Q, c, groups, tol=1e-8, start=first.weights)
    assert again.iterations == 0
    np.testing.assert_allclose(again.weights, first.weights, atol=1e-15)


def test_too_few_iterations_are_reported():
    Q, c, groups = random_problem(8)
    short = simplex_qp(Q, c, groups, tol=1e-12, max_iter=1)
    assert short.status == "max_iter"
    assert short.gap > 1e-12
    np.testing.assert_allclose(np.bincount(groups, short.weights), 1.0, atol=1e-14)


def gaussian_programme(n, chains=1):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    starts = np.array([0, n // 3, n], dtype=np.uint64)
    linear = rng.uniform(size=(chains, n))
    coupling = np.tile([[0.25, -0.5], [-0.5, 1.0]], (chains, 1, 1))
    bandwidths = np.array([[0.5, 0.4], [0.4, 0.2]])
    return X, starts, bandwidths, linear, coupling


@pytest.mark.parametrize("shape", ["gaussian", "rational", "product_laplacian"])
def test_rows_from_the_data_equal_a_matrix(shape):
    n = 300
    X, starts, bandwidths, linear, coupling = gaussian_programme(n)
    g = np.searchsorted(starts, np.arange(n), side="right") - 1
    h = bandwidths[g[:, None], g]
    distance = np.abs(X[:, None] - X[None])
    t = (distance**2).sum(-1) / h**2
    K = {
        "gaussian": np.exp(-0.5 * t),
        "rational": (1 + t) ** -1.5,
        "product_laplacian": np.prod(
            (1 + distance / h[..., None]) * np.exp(-distance / h[..., None]), -1
        ),
    }[shape]
    common = {"starts": starts, "bandwidths": bandwidths}
    rows = solve_programmes(
        Gram(points=X, shape=shape, power=1.5, **common), linear, coupling, tol=1e-10
    )
    matrix = solve_programmes(Gram(matrix=K, **common), linear, coupling, tol=1e-10)
    np.testing.assert_allclose(rows.objectives, matrix.objectives, rtol=1e-12)
    np.testing.assert_allclose(rows.weights, matrix.weights, atol=1e-6)


def test_a_small_row_cache_changes_nothing():
    from sklearn import config_context

    X, starts, bandwidths, linear, coupling = gaussian_programme(600)
    gram = Gram(points=X, starts=starts, bandwidths=bandwidths)
    roomy = solve_programmes(gram, linear, coupling, tol=1e-8)
    with config_context(working_memory=0.05):  # ten rows
        narrow = solve_programmes(gram, linear, coupling, tol=1e-8)
    np.testing.assert_array_equal(roomy.weights, narrow.weights)


def test_rows_may_come_from_a_function():
    from sklearn import config_context

    X, starts, bandwidths, linear, coupling = gaussian_programme(600)
    native = solve_programmes(
        Gram(points=X, starts=starts, bandwidths=bandwidths), linear, coupling, tol=1e-10
    )
    groups = np.repeat([0, 1], np.diff(starts).astype(int))

    def row(i):
        r2 = ((X[i] - X) ** 2).sum(axis=1)
        return np.exp(-r2 / (2 * bandwidths[groups[i], groups] ** 2))

    gram = Gram(evaluate=row, starts=starts, bandwidths=bandwidths)
    for megabytes in (0.05, 100):
        with config_context(working_memory=megabytes):
            found = solve_programmes(gram, linear, coupling, tol=1e-10, n_jobs=2)
        np.testing.assert_allclose(found.objectives, native.objectives, rtol=1e-12)
        np.testing.assert_allclose(found.weights, native.weights, atol=1e-6)


def test_what_a_function_of_rows_raises_is_raised():
    _, starts, bandwidths, linear, coupling = gaussian_programme(100)

    def row(i):
        raise RuntimeError(f"no row {i}")

    gram = Gram(evaluate=row, starts=starts, bandwidths=bandwidths)
    with pytest.raises(RuntimeError, match="no row"):
        solve_programmes(gram, linear, coupling, tol=1e-6)


def test_chains_do_not_depend_on_the_threads():
    X, starts, bandwidths, linear, coupling = gaussian_programme(400, chains=5)
    active = np.random.default_rng(2).uniform(size=linear.shape) < 0.8
    gram = Gram(points=X, starts=starts, bandwidths=bandwidths)
    options = {"factors": [1.0, 0.5], "active": active, "tol": 1e-6}
    one = solve_programmes(gram, linear, coupling, n_jobs=1, **options)
    two = solve_programmes(gram, linear, coupling, n_jobs=3, **options)
    np.testing.assert_array_equal(one.weights, two.weights)
    assert not one.weights[:, 0][~active].any()


def test_points_that_take_no_part_are_as_good_as_absent():
    X, starts, bandwidths, linear, coupling = gaussian_programme(200)
    active = np.random.default_rng(3).uniform(size=linear.shape) < 0.7
    gram = Gram(points=X, starts=starts, bandwidths=bandwidths)
    masked = solve_programmes(gram, linear, coupling, active=active, tol=1e-10)
    kept = active[0]
    counts = [kept[: int(starts[1])].sum(), kept[int(starts[1]) :].sum()]
    fewer = Gram(
        points=np.ascontiguousarray(X[kept]),
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64),
        bandwidths=bandwidths,
    )
    alone = solve_programmes(fewer, linear[:, kept], coupling, tol=1e-10)
    np.testing.assert_allclose(masked.objectives, alone.objectives, rtol=1e-10)
    np.testing.assert_allclose(masked.weights[0, 0, kept], alone.weights[0, 0], atol=1e-6)


def long_problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    gram = Gram(points=X, starts=np.array([0, 6000], np.uint64), bandwidths=np.array([[0.05]]))
    return gram, rng.uniform(0.0, 1e-4, size=(1, 6000)), np.ones((1, 1, 1))


def test_an_interruption_is_answered_within_a_second():
    gram, linear, coupling = long_problem()
    threading.Timer(0.3, _thread.interrupt_main).start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        solve_programmes(gram, linear, coupling, tol=1e-12)
    assert time.perf_counter() - begin < 1.5


@pytest.mark.slow
def test_progress_is_reported():
    gram, linear, coupling = long_problem()
    seen = []
    solve_programmes(
        gram, linear, coupling, tol=1e-2, progress=lambda i, gap: seen.append((i, gap))
    )
    assert seen
    assert all(i >= 0 and gap >= 0 for i, gap in seen)


def test_an_error_in_the_progress_callback_surfaces():
    gram, linear, coupling = long_problem()

    def fail(iterations, gap):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        solve_programmes(gram, linear, coupling, tol=1e-12, progress=fail)


@pytest.mark.parametrize(
    ("Q", "c", "groups", "message"),
    [
        (np.eye(2), [1.0], None, "square"),
        (np.eye(2), np.ones((2, 1)), None, "square"),
        (np.empty((0, 0)), [], None, "square"),
        (np.eye(2), [1.0, np.nan], None, "finite"),
        (np.eye(2), [1.0, 0.0], [0, 2], "none left out"),
    ],
)
def test_wrong_input_is_refused_with_a_reason(Q, c, groups, message):
    with pytest.raises(ValueError, match=message):
        simplex_qp(Q, c, groups)


def test_one_variable_has_the_whole_weight():
    found = simplex_qp([[2.0]], [3.0])
    assert (found.weights.tolist(), found.objective, found.gap) == ([1.0], -2.0, 0.0)


def test_a_weight_that_is_rounding_beside_the_largest_is_zero():
    start = np.array([1.0, 1e-20, 1e-31, 0.0])
    solution = simplex_qp(np.eye(4), np.eye(4)[0], start=start, tol=1e-13)
    assert solution.weights.tolist() == [1.0, 0.0, 0.0, 0.0]
