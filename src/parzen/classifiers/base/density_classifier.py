"""What every density classifier does with its class densities.

A subclass says how to fit the densities f_c, and what log f_c is at new points:

    X, y -> labels, frequencies -> f_c -> the decision of every classifier
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Array,
    Bools,
    Constraints,
    Floats,
    Integer,
    Ints,
    Number,
    is_other_array,
)
from parzen.classifiers.base.certain import certain_codes
from parzen.classifiers.base.deciding_classifier import DecidingClassifier
from parzen.classifiers.base.decision import Decision, log_normalised, novelty_threshold
from parzen.classifiers.base.decision_parameters import resolve_costs
from parzen.classifiers.base.explaining import Explaining
from parzen.classifiers.base.prediction_sets import PredictionSets, ranked_p_values
from parzen.classifiers.base.sample_fit import SampleFit
from parzen.classifiers.base.tempering import TemperedDecision
from parzen.evidence import Duel, Explanation, explain_densities
from parzen.expansion import KernelExpansion, LocalExpansion, draw_points
from parzen.samples import Sample
from parzen.sums import NOWHERE, UNDECIDED


class DensityClassifier(PredictionSets, Explaining, DecidingClassifier, SampleFit):
    """Base of the classifiers that decide by class densities.

    A subclass defines `_fit_densities`, which keeps ``self.expansion_`` (or overrides
    `_log_densities`), and where it can `_leave_one_out_log_densities`.
    """

    _constraints: ClassVar[Constraints] = {"bandwidth_rows": Number("(0, 1)", also=(None,))}
    _descriptions: ClassVar[str] = """
    bandwidth_rows : float, default=None
        Share of the rows of each class, evenly spaced in their order, that choose the bandwidth and
        the metric in place of all rows, and leave the ranks of the prediction sets: what the sets
        promise then holds for a chosen bandwidth as for a given one. All rows are in the densities.
    bandwidth_rows_ : array of int or None
        The training rows of positive weight that chose the bandwidth alone; None where all did.
    """

    expansion_: KernelExpansion

    # What a subclass says

    def _log_densities(self, X: Array) -> Array:
        """Return log f_c at each row, shape (n, C)."""
        return self.expansion_.log_sums(X, **self._sums_options())

    def _leave_one_out_log_densities(self) -> Array:
        """Return log f_c at each training row, which is left out of its own class, shape (n, C)."""
        raise ValueError(
            f"novelty and prediction sets need leave-one-out densities, which "
            f"{type(self).__name__} does not have; use novelty=None, and ConformalClassifier for "
            "prediction sets."
        )

    def _training_sample(self) -> tuple[Ints, Floats | None]:
        """Codes and frequencies of the rows of `_leave_one_out_log_densities`."""
        assert self.expansion_.labels is not None
        return self.expansion_.labels, self.expansion_.weights

    def _choosing(self, sample: Sample) -> Sample:
        """The rows that choose the bandwidth: all, or a share that leaves the ranks."""
        share = getattr(self, "bandwidth_rows", None)
        self.bandwidth_rows_ = None if share is None else sample.spaced_rows(float(share))
        return sample if self.bandwidth_rows_ is None else sample.rows(self.bandwidth_rows_)

    def _ranked(self) -> Floats:
        """The frequency with which each training row counts in the ranks of prediction sets."""
        codes, weights = self._training_sample()
        found = np.ones(len(codes)) if weights is None else weights.astype(np.float64)
        rows = getattr(self, "bandwidth_rows_", None)
        if rows is not None:
            found[rows] = 0.0
        return found

    # What every classifier does

    def score_samples(self, X: ArrayLike) -> Floats:
        """Log-density of the mixture of the classes at each row."""
        if is_other_array(X):
            return self._answer_other("score_samples", X)
        log_densities = self._densities_at(X)
        return self.decision_.log_mixture(log_densities)

    def sample(
        self, n_samples: int = 1, y: Any = None, random_state: Any = None
    ) -> tuple[Floats, Array]:
        """Draw rows and their labels from the estimated densities.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        y : label or array of shape (n_samples,), default=None
            Draw from the density of this class, or of these; None draws them by ``priors_``.
        random_state : int, RandomState or None, default=None
            The generator.

        Returns
        -------
        X : array of shape (n_samples, n_features)
            A data frame with its levels where a `parzen.kernels.ColumnProduct` was given one with
            columns of text.
        labels : array of shape (n_samples,)
        """
        check_is_fitted(self)
        Integer(1).check("n_samples", n_samples)
        rng, expansion = check_random_state(random_state), self._sampled_expansion()
        if y is None:
            codes = rng.choice(len(self.classes_), size=n_samples, p=self.priors_)
        else:
            codes = self._codes_of(np.broadcast_to(np.asarray(y), n_samples))
        rows = np.empty(n_samples, dtype=np.intp)
        for c in np.unique(codes):
            own = np.flatnonzero(expansion.labels == c)
            if len(own) == 0:
                raise ValueError(f"class {self.classes_[c]!r} has no kernels to draw from.")
            w = None if expansion.weights is None else expansion.weights[own]
            p = None if w is None else w / w.sum()
            rows[codes == c] = rng.choice(own, size=int((codes == c).sum()), p=p)
        return self._in_levels(draw_points(expansion, rows, rng)), self.classes_[codes]

    # How it is done

    def _explain(self, X: Array, top: int) -> list[Explanation]:
        expansion = getattr(self, "expansion_", None)
        if expansion is None:
            return super()._explain(X, top)
        rows = getattr(self, "support_", getattr(self, "_points", None))
        return explain_densities(
            expansion,
            X,
            Duel.of(self.decision_.joint(self._log_densities(X))),
            self.decision_.joint,
            self.classes_,
            np.arange(len(expansion.points)) if rows is None else rows,
            top,
            **self._sums_options(),
        )

    def _in_levels(self, X: Array) -> Array:
        """Drawn rows as the fit was given rows."""
        return X

    def _sampled_expansion(self) -> KernelExpansion:
        """The densities of the classes, to draw from."""
        expansion: KernelExpansion | None = getattr(self, "expansion_", None)
        if expansion is None or isinstance(self.decision_, TemperedDecision):
            raise ValueError(
                f"{type(self).__name__} has no class densities that are kernel expansions to draw "
                "from; use ParzenClassifier or L2Classifier."
            )
        return expansion

    def _codes_of(self, labels: Array) -> Ints:
        unknown = np.setdiff1d(labels, self.classes_).tolist()
        if unknown:
            raise ValueError(f"y={unknown[0]!r} is not in classes_ {self.classes_}.")
        return np.searchsorted(self.classes_, labels)

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        """P-values by full conformal prediction, of other rows by ranks among held-out rows."""
        points = self._validate(X, reset=False)
        ranked = self._needs_ranks(points)
        out = np.empty((len(points), len(self.classes_)))
        if ranked.any():
            out[ranked] = self._ranked_p_values(points[ranked], conformity, conditional)
        if not ranked.all():
            out[~ranked] = self._full_p_values(points[~ranked], conformity, conditional)
        return out

    def _needs_ranks(self, X: Array) -> Bools:
        """Which rows have no full conformal p-values: all, unless a subclass has some."""
        return np.ones(len(X), dtype=bool)

    def _full_p_values(self, X: Array, conformity: str, conditional: bool) -> Floats:
        """P-values in the bag that a row has joined, for the rows that are not ranked."""
        raise NotImplementedError

    def _ranked_p_values(self, X: Array, conformity: str, conditional: bool) -> Floats:
        """Rank the rows' scores among the leave-one-out scores of the training rows."""
        return self._ranks(self._log_densities(X).astype(np.float64), conformity, conditional)

    def _ranks(self, at_X: Array, conformity: str, conditional: bool) -> Floats:
        codes, held_out = self._training_sample()[0], self._held_out_log_densities()
        if conformity == "posterior":
            log_priors = self._leave_one_out_log_priors()
            held_out = log_normalised(self.decision_.joint_with(held_out, log_priors), log_priors)
            at_X = self.decision_.log_posterior(at_X)
        own = held_out[np.arange(len(codes)), codes]
        return ranked_p_values(at_X, own, codes, self._ranked(), conditional)

    def _held_out_log_densities(self) -> Floats:
        """`_leave_one_out_log_densities`, computed when first needed."""
        if not hasattr(self, "_held_out"):
            self._held_out = self._leave_one_out_log_densities().astype(np.float64)
        return self._held_out

    def _set_classes(self, sample: Sample) -> None:
        for name in ("_held_out", "_held_out_sums"):
            self.__dict__.pop(name, None)
        self._check_serves(sample.X.shape[1])
        self.classes_, self.class_count_ = sample.classes, sample.counts
        self._set_priors()
        resolve_costs(self.costs, len(self.classes_))

    def _set_decision(self) -> None:
        """Priors, costs and thresholds in one frozen object; set last, it marks the fit as done."""
        self._rejection_labels()
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors_)
        costs = resolve_costs(self.costs, len(self.classes_))
        threshold = None if self.novelty is None else self._novelty_threshold(self.novelty)
        self.decision_ = Decision(log_priors, costs, self.reject, threshold)

    def _novelty_threshold(self, false_alarms: float) -> float:
        joint = self._leave_one_out_joint()
        mixture = np.logaddexp.reduce(joint, axis=1)
        return novelty_threshold(mixture, self._training_sample()[1], false_alarms)

    def _leave_one_out_joint(self) -> Floats:
        """Return log pi_c f_c at the training rows, priors counted without the row as well."""
        log_densities = self._leave_one_out_log_densities().astype(np.float64)
        return log_densities + self._leave_one_out_log_priors()

    def _leave_one_out_log_priors(self) -> Floats:
        codes, weights = self._training_sample()
        taken = np.ones(len(codes)) if weights is None else np.minimum(weights, 1.0)
        rest = self.class_count_[codes] - taken
        priors = np.tile(self.priors_, (len(codes), 1))
        rows = np.arange(len(codes))
        if self._observed_priors:
            total = np.maximum(self.class_count_.sum() - taken, np.finfo(float).tiny)
            priors *= (self.class_count_.sum() / total)[:, None]
            priors[rows, codes] = rest / total
        priors[rows[rest <= 0], codes[rest <= 0]] = 0.0
        with np.errstate(divide="ignore"):
            return np.log(priors)

    def _codes_at(self, X: Array) -> NDArray[np.int32]:
        codes = self._certain_codes(X)
        if codes is None:
            return self.decision_.codes(self._log_densities(X))
        self._decide_the_rest(X, codes)
        return codes

    def _certain_codes(self, X: Array) -> NDArray[np.int32] | None:
        """Classes by bounds on the densities, where that pays; None where it does not."""
        expansion = getattr(self, "expansion_", None)  # a product or a stack of densities has none
        if expansion is None or len(expansion.points) == 0:
            return None
        # No trees for kernels of unequal widths, nor for missing entries.
        if isinstance(expansion, LocalExpansion) or expansion.has_gaps or np.isnan(X).any():
            return None
        return certain_codes(expansion, self.decision_, X, **self._sums_options())

    def _decide_the_rest(self, X: Array, codes: NDArray[np.int32]) -> None:
        """Exact sums for what bounds cannot decide, the priors where no kernel reaches."""
        nowhere, close = np.flatnonzero(codes == NOWHERE), np.flatnonzero(codes == UNDECIDED)
        codes[nowhere] = self.decision_.codes(np.full((len(nowhere), len(self.classes_)), -np.inf))
        if len(close):
            logs = self.expansion_.log_sums(X[close], method="dense", n_jobs=self.n_jobs)
            codes[close] = self.decision_.codes(logs)
