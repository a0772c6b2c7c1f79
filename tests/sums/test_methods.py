"""Which strategy serves a call, what it is refused for, and sums that are put together of parts."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import get
from parzen.sums import kernel_sums, labelled_kernel_sums, method_for
from parzen.sums.call import Call, ScaledSums
from parzen.sums.dense import Dense, DensePlan
from parzen.sums.fourier import Fourier
from parzen.sums.methods import check_method, strategies_of, strategy_for
from parzen.sums.nufft import Frame, cropped, filtered
from parzen.sums.partial_sums import added, cheapest, put, sums_at
from parzen.sums.sorted import Sorted
from parzen.sums.tree import TreeStore, signed_sums

RNG = np.random.default_rng(0)
Y, W, LABELS = RNG.normal(size=(40, 2)), RNG.uniform(0.5, 2.0, (40, 3)), RNG.integers(0, 3, 40)


def call(n=40, d=2, kernel="gaussian", **more):
    X = np.broadcast_to(np.linspace(0, 1, n)[:, None], (n, d))
    return Call.prepare(X, X, kernel, 0.5, exclude_self=False, mode="log")._replace(**more)


def test_small_calls_are_exact_and_one_feature_is_sorted_where_that_is_quicker():
    assert strategy_for(call(), "auto", 1e-12).name == "dense"
    assert strategy_for(call(3000, 1, "laplacian"), "auto", 1e-12).name == "sorted"
    assert strategy_for(call(3000, 1), "auto", 1e-12).name == "dense"
    assert strategy_for(call(3000, 2, "laplacian"), "auto", 1e-12).name == "dense"
    assert strategy_for(call(3000, 1, "laplacian"), "auto", 0).name == "dense"
    assert strategy_for(call(3000, 1, "laplacian"), "dense", 1e-12).name == "dense"


def test_what_only_all_pairs_serve_is_dense_by_any_name():
    wider = call(factors=np.ones(40))
    left_out = call(exclude_self=True, same=False)
    for special in (wider, left_out):
        assert special.needs_all_pairs
        for method in ("auto", "tree", "fourier", "dense"):
            assert strategy_for(special, method, 1e-6).name == "dense"
    assert not call().needs_all_pairs
    assert not call(exclude_self=True, same=True).needs_all_pairs
    assert call().pairs == 1600


def test_a_tolerance_of_zero_leaves_the_exact_strategy_alone():
    assert [s.name for s in strategies_of("auto", 1e-9)] == ["dense", "sorted", "fourier", "tree"]
    for method in ("auto", "tree", "fourier", "dense"):
        assert [s.name for s in strategies_of(method, 0)] == ["dense"]
    assert [s.name for s in strategies_of("tree", 1e-9)] == ["tree"]


@pytest.mark.parametrize(
    ("method", "rtol", "error", "message"),
    [
        ("quick", 1e-9, ValueError, "method='quick' is unknown; choose one of auto, dense, tree, "),
        (None, 1e-9, ValueError, "method=None is unknown"),
        ("auto", "small", TypeError, "rtol must be a number, got 'small'"),
        ("auto", True, TypeError, "rtol must be a number, got True"),
        ("auto", -1e-9, ValueError, "must be a relative error from 0"),
        ("auto", 1, ValueError, "to below 1"),
        ("auto", np.nan, ValueError, "rtol=nan must be a relative error"),
    ],
)
def test_methods_and_tolerances_that_are_none_are_refused(method, rtol, error, message):
    with pytest.raises(error, match=message):
        check_method(method, rtol)
    with pytest.raises(error, match=message):
        kernel_sums(Y, Y, bandwidths=1.0, method=method, rtol=rtol)
    check_method("fourier", 0)
    check_method("tree", np.float32(0.5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "fourier", "kernel": "laplacian"}, "sums the gaussian kernel only, not 'lapl"),
        ({"method": "fourier", "kernel": "gaussian", "d": 4}, "serves up to 3 features, not 4"),
        ({"method": "tree", "kernel": "linear"}, "has no bounds for kernel 'linear'"),
    ],
)
def test_a_named_method_says_what_it_cannot_serve(options, message):
    X = RNG.normal(size=(9, options.get("d", 2)))
    how = {"kernel": options["kernel"], "bandwidths": 0.5, "method": options["method"]}
    with pytest.raises(ValueError, match=f"method='{options['method']}' {message}.*; use method="):
        kernel_sums(X, X, **how)
    with pytest.raises(ValueError, match=message):
        method_for(X, X, **how)


def test_the_method_of_inner_products_is_dense():
    assert method_for(Y, Y, kernel="linear", bandwidths=1.0) == "dense"
    assert method_for(Y, Y, bandwidths=1.0) == "dense"
    assert method_for(Y, Y, bandwidths=1.0, method="tree") == "tree"
    assert method_for(Y, Y, W, bandwidths=1.0, method="tree", rtol=0) == "dense"


class Priced:
    """A strategy of a given price that tells what it was asked."""

    def __init__(self, name, price, serves=True, knows=True):
        self.name, self.price, self.below = name, price, None
        self._refusals = (None if knows else "no kernel", None if serves else "no call")

    def refuses_kernel(self, kernel, n_features):
        return self._refusals[0]

    def refuses(self, call, rtol):
        return self._refusals[1]

    def cost(self, call, rtol, below):
        self.below = below
        return self.price


def test_the_cheapest_that_serves_is_taken_and_the_first_of_equals():
    dear, cheap, equal = Priced("dear", 3.0), Priced("cheap", 1.0), Priced("equal", 1.0)
    wrong, refusing = Priced("wrong", 0.0, knows=False), Priced("refusing", 0.0, serves=False)
    chosen = cheapest([dear, wrong, cheap, refusing, equal], call(), 1e-9)
    assert chosen is cheap
    assert (dear.below, cheap.below, equal.below) == (np.inf, 3.0, 1.0)
    assert (wrong.below, refusing.below) == (None, None)
    never = Priced("never", np.inf)
    assert cheapest([never, Priced("never again", np.inf)], call(), 1e-9) is never


@pytest.mark.parametrize("mode", ["plain", "log", "scaled"])
@pytest.mark.parametrize("kind", ["weights", "labels", "labels of one weight"])
@pytest.mark.parametrize("exclude_self", [False, True])
def test_sums_at_some_rows_are_those_of_all_rows(mode, kind, exclude_self):
    whole = Call.prepare(Y, Y, "gaussian", [0.5, 1.5], exclude_self=exclude_self, mode=mode)
    if kind == "weights":
        whole = whole.weighted(W)
    else:
        whole = whole.labelled(LABELS, 3, W[:, :1] if kind == "labels" else None)
    everything = Dense().run(whole, 0.0, 1)
    for rows in (np.array([3, 17, 20]), np.arange(40)):
        found = sums_at(whole, rows, slice(None), [Dense()], 0.0, 1)
        if mode == "scaled":
            for values, part in ((everything, rows), (found, slice(None))):
                assert isinstance(values, ScaledSums)
                assert len(values.mantissa[part]) == len(rows)
            expected, got = (part.mantissa * np.exp(part.log_scale) for part in (everything, found))
            np.testing.assert_allclose(got, expected[rows], rtol=1e-12)
        else:
            np.testing.assert_allclose(found, everything[rows], rtol=1e-12)
    if not exclude_self and mode == "log":
        one = sums_at(whole, np.array([5, 6]), slice(1, 2), [Dense()], 0.0, 1)
        np.testing.assert_allclose(one, everything[[5, 6], 1:2], rtol=1e-12)


def test_patches_replace_rows_and_columns():
    result = np.zeros((4, 3, 2))
    put(result, np.array([1, 3]), slice(2, 3), np.ones((2, 1, 2)))
    assert result.sum() == 4
    assert result[[1, 3], 2].all()
    scaled = ScaledSums(np.zeros((4, 3, 2)), np.zeros((4, 1, 2)))
    put(scaled, np.array([2]), slice(None), ScaledSums(np.ones((1, 3, 2)), np.full((1, 1, 2), 7.0)))
    assert scaled.mantissa.sum() == 6
    assert scaled.log_scale[2].tolist() == [[7.0, 7.0]]
    assert scaled.log_scale.sum() == 14


def test_scaled_sums_add_up_wherever_their_scales_are():
    a = ScaledSums(np.array([[[2.0], [-1.0]], [[0.0], [0.0]]]), np.array([[[0.0]], [[5.0]]]))
    b = ScaledSums(np.array([[[3.0], [0.5]], [[0.0], [0.0]]]), np.array([[[-2.0]], [[3.0]]]))
    total = added(a, b, "scaled")
    values = total.mantissa * np.exp(total.log_scale)
    expected = a.mantissa * np.exp(a.log_scale) + b.mantissa * np.exp(b.log_scale)
    np.testing.assert_allclose(values, expected, rtol=1e-14)
    assert total.log_scale[0] == pytest.approx(np.log(2.0))
    assert total.log_scale[1] == 5.0  # nothing to scale
    far = added(a, b._replace(log_scale=b.log_scale - 2000), "scaled")
    np.testing.assert_allclose(far.mantissa * np.exp(far.log_scale), a.mantissa * [[[1.0]], [[0]]])
    assert added(np.log(2.0), np.log(3.0), "log") == pytest.approx(np.log(5.0))
    assert added(np.array(2.0), np.array(3.0), "plain") == 5.0


def test_single_precision_stays_single_when_scaled_sums_are_added():
    parts = [
        ScaledSums(np.ones((1, 1, 1), np.float32), np.full((1, 1, 1), level, np.float32))
        for level in (3.0, 1.0)
    ]
    total = added(*parts, "scaled")
    assert total.mantissa.dtype == total.log_scale.dtype == np.float32


def test_signed_columns_share_the_largest_level_of_a_row():
    values, levels = np.array([[2.0, 3.0, 5.0], [0.0, 0.0, 0.0]]), np.array([[1.0, 4.0, 2.0]] * 2)
    found = signed_sums(values, levels, [(0, 1.0), (0, -1.0), (1, 1.0)], 2, np.float64)
    assert found.log_scale.ravel().tolist() == [4.0, 0.0]
    expected = [2 * np.exp(-3) - 3, 5 * np.exp(-2)]
    np.testing.assert_allclose(found.mantissa[0, :, 0], expected)
    assert not found.mantissa[1].any()


@pytest.mark.parametrize(
    ("dtype", "bandwidth", "exponent", "mode"),
    [
        (np.float64, 1.0, 0, "plain"), (np.float64, 2.0**128, 0, "plain"),
        (np.float64, 2.0**129, 129, "plain"), (np.float64, 2.0**-129, -129, "plain"),
        (np.float64, 2.0**-217, -217, "plain"), (np.float64, 2.0**-218, -218, "scaled"),
        (np.float32, 2.0**16, 0, "plain"),
        (np.float32, 2.0**17, 17, "plain"), (np.float32, 2.0**-17, -17, "plain"),
        (np.float32, 2.0**-30, -30, "plain"), (np.float32, 2.0**-31, -31, "scaled"),
    ],
)  # fmt: skip
def test_a_plan_scales_what_would_leave_the_range_of_numbers(dtype, bandwidth, exponent, mode):
    points = Y.astype(dtype)
    given = Call.prepare(points, points, "gaussian", bandwidth, exclude_self=False, mode="plain")
    plan = DensePlan.of(given)
    assert (plan.exponent, plan.mode) == (exponent, mode)
    np.testing.assert_array_equal(plan.points, np.ldexp(points, -exponent))
    np.testing.assert_array_equal(plan.bandwidths, [np.ldexp(bandwidth, -exponent)])
    np.testing.assert_allclose(plan.log_normalizers, -2 * np.log(bandwidth) - np.log(2 * np.pi))
    logs = DensePlan.of(given._replace(mode="log"))
    assert logs.mode == "log"


def test_a_box_of_frequencies_holds_the_points_and_reaches_beyond_them():
    points = np.array([[0.0, 10.0], [4.0, 12.0], [1.0, 11.0]])
    frame = Frame.around(points, margin=16.0, narrow=0.25, wide=0.5)
    np.testing.assert_allclose(frame.centre, [2.0, 11.0])
    np.testing.assert_allclose(frame.step, 2 * np.pi / np.array([12.0, 10.0]))
    expected = tuple(int(np.ceil(8 / (0.25 * s))) for s in frame.step)
    assert frame.cutoffs == expected
    assert frame.n_modes == np.prod([2 * k + 1 for k in expected])
    assert frame.n_bytes == 16 * frame.n_modes * (2.0**2 + 2)
    angles = frame.angles(points.astype(np.float32))
    np.testing.assert_allclose(angles[0], (points[:, 0] - 2.0) * frame.step[0])
    np.testing.assert_allclose(angles[1], (points[:, 1] - 11.0) * frame.step[1])
    wider = frame.narrowed(0.5)
    assert wider.cutoffs == tuple(int(np.ceil(8 / (0.5 * s))) for s in frame.step)
    assert frame.narrowed(0.01).cutoffs == expected  # no more than there are


def test_the_transform_of_a_gaussian_sums_to_its_peak():
    frame = Frame.around(np.array([[0.0], [3.0]]), margin=16.0, narrow=0.2, wide=0.7)
    for h in (0.2, 0.7):
        here = frame.narrowed(h)
        (decay,) = here.decays(h)
        assert len(decay) == 2 * here.cutoffs[0] + 1
        assert decay.sum() == pytest.approx(1.0, rel=1e-12)
        np.testing.assert_array_equal(decay, decay[::-1])
    modes = np.arange(35.0).reshape(5, 7)
    np.testing.assert_array_equal(cropped(modes, (1, 2)), modes[1:4, 1:6])
    factors = [np.arange(5.0), np.arange(7.0)]
    np.testing.assert_array_equal(filtered(modes, factors), modes * np.outer(*factors))


def test_transforms_serve_gaussians_of_few_features_and_coarse_tolerances():
    fourier = Fourier([Dense()])
    if fourier.refuses_kernel(get("gaussian"), 1) is not None:
        pytest.skip("needs finufft")
    assert fourier.refuses_kernel(get("gaussian"), 3) is None
    assert "serves up to 3" in fourier.refuses_kernel(get("gaussian"), 4)
    assert fourier.cost(call(), 0.9e-9, np.inf) == np.inf
    few, many = fourier.cost(call(100), 1e-9, np.inf), fourier.cost(call(100_000), 1e-9, np.inf)
    assert 0 < few < many < np.inf


@pytest.mark.parametrize("labelled", [False, True])
def test_transforms_give_the_sums_of_near_points_by_themselves(labelled):
    """No other strategy is there that could take over."""
    pytest.importorskip("finufft")
    h = np.array([0.7, 1.0, 30.0])
    whole = Call.prepare(Y[:7], Y, "gaussian", h, exclude_self=False, mode="plain")
    whole = whole.labelled(LABELS, 3, W[:, :1]) if labelled else whole.weighted(W)
    found = Fourier(()).run(whole, 1e-9, 1)
    exact = Dense().run(whole, 0.0, 1)
    peaks = np.exp(get("gaussian").log_normalizer(h, 2))
    assert np.abs((found - exact) / peaks).max() <= 1e-12 * W.sum()


def test_distances_that_leave_the_numbers_are_refused_where_they_are_squared():
    far = np.array([[0.0], [1e100]])
    with pytest.raises(ValueError, match="squared distances leave the range of float64 numbers"):
        kernel_sums(far, far, bandwidths=1e-100, log=True)
    assert np.isfinite(kernel_sums(far, far, kernel="laplacian", bandwidths=1e-100, log=True)).all()
    assert np.isfinite(kernel_sums(far, far, kernel="linear", bandwidths=1e-100)).all()


def test_sorting_serves_one_feature_of_its_kernels():
    for kernel in ("uniform", "triangular", "epanechnikov", "laplacian"):
        assert Sorted().refuses_kernel(get(kernel), 1) is None
        assert "sums one feature with one of" in Sorted().refuses_kernel(get(kernel), 2)
    assert "sums one feature" in Sorted().refuses_kernel(get("gaussian"), 1)


def test_labels_have_log_sums_and_what_is_not_said_is_auto():
    found = labelled_kernel_sums(Y, Y, LABELS, 3, bandwidths=0.7)
    columns = kernel_sums(Y, Y, (LABELS[:, None] == np.arange(3)) * 1.0, bandwidths=0.7, log=True)
    np.testing.assert_allclose(found, columns, rtol=1e-13)
    said = labelled_kernel_sums(
        Y, Y, LABELS, 3, None, kernel="gaussian", bandwidths=0.7, exclude_self=False,
        method="auto", rtol=1e-12, n_jobs=None,
    )  # fmt: skip
    np.testing.assert_array_equal(found, said)
    plain = kernel_sums(
        Y, Y, None, kernel="gaussian", bandwidths=0.7, exclude_self=False, log=False,
        scaled=False, method="auto", rtol=1e-12,
    )  # fmt: skip
    np.testing.assert_array_equal(kernel_sums(Y, Y, bandwidths=0.7), plain)


def test_a_store_of_trees_starts_without_them():
    store = TreeStore()
    assert not store.is_built
    made = store.get(lambda: "trees")
    assert store.is_built
    assert store.get(lambda: "others") is made
