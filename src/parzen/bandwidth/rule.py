"""Rules as selectors, each a formula of the sample: for all points, per class, per feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen._core import Floats, warn
from parzen.bandwidth.one_column import ONE_COLUMN_RULES
from parzen.bandwidth.rules import RULES
from parzen.bandwidth.selection import Selection
from parzen.bandwidth.selector import Per, Selector
from parzen.samples import KernelSample, feature_scales, has_spread, sample_scale

_RULES = RULES | ONE_COLUMN_RULES


@dataclass(frozen=True)
class Rule(Selector):
    """A bandwidth by a formula, without a search over a grid.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    name : {"silverman", "scott", "sheather_jones", "improved_sheather_jones"}
        Which rule; ``"silverman"`` by default. The first two are proportional to the scale of the
        sample, the last two are for one column and estimate the density's curvature.
    per : {"all", "class", "feature"}, default="all"
        One bandwidth from all points; one per class, a class without spread taking that of all
        points; or one per feature, in proportion to the columns' standard deviations. A rule for
        one column is applied to each column by itself.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import Rule
    >>> X = np.array([[0.0, 0.0], [1.0, 10.0], [2.0, 30.0]])
    >>> Rule("scott", per="feature").select(X).bandwidth.round(2)
    array([[ 0.83, 12.72]])
    """

    name: str = "silverman"
    per: Per = "all"
    criterion: ClassVar[str] = "rule of thumb"

    def __post_init__(self) -> None:
        if self.name not in _RULES:
            raise ValueError(f"unknown rule {self.name!r}; the rules are {', '.join(_RULES)}.")
        if self.per not in self.scopes:
            raise ValueError(
                f"per={self.per!r} must be one of {', '.join(map(repr, self.scopes))}."
            )

    def _select(self, sample: KernelSample) -> Selection:
        h = _SCOPES[self.per](sample, self.name)
        return Selection.by_formula(h, self.name, self.criterion)


def _common(sample: KernelSample, rule: str) -> float:
    return _RULES[rule](sample.X, kernel=sample.kernel, weights=sample.weights)


def _per_class(sample: KernelSample, rule: str) -> Floats:
    flat = [not has_spread(part.X) for part in sample.by_class()]
    pooled = _common(sample, rule) if any(flat) else np.nan
    if any(flat) and not all(flat):
        codes = ", ".join(str(c) for c in np.flatnonzero(flat)[:10])
        warn(
            f"the points of class {codes} (in the order of the labels) have no spread; "
            f"the bandwidth of all points, {pooled:.4g}, stands in.",
        )
    parts = zip(sample.by_class(), flat, strict=True)
    return np.array([pooled if is_flat else _common(part, rule) for part, is_flat in parts])


def _per_feature(sample: KernelSample, rule: str) -> Floats:
    """The rule's factor times each column's deviation, or the rule of each column."""
    if rule in ONE_COLUMN_RULES:
        columns = (sample.columns(slice(j, j + 1)) for j in range(sample.X.shape[1]))
        return np.array([[_common(column, rule) for column in columns]])
    factor = _common(sample, rule) / sample_scale(sample.X, sample.weights)
    return np.asarray(feature_scales(sample.X, sample.weights) * factor)[None, :]


_SCOPES: dict[str, Callable[[KernelSample, str], float | Floats]] = {
    "all": _common,
    "class": _per_class,
    "feature": _per_feature,
}
