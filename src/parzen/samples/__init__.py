from parzen.samples.choice import FOLD_TIE, TIE, End, best_pair, best_place, is_flat
from parzen.samples.folds import check_folds, checked_folds, stratified_splits
from parzen.samples.gaps import gap_mismatch
from parzen.samples.held_out import (
    ABSENT,
    HeldOutSums,
    Scheme,
    Split,
    class_log_sums,
    fold_sums,
    holdout_sums,
    leave_one_out_sums,
    left_out_log_means,
    log_copies,
    log_means,
    training_sums,
)
from parzen.samples.landmarks import (
    MOST_DENSITIES,
    Draw,
    check_landmarks,
    draw,
    draw_rows,
    landmark_count,
    part_size,
)
from parzen.samples.logs import (
    first_largest,
    log,
    log_add,
    log_sum,
    rounding,
    signed_sum,
    with_ties,
)
from parzen.samples.sample import (
    KernelSample,
    Merged,
    Sample,
    class_names,
    recent_rows,
    sum_of_others,
)
from parzen.samples.scales import (
    column_deviations,
    column_medians,
    feature_scales,
    has_spread,
    resolution,
    sample_scale,
    sample_size,
    scale_of_spread,
    scales_that_differ,
    varying_columns,
)
from parzen.samples.thinning import GROUPS, Thinning, evenly
