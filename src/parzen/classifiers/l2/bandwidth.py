"""Bandwidth and eta of L2Classifier: given, found by a selector, or searched for.

Whatever their shape, bandwidths become one per class, in units in which the columns are scaled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth import own_criterion, resolve_bandwidth
from parzen.classifiers.l2.landmarks import Searched
from parzen.classifiers.l2.search import search
from parzen.density import density_kernel
from parzen.l2 import L2Form, Units
from parzen.samples import Sample

if TYPE_CHECKING:
    from parzen.classifiers.l2.l2_classifier import L2Classifier

Floats = NDArray[np.float64]


def given_bandwidth(estimator: L2Classifier, sample: Sample) -> Floats | None:
    """The bandwidth that was given, or that a selector found; None for the own search."""
    if own_criterion(estimator.bandwidth) is not None:
        return None
    h, estimator.bandwidth_path_ = resolve_bandwidth(
        estimator.bandwidth, sample.X, sample.codes, n_classes=len(sample.classes),
        kernel=density_kernel(estimator.kernel), n_jobs=estimator.n_jobs,
        **estimator._selection_options(sample),
    )  # fmt: skip
    return h


def units_of(estimator: L2Classifier, sample: Sample, given: Floats | None) -> Units:
    """How the columns are scaled, and the bandwidths that were given."""
    own = own_criterion(estimator.bandwidth)
    if given is None and own is not None and own.per == "feature":
        relative = own.relative_bandwidths(
            sample.X, sample.codes, kernel=density_kernel(estimator.kernel),
            n_jobs=estimator.n_jobs, **estimator._selection_options(sample),
        )  # fmt: skip
        given = relative[None, :]
    return Units.of(np.ones(()) if given is None else given, len(sample.classes))


def chosen(
    estimator: L2Classifier, searched: Searched, form: L2Form, given: Units | None
) -> tuple[Floats, float]:
    """One bandwidth per class, and eta."""
    if given is None:
        return search(estimator, searched, form, None)
    form.check_bandwidths(given.bandwidths)
    eta = 1.0 if estimator.constraint is None else estimator.eta
    if eta != "cv":
        return given.bandwidths, float(eta)
    return search(estimator, searched, form, given.bandwidths)
