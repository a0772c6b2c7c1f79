"""``parzen fit``: a model file from your data, with scaling and encoding inside."""

from __future__ import annotations

import shlex
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from parzen import save
from parzen.cli._console import following, progress, say, say_json, tell_warnings, watched
from parzen.cli._data import LabelledData, load_labelled, preparation
from parzen.cli._errors import UserError
from parzen.cli._options import FitOptions
from parzen.cli._outputs import check_output
from parzen.cli._parameters import parameters, set_parameters
from parzen.compare import (
    BASELINES,
    METHODS,
    chosen_parameters,
    compare,
    final_estimator,
    fit_arguments,
    fold_splits,
    settle_gaps,
    share_kept,
    table_estimators,
)

# Parameters of estimators that have an option of their own, beside --set.
_NAMED_PARAMETERS = ("kernel", "bandwidth", "priors", "costs", "reject", "novelty")
_DEFAULT_FOLDS = 5  # Folds that estimate the error where the user names no number.
_START_SECONDS = 4.0  # Seconds of work below which it is done before other processes have started.


def run_fit(data: str, output: Path, options: FitOptions) -> None:
    """Fit, estimate the error in folds, and write the model."""
    method, folds, jobs = options.method, options.folds, options.jobs
    _check_method(method)
    check_output(output, "model", inputs=[data], overwrite=options.overwrite)
    sample = load_labelled(data, options)
    if folds is None:
        folds = min(_DEFAULT_FOLDS, len(sample.y))
    elif folds and not 2 <= folds <= len(sample.y):
        raise UserError(f"--folds must be 0 or between 2 and {len(sample.y)}, got {folds}")
    made = table_estimators([method], missing=sample.missing, random_state=options.seed)
    estimator = made[method]
    named = {name: getattr(options, name) for name in _NAMED_PARAMETERS}
    chosen = parameters(options.assignments, named, np.unique(sample.y))
    set_parameters(method, final_estimator(estimator), chosen)
    missing = settle_gaps(estimator, sample.missing, sample.gaps > 0)
    sample.facts.extend(preparation(sample, {method: missing}))
    with progress(f"fitting {method}") as tell:
        start = time.perf_counter()
        with (
            warnings.catch_warnings(record=True) as caught,
            following(tell, 0, folds + 1, f"fitting {method}"),
        ):
            warnings.simplefilter("always")
            estimator.fit(sample.X, sample.y, **fit_arguments(estimator, sample.weights))
        if jobs is None and folds * (time.perf_counter() - start) < _START_SECONDS:
            jobs = 1
        errors = _fold_errors(estimator, sample, folds, options.seed, jobs, tell)
    about = _about(estimator, sample, method, missing, chosen, errors)
    save(estimator, output, metadata=about)
    tell_warnings(caught)
    if options.as_json:
        say_json({"model": str(output), **about})
        return
    say(*sample.facts, f"{method}: {_summary(about)}", f"model written to {output}")


def _check_method(method: str) -> None:
    if method in BASELINES:
        raise UserError(
            f"--method: {method} is a baseline for `compare`, and model files cannot hold it; the "
            f"methods are {', '.join(METHODS)}"
        )
    if method not in METHODS:
        raise UserError(f"--method: unknown method {method!r}; there are {', '.join(METHODS)}")


def _fold_errors(
    estimator: Any, sample: LabelledData, folds: int, seed: int, jobs: int | None, tell: Any
) -> list[float]:
    if not folds:
        return []

    def on_progress(done: float) -> None:
        tell(done + 1, folds + 1, f"error in {folds} folds")

    on_progress(0)
    splits = fold_splits(sample.y, folds, random_state=seed)
    found = compare(
        {"model": estimator}, sample.X, sample.y, splits, sample_weight=sample.weights,
        n_jobs=jobs, progress=on_progress if watched() else None,
    )  # fmt: skip
    failed = [o.failure for o in found.outcomes if o.failure]
    if failed:
        raise UserError(f"a fold could not be fitted: {failed[0]}")
    return [float(e) for e in found.errors("model")]


def _about(
    estimator: Any,
    sample: LabelledData,
    method: str,
    missing: str,
    given: Mapping[str, Any],
    errors: list[float],
) -> dict[str, Any]:
    """What the model file says about itself: plain values only."""
    return {
        "method": method,
        "data": sample.name,
        "rows": len(sample.y),
        "target": sample.target,
        "kinds": sample.kinds,
        "forms": sample.forms,
        "levels": sample.levels(),
        "decimal": sample.decimal,
        "missing": missing,
        "classes": np.unique(sample.y).tolist(),
        "facts": sample.facts,
        "given": dict(given),
        "parameters": chosen_parameters(estimator),
        "kernels_kept": share_kept(estimator, len(sample.y)),
        "fold_errors": errors,
        "command": shlex.join(["parzen", *sys.argv[1:]]),
    }


def _summary(about: dict[str, Any]) -> str:
    found = {**about["given"], **about["parameters"]}
    parts = [f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items()]
    if about["kernels_kept"] is not None:
        parts.append(f"{100 * about['kernels_kept']:.0f} % of the kernels kept")
    errors = about["fold_errors"]
    if errors:
        parts.append(
            f"error {100 * np.mean(errors):.2f} % (sd {100 * np.std(errors, ddof=1):.2f}) "
            f"in {len(errors)} folds"
        )
    return ", ".join(parts)
