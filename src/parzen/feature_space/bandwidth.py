"""The Parzen bandwidth of a feature-space tool: a number, one per class, or the name of a rule."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.bandwidth import RULES
from parzen.kernels import Kernel, StableKernel


def parzen_bandwidth(
    bandwidth: float | str,
    X: NDArray[Any],
    *,
    kernel: Kernel,
    weights: NDArray[np.float64] | None = None,
) -> float:
    """The number, or the rule's value for this sample; anything else is refused."""
    if not kernel.is_density:
        raise ValueError(f"kernel={kernel.name!r} is not a density; use e.g. 'gaussian'.")
    if isinstance(bandwidth, str):
        if bandwidth not in RULES:
            raise ValueError(
                f"bandwidth={bandwidth!r} is unknown; give a positive number or one of "
                f"{', '.join(map(repr, RULES))}."
            )
        return float(RULES[bandwidth](X, kernel=kernel, weights=weights))
    if isinstance(bandwidth, bool) or not isinstance(bandwidth, Real):
        raise TypeError(f"bandwidth must be a number or a name, got {bandwidth!r}.")
    if not (np.isfinite(bandwidth) and bandwidth > 0):
        raise ValueError(f"bandwidth={bandwidth!r} must be positive and finite.")
    return float(bandwidth)


def class_bandwidths(
    bandwidth: ArrayLike, n_classes: int, *, kernel: Kernel
) -> NDArray[np.float64]:
    """One positive number per class, for kernels of which two widths can be joined."""
    if not isinstance(kernel, StableKernel):
        raise ValueError(
            f"a bandwidth per class needs kernel='gaussian' or 'cauchy', got {kernel.name!r}: no "
            "other has a convolution of two widths; use one bandwidth."
        )
    widths = np.asarray(bandwidth, dtype=np.float64)
    if widths.shape != (n_classes,):
        raise ValueError(
            f"bandwidth has shape {widths.shape}; give a number, or one for each of the "
            f"{n_classes} classes."
        )
    if not (np.isfinite(widths) & (widths > 0)).all():
        raise ValueError(f"bandwidth={bandwidth!r} must be positive and finite.")
    return widths
