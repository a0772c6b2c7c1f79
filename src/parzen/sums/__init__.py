"""Weighted kernel sums over all pairs: the primitive that every estimator is built on.

The idea
--------
    sums[i, c, b] = sum_j weights[j, c] k_b(x_i, y_j)

Densities, scores, leave-one-out errors and criteria are such sums. One pass over the pairs serves
every column of weights and every bandwidth, and the matrix of pairs is never stored.

The way of a call
-----------------
    kernel_sums, labelled_kernel_sums         PreparedSums (points checked once, many queries)
                 |                                   |
                 +------------> Call <---------------+      checked arguments         call.py
                                 |
                                run          parts for extreme weights, threads       methods.py
                                 |
                            strategy_for     the named strategy, or the quickest      methods.py
                                 |
           +-----------+---------+-----------+
         Dense       Sorted     Fourier     Tree             Strategy                 strategy.py
           |           |           |          |
        native      native      finufft    native

The strategies
--------------
Dense     visits every pair, exact, for every kernel; kernels without native code go by blocks.
Sorted    one feature, compact kernels and the Laplacian: running sums over sorted points, exact.
Fourier   Gaussian, up to three features: two transforms, a small absolute error; sums for which
          that error is too large are computed by the other strategies (partial_sums.py).
Tree      one bandwidth: bounds on groups of far points, within a relative tolerance. `TreeStore`
          keeps the trees of a model, for its sums and for the labels that bounds decide.

"auto" asks every strategy that serves the call for its time and takes the shortest; below ten
million pairs it considers exact sums only. `reference` has the sums in twenty lines of NumPy, and
every strategy is tested against it.

How to add a strategy
---------------------
Write a class with the methods of `strategy.Strategy` in a module of its own: which kernels and
calls it refuses, and why; about how many seconds a call takes; the sums. Add it to ``_STRATEGIES``
in methods.py, and its name to ``METHODS`` if users may ask for it. Test it against `reference`.
"""

from parzen.sums import reference
from parzen.sums.call import Call, ScaledSums
from parzen.sums.dense import dense_seconds
from parzen.sums.forest import (
    AMBIGUOUS,
    NOVEL,
    NOWHERE,
    UNDECIDED,
    DecisionRule,
    Forest,
    TreeColumn,
    Work,
    build_seconds,
    refuses_kernel,
)
from parzen.sums.methods import (
    DEFAULT_RTOL,
    METHODS,
    MIN_PAIRS_FOR_ESTIMATES,
    MIN_VALUES_FOR_THREADS,
    check_method,
    check_serves,
    strategies_of,
    strategy_for,
)
from parzen.sums.missing import (
    LeftOut,
    column_log_means,
    has_missing,
    marginal_log_sums,
    refuses_missing,
)
from parzen.sums.nufft import (
    FOURIER_REACH,
    MAX_FOURIER_FEATURES,
    Frame,
    analyse,
    cropped,
    filtered,
    has_finufft,
    synthesise,
)
from parzen.sums.partial_sums import added, sums_at
from parzen.sums.prepared import PreparedSums
from parzen.sums.primitive import (
    image_log_sums,
    kernel_sums,
    labelled_kernel_sums,
    method_for,
)
from parzen.sums.sizes import need_parts
from parzen.sums.sparse import sparse_sums
from parzen.sums.tree import (
    MAX_COLUMNS,
    MAX_FEATURES,
    MAX_TIME_SHARE,
    MIN_QUERIES_FOR_PILOT,
    N_PILOT_QUERIES,
    Size,
    Trees,
    TreeStore,
    columns_of,
    signed_sums,
)

__all__ = [
    "DEFAULT_RTOL",
    "METHODS",
    "ScaledSums",
    "check_method",
    "check_serves",
    "image_log_sums",
    "kernel_sums",
    "labelled_kernel_sums",
    "method_for",
    "reference",
]
