"""A data set as a paper used it: scaled, labelled, and split.

Official splits come first, where the folder PARZEN_DATA holds them; seeded random splits of the
paper's sizes complete their number. A result says how many there are of each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, ShuffleSplit

from parzen import datasets
from parzen._core import Floats
from parzen.datasets import Dataset, Split
from parzen.papers.engine.result import Cell, Table, TableRow


@dataclass(frozen=True)
class Benchmark:
    """Name, sizes and scaling of a data set in a paper.

    Attributes
    ----------
    name : str
        For :func:`parzen.datasets.load`.
    title : str
        As in the paper.
    n_train, n_test : int
        Rows of a split; ``n_test`` may exceed what is there.
    n_splits : int
        Splits in the paper.
    n_features : int
        Columns in the paper.
    scaling : {"standard", "range", "none"}
        Columns of zero mean and unit deviation over all rows; onto [-1, 1]; as they are.
    use_official : bool, default=True
        Whether splits that the folder holds are the paper's.
    """

    name: str
    title: str
    n_train: int
    n_test: int
    n_splits: int
    n_features: int
    scaling: str = "standard"
    use_official: bool = True

    def load(self) -> Dataset:
        """The data, scaled; raises ``UnavailableError`` where they cannot be had."""
        return load_form(self.name, self.scaling)

    def sample(self) -> tuple[Floats, NDArray[Any]]:
        """Rows and labels; -1 and +1 become 1 and 0, so that the library's ties go to +1."""
        found = self.load()
        if set(np.unique(found.y)) == {-1, 1}:
            return found.X, np.where(found.y > 0, 0, 1)
        return found.X, found.y

    def splits(self, n: int) -> tuple[list[Split], int]:
        """The first n splits, and how many of them are official."""
        found = self.load()
        official = _distinct(found.splits)[:n] if self.use_official else []
        seeded = found.random_splits(self.n_train, n - len(official))
        drawn = [(train, test[: self.n_test]) for train, test in seeded]
        return [*official, *drawn], len(official)

    def note(self, n: int) -> str:
        """How n splits came about."""
        official = self.splits(n)[1]
        if official == 0:
            return f"{n} seeded"
        return f"{official} official" + (f", {n - official} seeded" if n > official else "")


def by_title(*benchmarks: Benchmark) -> dict[str, Benchmark]:
    """Data sets by their names in the paper."""
    return {b.title: b for b in benchmarks}


def available(
    benchmarks: Mapping[str, Benchmark], only: Collection[str] | None = None
) -> tuple[dict[str, Benchmark], dict[str, str]]:
    """Those that can be had here, where given those of ``only``, and why others are left out."""
    have, missing = {}, {}
    for key, benchmark in benchmarks.items():
        try:
            benchmark.load()
        except datasets.UnavailableError as reason:
            missing[benchmark.title] = str(reason)
        else:
            have[key] = benchmark
    left_out = [key for key in have if only is not None and key not in only]
    missing |= {", ".join(left_out): "left to the full run."} if left_out else {}
    return {key: b for key, b in have.items() if key not in left_out}, missing


def size_table(
    title: str,
    benchmarks: Mapping[str, Benchmark],
    counts: Callable[[Benchmark], dict[str, tuple[int, int]]],
) -> list[Table]:
    """Table 1 of a paper: are the rows here what it describes? Counts are ours and the printed."""
    have, missing = available(benchmarks)
    rows = [
        TableRow(t, {k: Cell(n, printed=theirs, digits=0) for k, (n, theirs) in counts(b).items()})
        for t, b in have.items()
    ]
    return [Table("1", title, list(rows[0].cells) if rows else [], rows, [], missing)]


def scaled(X: NDArray[Any], scaling: str) -> Floats:
    """Columns on a common scale; constant ones become zero."""
    points = np.asarray(X, dtype=np.float64)
    if scaling == "none":
        return points
    if scaling == "standard":
        width = points.std(axis=0, ddof=1)
        return np.asarray((points - points.mean(axis=0)) / np.where(width > 0, width, 1.0))
    low, high = points.min(axis=0), points.max(axis=0)
    return np.asarray(2 * (points - low) / np.where(high > low, high - low, 1.0) - (high > low))


def _three_digits(found: Dataset) -> tuple[Floats, NDArray[Any]]:
    """The digits 0, 1 and 2 of the test file: as many rows as the Laplacian paper has.

    Without the files, as many rows drawn at random.
    """
    rows = found.splits[0][1] if found.splits else np.arange(len(found.y))
    kept = np.random.default_rng(0).permutation(rows[found.y[rows] <= 2])[:1091]
    return found.X[kept], found.y[kept]


def _five_sites(found: Dataset) -> tuple[Floats, NDArray[Any]]:
    """The five frequent classes of Ecoli."""
    return found.X[found.y <= 4], found.y[found.y <= 4]


def _complete_columns(found: Dataset) -> tuple[Floats, NDArray[Any]]:
    return found.X[:, ~np.isnan(found.X).any(axis=0)], found.y


def _ill_or_not(found: Dataset) -> tuple[Floats, NDArray[Any]]:
    return found.X, np.where(found.y > 0, 1, -1)


def _all_combinations(problem: int) -> Any:
    """The 432 points of a MONK problem by its rule, whatever a folder holds."""
    return lambda found: datasets.make_monks(problem)


_VARIANTS: dict[str, tuple[str, Any]] = {
    "pen": ("pendigits", _three_digits),
    "ecoli5": ("ecoli", _five_sites),
    "wpbc32": ("wpbc", _complete_columns),
    "heart2": ("cleveland", _ill_or_not),
    **{f"all monks{p}": (f"monks{p}", _all_combinations(p)) for p in (1, 2, 3)},
}


@lru_cache(maxsize=4)
def load_form(name: str, scaling: str = "none") -> Dataset:
    """A data set in the form that a paper used, under the name of that form."""
    source, change = _VARIANTS.get(name, (name, None))
    found = datasets.load(source)
    if change is not None:
        X, y = change(found)
        found = Dataset(name, X, y, found.source)
    return Dataset(found.name, scaled(found.X, scaling), found.y, found.source, found.splits)


def _distinct(splits: tuple[Split, ...]) -> list[Split]:
    """Without repetitions: two realisations of Image are one and the same in the source."""
    seen: dict[tuple[int, ...], Split] = {}
    for train, test in splits:
        seen.setdefault(tuple(np.sort(train)), (train, test))
    return list(seen.values())


@dataclass(frozen=True)
class FoldBenchmark(Benchmark):
    """Ten folds, shuffled anew for every ten splits."""

    def splits(self, n: int) -> tuple[list[Split], int]:
        """The first n splits; none is official."""
        rows = np.arange(len(self.load().X))
        found: list[Split] = []
        for seed in range(-(-n // 10)):
            found += KFold(10, shuffle=True, random_state=seed).split(rows)
        return found[:n], 0

    def note(self, n: int) -> str:
        """How n splits came about."""
        return f"{n} folds, seeded"


@dataclass(frozen=True)
class ThirdBenchmark(Benchmark):
    """Two thirds for training, one third for the test, at random."""

    def splits(self, n: int) -> tuple[list[Split], int]:
        """The first n splits; none is official."""
        rows = np.arange(len(self.load().X))
        return list(ShuffleSplit(n, test_size=1 / 3, random_state=0).split(rows)), 0
