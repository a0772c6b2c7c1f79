"""The types that a model file may hold, by name. A file cannot name anything else.

A new estimator, or a new type in the state of one, is one entry here; the tests go through all
public estimators, so a missing entry is noticed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sklearn.model_selection import (
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from parzen import bandwidth, classifiers, feature_space, kernels
from parzen._core import CategoryColumns
from parzen.bandwidth import SecondAxis, Selection
from parzen.classifiers.base import Decision, OffsetDecision, TemperedDecision
from parzen.classifiers.laplacian import LaplacianKFoldError
from parzen.classifiers.least_squares import GramExpansion, SplitSample, TrainingRows
from parzen.classifiers.naive_bayes import AbsentColumn, CategoricalColumn, NumericColumn
from parzen.classifiers.stack import (
    BayesRule,
    Expert,
    FitRows,
    Indicators,
    KernelRule,
    LeastSquaresRule,
    Reference,
    StackTable,
)
from parzen.density import ColumnDomains, KernelDensity
from parzen.expansion import KernelExpansion, LocalExpansion
from parzen.feature_space import Classes, OptimizedSpace
from parzen.kernels import ConformalKernel
from parzen.l2 import L2KernelDensity
from parzen.metric import ColumnScores, NormalScores, Whitening
from parzen.metric.plug_in import Tempering
from parzen.model_files.steps import STEPS
from parzen.samples import Sample
from parzen.solvers import Solution
from parzen.table import TableEncoder

SPLITTERS: tuple[type, ...] = (
    KFold, RepeatedKFold, RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold,
    StratifiedShuffleSplit,
)  # fmt: skip
_PARTS: tuple[type, ...] = (
    AbsentColumn, BayesRule, CategoricalColumn, CategoryColumns, Classes, ColumnDomains,
    ColumnScores, ConformalKernel, Decision, Expert, FitRows, GramExpansion, Indicators,
    KernelExpansion, KernelRule, LaplacianKFoldError, LeastSquaresRule, LocalExpansion,
    NumericColumn, OffsetDecision, OptimizedSpace, Reference, Sample, SecondAxis, Selection,
    Solution, SplitSample, StackTable, TemperedDecision, Tempering, TrainingRows, Whitening,
)  # fmt: skip

_FORMER_NAMES: dict[str, type] = {"Table": StackTable}  # What older files call these types.


def registry() -> dict[str, type]:
    """All types by name; a kernel is among them as soon as it is registered."""
    registered = {kernel.__name__: kernel for kernel in kernels.registered()}
    return {**_FORMER_NAMES, **_fixed_types(), **registered}


@cache
def _fixed_types() -> dict[str, type]:
    types = [
        *_classes_of(classifiers), *_classes_of(feature_space), *_classes_of(kernels),
        *_classes_of(bandwidth), KernelDensity, L2KernelDensity, NormalScores, TableEncoder,
        *STEPS, *SPLITTERS, *_PARTS,
    ]  # fmt: skip
    found: dict[str, type] = {}
    for item in types:
        if found.setdefault(item.__name__, item) is not item:
            raise RuntimeError(f"two types of model files are called {item.__name__}")
    return found


def trusted_types() -> list[str]:
    """Full names of the library's types, for ``trusted=`` of ``skops.io.load``.

    Examples
    --------
    >>> "parzen.classifiers.plug_in.parzen.ParzenClassifier" in trusted_types()
    True
    """
    own = [(n, t) for n, t in registry().items() if t.__module__.startswith("parzen.")]
    return sorted(f"{t.__module__}.{name}" for name, t in own)


def _classes_of(room: Any) -> list[type]:
    """The classes that a room of the library exports."""
    exported = (getattr(room, name) for name in room.__all__)
    return [item for item in exported if isinstance(item, type)]
