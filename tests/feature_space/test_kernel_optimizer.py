"""Optimising the kernel: the theorems, the solvers, the cores, and use as a transformer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen.datasets import make_monks
from parzen.feature_space import (
    EmpiricalKernelMap,
    KernelOptimizer,
    class_separability,
    kernel_alignment,
)
from parzen.kernels import Polynomial

QUICK = {"n_steps": 10, "n_jobs": 1}


@parametrize_with_checks([KernelOptimizer(n_jobs=1)])
def test_it_is_a_scikit_learn_transformer(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([
    KernelOptimizer(solver="eigen", cores="all", ridge=0.1, n_jobs=1),
    KernelOptimizer(criterion="alignment", core_selection="class", **QUICK),
])  # fmt: skip
def test_it_is_a_scikit_learn_transformer_in_other_forms(estimator, check):
    check(estimator)


@pytest.fixture(scope="module", params=[2, 3])
def sample(request):
    """A disc, or a disc in a ring in the plane."""
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(180, 2))
    y = np.digitize(np.hypot(*X.T), [0.9, 1.6][: request.param - 1])
    return X, y


def test_the_path_starts_at_the_base_kernel_and_ends_at_the_optimised_one(sample):
    X, y = sample
    model = KernelOptimizer(cores=40, random_state=0, **QUICK).fit(X, y)
    assert model.separability_path_.shape == model.alignment_path_.shape == (11,)
    for kernel, t in (("gaussian", 0), (model.kernel_, -1)):
        h = model.bandwidth_
        J, A = (f(X, y, kernel=kernel, bandwidth=h) for f in (class_separability, kernel_alignment))
        assert model.separability_path_[t] == pytest.approx(J, rel=1e-8)
        assert model.alignment_path_[t] == pytest.approx(A, rel=1e-8)
    assert model.separability_path_[-1] == pytest.approx(model.solution_.objective, rel=1e-9)
    np.testing.assert_allclose(np.linalg.norm(model.coefficient_path_, axis=1), 1.0)
    np.testing.assert_array_equal(model.coefficient_path_[0], np.eye(41)[0])
    np.testing.assert_array_equal(model.coefficients_, model.kernel_.coefficients)


def test_the_paths_are_given_on_held_out_data_too(sample):
    X, y = sample
    model = KernelOptimizer(random_state=0, **QUICK).fit(X[:120], y[:120])
    J = model.separability_path(X[120:], y[120:])
    A = model.alignment_path(X[120:], y[120:])
    last = {"kernel": model.kernel_, "bandwidth": model.bandwidth_}
    assert J[-1] == pytest.approx(class_separability(X[120:], y[120:], **last), rel=1e-8)
    assert A[-1] == pytest.approx(kernel_alignment(X[120:], y[120:], **last), rel=1e-8)
    assert J[-1] > J[0]


def test_one_step_is_equation_14_with_a_gradient_by_finite_differences(sample):
    X, y = sample
    options = {"cores": 6, "random_state": 0, "learning_rate": 0.02, "step": "fixed"}
    model = KernelOptimizer(n_steps=1, **options).fit(X, y)
    J = separability_of_coefficients(model, X, y)
    start = np.eye(7)[0]
    # (14) moves by eta (M_0 - J N_0) alpha / J_2, which is eta / 2 times the gradient of J.
    moved = start + 0.02 * 0.5 * numerical_gradient(J, start)
    np.testing.assert_allclose(model.coefficients_, moved / np.linalg.norm(moved), rtol=1e-5)


def test_the_step_shrinks_as_in_equation_15(sample):
    X, y = sample
    options = {"cores": 6, "random_state": 0, "learning_rate": 0.02, "step": "fixed"}
    path = KernelOptimizer(n_steps=4, **options).fit(X, y)
    J = separability_of_coefficients(path, X, y)
    alpha = np.eye(7)[0]
    for t in range(4):
        alpha = alpha + 0.02 * (1 - t / 4) * 0.5 * numerical_gradient(J, alpha)
        alpha /= np.linalg.norm(alpha)
    np.testing.assert_allclose(path.coefficients_, alpha, rtol=1e-4)


def test_the_alignment_step_follows_its_gradient_by_finite_differences(sample):
    X, y = sample
    options = {"cores": 6, "random_state": 0, "learning_rate": 0.1, "criterion": "alignment"}
    model = KernelOptimizer(n_steps=1, bandwidth=2.0, **options).fit(X, y)

    def alignment(alpha):
        return kernel_alignment(X, y, kernel=with_coefficients(model, alpha), bandwidth=2.0)

    moved = np.eye(7)[0] + 0.1 * numerical_gradient(alignment, np.eye(7)[0])
    np.testing.assert_allclose(model.coefficients_, moved / np.linalg.norm(moved), rtol=1e-5)


def with_coefficients(model, alpha):
    from parzen.kernels import ConformalKernel

    kernel = model.kernel_
    return ConformalKernel(kernel.base, kernel.cores, alpha, "gaussian", kernel.core_bandwidth)


def separability_of_coefficients(model, X, y):
    h = model.bandwidth_
    return lambda a: class_separability(X, y, kernel=with_coefficients(model, a), bandwidth=h)


def numerical_gradient(f, at, step=1e-5):
    return np.array([(f(at + step * e) - f(at - step * e)) / (2 * step) for e in np.eye(len(at))])


@pytest.mark.parametrize("criterion", ["separability", "alignment"])
def test_with_a_line_search_the_criterion_never_falls(sample, criterion):
    X, y = sample
    model = KernelOptimizer(
        learning_rate=5.0, n_steps=40, criterion=criterion, random_state=0, n_jobs=1
    ).fit(X, y)
    path = model.separability_path_ if criterion == "separability" else model.alignment_path_
    assert np.all(np.diff(path) >= -1e-9 * path[:-1])
    assert path[-1] > 1.5 * path[0]


def test_without_a_line_search_large_steps_make_it_fall(sample):
    X, y = sample
    model = KernelOptimizer(learning_rate=20.0, n_steps=20, step="fixed", random_state=0).fit(X, y)
    assert np.any(np.diff(model.separability_path_) < 0)


def test_the_gradient_climbs_to_the_eigenvalue_and_not_beyond(sample):
    X, y = sample
    cores = X[:4]
    exact = KernelOptimizer(cores=cores, solver="eigen", ridge=0.0).fit(X, y)
    climbed = KernelOptimizer(cores=cores, learning_rate=1e9, n_steps=5000).fit(X, y)
    best = exact.separability_path_[-1]
    assert exact.solution_.objective == pytest.approx(best, rel=1e-6)
    assert best * 0.999 < climbed.separability_path_[-1] <= best * (1 + 1e-9)


def test_a_ridge_leads_from_the_maximum_back_to_the_base_kernel(sample):
    X, y = sample
    models = [
        KernelOptimizer(solver="eigen", cores="all", ridge=r).fit(X, y) for r in (0.0, 1.0, 1e12)
    ]
    J = [model.separability_path_[-1] for model in models]
    assert J[0] > J[1] > J[2]
    assert J[2] == pytest.approx(models[2].separability_path_[0], rel=1e-3)


def test_the_cross_validated_ridge_does_not_overfit_noise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 5)), rng.integers(0, 2, size=120)
    new, labels = rng.normal(size=(400, 5)), rng.integers(0, 2, size=400)
    options = {"solver": "eigen", "cores": "all", "core_bandwidth": 0.7, "random_state": 0}
    free = KernelOptimizer(ridge=0.0, **options).fit(X, y)
    chosen = KernelOptimizer(**options).fit(X, y)
    assert free.separability_path_[-1] > 50.0
    assert free.separability_path(new, labels)[-1] < 0.05
    assert chosen.ridge_ > 1e-3
    assert chosen.separability_path_[-1] < 0.1 * free.separability_path_[-1]


def test_a_share_of_cores_is_held_out_of_the_criterion_and_numbers_are_not(sample):
    X, y = sample
    for selection in ("random", "class"):
        held = KernelOptimizer(cores=1 / 3, core_selection=selection, random_state=0, **QUICK).fit(
            X, y
        )
        others = ~(X[:, None, :] == held.cores_).all(axis=2).any(axis=1)
        assert held.cores_.shape == (60, 2)
        assert others.sum() == 120
        J = class_separability(X[others], y[others], kernel="gaussian", bandwidth=held.bandwidth_)
        assert held.separability_path_[0] == pytest.approx(J, rel=1e-9)
    counted = KernelOptimizer(cores=60, random_state=0, **QUICK).fit(X, y)
    J = class_separability(X, y, kernel="gaussian", bandwidth=counted.bandwidth_)
    assert counted.separability_path_[0] == pytest.approx(J, rel=1e-9)


def test_cores_by_class_are_in_proportion():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.repeat([0, 1], [80, 20])
    model = KernelOptimizer(cores=0.25, core_selection="class", random_state=0, **QUICK).fit(X, y)
    where = np.argmax((model.cores_[:, None, :] == X).all(axis=2), axis=1)
    np.testing.assert_array_equal(np.bincount(y[where]), [20, 5])


@pytest.mark.parametrize("cores", [7, 0.2, "all", "support_vectors", np.zeros((3, 2))])
@pytest.mark.parametrize("selection", ["random", "kmeans"])
def test_every_kind_of_cores_improves_the_separability(sample, cores, selection):
    X, y = sample
    options = {"core_bandwidth": 1.0, "random_state": 0, "n_jobs": 1}
    model = KernelOptimizer(cores=cores, core_selection=selection, **options).fit(X, y)
    assert model.separability_path_[-1] > 1.5 * model.separability_path_[0]
    assert model.coefficients_.shape == (len(model.cores_) + 1,)


def test_support_vectors_are_those_of_the_base_kernel(sample):
    from sklearn.svm import SVC

    X, y = sample
    model = KernelOptimizer(cores="support_vectors", bandwidth=1.0, **QUICK).fit(X, y)
    peer = SVC(gamma=0.5).fit(X, y)
    mine, theirs = {tuple(c) for c in model.cores_}, {tuple(c) for c in peer.support_vectors_}
    assert mine == theirs


def test_several_core_bandwidths_give_every_core_each_of_them(sample):
    X, y = sample
    model = KernelOptimizer(cores=X[:5], core_bandwidth=[0.5, 2.0], solver="eigen", ridge=0.1).fit(
        X, y
    )
    assert model.cores_.shape == (10, 2)
    np.testing.assert_array_equal(model.core_bandwidth_, [0.5] * 5 + [2.0] * 5)


@pytest.mark.slow
def test_the_core_bandwidth_is_chosen_where_held_out_rows_are_separated(sample):
    X, y = sample
    options = {"solver": "eigen", "cores": "all", "random_state": 0, "n_jobs": 1}
    chosen = KernelOptimizer(core_bandwidth="cv", **options).fit(X[:120], y[:120])
    absurd = KernelOptimizer(core_bandwidth=0.01, **options).fit(X[:120], y[:120])
    held_out = X[120:], y[120:]
    assert chosen.separability_path(*held_out)[-1] > 3 * absurd.separability_path(*held_out)[-1]


def test_a_polynomial_base_kernel_is_optimised_as_in_figure_3():
    rng = np.random.default_rng(0)
    wide = rng.normal([-2.0, 0.0], [2.0, 1.0], size=(150, 2))
    tall = rng.normal([2.0, 0.0], [1.0, 2.0], size=(170, 2))
    X, y = np.vstack([wide, tall]), np.repeat([-1, 1], [150, 170])
    base = Polynomial(degree=2, constant=0.0)
    model = KernelOptimizer(
        base, core_bandwidth=np.sqrt(0.5), learning_rate=0.5, random_state=0, n_jobs=1
    ).fit(X, y)
    linear = class_separability(X, y, kernel="linear")
    assert linear > 5 * model.separability_path_[0]
    assert model.separability_path_[-1] > 5 * model.separability_path_[0]
    assert model.separability_path(X, y)[-1] > 2 * model.separability_path(X, y)[0]


def test_transform_is_the_empirical_feature_space_of_the_optimised_kernel(sample):
    X, y = sample
    model = KernelOptimizer(random_state=0, **QUICK).fit(X, y)
    new = np.random.default_rng(7).normal(size=(11, 2))
    K = model.kernel_(X, X, bandwidth=model.bandwidth_)
    image = model.transform(X)
    np.testing.assert_allclose(image @ image.T, K, atol=1e-10)
    products = model.transform(new) @ image.T
    np.testing.assert_allclose(
        products, model.kernel_(new, X, bandwidth=model.bandwidth_), atol=1e-7
    )
    peer = EmpiricalKernelMap(model.kernel_, model.bandwidth_).fit(X)
    a, b = peer.transform(new), model.transform(new)
    np.testing.assert_allclose(a @ a.T, b @ b.T, atol=1e-7)


@pytest.mark.slow
def test_a_pipeline_with_neighbours_is_tuned_by_grid_search():
    X, y = make_monks(1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:216], order[216:]
    pipeline = make_pipeline(
        KernelOptimizer(bandwidth=70.0, random_state=0, n_jobs=1), KNeighborsClassifier(3)
    )
    grid = {"kerneloptimizer__core_bandwidth": [0.1, 3.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X[train], y[train])
    plain = KNeighborsClassifier(3).fit(X[train], y[train]).score(X[test], y[test])
    assert search.best_params_["kerneloptimizer__core_bandwidth"] == 3.0
    assert search.score(X[test], y[test]) > plain + 0.05


def test_order_and_copies_of_rows_do_not_matter(sample):
    X, y = sample
    order = np.random.default_rng(1).permutation(len(y))
    first = KernelOptimizer(random_state=0, **QUICK).fit(X, y)
    shuffled = KernelOptimizer(random_state=0, **QUICK).fit(X[order], y[order])
    np.testing.assert_array_equal(first.coefficients_, shuffled.coefficients_)
    w = np.random.default_rng(2).integers(0, 3, size=len(y))
    weighted = KernelOptimizer(random_state=0, **QUICK).fit(X, y, sample_weight=w)
    copied = KernelOptimizer(random_state=0, **QUICK).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.coefficients_, copied.coefficients_, rtol=1e-10)


def test_scale_and_threads_do_not_matter(sample):
    X, y = sample
    first = KernelOptimizer(random_state=0, n_steps=20, n_jobs=1).fit(X, y)
    scaled = KernelOptimizer(random_state=0, n_steps=20, n_jobs=2).fit(1024.0 * X, y)
    np.testing.assert_allclose(first.coefficients_, scaled.coefficients_, rtol=1e-9)


@pytest.mark.parametrize("solver", ["gradient", "eigen"])
def test_one_sample_per_class_leaves_the_base_kernel(solver):
    X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0]])
    model = KernelOptimizer(solver=solver, random_state=0).fit(X, ["a", "b", "c"])
    assert model.separability_path_[-1] == np.inf
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize("solver", ["gradient", "eigen"])
def test_degenerate_samples_stay_finite(solver):
    options = {"solver": solver, "random_state": 0, "n_jobs": 1}
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    collapsed = KernelOptimizer(**options).fit(X, [0, 0, 0, 1, 1, 1])
    assert np.isfinite(collapsed.transform(X)).all()
    mixed = KernelOptimizer(**options).fit(X, [0, 1, 0, 1, 0, 1])
    assert np.isfinite(mixed.coefficients_).all()
    with pytest.warns(UserWarning, match="all points are equal"):
        equal = KernelOptimizer(**options).fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert np.isfinite(equal.coefficients_).all()
    rng = np.random.default_rng(0)
    one_class = KernelOptimizer(**options).fit(rng.normal(size=(9, 2)), np.zeros(9))
    assert one_class.separability_path_[-1] == 0.0


def test_a_constant_column_changes_nothing(sample):
    X, y = sample
    wider = np.column_stack([X, np.full(len(X), 3.0)])
    a, b = (KernelOptimizer(random_state=0, **QUICK).fit(Z, y) for Z in (X, wider))
    np.testing.assert_allclose(a.coefficients_, b.coefficients_, rtol=1e-9)


@pytest.mark.parametrize(("options", "error", "message"), [
    ({"solver": "newton"}, ValueError, "solver='newton' is unknown; give 'gradient' or 'eigen'"),
    ({"criterion": "margin"}, ValueError, "criterion='margin'"),
    ({"step": "exact"}, ValueError, "step='exact'"),
    ({"solver": "eigen", "criterion": "alignment"}, ValueError, "use solver='gradient'"),
    ({"cores": 0}, ValueError, "cores=0 must be at least 1"),
    ({"cores": 1.5}, ValueError, "between 0 and 1"),
    ({"cores": "kmeans"}, ValueError, "cores='kmeans' is unknown"),
    ({"cores": np.zeros((2, 5))}, ValueError, "cores has 5 columns but X has 2"),
    ({"core_selection": "best"}, ValueError, "core_selection='best' is unknown"),
    ({"core_bandwidth": [1.0, -1.0]}, ValueError, "a positive number, a list of them, 'cv'"),
    ({"bandwidth": [1.0, 2.0]}, TypeError, "bandwidth must be a positive number or None"),
    ({"core_bandwidth": "cv"}, ValueError, "use solver='eigen' and ridge='cv'"),
    ({"core_bandwidth": "best"}, ValueError, "core_bandwidth='best' must be a positive number"),
    ({"ridge": "auto"}, ValueError, "ridge='auto' must be a number >= 0 or 'cv'"),
    ({"ridge": -1.0}, ValueError, "ridge=-1.0"),
    ({"learning_rate": 0.0}, ValueError, "must be a positive number; use e.g. 0.01"),
    ({"n_steps": -1}, ValueError, "n_steps=-1"),
    ({"n_folds": 1}, ValueError, "n_folds=1 must be an integer >= 2"),
])  # fmt: skip
def test_wrong_parameters_are_named(sample, options, error, message):
    with pytest.raises(error, match=message):
        KernelOptimizer(**options).fit(*sample)
