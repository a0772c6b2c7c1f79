"""Choosing the bandwidth: rules of thumb, density criteria and error estimates, in one pass."""

from parzen.bandwidth.coordinate import Ties, common_path, path_per_class
from parzen.bandwidth.cross_validation import (
    CrossValidation,
    KFoldLikelihood,
    PlugInError,
    own_criterion,
)
from parzen.bandwidth.density_criteria import DensitySelector, Likelihood
from parzen.bandwidth.error_criteria import (
    ClassifierSelector,
    ConditionalLikelihood,
    HoldoutError,
    KFoldError,
    LeaveOneOutError,
    SplitSelector,
    TrainingError,
)
from parzen.bandwidth.kept_sums import KeptSums
from parzen.bandwidth.losses import ErrorLoss
from parzen.bandwidth.lscv import LSCV
from parzen.bandwidth.matrix import (
    PlugInMatrix,
    given_matrices,
    gives_matrices,
    plug_in_matrix,
    refuse_matrices,
)
from parzen.bandwidth.one_column import improved_sheather_jones, sheather_jones
from parzen.bandwidth.per_feature import per_feature
from parzen.bandwidth.resolve import (
    check_bandwidth_parameter,
    column_scales,
    get_selector,
    given_bandwidth,
    in_units_of_columns,
    resolve_bandwidth,
    selector_names,
)
from parzen.bandwidth.rule import Rule
from parzen.bandwidth.rules import RULES, scott, silverman
from parzen.bandwidth.search import (
    EndOfGridWarning,
    Path,
    path_of,
    path_of_folds,
    path_of_pairs,
    search_grid,
    selection_of,
    warn_at_edge,
)
from parzen.bandwidth.selection import SecondAxis, Selection
from parzen.bandwidth.selector import GridSelector, Selector, for_all_columns, with_constant_columns
from parzen.bandwidth.table_columns import column_rates

__all__ = [
    "LSCV",
    "RULES",
    "ConditionalLikelihood",
    "CrossValidation",
    "EndOfGridWarning",
    "HoldoutError",
    "KFoldError",
    "KFoldLikelihood",
    "LeaveOneOutError",
    "Likelihood",
    "PlugInMatrix",
    "Rule",
    "SecondAxis",
    "Selection",
    "Selector",
    "TrainingError",
    "check_bandwidth_parameter",
    "column_scales",
    "get_selector",
    "improved_sheather_jones",
    "own_criterion",
    "per_feature",
    "plug_in_matrix",
    "resolve_bandwidth",
    "scott",
    "selector_names",
    "sheather_jones",
    "silverman",
]
