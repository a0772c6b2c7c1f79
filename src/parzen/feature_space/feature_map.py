"""What the maps to feature spaces share: names of their columns, and whether they need labels."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from parzen._core import LinkedEstimator


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LinkedEstimator):  # type: ignore[misc]
    """A transformer whose columns are axes of a feature space."""

    _needs_labels: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        """Say whether `fit` needs labels."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        return tags
