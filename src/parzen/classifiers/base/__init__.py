from parzen.classifiers.base.certain import certain_signed_codes
from parzen.classifiers.base.deciding_classifier import DecidingClassifier
from parzen.classifiers.base.decision import Decision, novelty_threshold
from parzen.classifiers.base.decision_parameters import (
    PriorsAndCosts,
    check_decision_parameters,
    error_weights,
    resolve_costs,
    resolve_priors,
    selector_options,
)
from parzen.classifiers.base.density_classifier import DensityClassifier
from parzen.classifiers.base.explaining import Explaining, row_names
from parzen.classifiers.base.labels import check_labels, warn_single_kernels, with_label
from parzen.classifiers.base.leave_one_out import LeaveOneOutClassifier, take_own_from_means
from parzen.classifiers.base.prediction_sets import (
    PredictionSets,
    ranked_log_odds,
    ranked_p_values,
    weights_below,
)
from parzen.classifiers.base.sample_fit import SampleFit
from parzen.classifiers.base.stream import StreamClassifier
from parzen.classifiers.base.tempering import OffsetDecision, TemperedDecision, tempering_exponent
