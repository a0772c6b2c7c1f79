"""The Laplacian classifier on large samples: the strategies of kernel sums serve its fit too."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import LaplacianClassifier, _native


def sample(n, d, seed=0):
    """Two classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d)) + 1.5 * y[:, None]
    X[0] = 9.0  # alone: its own kernel is all of f there
    return X, y


@pytest.fixture(scope="module", params=[1, 2, 3])
def exact(request):
    X, y = sample(20_000, request.param)
    return X, y, LaplacianClassifier(method="dense").fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "rtol"), [("tree", 1e-6), ("fourier", 1e-9)])
def test_a_fit_by_trees_or_transforms_is_as_near_to_the_exact_one_as_was_asked(exact, method, rtol):
    if method == "fourier":
        pytest.importorskip("finufft")
    X, y, dense = exact
    clf = LaplacianClassifier(method=method, rtol=rtol).fit(X, y)
    assert clf.sums_method_ == method
    np.testing.assert_allclose(clf.log_weights_, dense.log_weights_, rtol=0, atol=rtol)
    np.testing.assert_allclose(clf.log_normalizers_, dense.log_normalizers_, rtol=0, atol=rtol)
    assert clf.exponent_ == pytest.approx(dense.exponent_, rel=100 * rtol)
    rows = slice(0, 500)
    np.testing.assert_allclose(
        clf.decision_function(X[rows]), dense.decision_function(X[rows]), rtol=0, atol=4 * rtol
    )


@pytest.mark.slow
def test_the_choice_of_auto_is_told_and_changes_no_digit_that_was_promised(exact):
    X, y, dense = exact
    auto = LaplacianClassifier().fit(X, y)
    assert auto.sums_method_ in ("dense", "tree")
    np.testing.assert_allclose(auto.log_weights_, dense.log_weights_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        auto.log_normalizers_, dense.log_normalizers_, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("bandwidth", [0.5, [0.4, 0.6], [[0.4, 0.6]], [[0.4, 0.6], [0.5, 0.5]]])
@pytest.mark.parametrize(("options", "most"), [({}, 2.0), ({"keep": 0.1}, 1.7)])
def test_a_fit_takes_two_passes_over_the_pairs(monkeypatch, bandwidth, options, most):
    X, y = sample(600, 2)
    pairs = []

    def counted(function):
        def count(X, Y, *arguments, **options):
            pairs.append(len(X) * len(Y))
            return function(X, Y, *arguments, **options)

        return count

    monkeypatch.setattr(_native, "kernel_sums", counted(_native.kernel_sums))
    LaplacianClassifier(bandwidth=bandwidth, **options).fit(X, y)
    assert (most - 1) * len(X) ** 2 < sum(pairs) <= most * len(X) ** 2


def test_a_tolerance_of_zero_is_the_dense_fit_bit_for_bit():
    X, y = sample(4000, 2)
    dense = LaplacianClassifier(method="dense").fit(X, y)
    exact = LaplacianClassifier(method="tree", rtol=0).fit(X, y)
    assert exact.sums_method_ == "dense"
    np.testing.assert_array_equal(exact.log_weights_, dense.log_weights_)
    np.testing.assert_array_equal(exact.log_normalizers_, dense.log_normalizers_)


@pytest.mark.parametrize("bandwidth", [[0.2, 0.5], [[0.2, 0.4]], [[0.2, 0.4], [0.5, 0.3]]])
@pytest.mark.parametrize("options", [{}, {"keep": 0.02}, {"n_density_samples": 800}])
def test_every_form_of_a_fit_can_be_left_to_trees(bandwidth, options):
    X, y = sample(3000, 2)
    fits = [
        LaplacianClassifier(bandwidth=bandwidth, random_state=0, **options, **how).fit(X, y)
        for how in ({"method": "dense"}, {"method": "tree", "rtol": 1e-10})
    ]
    for name in ("log_weights_", "log_normalizers_"):
        dense, tree = (getattr(clf, name) for clf in fits)
        np.testing.assert_allclose(tree, dense, rtol=0, atol=1e-8 if "keep" in options else 1e-10)


def test_novelty_is_judged_by_the_same_strategy():
    X, y = sample(3000, 2)
    dense, tree = (
        LaplacianClassifier(novelty=0.05, method=m, rtol=1e-9).fit(X, y) for m in ("dense", "tree")
    )
    np.testing.assert_array_equal(tree.predict(X) == -2, dense.predict(X) == -2)


@pytest.mark.parametrize("kernel", ["triangular", "laplacian"])
def test_a_strategy_that_cannot_serve_the_self_convolution_is_refused_at_once(kernel):
    X, y = sample(50, 2)
    with pytest.raises(ValueError, match=r"method='tree' has no bounds .* use method='dense'"):
        LaplacianClassifier(kernel=kernel, method="tree").fit(X, y)
