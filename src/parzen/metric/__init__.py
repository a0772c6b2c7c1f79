from parzen.metric.calibration import MOST_OFFSETS, calibrate
from parzen.metric.column_weights import RIDGES, relative_bandwidths, systematic_rows
from parzen.metric.learned import (
    OUTER_ROWS,
    choose_metric,
    column_shares,
    gaussian_ladder,
    laplacian_ladder,
    learned_path,
    metric_bandwidth,
)
from parzen.metric.loss import Metric, MetricLoss
from parzen.metric.normal_scores import ColumnScores, NormalScores
from parzen.metric.whitening import (
    Whitening,
    class_sums,
    fit_whitening,
    pooled_whitening,
    whitened_sums,
    with_split,
)
