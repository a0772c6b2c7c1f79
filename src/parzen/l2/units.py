"""Bandwidths per feature in the L2 programme: columns divided by what the classes share.

    h_cl = s_c t_l,   prod_l t_l = 1:   the programme of X / t with one bandwidth s_c per class

The columns' factors t have the geometric mean 1, so that densities and peaks keep their values.
Where the classes' proportions differ, each keeps a bandwidth per feature in units of the mean ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parzen._core import Array, Floats

_PROFILE_TOLERANCE = 1e-12  # Profiles that differ by less than this, relatively, are the same.


class Units(NamedTuple):
    """Factors of the columns, None where there are none, and the bandwidths that remain."""

    scale: Floats | None  # (d,)
    bandwidths: Floats  # (n_classes,), or (n_classes, d) where the classes' proportions differ

    @classmethod
    def of(cls, h: Floats, n_classes: int) -> Units:
        """Take a bandwidth of any shape apart."""
        if h.ndim < 2:
            return cls(None, np.broadcast_to(h, n_classes).astype(np.float64))
        logs = np.log(h)
        levels = logs.mean(axis=1, keepdims=True)
        profile = (logs - levels).mean(axis=0)
        if np.abs(logs - levels - profile).max() > _PROFILE_TOLERANCE:
            return cls(np.exp(profile), np.exp(logs - profile))
        return cls(np.exp(profile), np.broadcast_to(np.exp(levels[:, 0]), n_classes).copy())

    def points(self, X: Array) -> Array:
        """The points in these units."""
        return X if self.scale is None else np.asarray(X / self.scale, dtype=np.float64)

    def bandwidth(self, bandwidths: Floats) -> float | Floats:
        """Bandwidths per class in these units as the estimator shows them."""
        common = bool((bandwidths == bandwidths[0]).all())
        if self.scale is None:
            return float(bandwidths[0]) if common else bandwidths
        if bandwidths.ndim == 1:
            bandwidths = (bandwidths[:1] if common else bandwidths)[:, None]
        return np.asarray(bandwidths * self.scale)
