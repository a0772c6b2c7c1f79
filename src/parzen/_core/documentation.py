"""What every estimator here has: a link to its page, and whether and by what it was fitted."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from typing import ClassVar

from sklearn.base import BaseEstimator


@cache
def site_address() -> str:
    """Where the site is, by the package's metadata; empty as long as they do not say."""
    try:
        lines = metadata("parzen").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    addresses: dict[str, str] = dict(line.split(", ", 1) for line in lines)
    return addresses.get("Documentation", "").rstrip("/")


class LinkedEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator whose HTML display links to the site, if the site has an address."""

    _doc_link_module = "parzen"
    _set_last: ClassVar[str] = "n_features_in_"  # the attribute that `fit` sets last

    def __sklearn_is_fitted__(self) -> bool:
        """Only a fit that came to its end counts."""
        return hasattr(self, self._set_last)

    def _forget(self) -> None:
        """Drop what an earlier fit learned, so that an interrupted fit leaves nothing behind."""
        for name in [n for n in vars(self) if n.endswith("_") and not n.startswith("_")]:
            delattr(self, name)

    @property
    def _doc_link_template(self) -> str:
        page = "reference/generated/{estimator_module}.{estimator_name}.html"
        return f"{site_address()}/{page}" if site_address() else ""

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        """The shortest place that the class is exported from, as the reference has it."""
        name, home = type(self).__name__, type(self).__module__.split(".")
        is_top = name in sys.modules["parzen"].__all__
        module = "parzen" if is_top else ".".join(home[:2])
        return {"estimator_module": module, "estimator_name": name}
