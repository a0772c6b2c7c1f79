"""An expansion prepared for many queries: its checked points, and one forest of kd-trees.

    KernelExpansion  --prepared-->  PreparedExpansion
                                       log-sums    \
                                       signed sums  >  the same trees, built at most once
                                       labels      /

The preparation belongs to the expansion and lives as long as it does. It is made when first needed,
is never copied or pickled with the expansion, and may be used by several threads at once.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from parzen._core import Array, effective_threads
from parzen.expansion.weighted_kernels import Group, WeightedKernels
from parzen.sums import (
    DEFAULT_RTOL,
    MIN_PAIRS_FOR_ESTIMATES,
    MIN_VALUES_FOR_THREADS,
    Forest,
    ScaledSums,
    SignedForest,
    Size,
    TreeColumn,
    TreeStore,
    Work,
    check_serves,
    columns_of,
    dense_seconds,
    refuses_kernel,
    signed_sums,
    strategy_for,
)


class PreparedExpansion:
    """Sums and trees of one expansion; see the module."""

    def __init__(self, expansion: WeightedKernels) -> None:
        self._expansion = expansion
        self._lock = threading.Lock()
        self._groups: dict[str, list[Group]] = {}
        self.trees = TreeStore()
        self.kept: dict[str, Any] = {}  # What a caller computes once for this expansion.
        self.labels_pay: bool | None = None  # Whether trees paid when labels were last asked for.

    def groups(self, mode: str) -> list[Group]:
        """The groups of classes for log-sums ("log") or signed sums ("scaled")."""
        found = self._groups.get(mode)
        if found is None:
            with self._lock:
                found = self._groups.setdefault(
                    mode, list(self._expansion.groups(mode, self.trees))
                )
        return found

    def log_sums(
        self,
        X: Array,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> Array:
        """Logarithms of the class sums, shape (n_queries, n_classes)."""
        groups = self.groups("log")
        if len(groups) == 1 and groups[0].sums is not None:
            _, space, sums, levels = groups[0]
            assert sums is not None
            logs = sums.at(space.map(X), method=method, rtol=rtol, n_jobs=n_jobs)
            assert isinstance(logs, np.ndarray)
            return np.asarray(logs[:, :, 0] + levels.astype(logs.dtype, copy=False))
        dtype = np.result_type(X, self._expansion.points)
        threads = self.threads(len(X), n_jobs)
        by_trees = self._forest_sums(X, method, rtol, threads)
        if by_trees is not None:
            values, levels, _ = by_trees
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(values) + levels, dtype=dtype)
        out = np.full((len(X), self._expansion.n_classes), -np.inf, dtype=dtype)
        for group in groups:
            if group.sums is not None:
                logs = group.sums.at(group.space.map(X), method=method, rtol=rtol, n_jobs=threads)
                assert isinstance(logs, np.ndarray)
                out[:, group.classes] = logs[:, :, 0] + group.log_levels
        return out

    def scaled_sums(
        self,
        X: Array,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> ScaledSums:
        """Signed sums as mantissa * exp(log_scale), each of shape (n_queries, n_classes)."""
        groups = self.groups("scaled")
        shape = (len(X), self._expansion.n_classes)
        if len(groups) > 1:
            threads = self.threads(len(X), n_jobs)
            by_trees = self._forest_sums(X, method, rtol, threads)
            if by_trees is not None:
                values, levels, signs = by_trees
                levels = levels - self._expansion.class_factors[[c for c, _ in signs]]
                mantissa, scale = signed_sums(values, levels, signs, shape[1], np.float64)
                return ScaledSums(mantissa[:, :, 0], np.broadcast_to(scale[:, :, 0], shape))
            n_jobs = threads
        parts = []
        for group in groups:
            if group.sums is None:
                nothing = np.zeros((len(X), len(group.log_levels)))
                parts.append((nothing, nothing))
                continue
            sums = group.sums.at(group.space.map(X), method=method, rtol=rtol, n_jobs=n_jobs)
            assert isinstance(sums, ScaledSums)
            level = group.log_levels.astype(sums.log_scale.dtype, copy=False)
            parts.append((sums.mantissa[:, :, 0], sums.log_scale[:, :, 0] + level))
        if len(parts) == 1:
            return ScaledSums(*parts[0])
        return ScaledSums(np.hstack([m for m, _ in parts]), np.hstack([s for _, s in parts]))

    def sums_method(self, method: str, rtol: float) -> str:
        """The name of the strategy for sums at as many queries as there are points."""
        X = self._expansion.points
        group = next(g for g in self._tree_groups() if g.sums is not None)
        assert group.sums is not None
        if not self._expansion.is_shared and self._trees_pay(X, method, rtol):
            return "tree"
        return strategy_for(group.sums.call.at(group.space.map(X)), method, rtol).name

    def forest(self, threads: int) -> tuple[Forest, Array, list[tuple[int, float]]]:
        """The trees, the log-levels of their sums, and the class and the sign of each."""
        trees = self.trees.get(lambda: self._build(threads))
        levels = np.concatenate([self._log_units(g) + g.log_levels for g in self._tree_groups()])
        if self._expansion.labels is None:  # signed sums have no factors, densities do
            levels = levels + self._expansion.class_factors
        return trees.forest, levels[[c for c, _ in trees.signs]], trees.signs

    def queries(self, X: Array) -> list[Array]:
        """The queries as the trees take them: once, or once for each tree in a space of its own."""
        return self._mapped(X, self.trees.get(lambda: self._build(1)))

    def _mapped(self, X: Array, trees: SignedForest) -> list[Array]:
        mapped = [group.space.map(X) for group in self._tree_groups()]
        return mapped if len(mapped) == 1 else [mapped[c] for c, _ in trees.signs]

    def _tree_groups(self) -> list[Group]:
        return self.groups("scaled" if self._expansion.labels is None else "log")

    def _build(self, threads: int) -> SignedForest:
        columns: list[TreeColumn] = []
        signs: list[tuple[int, float]] = []
        kernel = None
        for c, group in enumerate(self._tree_groups()):
            if group.sums is None:
                empty = group.space.map(self._expansion.points[:0])
                columns.append(TreeColumn(empty, None, group.space.bandwidth))
                signs.append((c, 1.0))
                continue
            kernel = group.sums.call.kernel
            more, of_call = columns_of(group.sums.call)
            columns += more
            signs += [(c + column, sign) for column, sign in of_call]
        assert kernel is not None
        return SignedForest(Forest(columns, kernel, threads), signs)

    def _log_units(self, group: Group) -> float:
        """Log of the kernel's peak, in which the trees measure their sums."""
        if group.sums is None:
            return 0.0
        call = group.sums.call
        return float(call.kernel.log_normalizer(float(call.bandwidths[0]), call.n_features))

    def _forest_sums(
        self, X: Array, method: str, rtol: float, threads: int
    ) -> tuple[Array, Array, list[tuple[int, float]]] | None:
        """Values and log-levels of all trees at X; None where another strategy should serve.

        For classes in spaces of their own: in one space `parzen.sums.Tree` is the strategy.
        """
        if not self._trees_pay(X, method, rtol):
            return None
        forest, log_levels, signs = self.forest(threads)
        values, levels, _ = forest.sums(self.queries(X), rtol, threads)
        return values, levels + log_levels, signs

    def _trees_pay(self, X: Array, method: str, rtol: float) -> bool:
        expansion = self._expansion
        n, d = expansion.points.shape
        if rtol == 0 or method not in ("auto", "tree") or len(X) == 0:
            return False
        if any(g.sums is not None and g.sums.call.in_parts for g in self._tree_groups()):
            return False
        if method == "tree":
            check_serves(method, expansion.kernel_in_space, d)
            return True
        pairs = float(len(X)) * n
        if (
            pairs < MIN_PAIRS_FOR_ESTIMATES
            or refuses_kernel(expansion.kernel_in_space, d) is not None
        ):
            return False
        exact = dense_seconds(pairs, d)

        def work_at(trees: SignedForest, rows: slice) -> Work:
            return trees.forest.sums(self._mapped(X[rows], trees), rtol, 1)[2]

        size = Size(n, d, expansion.n_classes)
        seconds = self.trees.seconds_for_sums(lambda: self._build(1), work_at, len(X), size, exact)
        return seconds < exact

    def threads(self, n_queries: int, n_jobs: int | None) -> int:
        """Asked once for all classes; one thread where a class is too little work to share."""
        pairs = n_queries * len(self._expansion.points) / self._expansion.n_classes
        return effective_threads(n_jobs, is_small=pairs < MIN_VALUES_FOR_THREADS)
