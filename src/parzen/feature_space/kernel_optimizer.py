"""Optimise a data-dependent kernel by the separability of the classes in its feature space.

    k(x, y) = q(x) q(y) k_0(x, y),   q = K_1 alpha,   J(alpha) = alpha' M_0 alpha / alpha' N_0 alpha

Xiong, Swamy & Ahmad (2005), section III. "gradient" climbs as Fig. 2 does; "eigen" solves the
generalised eigenproblem with a ridge. For a wide base kernel the image of x is nearly the number
q(x), and the optimum is a kernel Fisher discriminant, which the rest of the kernel then refines.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    THREADS,
    Checked,
    Constraints,
    Floats,
    Integer,
    Number,
    OneOf,
    Seed,
    blas_threads,
    check_parameters,
    declared,
    validate_points,
)
from parzen.feature_space.alignment import centred_alignment
from parzen.feature_space.bandwidth import bandwidth_or_spread
from parzen.feature_space.cores import check_cores, choose_cores
from parzen.feature_space.feature_map import FeatureMap
from parzen.feature_space.labels import Classes, as_classes, merge_equal_rows
from parzen.feature_space.moments import GramMoments
from parzen.feature_space.optimized_space import OptimizedSpace
from parzen.feature_space.separability import separability
from parzen.feature_space.solve import Problem, solve
from parzen.kernels import ConformalKernel, Kernel, get

_SPREAD_FACTORS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)  # Candidates of core_bandwidth="cv".


@declared
class KernelOptimizer(FeatureMap):
    """Learn a conformal kernel from labelled data, and embed data in its feature space.

    Read more in the :doc:`guide </guide/kernel_optimisation>`.

    Parameters
    ----------
    base : str or Kernel, default="gaussian"
        The base kernel k_0, in units of its peak; e.g. ``Polynomial(degree=2)``.
    bandwidth : float, default=None
        Width of the base kernel; None for ten times the spread of the sample (the root of its total
        variance). The paper's gamma_0 is 1 / (2 bandwidth^2).
    core_bandwidth : float, list of float or "cv", default=None
        Width of the Gaussian around each core; None for the spread. With several, every core
        carries one Gaussian of each width; "cv" chooses one of seven around the spread together
        with the ridge, by the separability of held-out rows (``solver="eigen"`` only).
    cores : float, int, array, "all" or "support_vectors", default=1/3
        A share of the rows, which is then held out of the criterion; a number of rows; points;
        every row; or the support vectors of the base kernel.
    core_selection : {"random", "class", "kmeans"}, default="random"
        How a share or a number is chosen: rows at random, at random in proportion within every
        class, or centres of k-means (which are no rows: nothing is held out).
    solver : {"gradient", "eigen"}, default="gradient"
        ``n_steps`` steps of gradient ascent, or the generalised eigenproblem with a ridge.
    criterion : {"separability", "alignment"}, default="separability"
        What is maximised: J, or the centred alignment (by gradient only).
    n_steps : int, default=200
        Steps of the gradient. Few steps keep the kernel smooth; it is not run to convergence.
    learning_rate : float, default=0.01
        eta_0 of eq. (15); step t has length ``learning_rate * (1 - t / n_steps)``.
    step : {"line_search", "fixed"}, default="line_search"
        Shorten a step that would go beyond the maximum on its line, or never.
    ridge : float or "cv", default="cv"
        Penalty of the eigenproblem, relative to the mean diagonal of N_0; "cv" chooses it by the
        separability of held-out rows.
    n_folds : int, default=5
        Folds for the ridge.
    n_components : int, default=None
        Axes of the feature space that ``transform`` returns; None for all above rounding.
    random_state : int, RandomState or None, default=None
        For the choice of the cores and of the folds.
    {n_jobs}

    Attributes
    ----------
    kernel_ : ConformalKernel
        The optimised kernel; call it with ``bandwidth=bandwidth_``.
    coefficients_ : array of shape (n_cores + 1,)
        (alpha_0, alpha_1, ...), of unit norm.
    cores_ : array of shape (n_cores, n_features)
        The empirical cores, repeated for every core bandwidth.
    bandwidth_ : float
        Bandwidth of the base kernel.
    core_bandwidth_ : float or array of shape (n_cores,)
        Bandwidth of the cores.
    separability_path_, alignment_path_ : array of shape (n_steps_taken + 1,)
        J and A_c before the first and after every step, on the rows of the criterion.
        `separability_path` and `alignment_path` give them on other data.
    coefficient_path_ : array of shape (n_steps_taken + 1, n_cores + 1)
        The coefficients along the way.
    solution_ : Solution
        The last of them, with the criterion and the optimality gap there.
    ridge_ : float
        The ridge in use, with ``solver="eigen"``.
    classes_ : array of shape (n_classes,)
        The labels.
    {n_features_in_, feature_names_in_}

    Notes
    -----
    ``fit`` takes at most O(n^2 p) for n rows and p coefficients, once, and O(p^2) per step, with
    O(n p + p^2) memory and blocks of the Gram matrix. From 1000 rows on a wide base kernel is
    replaced by a factor of low rank r, which takes O(n r (p + r)); J is then within 1e-6 of the
    value over all pairs, which is computed at the end. The first ``transform`` solves an
    eigenproblem of n rows. Equal rows are merged into one with a weight, so that a row of weight
    k is k copies of it and the order of the rows does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from parzen.feature_space import KernelOptimizer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(150, 2))
    >>> y = (np.hypot(*X.T) > 1.2).astype(int)
    >>> optimizer = KernelOptimizer(core_bandwidth=1.0, random_state=0).fit(X, y)
    >>> bool(optimizer.separability_path_[-1] > 10 * optimizer.separability_path_[0])
    True
    >>> model = make_pipeline(optimizer, KNeighborsClassifier(3)).fit(X, y)
    >>> model.predict([[0.0, 0.0], [2.0, 2.0]])
    array([0, 1])
    """

    _constraints: ClassVar[Constraints] = {
        "base": Checked(get),
        "bandwidth": Number("(0, inf)", also=(None,)),
        "core_bandwidth": Number("(0, inf)", several=True, also=("cv", None)),
        "cores": Checked(check_cores),
        "core_selection": OneOf("random", "class", "kmeans"),
        "solver": OneOf("gradient", "eigen"),
        "criterion": OneOf("separability", "alignment"),
        "n_steps": Integer(0),
        "learning_rate": Number("(0, inf)", cure="use e.g. 0.01"),
        "step": OneOf("line_search", "fixed"),
        "ridge": Number("[0, inf)", also=("cv",)),
        "n_folds": Integer(2),
        "n_components": Integer(1, also=(None,)),
        "random_state": Seed(),
        "n_jobs": THREADS,
    }

    _needs_labels, _set_last = True, "kernel_"

    base: str | Kernel = "gaussian"
    bandwidth: float | None = None
    core_bandwidth: ArrayLike | str | None = None
    _: KW_ONLY
    cores: Any = 1 / 3
    core_selection: str = "random"
    solver: str = "gradient"
    criterion: str = "separability"
    n_steps: int = 200
    learning_rate: float = 0.01
    step: str = "line_search"
    ridge: float | str = "cv"
    n_folds: int = 5
    n_components: int | None = None
    random_state: Any = None
    n_jobs: int | None = None

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose the cores and optimise the coefficients.

        Parameters
        ----------
        {X, y, sample_weight}
        """
        self._check_parameters()
        base = get(self.base)
        self._forget()
        points = validate_points(self, X, reset=True)
        classes = as_classes(y, len(points), sample_weight)
        self.classes_ = classes.names
        points, classes = merge_equal_rows(points, classes)
        rng = check_random_state(self.random_state)
        self.bandwidth_ = float(
            bandwidth_or_spread(self.bandwidth, points, classes.weights, times=10.0)
        )
        with blas_threads(self.n_jobs, 0 if self.solver == "gradient" else len(points)):
            cores, rows = choose_cores(
                points, classes, cores=self.cores, selection=self.core_selection,
                kernel=base, bandwidth=self.bandwidth_, rng=rng,
            )  # fmt: skip
            rows = rows[np.argsort(classes.codes[rows], kind="stable")]
            sample, sample_classes = points[rows], classes.take(rows)
            expansions = self._expansions(base, cores, points, classes)
            problems = [
                Problem(
                    sample, expansion.core_matrix(sample), sample_classes, base, self.bandwidth_
                )
                for expansion in expansions
            ]
            index, path, self.ridge_ = solve(problems, self, rng)
        self.cores_ = expansions[index].cores
        self.core_bandwidth_ = expansions[index].core_bandwidth
        self.coefficient_path_, self.solution_ = path
        self.coefficients_ = self.coefficient_path_[-1]
        kernel = ConformalKernel(
            base, self.cores_, self.coefficients_, "gaussian", self.core_bandwidth_
        )
        self._space = OptimizedSpace(
            kernel, self.bandwidth_, self.coefficient_path_, sample, sample_classes,
            points, classes, self.n_components, self.n_jobs,
        )  # fmt: skip
        self.kernel_ = kernel
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Embed rows in the empirical feature space of the optimised kernel."""
        check_is_fitted(self)
        queries = validate_points(self, X, reset=False)
        return np.asarray(self._space.map.transform(queries))

    def separability_path(self, X: ArrayLike, y: ArrayLike) -> Floats:
        """J of labelled data, before the first and after every step."""
        return np.array([separability(moments) for moments in self._path_moments(X, y)])

    def alignment_path(self, X: ArrayLike, y: ArrayLike) -> Floats:
        """The centred alignment of labelled data, before the first and after every step."""
        return np.array([centred_alignment(moments) for moments in self._path_moments(X, y)])

    @property
    def separability_path_(self) -> Floats:
        """J on the rows of the criterion; computed at first use."""
        return np.array([separability(moments) for moments in self._space.moments])

    @property
    def alignment_path_(self) -> Floats:
        """A_c on the rows of the criterion; computed at first use."""
        return np.array([centred_alignment(moments) for moments in self._space.moments])

    @property
    def _n_features_out(self) -> int:
        return int(self._space.map.projection_.shape[1])

    def _check_parameters(self) -> None:
        check_parameters(self)
        if self.solver == "eigen" and self.criterion == "alignment":
            raise ValueError(
                "criterion='alignment' is no ratio of quadratic forms, so solver='eigen' cannot "
                "maximise it; use solver='gradient'."
            )
        chosen = isinstance(self.core_bandwidth, str)
        if chosen and (self.solver != "eigen" or self.ridge != "cv"):
            raise ValueError(
                "core_bandwidth='cv' is chosen together with the ridge; use solver='eigen' and "
                "ridge='cv', or tune it with GridSearchCV."
            )

    def _path_moments(self, X: ArrayLike, y: ArrayLike) -> list[GramMoments]:
        check_is_fitted(self)
        points = validate_points(self, X, reset=False)
        return self._space.moments_on(points, as_classes(y, len(points)))

    def _expansions(
        self, base: Kernel, cores: Floats, X: Floats, classes: Classes
    ) -> list[ConformalKernel]:
        """The base kernel with the cores at each core bandwidth that is to be tried."""
        given = None if isinstance(self.core_bandwidth, str) else self.core_bandwidth
        s = bandwidth_or_spread(given, X, classes.weights, times=1.0)
        if not isinstance(s, float):  # several at once: every core carries one of each
            cores, s = np.tile(cores, (len(s), 1)), np.repeat(s, len(cores))
        factors = _SPREAD_FACTORS if isinstance(self.core_bandwidth, str) else (1.0,)
        start = np.eye(1, len(cores) + 1)[0]
        return [ConformalKernel(base, cores, start, "gaussian", s * f) for f in factors]
