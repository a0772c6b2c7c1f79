"""What a verbose L2Classifier prints: where it is, how many steps it took, and the gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parzen.solvers import Progress

if TYPE_CHECKING:
    from parzen.classifiers.l2.l2_classifier import L2Classifier


def progress_of(estimator: L2Classifier, stage: str = "") -> Progress | None:
    """A function of iterations and gap that prints one line; None for a silent estimator."""
    if not estimator.verbose:
        return None

    def report(iterations: int, gap: float) -> None:
        print(f"[L2Classifier] {stage}{iterations} iterations, gap {gap:.1e}", flush=True)

    return report
