"""The Laplacian classifier against its formulas, written down plainly."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import LaplacianClassifier
from parzen.datasets import make_ring
from parzen.kernels import get
from parzen.sums.reference import pair_measure

QUERIES = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0], [8.0, 8.0]])


def log_pairs(X, Y, kernel, s, *, convolved):
    """Log k_s or log (k*k)_s of all pairs; s is a number or one width per feature."""
    d = X.shape[1]
    k = get(kernel).convolved(d) if convolved else get(kernel)
    scale = np.asarray(s, dtype=np.longdouble)
    if scale.ndim == 1:
        X, Y, volume, s = X / scale, Y / scale, -np.log(scale).sum(), 1.0
    else:
        volume = 0.0
    if k.measure == "coordinates":
        pairs = np.abs(np.asarray(X, np.longdouble)[:, None] - np.asarray(Y, np.longdouble)[None])
        pairs = pairs.astype(np.float64)
    elif type(k).__name__ == "Rescaled":
        k, s = k.kernel, s * k.factor
        pairs = pair_measure(X, Y, k.measure)
    else:
        pairs = pair_measure(X, Y, k.measure)
    if get(kernel).name not in ("gaussian", "cauchy"):
        pairs = pairs.astype(np.float64)
    return k.log_profile(pairs, s, d) + k.log_normalizer(float(s), d) + volume


def log_sum(values, axis):
    largest = values.max(axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(values - largest).sum(axis=axis)) + np.squeeze(largest, axis)


def width(bandwidth, c):
    h = np.asarray(bandwidth, dtype=np.float64)
    return h if h.ndim == 0 else h[c if len(h) > 1 else 0]


def reference(X, y, queries, *, bandwidth, kernel="gaussian", power=0.5, weights=None):
    """Log weights (n,), log V_c (C,) and log gamma_c at the queries (q, C)."""
    w = np.ones(len(X)) if weights is None else weights
    classes = np.unique(y)
    parts = []
    for c, label in enumerate(classes):
        own = y == label
        values = log_pairs(X, X[own], kernel, width(bandwidth, c), convolved=False)
        parts.append(values + np.log(w[own]))
    log_f = log_sum(np.concatenate(parts, axis=1), axis=1) - np.log(w.sum())
    log_alpha = -power * log_f
    log_v, log_gamma = [], []
    for c, label in enumerate(classes):
        own = y == label
        log_a = log_alpha[own] + np.log(w[own])
        within = log_pairs(X[own], X[own], kernel, width(bandwidth, c), convolved=True)
        log_v.append(0.5 * log_sum((within + log_a[:, None] + log_a).reshape(1, -1), axis=1)[0])
        cross = log_pairs(queries, X[own], kernel, width(bandwidth, c), convolved=True)
        log_gamma.append(log_sum(cross + log_a, axis=1) - log_v[-1])
    return log_alpha, np.array(log_v), np.stack(log_gamma, axis=1)


def close(actual, expected, tolerance=1e-12):
    """Within tolerance (1 + |expected|), equal where infinite."""
    expected = np.asarray(expected, dtype=np.float64)
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def assert_follows_the_paper(X, y, queries, weights=None, **parameters):
    clf = LaplacianClassifier(**parameters).fit(X, y, sample_weight=weights)
    log_alpha, log_v, log_gamma = reference(X, y, queries, weights=weights, **parameters)
    close(clf.log_weights_, log_alpha)
    close(clf.log_normalizers_, log_v)
    scores = clf.decision_function(queries)
    expected = log_gamma if log_gamma.shape[1] > 2 else log_gamma[:, 1] - log_gamma[:, 0]
    close(scores, expected, 1e-11)
    return clf


@pytest.mark.parametrize("power", [0.5, 0.0, 1.0])
@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "laplacian", "radial_laplacian"])
def test_weights_normalisers_and_scores_follow_the_paper(blobs, kernel, power):
    X, y = blobs
    assert_follows_the_paper(X, y, QUERIES, bandwidth=0.7, kernel=kernel, power=power)


@pytest.mark.parametrize("kernel", ["uniform", "triangular", "epanechnikov"])
def test_compact_kernels_follow_the_paper_where_they_reach(blobs, kernel):
    X, y = blobs
    assert_follows_the_paper(X, y, QUERIES[:2], bandwidth=2.5, kernel=kernel)


@pytest.mark.parametrize(
    "bandwidth",
    [[0.5, 0.8, 1.2], [[0.5, 1.5]], [[0.5, 1.5], [0.7, 0.7], [2.0, 0.3]]],
    ids=["per class", "per feature", "both"],
)
@pytest.mark.parametrize("kernel", ["gaussian", "cauchy"])
def test_bandwidths_per_class_and_feature_follow_the_paper(blobs, bandwidth, kernel):
    X, y = blobs
    assert_follows_the_paper(X, y, QUERIES, bandwidth=bandwidth, kernel=kernel)


def test_kernel_and_bandwidth_may_be_given_by_place(blobs):
    by_place, by_name = (
        LaplacianClassifier("cauchy", 0.7),
        LaplacianClassifier(kernel="cauchy", bandwidth=0.7),
    )
    X, y = blobs
    np.testing.assert_array_equal(by_place.fit(X, y).predict(X), by_name.fit(X, y).predict(X))


def test_two_classes_decide_by_the_difference(blobs):
    X, y = blobs
    clf = assert_follows_the_paper(X[y < 2], y[y < 2], QUERIES, bandwidth=0.7)
    np.testing.assert_array_equal(clf.decision_function(X) > 0, clf.predict(X) == 1)


def test_cosines_are_at_most_one_and_agree_with_the_feature_space(blobs):
    X, y = blobs
    k, s = get("gaussian"), 0.7
    clf = LaplacianClassifier(bandwidth=s).fit(X, y)
    norm = 0.5 * k.log_self_convolution(X[:1], X[:1], bandwidth=s).item()
    cosines = np.exp(clf.decision_function(X) - norm)
    f = k(X, X, bandwidth=s).mean(axis=1)
    gram = k.self_convolution(X, X, bandwidth=s) / np.sqrt(np.outer(f, f))
    for c in range(3):
        m = (y == c) / (y == c).sum()
        expected = gram @ m / np.sqrt(np.diag(gram) * (m @ gram @ m))
        np.testing.assert_allclose(cosines[:, c], expected, rtol=1e-12)
    assert cosines.max() <= 1


def test_sample_weights_are_frequencies(blobs):
    X, y = blobs
    rng = np.random.default_rng(1)
    w = rng.integers(0, 4, size=len(X)).astype(float)
    copies = np.repeat(np.arange(len(X)), w.astype(int))
    for bandwidth in (0.7, "silverman", [0.5, 0.8, 1.2]):
        weighted = LaplacianClassifier(bandwidth=bandwidth).fit(X, y, sample_weight=w)
        repeated = LaplacianClassifier(bandwidth=bandwidth).fit(X[copies], y[copies])
        close(weighted.log_weights_[copies], repeated.log_weights_)
        close(weighted.log_normalizers_, repeated.log_normalizers_)
        close(weighted.predict_proba(QUERIES), repeated.predict_proba(QUERIES), 1e-11)
    assert np.isneginf(weighted.log_weights_[w == 0]).all()
    fractional = rng.uniform(0.1, 3.0, size=len(X))
    assert_follows_the_paper(X, y, QUERIES, fractional, bandwidth=0.7)


def test_a_common_factor_of_the_weights_changes_no_label(blobs):
    X, y = blobs
    w = np.random.default_rng(2).uniform(0.5, 2.0, size=len(X))
    one = LaplacianClassifier(bandwidth=0.7).fit(X, y, w).decision_function(QUERIES)
    for factor in (1e-300, 1e-3, 1e100):
        other = LaplacianClassifier(bandwidth=0.7).fit(X, y, factor * w).decision_function(QUERIES)
        close(other, one, 1e-10)


@pytest.mark.parametrize("d", [100, 500])
def test_no_underflow_or_overflow_in_many_dimensions(d):
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, d)) + 0.3 * y[:, None]
    for s in (1e-3, 1.0, 1e3):
        far = np.full((1, d), 1e6 * s / np.sqrt(d))
        queries = np.concatenate([X[:3], far, rng.normal(size=(3, d))])
        clf = assert_follows_the_paper(X, y, queries, bandwidth=s)
        proba = clf.predict_proba(queries)
        assert np.isfinite(proba).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
        assert np.isfinite(clf.exponent_)


def test_the_plug_in_rule_is_the_case_of_a_constant_density_and_equal_normalisers():
    rng = np.random.default_rng(4)
    half = rng.normal(size=(30, 2))
    X = np.concatenate([half, -half])  # mirrored classes have equal V_c
    y = np.repeat([0, 1], 30)
    s = 0.6
    clf = LaplacianClassifier(bandwidth=s, power=0).fit(X, y)
    close(clf.log_normalizers_[0], clf.log_normalizers_[1])
    queries = rng.normal(size=(50, 2))
    densities = [
        get("gaussian")(queries, X[y == c], bandwidth=np.sqrt(2) * s).sum(axis=1) for c in (0, 1)
    ]
    close(clf.decision_function(queries), np.log(densities[1]) - np.log(densities[0]), 1e-11)
    np.testing.assert_array_equal(clf.predict(queries), np.argmax(densities, axis=0))


def test_probabilities_are_powers_of_gamma_and_agree_with_the_labels(blobs):
    X, y = blobs
    clf = LaplacianClassifier().fit(X, y)
    log_gamma = clf.decision_function(X)
    expected = clf.exponent_ * log_gamma
    expected = np.exp(expected - logsumexp(expected, axis=1, keepdims=True))
    close(clf.predict_proba(X), expected, 1e-11)
    assert clf.exponent_ > 0
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[log_gamma.argmax(axis=1)])


def test_the_exponent_is_chosen_on_scores_without_the_own_kernel(blobs):
    """Exact refits of V_c and the own sum, weights frozen, as the documentation says."""
    X, y = blobs
    clf = LaplacianClassifier(bandwidth=0.7).fit(X, y)
    gram = get("gaussian").self_convolution(X, X, bandwidth=0.7)
    alpha = clf.weights_
    losses = {}
    for a in clf.exponent_ * np.array([0.98, 1.0, 1.02]):
        total = 0.0
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            log_gamma = np.empty(3)
            for c in range(3):
                m = np.flatnonzero(rest & (y == c))
                v = np.sqrt(alpha[m] @ gram[np.ix_(m, m)] @ alpha[m])
                log_gamma[c] = np.log(gram[i, m] @ alpha[m] / v)
            target = np.full(3, 0.0015)
            target[y[i]] = 0.997
            total -= target @ (a * log_gamma - logsumexp(a * log_gamma))
        losses[a] = total
    low, middle, high = losses.values()
    assert middle < low
    assert middle < high


def test_priors_costs_and_rejection_act_on_the_probabilities(blobs):
    X, y = blobs
    clf = LaplacianClassifier().fit(X, y)
    base = clf.predict_proba(QUERIES)
    shares = np.bincount(y) / len(y)
    shifted = base * np.array([0.2, 0.3, 0.5]) / shares
    shifted /= shifted.sum(axis=1, keepdims=True)
    other = clf.with_decision(priors=[0.2, 0.3, 0.5])
    close(other.predict_proba(QUERIES), shifted, 1e-11)
    np.testing.assert_array_equal(other.predict(X), other.decision_function(X).argmax(axis=1))
    close(clf.with_decision(priors=shares).predict_proba(QUERIES), base, 1e-11)
    costs = np.array([[0.0, 1.0, 1.0], [9.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    careful = clf.with_decision(costs=costs)
    np.testing.assert_array_equal(
        careful.predict(X), (careful.predict_proba(X) @ costs).argmin(axis=1)
    )
    picky = clf.with_decision(reject=0.3)
    rejected = picky.predict(X) == -1
    np.testing.assert_array_equal(rejected, clf.predict_proba(X).max(axis=1) < 0.7)
    assert 0 < rejected.sum() < len(X)


def test_ties_go_to_the_first_class_whatever_the_shares():
    X = np.array([[-1.0], [1.0], [1.0], [1.0]])
    clf = LaplacianClassifier(bandwidth=1.0).fit(X, ["left", "right", "right", "right"])
    assert clf.decision_function([[0.0]]) == 0.0
    assert clf.predict([[0.0]]) == ["left"]
    close(clf.predict_proba([[0.0]]), [[0.5, 0.5]])


def test_where_no_kernel_reaches_the_shares_decide(blobs):
    X, y = blobs
    clf = LaplacianClassifier(kernel="epanechnikov", bandwidth=0.5).fit(X, y)
    close(clf.predict_proba([[1e3, 1e3]])[0], np.bincount(y) / len(y))
    assert clf.predict([[1e3, 1e3]]) == [0]


def test_score_samples_is_the_density_of_all_points(blobs):
    X, y = blobs
    clf = LaplacianClassifier(bandwidth=0.7).fit(X, y)
    close(
        clf.score_samples(QUERIES), np.log(get("gaussian")(QUERIES, X, bandwidth=0.7).mean(axis=1))
    )
    close(clf.score_samples(X), -2 * clf.log_weights_)
    assert not hasattr(LaplacianClassifier(keep=0.5), "score_samples")
    with pytest.raises(AttributeError, match=r"needs keep=None, got 0.5"):
        LaplacianClassifier(keep=0.5).fit(X, y).score_samples(X)


def test_novel_rows_have_a_small_density(blobs):
    X, y = blobs
    w = np.random.default_rng(7).integers(1, 4, size=len(X)).astype(float)
    clf = LaplacianClassifier(bandwidth=0.7, novelty=0.1).fit(X, y, w)
    values = get("gaussian")(X, X, bandwidth=0.7)
    left_out = (values @ w - np.diag(values)) / (w.sum() - 1)
    order = np.argsort(left_out)
    threshold = left_out[order][np.flatnonzero(np.cumsum(w[order]) - w[order] <= 0.1 * w.sum())[-1]]
    novel = np.exp(clf.score_samples(QUERIES)) < threshold
    np.testing.assert_array_equal(clf.predict(QUERIES) == -2, novel)
    assert novel.tolist() == [False, False, False, True]


def test_significance_orders_the_points_by_weight(blobs):
    X, y = blobs
    clf = LaplacianClassifier().fit(X, y)
    assert np.all(np.diff(clf.weights_[clf.significance_]) <= 0)
    np.testing.assert_array_equal(np.sort(clf.significance_), np.arange(len(X)))
    close(clf.weights_, np.exp(clf.log_weights_))


def test_an_outlier_has_the_largest_weight_but_does_not_dominate(blobs):
    X, y = blobs
    clean = LaplacianClassifier(bandwidth=0.7).fit(X, y)
    for c in range(3):
        outlier = LaplacianClassifier(bandwidth=0.7).fit([*X, [30.0, 30.0]], [*y, c])
        assert outlier.significance_[0] == len(X)
        agreement = np.mean(outlier.predict(X) == clean.predict(X))
        assert agreement >= 0.95


def test_equations_23_to_25_an_outlier_fades_with_its_distance():
    """V^2 with the outlier is that without it, psi, and its own term, which (23) leaves out.

    The weight of the outlier in (24) comes from the other rows alone, unlike that of (8).
    """
    X, y = make_ring(random_state=0)
    ring, s = y == 1, 1.0
    peak = 1.0 / (4.0 * np.pi * s**2)  # of the kernel of width sqrt(2) s in the plane
    shares, printed_weights, effects = [], [], []
    for distance in (7.0, 10.0, 13.0):
        outlier = np.array([[distance, 0.0]])
        clf = LaplacianClassifier(bandwidth=s).fit(np.vstack([X, outlier]), np.append(y, 1))
        own_class, a_o = clf.weights_[:-1][ring], clf.weights_[-1]
        W = get("gaussian")(X[ring], X[ring], bandwidth=np.sqrt(2.0) * s)
        W_o = get("gaussian")(X[ring], outlier, bandwidth=np.sqrt(2.0) * s)[:, 0]
        without, psi = own_class @ W @ own_class, 2.0 * a_o * W_o @ own_class
        place = list(clf.classes_).index(1)
        whole = np.exp(2.0 * clf.log_normalizers_[place])
        assert whole == pytest.approx(without + psi + a_o**2 * peak, rel=1e-9)
        assert a_o**2 * peak < 0.03 * whole
        shares.append(psi / whole)
        in_24 = 1.0 / np.sqrt(W_o.mean())
        by_24 = 2.0 * own_class.mean() * len(own_class) / in_24
        assert 2.0 * in_24 * W_o @ own_class == pytest.approx(by_24, rel=0.15)
        printed_weights.append(in_24)
        effects.append((in_24 * W_o).max())  # xi of (25) at the row of the class nearest to it
    assert shares[0] > 10 * shares[1] > 100 * shares[2]
    assert printed_weights[0] < printed_weights[1] / 5 < printed_weights[2] / 25
    assert effects[0] > 5 * effects[1] > 25 * effects[2]
    assert printed_weights[0] < 47112 < printed_weights[2]  # the weight that the paper prints


def test_accuracy_on_wine_and_iris():
    for load, wanted in ((load_wine, 0.94), (load_iris, 0.92)):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        score = LaplacianClassifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2])
        assert score >= wanted


def test_one_class_one_sample_and_equal_points():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = LaplacianClassifier().fit([[0.0], [1.0]], [3, 3])
    np.testing.assert_array_equal(clf.predict([[9.0]]), [3])
    close(clf.predict_proba([[9.0]]), [[1.0]])
    with pytest.warns(UserWarning, match="class 'b' has one sample"):
        clf = LaplacianClassifier().fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    np.testing.assert_array_equal(clf.predict([[0.2], [5.1]]), ["a", "b"])
    with pytest.warns(UserWarning, match="equal"):
        clf = LaplacianClassifier().fit(np.ones((4, 2)), [0, 0, 1, 1])
    assert np.isfinite(clf.predict_proba([[1.0, 1.0]])).all()


def test_the_result_does_not_depend_on_threads_pickling_or_order(blobs):
    X, y = blobs
    one = LaplacianClassifier(n_jobs=1).fit(X, y)
    two = LaplacianClassifier(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(one.predict_proba(X), again.predict_proba(X))
    order = np.random.default_rng(5).permutation(len(X))
    permuted = LaplacianClassifier(n_jobs=1).fit(X[order], y[order])
    close(permuted.predict_proba(QUERIES), one.predict_proba(QUERIES), 1e-11)
    np.testing.assert_array_equal(one.predict_proba(X[:0]).shape, (0, 3))


def test_units_and_offsets_do_not_matter(blobs):
    X, y = blobs
    proba = LaplacianClassifier().fit(X, y).predict_proba(QUERIES)
    for factor in (1e-150, 1e-6, 1e6, 1e150):
        scaled = LaplacianClassifier().fit(factor * X, y).predict_proba(factor * QUERIES)
        np.testing.assert_allclose(scaled, proba, rtol=1e-8)
    moved = LaplacianClassifier(bandwidth=0.7).fit(X + 1e6, y).predict_proba(QUERIES + 1e6)
    expected = LaplacianClassifier(bandwidth=0.7).fit(X, y).predict_proba(QUERIES)
    np.testing.assert_allclose(moved, expected, rtol=1e-6)


def test_it_works_in_a_pipeline_and_a_grid_search(blobs):
    X, y = blobs
    pipeline = make_pipeline(StandardScaler(), LaplacianClassifier())
    grid = {
        "laplacianclassifier__bandwidth": [0.2, 0.5, "silverman"],
        "laplacianclassifier__power": [0, 0.5],
    }
    assert GridSearchCV(pipeline, grid, cv=3).fit(X, y).best_score_ > 0.7


@pytest.mark.slow
def test_many_classes_take_no_quadratic_memory():
    rng = np.random.default_rng(6)
    y = np.repeat(np.arange(1000), 2)
    X = 100.0 * rng.normal(size=(1000, 3))[y] + rng.normal(size=(2000, 3))
    clf = LaplacianClassifier(bandwidth=1.0).fit(X, y)
    assert clf.score(X[:200], y[:200]) == 1.0


@pytest.mark.parametrize("bandwidth", [0.7, [0.5, 0.8, 1.2], [[0.5, 1.5]], [[0.5, 1.5]] * 3])
@pytest.mark.parametrize("keep", [None, 0.5])
def test_large_problems_go_class_by_class_to_the_same_end(blobs, monkeypatch, bandwidth, keep):
    X, y = blobs
    at_once = LaplacianClassifier(bandwidth=bandwidth, keep=keep).fit(X, y)
    monkeypatch.setattr("parzen.classifiers.laplacian.normalizers._MAX_SCORES", 60)
    in_parts = LaplacianClassifier(bandwidth=bandwidth, keep=keep).fit(X, y)
    close(in_parts.log_normalizers_, at_once.log_normalizers_)
    close(in_parts.decision_function(QUERIES), at_once.decision_function(QUERIES), 1e-11)
    assert 0.4 < in_parts.exponent_ / at_once.exponent_ < 2.5  # from fewer rows


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"power": -1}, ValueError, "power=-1"),
        ({"power": "half"}, TypeError, "power"),
        ({"keep": 0}, ValueError, "keep=0"),
        ({"keep": 1.5}, ValueError, "share"),
        ({"keep": "all"}, TypeError, "keep"),
        ({"reduction": "best"}, ValueError, "'l2', 'random' or 'weights'"),
        ({"n_density_samples": 0}, ValueError, "n_density_samples=0"),
        ({"n_density_samples": 1.5}, TypeError, "n_density_samples"),
        ({"bandwidth": -1.0}, ValueError, "positive"),
        ({"bandwidth": "nonsense"}, ValueError, "'cv'"),
        ({"bandwidth": [1.0, 2.0]}, ValueError, r"shape \(2,\)"),
        ({"kernel": "polynomial"}, ValueError, "not a density"),
        ({"kernel": "nonsense"}, ValueError, "unknown kernel"),
        ({"keep": 0.5, "novelty": 0.1}, ValueError, "use keep=None"),
        ({"priors": "equal"}, ValueError, "uniform"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
    ],
)
def test_wrong_parameters_are_refused_with_the_cure(blobs, parameters, error, message):
    with pytest.raises(error, match=message):
        LaplacianClassifier(**parameters).fit(*blobs)


@parametrize_with_checks([LaplacianClassifier()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([LaplacianClassifier(kernel="epanechnikov")])
def test_scikit_learns_checks_of_a_kernel_of_bounded_support(estimator, check):
    check(estimator)


def test_cosines_are_those_of_the_images_and_the_class_means():
    X, y = make_ring(random_state=0)
    Z = make_ring(random_state=1)[0][::20]
    clf = LaplacianClassifier(scale=None).fit(X, y)
    s = float(clf.bandwidth_)

    def gaussian(A, B, width):
        squares = ((A[:, None] - B) ** 2).sum(axis=-1)
        return np.exp(-squares / (2 * width**2)) / (2 * np.pi * width**2)

    rows = np.vstack([X, Z])
    weights = gaussian(rows, X, s).mean(axis=1) ** -0.5
    gram = weights[:, None] * gaussian(rows, rows, np.sqrt(2) * s) * weights
    for c, label in enumerate(clf.classes_):
        members = np.flatnonzero(y == label)
        norm = np.sqrt(gram[np.ix_(members, members)].sum())
        lengths = np.sqrt(np.diag(gram)[len(X) :])
        wanted = gram[len(X) :][:, members].sum(axis=1) / (norm * lengths)
        np.testing.assert_allclose(clf.cosines(Z)[:, c], wanted, rtol=1e-10)
    np.testing.assert_array_equal(clf.classes_[clf.cosines(Z).argmax(axis=1)], clf.predict(Z))


def test_cosines_refuse_a_bandwidth_per_feature():
    X, y = make_ring(random_state=0)
    clf = LaplacianClassifier(bandwidth=[[1.0, 2.0]]).fit(X, y)
    with pytest.raises(ValueError, match="cosines needs one bandwidth"):
        clf.cosines(X[:2])
