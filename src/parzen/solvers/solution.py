"""What every solver returns, and what it says when it stopped too early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sklearn.exceptions import ConvergenceWarning

from parzen._core import Floats, warn

Status = Literal["optimal", "max_iter"]


@dataclass(frozen=True)
class Solution:
    """The outcome of a solver.

    Attributes
    ----------
    weights : array
        The minimiser.
    objective : float
        The value of the programme there.
    gap : float
        A bound on how far the solution is from optimal, relative to the solver's own scale (each
        solver says which); the solver stopped because it fell below the tolerance.
    iterations : int
        Steps taken.
    status : {"optimal", "max_iter"}
        Whether the tolerance was reached.
    """

    weights: Floats
    objective: float
    gap: float
    iterations: int
    status: Status

    @classmethod
    def of(
        cls, weights: Floats, objective: float, gap: float, iterations: int, tol: float
    ) -> Solution:
        """The outcome of a solver that stops where the gap is at most ``tol``."""
        status: Status = "optimal" if gap <= tol else "max_iter"
        return cls(weights, objective, gap, iterations, status)

    @property
    def converged(self) -> bool:
        """Whether the gap reached the tolerance."""
        return self.status == "optimal"

    def warn_unless_converged(self, advice: str = "raise max_iter or tol") -> None:
        """Raise a ConvergenceWarning that names the gap, unless the tolerance was reached."""
        if not self.converged:
            warn(
                f"stopped after {self.iterations} iterations with an optimality gap of "
                f"{self.gap:.1e}; {advice}.",
                ConvergenceWarning,
            )
