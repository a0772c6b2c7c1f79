from parzen._core.arrays import Array, Bools, Floats, Ints
from parzen._core.available import available_if
from parzen._core.build import (
    choose_instruction_set,
    describe,
    instruction_set,
    package_version,
    usable_instruction_sets,
)
from parzen._core.callbacks import CallbackSupport, telling_callbacks
from parzen._core.documentation import LinkedEstimator
from parzen._core.files import is_stream, whole_file
from parzen._core.frames import CategoryColumns, category_encoder, validate_table
from parzen._core.other_arrays import (
    as_numpy,
    dense_blocks,
    is_dask,
    is_other_array,
    returned_like,
)
from parzen._core.parameters import (
    THREADS,
    Anything,
    Checked,
    Constraint,
    Constraints,
    Flag,
    Integer,
    Number,
    OneOf,
    Seed,
    check_parameters,
    constraints_of,
    declared,
    described,
)
from parzen._core.pipelines import last_columns, last_estimator, last_step
from parzen._core.progress import listening, portion, steps, tell
from parzen._core.threads import (
    Workers,
    blas_threads,
    effective_threads,
    few_blas_threads,
    interruptible,
    look_up,
    run_tasks,
)
from parzen._core.validation import (
    as_bandwidths,
    as_matrix,
    as_weights,
    check_countable,
    check_finite,
    check_range,
    validate_points,
    validate_weights,
)
from parzen._core.warnings import warn
