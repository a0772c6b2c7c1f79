"""The data-dependent kernel: its formula, its distances, and where it may be used."""

from __future__ import annotations

import copy
import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from parzen import KernelDensity, L2KernelDensity, kernel_sums
from parzen.bandwidth import CrossValidation
from parzen.classifiers import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelMSEClassifier,
    KernelNaiveBayes,
    L2Classifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
)
from parzen.expansion import KernelExpansion
from parzen.kernels import ConformalKernel, Polynomial, get


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def plain_formula(X, Y, cores, alpha, h0, h1):
    def gauss(a, b, h):
        return np.exp(-((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2) / (2 * h * h))

    def q(Z):
        return alpha[0] + gauss(Z, cores, h1) @ alpha[1:]

    return q(X)[:, None] * q(Y)[None, :] * gauss(X, Y, h0)


@pytest.fixture
def case(rng):
    X, Y, cores = rng.normal(size=(7, 3)), rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    alpha = rng.normal(size=5)
    return X, Y, ConformalKernel("gaussian", cores, alpha, "gaussian", 0.8), cores, alpha


def test_it_is_the_printed_formula(case):
    X, Y, kernel, cores, alpha = case
    expected = plain_formula(X, Y, cores, alpha, 1.7, 0.8)
    np.testing.assert_allclose(kernel(X, Y, bandwidth=1.7), expected, rtol=1e-13)
    np.testing.assert_allclose(kernel.similarity(X, Y, bandwidth=1.7), expected, rtol=1e-13)
    own = np.diag(plain_formula(X, X, cores, alpha, 1.7, 0.8))
    np.testing.assert_allclose(kernel.diagonal(X, bandwidth=1.7), own, rtol=1e-13)


def test_cores_may_have_a_bandwidth_each(rng):
    X, cores = rng.normal(size=(6, 2)), rng.normal(size=(2, 2))
    both = ConformalKernel("gaussian", cores, [0.5, 1.0, -2.0], core_bandwidth=[0.3, 2.0])
    first = ConformalKernel("gaussian", cores[:1], [0.0, 1.0], core_bandwidth=0.3)
    second = ConformalKernel("gaussian", cores[1:], [0.0, 1.0], core_bandwidth=2.0)
    expected = 0.5 + first.factor(X) - 2.0 * second.factor(X)
    np.testing.assert_allclose(both.factor(X), expected, rtol=1e-13)


@pytest.mark.parametrize("base", ["gaussian", "laplacian", Polynomial(degree=2, constant=0.0)])
def test_distances_are_those_of_the_feature_space(rng, base):
    X, Y, cores = rng.normal(size=(6, 2)), rng.normal(size=(4, 2)), rng.normal(size=(3, 2))
    kernel = ConformalKernel(base, cores, [1.0, 0.5, -0.7, 2.0])
    own, other = np.diag(kernel(X, X, bandwidth=2.0)), np.diag(kernel(Y, Y, bandwidth=2.0))
    squared = own[:, None] + other[None, :] - 2 * kernel(X, Y, bandwidth=2.0)
    np.testing.assert_allclose(kernel.distances(X, Y, bandwidth=2.0) ** 2, squared, atol=1e-12)


def test_a_small_distance_keeps_its_digits():
    kernel = ConformalKernel("gaussian", [[0.0]], [3.0, 0.0])
    distance = kernel.distances([[0.0]], [[1e-6]], bandwidth=1e4).item()
    assert distance == pytest.approx(3.0 * 1e-10, rel=1e-9)


def test_a_gram_matrix_is_positive_semi_definite_if_the_base_is_mercer(case):
    X, _, kernel, _, _ = case
    assert kernel.is_mercer(3)
    assert not ConformalKernel("uniform", np.zeros((1, 3)), [1.0, 0.0]).is_mercer(3)
    eigenvalues = np.linalg.eigvalsh(kernel(X, X, bandwidth=1.0))
    assert eigenvalues.min() > -1e-12 * eigenvalues.max()


@pytest.mark.parametrize("scaled", [False, True])
def test_kernel_sums_takes_it(case, rng, scaled):
    X, Y, kernel, _, _ = case
    weights = rng.normal(size=(5, 2))
    sums = kernel_sums(X, Y, weights, kernel=kernel, bandwidths=[0.7, 2.0], scaled=scaled)
    if scaled:
        sums = sums.mantissa * np.exp(sums.log_scale)
    for b, h in enumerate((0.7, 2.0)):
        np.testing.assert_allclose(sums[:, :, b], kernel(X, Y, bandwidth=h) @ weights, rtol=1e-11)


def test_scikit_learn_takes_it(rng):
    X = rng.normal(size=(80, 2))
    y = (np.hypot(*X.T) > 1.1).astype(int)
    kernel = ConformalKernel("gaussian", [[0.0, 0.0]], [1.0, -1.0])
    by_call = SVC(kernel=partial(kernel, bandwidth=3.0)).fit(X, y)
    by_matrix = SVC(kernel="precomputed").fit(kernel(X, X, bandwidth=3.0), y)
    np.testing.assert_array_equal(
        by_call.predict(X), by_matrix.predict(kernel(X, X, bandwidth=3.0))
    )
    neighbours = KNeighborsClassifier(3, metric="precomputed")
    D = kernel.distances(X, X, bandwidth=3.0)
    assert neighbours.fit(D, y).score(D, y) > 0.95


@pytest.mark.parametrize(
    "Machine",
    [
        BMachineClassifier,
        KernelFisherClassifier,
        KernelMSEClassifier,
        LSSVMClassifier,
        RLSClassifier,
    ],
)
def test_the_least_squares_family_takes_it(rng, Machine):
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(30, 2))
    y = (np.hypot(*X.T) > 1.1).astype(int)
    kernel = ConformalKernel("gaussian", [[0.0, 0.0]], [1.0, -2.0])  # changes sign at the edge
    model = Machine(kernel=kernel, bandwidth=3.0).fit(X, y)
    K, across = (kernel(A, X, bandwidth=3.0) for A in (X, new))
    peer = Machine(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(
        model.decision_function(new), peer.decision_function(across), rtol=1e-6, atol=1e-9
    )
    assert model.score(X, y) > 0.9
    chosen = Machine(kernel=kernel, bandwidth=CrossValidation([0.5, 3.0])).fit(X, y)
    assert chosen.bandwidth_ in (0.5, 3.0)


@pytest.mark.parametrize(
    "Estimator",
    [
        KernelDensity,
        KernelNaiveBayes,
        L2Classifier,
        L2KernelDensity,
        LaplacianClassifier,
        ParzenClassifier,
    ],
)
def test_it_is_no_density_and_density_rules_say_so(rng, Estimator):
    kernel = ConformalKernel("gaussian", [[0.0]], [1.0, 1.0])
    assert not kernel.is_density
    with pytest.raises(ValueError, match="'conformal' is not a density"):
        Estimator(kernel=kernel).fit(rng.normal(size=(9, 1)), [0, 1, 0, 1, 0, 1, 0, 1, 0])
    with pytest.raises(ValueError, match="not a density"):
        kernel.convolved(1)


def test_an_expansion_scores_with_it(case, rng):
    X, Y, kernel, _, _ = case
    W = rng.normal(size=(5, 3))
    expansion = KernelExpansion(
        points=Y, kernel=kernel, bandwidth=np.array(1.3), n_classes=3, weights=W,
        offset=np.arange(3.0), unit_peak=True,
    )  # fmt: skip
    expected = kernel(X, Y, bandwidth=1.3) @ W + np.arange(3.0)
    np.testing.assert_allclose(expansion.scores(X), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("ask", [
    lambda k: k.log([[0.0]], [[1.0]]),
    lambda k: k.log_profile([1.0], 1.0, 1),
    lambda k: kernel_sums([[0.0]], [[1.0]], kernel=k, bandwidths=1.0, log=True),
    lambda k: k.pairs([[0.0]], [[1.0]]),
])  # fmt: skip
def test_what_it_does_not_have_is_refused_with_a_sentence(ask):
    kernel = ConformalKernel("gaussian", [[0.0]], [1.0, -2.0])
    with pytest.raises(ValueError, match=r"negative|depends on where|positive values"):
        ask(kernel)


def test_it_is_a_value():
    kernel = ConformalKernel("gaussian", [[0.0]], [1.0, 1.0])
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin == kernel == copy.deepcopy(kernel)
    assert hash(twin) == hash(kernel)
    assert kernel != ConformalKernel("gaussian", [[0.0]], [1.0, 2.0])
    assert kernel != get("gaussian")
    assert get(kernel) is kernel
    with pytest.raises(ValueError, match="read-only"):
        kernel.coefficients[0] = 5.0


@pytest.mark.parametrize(("arguments", "message"), [
    ((([[0.0]]), [1.0]), r"shape \(2,\)"),
    ((([[0.0]]), [1.0, np.nan]), "finite"),
    ((([[0.0]]), [1.0, 1.0], "gaussian", 0.0), "core_bandwidth must be positive"),
    ((([[0.0]]), [1.0, 1.0], "gaussian", [1.0, 1.0]), "one for each core"),
    ((([[0.0]]), [1.0, 1.0], "gausian"), "unknown kernel"),
])  # fmt: skip
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        ConformalKernel("gaussian", *arguments)
