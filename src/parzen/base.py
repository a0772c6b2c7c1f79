"""What every estimator of the library shares: how it computes kernel sums, and dask input."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    THREADS,
    Constraints,
    Number,
    OneOf,
    accept_chunks,
    check_parameters,
)
from parzen.kernels import Kernel, get
from parzen.sums import METHODS, check_serves


class SumsOptions:
    """How an estimator with ``method``, ``rtol`` and ``n_jobs`` computes kernel sums."""

    _constraints: ClassVar[Constraints] = {
        "method": OneOf(*METHODS),
        "rtol": Number(
            "[0, 1)",
            wanted="a relative error from 0, which asks for exact sums, to below 1",
        ),
        "n_jobs": THREADS,
    }
    _descriptions: ClassVar[str] = """
    method : {"auto", "dense", "tree", "fourier"}, default="auto"
        How kernel sums at new points are computed: see :func:`parzen.kernel_sums`. ``"auto"``
        chooses by size, dimension, kernel and bandwidth; ``sums_method_`` says what.
    rtol : float, default=1e-12
        Largest relative error of a sum that a method other than dense may make; 0 for dense.
    n_jobs : int, default=None
        Threads; None for all cores that the process may use. The result does not depend on it.
    sums_method_ : str
        The method in use for kernel sums at many new points.
    """

    method: str
    rtol: float
    n_jobs: int | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        accept_chunks(cls)

    def _check_parameters(self) -> None:
        """Refuse wrong parameters, before any computation; subclasses add what concerns several."""
        check_parameters(self)

    def _forget(self) -> None:
        """Drop what an earlier fit learned, so that an interrupted fit leaves nothing behind."""
        for name in [n for n in vars(self) if n.endswith("_") and not n.startswith("_")]:
            delattr(self, name)

    def _check_serves(self, n_features: int) -> None:
        """Refuse a method that was asked for by name and knows nothing of the kernel."""
        kernel = getattr(self, "kernel", None)
        if kernel is None or self.method in ("auto", "dense") or self.rtol == 0:
            return
        if not isinstance(kernel, Kernel | str) or kernel == "precomputed":
            raise ValueError(
                f"method={self.method!r} needs a kernel with a name, got kernel={kernel!r}; "
                "use method='dense' or 'auto'."
            )
        check_serves(self.method, get(kernel), n_features)

    def _model(self) -> Any:
        """The expansion whose sums the estimator asks for."""
        return self.expansion_  # type: ignore[attr-defined]

    @property
    def sums_method_(self) -> str:
        """The method for kernel sums at many new points."""
        check_is_fitted(self)
        return str(self._model().sums_method(self.method, self.rtol))

    def _sums_options(self) -> dict[str, Any]:
        return {"method": self.method, "rtol": self.rtol, "n_jobs": self.n_jobs}
