from parzen.metric.calibration import MOST_OFFSETS, calibrate
from parzen.metric.column_weights import RIDGES, relative_bandwidths, systematic_rows
from parzen.metric.ladder import evenly, gaussian_ladder, laplacian_ladder
from parzen.metric.learned import (
    OUTER_ROWS,
    choose_metric,
    column_shares,
    learned_path,
    metric_bandwidth,
)
from parzen.metric.loss import Metric, MetricLoss
from parzen.metric.normal_scores import ColumnScores, NormalScores
from parzen.metric.whitened import class_sums, whitened_sums, with_split
from parzen.metric.whitening import Whitening, fit_whitening, pooled_whitening
