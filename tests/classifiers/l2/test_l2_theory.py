"""What Kim & Scott (2010) prove or claim of the L2 classifier, seen in simulations.

Densities are normal, so that every integral of theirs has a closed form: the convolution of two
normal densities is a normal density whose variance is the sum of theirs.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.svm import SVC

from parzen import KernelDensity, L2Classifier, L2KernelDensity
from parzen.kernels import get
from parzen.l2 import oracle_epsilon
from parzen.solvers import simplex_qp

MEANS = np.array([-1.0, 1.0])  # of the two classes, each of variance 1
PRIOR = 0.6  # of the second class
GAMMA = (1.0 - PRIOR) / PRIOR


def normal(x, mean, deviation):
    return norm.pdf(x, mean, deviation)


def draw(n, seed, *, random_classes=True):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < PRIOR if random_classes else np.arange(n) < round(PRIOR * n)
    y = y.astype(int)
    return rng.normal(MEANS[y])[:, None], y


def true_h(x, s, gamma):
    """h(x) = int d(z) k_s(z, x) dz, d = f_1 - gamma f_0."""
    spread = np.sqrt(1.0 + s**2)
    return normal(x, MEANS[1], spread) - gamma * normal(x, MEANS[0], spread)


def leave_one_out_h(X, y, s, gamma):
    """The estimates of h at the training rows, by plain loops; c_i = Y_i h_i in eq. (7)."""
    K = get("gaussian")(X, X, bandwidth=s)
    np.fill_diagonal(K, 0.0)
    size = np.array([[np.sum(y == c) - (y[i] == c) for c in (0, 1)] for i in range(len(y))])
    sums = np.stack([K[:, y == c].sum(axis=1) for c in (0, 1)], axis=1) / size
    return sums[:, 1] - gamma * sums[:, 0]


def integrated_squared_error(clf, gamma):
    """int (d_a - d)^2 for the fitted weights, d = f_1 - gamma f_0, in closed form."""
    s, x, b = float(clf.bandwidth_), clf.support_vectors_[:, 0], clf.dual_coef_[0]
    square = b @ normal(x[:, None], x, np.sqrt(2.0) * s) @ b
    cross = b @ true_h(x, s, gamma)
    own = normal(0.0, 0.0, np.sqrt(2.0))
    truth = (1.0 + gamma**2) * own - 2.0 * gamma * normal(MEANS[0], MEANS[1], np.sqrt(2.0))
    return square - 2.0 * cross + truth


def test_the_linear_term_of_the_fit_is_that_of_the_simulations():
    """The objective at the solution uses the same h that the tests below study."""
    X, y = draw(80, 0)
    s = 0.5
    clf = L2Classifier(bandwidth=s, gamma=GAMMA, tol=1e-12).fit(X, y)
    b, h = clf.dual_coef_[0], leave_one_out_h(X, y, s, GAMMA)[clf.support_]
    Q = normal(clf.support_vectors_, clf.support_vectors_.T, np.sqrt(2.0) * s)
    peak = normal(0.0, 0.0, np.sqrt(2.0) * s)
    assert clf.objective_ * peak == pytest.approx(0.5 * b @ Q @ b - b @ h, rel=1e-9)


@pytest.mark.slow
def test_lemma_1_the_linear_term_is_unbiased():
    """E[h_i | X_i] = h(X_i): a row that stays, in 4 000 samples whose other rows are new."""
    s, n, repeats = 0.5, 20, 4000
    for fixed, label in ((0.3, 1), (-1.5, 0)):
        found = np.empty(repeats)
        for seed in range(repeats):
            X, y = draw(n, seed, random_classes=False)
            i = np.flatnonzero(y == label)[0]
            X[i] = fixed
            found[seed] = leave_one_out_h(X, y, s, GAMMA)[i]
        standard_error = found.std() / np.sqrt(repeats)
        assert abs(found.mean() - true_h(fixed, s, GAMMA)) < 4.0 * standard_error
        # With its own kernel the estimate is not: the bias is k(0) / n_c, many standard errors.
        own = normal(0.0, 0.0, s) / np.sum(y == label)
        assert own * (1.0 if label == 1 else GAMMA) > 20.0 * standard_error


@pytest.mark.slow
def test_lemma_1_bounds_the_deviation_of_the_criterion():
    """sup over the simplices of |H_n - H| exceeds the epsilon of the lemma at most so often.

    The supremum of a linear function is attained at corners: per class the largest deviation of h.
    """
    s, n, delta, repeats = 0.7, 100, 0.2, 300
    exceeded = 0
    for seed in range(repeats):
        X, y = draw(n, seed, random_classes=False)
        counts = np.bincount(y).astype(float)
        deviation = leave_one_out_h(X, y, s, GAMMA) - true_h(X[:, 0], s, GAMMA)
        first, second = deviation[y == 0], deviation[y == 1]
        highest = second.max() - GAMMA * first.min()
        lowest = second.min() - GAMMA * first.max()
        log_peak = float(np.log(normal(0.0, 0.0, s)))
        epsilon = oracle_epsilon(delta, counts, GAMMA, log_peak)
        exceeded += max(highest, -lowest) > epsilon
    assert exceeded / repeats <= delta


def test_lemma_1_the_criterion_converges_as_the_sample_grows():
    """The largest deviation falls like 1 / sqrt(n) at a fixed bandwidth."""
    s, sizes = 0.7, (50, 200, 800)
    largest = []
    for n in sizes:
        each = []
        for seed in range(20):
            X, y = draw(n, seed, random_classes=False)
            deviation = leave_one_out_h(X, y, s, GAMMA) - true_h(X[:, 0], s, GAMMA)
            each.append(np.abs(deviation).max())
        largest.append(np.mean(each))
    rates = np.diff(np.log(largest)) / np.diff(np.log(sizes))
    assert ((rates < -0.35) & (rates > -0.65)).all()


def shrinking_bandwidth(n):
    """A bandwidth for which sigma -> 0 and n sigma^2 / ln n -> infinity, as Theorem 3 asks."""
    return 1.7 * n**-0.2


@pytest.mark.slow
def test_theorems_2_and_3_error_and_squared_error_converge():
    """gamma = N- / N+ is estimated; the error of the sign is an integral over the line."""
    grid = np.linspace(-9.0, 9.0, 6001)
    densities = np.array([1.0 - PRIOR, PRIOR])[:, None] * normal(grid, MEANS[:, None], 1.0)
    bayes = np.trapezoid(densities.min(axis=0), grid)
    excess, squared = [], []
    for n in (50, 400, 3200):
        errors, ise = [], []
        for seed in range(8):
            clf = L2Classifier(bandwidth=shrinking_bandwidth(n)).fit(*draw(n, seed))
            decided = (clf.decision_function(grid[:, None]) > 0).astype(int)
            wrong = densities[1 - decided, np.arange(len(grid))]
            errors.append(np.trapezoid(wrong, grid) - bayes)
            ise.append(integrated_squared_error(clf, GAMMA))
        excess.append(np.mean(errors))
        squared.append(np.mean(ise))
    assert min(excess) > -1e-6  # no rule errs less than Bayes's
    assert excess[0] > excess[1] > excess[2]
    assert excess[2] < 0.001
    assert squared[0] > 2.0 * squared[1] > 4.0 * squared[2] > 0.0


def test_corollary_2_the_density_converges():
    squared = []
    for n in (50, 400, 3200):
        each = []
        for seed in range(8):
            X = np.random.default_rng(seed).normal(size=(n, 1))
            density = L2KernelDensity(bandwidth=shrinking_bandwidth(n)).fit(X)
            s, x, a = float(density.bandwidth_), density.points_[:, 0], density.weights_
            square = a @ normal(x[:, None], x, np.sqrt(2.0) * s) @ a
            cross = a @ normal(x, 0.0, np.sqrt(1.0 + s**2))
            each.append(square - 2.0 * cross + normal(0.0, 0.0, np.sqrt(2.0)))
        squared.append(np.mean(each))
    assert squared[0] > 2.0 * squared[1] > 4.0 * squared[2] > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["gaussian", "cauchy"])
def test_section_5_1_smoothing_leads_to_comparable_classifiers(kernel):
    """k = 0, 1, 4, the bandwidth chosen anew for each: the mean errors differ by less than 2 %."""
    errors = [
        np.mean([
            1.0 - L2Classifier(kernel, smoothing=k).fit(*two_dimensions(200, seed)).score(
                *two_dimensions(2000, 100 + seed)
            )
            for seed in range(4)
        ])
        for k in (0.0, 1.0, 4.0)
    ]  # fmt: skip
    assert np.ptp(errors) < 0.02


def test_section_5_1_at_a_fixed_bandwidth_less_smoothing_is_not_sparser():
    """The paper observed it with bandwidths chosen for each k; at a common one k = 4 is sparser."""
    kept = [
        np.mean([
            len(L2Classifier(bandwidth=0.5, smoothing=k).fit(*two_dimensions(300, seed)).support_)
            for seed in range(6)
        ])
        for k in (0.0, 4.0)
    ]  # fmt: skip
    assert kept[1] < 0.5 * kept[0]


def two_dimensions(n, seed):
    """Two overlapping classes; the error of Bayes's rule is 15.9 %."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 2)) + np.array([np.sqrt(2.0), np.sqrt(2.0)]) * y[:, None], y


def test_section_5_2_where_classes_overlap_fewer_kernels_remain():
    """The set A' lets kernels of the two classes cancel: its solutions are sparser here."""
    counts = {"simplex": 0, "relaxed": 0}
    for seed in range(6):
        X, y = two_dimensions(300, seed)
        for constraint in counts:
            clf = L2Classifier(bandwidth=0.5, constraint=constraint).fit(X, y)
            counts[constraint] += len(clf.support_)
    assert counts["relaxed"] < counts["simplex"]


def test_the_cauchy_kernel_serves_beside_the_gaussian():
    """Section 5.4: errors of both within 2 percentage points of each other and of Bayes + 4."""
    errors = {}
    for kernel in ("gaussian", "cauchy"):
        each = [
            1.0 - L2Classifier(kernel).fit(*two_dimensions(200, seed)).score(
                *two_dimensions(2000, 100 + seed)
            )
            for seed in range(4)
        ]  # fmt: skip
        errors[kernel] = np.mean(each)
    assert abs(errors["gaussian"] - errors["cauchy"]) < 0.02
    assert max(errors.values()) < 0.159 + 0.04


def test_section_5_1_the_criterion_is_an_integral_over_frequencies():
    """(9): both terms by quadrature of the Fourier transforms with the weight exp(-l^2 w^2)."""
    X, y = draw(40, 3)
    s, smoothing = 0.5, 1.5
    clf = L2Classifier(bandwidth=s, smoothing=smoothing, gamma=GAMMA, tol=1e-12).fit(X, y)
    low_pass = (smoothing * s) ** 2
    w = np.linspace(-40.0, 40.0, 8001)
    waves = np.exp(1j * w * X)  # one row for each row of the sample
    b = np.zeros(len(X))
    b[clf.support_] = clf.dual_coef_[0]
    square = np.abs(b @ waves) ** 2 * np.exp(-(s**2 + low_pass) * w**2)
    one_kernel = np.exp(-(0.5 * s**2 + low_pass) * w**2)
    linear = np.zeros_like(w)
    for c, sign in ((1, 1.0), (0, -GAMMA)):
        others = (y == c).sum() - (y == c)
        left_out = (y == c) @ waves - waves * (y == c)[:, None]
        linear += sign * (b / others) @ np.real(waves.conj() * left_out) * one_kernel
    criterion = np.trapezoid(0.5 * square - linear, w) / (2.0 * np.pi)
    rho = np.sqrt(2.0) * s * np.sqrt(1.0 + smoothing**2)
    assert clf.objective_ * normal(0.0, 0.0, rho) == pytest.approx(criterion, rel=1e-8)


def test_section_4_1_weight_lies_where_a_class_is_dense_but_many_kernels_at_its_rim():
    """The paper says that nonzero weights lie where the density is high: it is so by weight alone.

    A row's rank is the share of its class where the density is lower, 1/2 on average.
    """
    by_weight, by_number = [], []
    for seed in range(5):
        X, y = two_dimensions(400, seed)
        clf = L2Classifier(bandwidth=0.5).fit(X, y)
        rank = np.empty(len(X))
        for c in (0, 1):
            density = KernelDensity(0.5).fit(X[y == c]).score_samples(X[y == c])
            rank[y == c] = density.argsort().argsort() / len(density)
        by_weight.append(np.average(rank[clf.support_], weights=clf.weights_))
        by_number.append(rank[clf.support_].mean())
    assert np.mean(by_weight) > 0.53
    assert np.mean(by_number) < 0.47


def test_section_5_5_in_many_dimensions_eta_keeps_more_kernels_and_errs_less():
    """The quotient of the terms grows like sqrt(2)^d: at eta = 1 the linear one decides alone."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1300)
    X = rng.normal(size=(1300, 20)) + 0.5 * y[:, None]
    train, test = slice(0, 300), slice(300, None)
    plain, balanced = (
        L2Classifier(bandwidth=2.0, eta=eta).fit(X[train], y[train]) for eta in (1.0, 2.0**5)
    )
    assert len(plain.support_) < 0.2 * len(balanced.support_)
    assert balanced.score(X[test], y[test]) > plain.score(X[test], y[test]) + 0.02


@pytest.mark.slow
def test_theorem_1_no_weights_do_better_than_those_of_the_fit_by_more_than_its_bound():
    """The best weights of the simplices know the true h; they are found by the same solver."""
    s, delta = 0.7, 0.2
    above = []
    for n in (50, 200):
        each = []
        for seed in range(12):
            X, y = draw(n, seed, random_classes=False)
            clf = L2Classifier(bandwidth=s, gamma=GAMMA, tol=1e-6).fit(X, y)
            signs = np.where(y == 1, 1.0, -GAMMA)
            Q = signs[:, None] * signs * normal(X, X.T, np.sqrt(2.0) * s)
            best = simplex_qp(Q, signs * true_h(X[:, 0], s, GAMMA), y, tol=1e-6)
            fitted = np.zeros(n)
            fitted[clf.support_] = clf.weights_
            ise = fitted @ Q @ fitted - 2.0 * (fitted * signs) @ true_h(X[:, 0], s, GAMMA)
            excess = ise - 2.0 * best.objective
            assert -1e-6 < excess < 4.0 * clf.oracle_bound(delta)
            each.append(excess)
        above.append(np.mean(each))
    assert above[1] < above[0] / 2


def test_section_4_2_the_quadratic_term_alone_has_the_hyperplane_of_the_largest_margin():
    """With the linear term divided by a large eta, beside the hard margin of LIBSVM."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + 3.0 * y[:, None]
    clf = L2Classifier(bandwidth=1.0, eta=1e9, gamma=1.0, tol=1e-11).fit(X, y)
    machine = SVC(C=1e12, gamma=0.25, tol=1e-10).fit(X, y)  # the kernel of width sqrt(2)
    weights, theirs = np.zeros(80), np.zeros(80)
    weights[clf.support_] = clf.weights_
    theirs[machine.support_] = np.abs(machine.dual_coef_[0])
    np.testing.assert_allclose(weights, theirs / theirs[y == 1].sum(), atol=1e-4)
    assert 2 < len(clf.support_) < 20
