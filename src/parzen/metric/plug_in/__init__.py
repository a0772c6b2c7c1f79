"""The metrics of the plug-in rule: each turns ``bandwidth=`` and a sample into bandwidths."""

from __future__ import annotations

from parzen.metric.plug_in.base import FittedMetric, PlugInMetric, Tempering
from parzen.metric.plug_in.class_metric import ClassMetric
from parzen.metric.plug_in.isotropic import IsotropicMetric
from parzen.metric.plug_in.learned_metric import LearnedMetric

_METRICS: dict[str, PlugInMetric] = {m.name: m for m in (ClassMetric(), LearnedMetric())}


def get_metric(name: str | None, scale: str | None) -> PlugInMetric:
    """The metric of a name; None is the isotropic one, with its parameter ``scale``."""
    return IsotropicMetric(scale) if name is None else _METRICS[name]
