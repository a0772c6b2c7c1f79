"""Separability and alignment against their definitions in the empirical feature space."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.feature_space import EmpiricalKernelMap, class_separability, kernel_alignment
from parzen.kernels import ConformalKernel, Polynomial, get


def scatter_traces(Y, labels):
    """tr S_b and tr S_w of points in a Euclidean space, as defined below eq. (6)."""
    mean = Y.mean(axis=0)
    between = within = 0.0
    for c in np.unique(labels):
        own = Y[labels == c]
        between += len(own) * ((own.mean(axis=0) - mean) ** 2).sum() / len(Y)
        within += ((own - own.mean(axis=0)) ** 2).sum() / len(Y)
    return between, within


def centred(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def between_class_matrix(K, labels):
    """B of the paper, class by class."""
    same = np.equal.outer(labels, labels)
    sizes = np.array([(labels == c).sum() for c in labels])
    return K * same / sizes[:, None] - K / len(K)


@pytest.fixture(params=[2, 4])
def sample(request):
    rng = np.random.default_rng(request.param)
    y = np.repeat(np.arange(request.param), [17, 9, 5, 12][: request.param])
    X = rng.normal(size=(len(y), 3)) + y[:, None]
    order = rng.permutation(len(y))
    return X[order], y[order]


KERNELS = [
    get("gaussian"),
    Polynomial(degree=2, constant=0.0),
    ConformalKernel("gaussian", np.eye(3), [0.3, 1.0, -2.0, 0.5]),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_theorem_1(sample, kernel):
    X, y = sample
    K = kernel.similarity(X, X, bandwidth=2.0)
    image = EmpiricalKernelMap(kernel, 2.0).fit_transform(X)
    between, within = scatter_traces(image, y)
    assert class_separability(K, y) == pytest.approx(between / within, rel=1e-9)
    on_data = class_separability(X, y, kernel=kernel, bandwidth=2.0)
    assert on_data == pytest.approx(class_separability(K, y), rel=1e-10)


def test_equation_16_is_the_centred_alignment_of_two_classes():
    rng = np.random.default_rng(0)
    X, xi = rng.normal(size=(30, 2)), np.where(rng.random(30) < 0.3, -1.0, 1.0)
    K = get("gaussian").similarity(X, X, bandwidth=1.0)
    Kc, T = centred(K), centred(np.outer(xi, xi))
    expected = (Kc * T).sum() / (np.linalg.norm(Kc) * np.linalg.norm(T))
    assert kernel_alignment(K, xi) == pytest.approx(expected, rel=1e-12)
    plain = (K * np.outer(xi, xi)).sum() / (np.linalg.norm(K) * len(xi))
    assert kernel_alignment(K, xi, centered=False) == pytest.approx(plain, rel=1e-12)


def test_equations_17_and_19_the_target_product_is_the_scatter_between_classes():
    rng = np.random.default_rng(1)
    X, xi = rng.normal(size=(25, 2)), np.where(rng.random(25) < 0.4, -1.0, 1.0)
    Kc = centred(get("gaussian").similarity(X, X, bandwidth=1.0))
    xi_c = xi - xi.mean()
    m, m1, m2 = len(xi), (xi < 0).sum(), (xi > 0).sum()
    scatter = between_class_matrix(Kc, xi).sum()
    product = (Kc * np.outer(xi_c, xi_c)).sum()
    assert product == pytest.approx(4 * m1 * m2 / m * scatter, rel=1e-12)  # (19)
    assert product / np.linalg.norm(np.outer(xi_c, xi_c)) == pytest.approx(scatter)  # (17)
    alignment = kernel_alignment(Kc, xi)
    assert alignment == pytest.approx(scatter / np.linalg.norm(Kc), rel=1e-10)


def test_alignment_of_more_classes_uses_centred_one_hot_targets(sample):
    X, y = sample
    K = get("gaussian").similarity(X, X, bandwidth=1.5)
    Kc, T = centred(K), centred(np.equal.outer(y, y).astype(float))
    expected = (Kc * T).sum() / (np.linalg.norm(Kc) * np.linalg.norm(T))
    assert kernel_alignment(K, y) == pytest.approx(expected, rel=1e-11)
    on_data = kernel_alignment(X, y, kernel="gaussian", bandwidth=1.5)
    assert on_data == pytest.approx(expected, rel=1e-11)


def test_uncentred_alignment_of_more_than_two_classes_is_refused():
    with pytest.raises(ValueError, match="defined for two classes, but y has 3"):
        kernel_alignment(np.eye(3), [0, 1, 2], centered=False)


def test_a_very_wide_kernel_keeps_its_digits(sample):
    """For bandwidth h to infinity 1 - k is r^2 / 2 h^2: the linear kernel's geometry."""
    X, y = sample
    linear = class_separability(X, y, kernel="linear")
    assert class_separability(X, y, kernel="gaussian", bandwidth=1e5) == pytest.approx(linear, 1e-4)
    aligned = kernel_alignment(X, y, kernel="linear")
    assert kernel_alignment(X, y, kernel="gaussian", bandwidth=1e5) == pytest.approx(aligned, 1e-4)


def test_weights_are_frequencies(sample):
    X, y = sample
    w = np.random.default_rng(5).integers(1, 4, size=len(y))
    again = np.repeat(X, w, axis=0), np.repeat(y, w)
    for measure in (class_separability, kernel_alignment):
        weighted = measure(X, y, kernel="gaussian", bandwidth=1.0, sample_weight=w)
        assert weighted == pytest.approx(measure(*again, kernel="gaussian", bandwidth=1.0), 1e-10)


def test_rows_in_blocks_give_the_same(sample):
    from sklearn import config_context

    X, y = np.repeat(sample[0], 30, axis=0), np.repeat(sample[1], 30)
    whole = class_separability(X, y, kernel="gaussian")
    with config_context(working_memory=0.05):
        assert class_separability(X, y, kernel="gaussian") == pytest.approx(whole, rel=1e-11)


def test_extremes_of_separability():
    assert class_separability([[0.0], [0.0], [5.0]], [0, 0, 1], kernel="gaussian") == np.inf
    assert class_separability([[0.0], [5.0]], [0, 1], kernel="gaussian") == np.inf
    assert class_separability([[1.0], [1.0]], [0, 1], kernel="gaussian") == 0.0
    assert class_separability([[1.0], [2.0]], [0, 0], kernel="gaussian") == 0.0
    assert kernel_alignment([[1.0], [1.0]], [0, 1], kernel="gaussian") == 0.0
    assert kernel_alignment([[1.0], [2.0]], [0, 0], kernel="gaussian") == 0.0


@pytest.mark.parametrize("measure", [class_separability, kernel_alignment])
def test_wrong_input_is_named(measure):
    with pytest.raises(ValueError, match=r"square Gram matrix, got shape \(3, 2\)"):
        measure(np.ones((3, 2)), [0, 1, 1])
    with pytest.raises(ValueError, match="symmetric"):
        measure(np.array([[1.0, 0.5], [0.1, 1.0]]), [0, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        measure(np.eye(3), [0, 1])
    with pytest.raises(ValueError, match="contains NaN"):
        measure(np.full((2, 2), np.nan), [0, 1])
