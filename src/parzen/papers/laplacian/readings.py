"""Other readings of Tables VI and VII of Jenssen et al. (2007), on the same splits.

gamma_c without V_c: rows get the class of the largest sum of k(x, x_i) / sqrt(f(x_i)), which is the
numerator of (18), where f leaves out the point itself. The paper lists one kernel size sqrt(2)
sigma for each set of its Table VII, so these sizes stand in the place of the folds here.

The Parzen classifier (20) with kernel sizes in steps of one half: the sizes that the paper lists
for the support vector machine are multiples of that, those of the Laplacian classifier are not.

The classifier as written at the sigma of the largest leave-one-out likelihood, in the place of the
rule (21), which section IV calls suboptimal.
"""

from __future__ import annotations

import numpy as np

from parzen.bandwidth import KFoldError
from parzen.classifiers import LaplacianClassifier, ParzenClassifier
from parzen.papers.engine import Column, Parameters, Setting, Study, Table, read, self_tuning
from parzen.papers.laplacian import printed as printed
from parzen.papers.laplacian.inner_products import InnerProductRule
from parzen.papers.laplacian.ten_folds import extent

_FIGURES = {
    title: cells
    for text in (printed.BENCHMARK, printed.UCI)
    for title, cells in read(text, printed.COLUMNS).items()
}
_RULE, _CV, _PARZEN = "Laplacian, rule", "Laplacian, cv", "Parzen, cv"
AS_WRITTEN, LIKELIHOOD = "as written, cv", "Laplacian, likelihood"
_HALVES = (0.5 * np.arange(1, 21)).tolist()  # Kernel sizes up to 10, the largest that is listed.


class _PrintedSizes(Study):
    """Methods that the paper tunes by folds have the kernel sizes that it lists."""

    def _parameters(self, title: str, method: str, chosen: list[Parameters]) -> Parameters:
        if method not in (_CV, AS_WRITTEN):
            return super()._parameters(title, method, chosen)
        return {"bandwidth": float(printed.SIZES[title][1] / np.sqrt(2.0))}


COLUMNS = {
    _CV: Column(lambda p: InnerProductRule(p["bandwidth"], use_means=False)),
    _RULE: self_tuning(lambda: InnerProductRule(use_means=False)),
    AS_WRITTEN: Column(
        lambda p: LaplacianClassifier(bandwidth=p["bandwidth"], scale=None, n_jobs=1)
    ),
    LIKELIHOOD: self_tuning(
        lambda: LaplacianClassifier(bandwidth="likelihood", scale=None, n_jobs=1)
    ),
    _PARZEN: self_tuning(
        lambda: ParzenClassifier(
            bandwidth=KFoldError(grid=_HALVES, folds=3, ties="largest"), scale=None, n_jobs=1
        )
    ),
}
STUDY = _PrintedSizes(__name__, printed.SETS, COLUMNS, extent, ("Wine", "Iris", "Ionos", "Banana"))


def sums_without_norms(setting: Setting) -> list[Table]:
    """Tables VI and VII by the numerator of (18); VII has the classifier as written beside it."""
    figures = {
        title: {**_FIGURES[title], AS_WRITTEN: _FIGURES[title][_CV]} for title in printed.SIZES
    }
    reading = (
        "The numerator of (18) without V_c, with an f that leaves out the point itself: a sum for "
        "each class, no angle. "
    )
    notes = [
        f"{reading}'cv' has the kernel sizes √2 σ that the paper lists, one for each set, and no "
        "folds. The last column has these sizes too and the classifier as written, beside the same "
        "printed numbers.",
    ]
    title = "Sums in place of angles, {}: right labels in percent (printed)"
    return [
        STUDY.table(setting, "6 sums", title.format("the rule"), [_RULE], "right",
                    titles=set(_FIGURES) - set(figures), printed=_FIGURES, notes=[reading.strip()],
                    explains="6"),
        STUDY.table(setting, "7 sums", title.format("printed kernel sizes"),
                    (_CV, _RULE, AS_WRITTEN), "right", titles=figures, printed=figures, notes=notes,
                    explains="7"),
    ]  # fmt: skip


def parzen_in_steps(setting: Setting) -> list[Table]:
    """The Parzen classifier where its folds choose from multiples of one half."""
    titles = [title for title, cells in _FIGURES.items() if _PARZEN in cells]
    notes = ["Three folds of every training set choose from the kernel sizes 0.5, 1, 1.5, ..., 10."]
    title = "Parzen, kernel sizes in steps of one half: right labels in percent (printed)"
    return [
        STUDY.table(setting, "steps", title, [_PARZEN], "right", titles=titles, printed=_FIGURES,
                    notes=notes, explains="6,7")
    ]  # fmt: skip


def at_likelihood(setting: Setting) -> list[Table]:
    """The classifier at another bandwidth that follows from the sample alone."""
    notes = [
        "σ is that of the largest likelihood, each row under the density of the other rows of its "
        "class. The printed numbers beside it are those at the rule (21).",
    ]
    title = "σ of the largest likelihood in place of the rule: right labels in percent (printed)"
    return [
        STUDY.table(setting, "likelihood", title, {_RULE: LIKELIHOOD}, "right", printed=_FIGURES,
                    notes=notes, explains="6")
    ]  # fmt: skip
