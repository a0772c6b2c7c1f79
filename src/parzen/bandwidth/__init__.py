"""Choosing the bandwidth: rules of thumb, density criteria and error estimates, in one pass."""

from parzen.bandwidth._cross_validation import CrossValidation, own_criterion
from parzen.bandwidth._density import Likelihood
from parzen.bandwidth._errors import (
    ConditionalLikelihood,
    HoldoutError,
    KFoldError,
    LeaveOneOutError,
    TrainingError,
)
from parzen.bandwidth._kfold_likelihood import KFoldLikelihood
from parzen.bandwidth._lscv import LSCV
from parzen.bandwidth._per_feature import per_feature
from parzen.bandwidth._resolve import (
    check_bandwidth_parameter,
    get_selector,
    resolve_bandwidth,
    selector_names,
)
from parzen.bandwidth._rule import Rule
from parzen.bandwidth._rules import RULES, scott, silverman
from parzen.bandwidth._selection import Selection
from parzen.bandwidth._selector import Selector

__all__ = [
    "LSCV",
    "RULES",
    "ConditionalLikelihood",
    "CrossValidation",
    "HoldoutError",
    "KFoldError",
    "KFoldLikelihood",
    "LeaveOneOutError",
    "Likelihood",
    "Rule",
    "Selection",
    "Selector",
    "TrainingError",
    "check_bandwidth_parameter",
    "get_selector",
    "own_criterion",
    "per_feature",
    "resolve_bandwidth",
    "scott",
    "selector_names",
    "silverman",
]
