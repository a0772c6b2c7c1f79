"""The native core. Callers check their arguments first; the shapes are checked again here."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", np.float32, np.float64)

build_type: str
compiler: str

def kernel_names(strategy: str = "dense") -> list[str]: ...
def kernel_sums(
    queries: NDArray[T],
    points: NDArray[T],
    weights: NDArray[T] | None,
    labels: NDArray[np.int32] | None,
    kernel: str,
    parameters: list[float],
    bandwidths: NDArray[np.float64],
    log_normalizers: NDArray[np.float64],
    mode: str,
    same: bool,
    exclude_self: bool,
    out: NDArray[T],
    log_scale: NDArray[T] | None,
    threads: int,
) -> None: ...

class PackedDouble:
    def at(
        self,
        queries: NDArray[np.float64],
        out: NDArray[np.float64],
        log_scale: NDArray[np.float64] | None,
    ) -> bool: ...

class PackedFloat:
    def at(
        self,
        queries: NDArray[np.float32],
        out: NDArray[np.float32],
        log_scale: NDArray[np.float32] | None,
    ) -> bool: ...

def pack(
    points: NDArray[T],
    weights: NDArray[T] | None,
    labels: NDArray[np.int32] | None,
    kernel: str,
    parameters: list[float],
    bandwidths: NDArray[np.float64],
    log_normalizers: NDArray[np.float64],
    mode: str,
    columns: int,
) -> PackedDouble | PackedFloat: ...
def sorted_sums(
    queries: NDArray[T],
    points: NDArray[T],
    weights: NDArray[T] | None,
    labels: NDArray[np.int32] | None,
    kernel: str,
    parameters: list[float],
    bandwidths: NDArray[np.float64],
    log_normalizers: NDArray[np.float64],
    mode: str,
    same: bool,
    exclude_self: bool,
    out: NDArray[T],
    log_scale: NDArray[T] | None,
    threads: int,
) -> None: ...
def few_products(
    left: NDArray[np.float64], matrix: NDArray[T], out: NDArray[np.float64]
) -> None: ...
def few_transposed_products(
    right: NDArray[np.float64], matrix: NDArray[T], out: NDArray[np.float64]
) -> None: ...
def triangle_of(rows: NDArray[np.float64], triangle: NDArray[T], threads: int) -> None: ...
def join_diagonal(diagonal: NDArray[T], triangle: NDArray[T], threads: int) -> None: ...
def gaussian_of_products(
    values: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]
) -> None: ...
def instruction_set() -> str: ...
def instruction_sets() -> list[tuple[str, bool]]: ...
def choose_instruction_set(name: str) -> bool: ...
def lanes_float64() -> int: ...
def peak_multiply_add_float32(count: int) -> float: ...
def peak_multiply_add_float64(count: int) -> float: ...
def sum_exponentials_float32(u: NDArray[np.float32], scale: float, repeats: int) -> float: ...
def sum_exponentials_float64(u: NDArray[np.float64], scale: float, repeats: int) -> float: ...
def simplex_qp(
    points: NDArray[np.float64] | None,
    matrix: NDArray[np.float64] | None,
    evaluate: object | None,
    shape: str,
    power: float,
    starts: NDArray[np.uint64],
    bandwidths: NDArray[np.float64],
    budget: int,
    linear: NDArray[np.float64],
    factors: NDArray[np.float64],
    active: NDArray[np.uint8] | None,
    coupling: NDArray[np.float64],
    rates: NDArray[np.float64] | None,
    tolerance: float,
    max_iterations: int,
    weights: NDArray[np.float64],
    objectives: NDArray[np.float64],
    gaps: NDArray[np.float64],
    iterations: NDArray[np.int64],
    floors: NDArray[np.float64],
    threads: int,
    report: object | None,
) -> None: ...
def metric_loss(
    queries: NDArray[T],
    points: NDArray[T],
    absolute: bool,
    starts: NDArray[np.uint64],
    weights: NDArray[T],
    labels: NDArray[np.int32],
    own: NDArray[np.int64] | None,
    left: NDArray[T],
    log_sizes: NDArray[np.float64],
    base: NDArray[np.float64],
    shares: NDArray[np.float64],
    parameters: NDArray[np.float64],
    gradient: NDArray[np.float64],
    log_means: NDArray[np.float64] | None,
    threads: int,
) -> float: ...
def anova_values(
    queries: NDArray[np.float64],
    query_centres: NDArray[np.float64],
    points: NDArray[np.float64],
    centres: NDArray[np.float64],
    exponentials: NDArray[np.float64],
    equalities: NDArray[np.float64],
    pairs: float,
    scale: float,
    out: NDArray[np.float64],
    threads: int,
) -> None: ...
def gapped_log_sums(
    queries: NDArray[np.float64],
    marginals: NDArray[np.float64],
    own: NDArray[np.int64],
    own_log_weight: NDArray[np.float64],
    points: NDArray[np.float64],
    log_weights: NDArray[np.float64],
    segment_starts: NDArray[np.uint64],
    label_starts: NDArray[np.uint64],
    present: NDArray[np.uint8],
    lacking: NDArray[np.float64],
    rates: NDArray[np.float64],
    absolute: bool,
    out: NDArray[np.float64],
    threads: int,
) -> None: ...

class Forest:
    def sums(
        self,
        queries: list[NDArray[np.float64]],
        rtol: float,
        values: NDArray[np.float64],
        levels: NDArray[np.float64],
        threads: int,
        own: list[NDArray[np.int64]] = ...,
    ) -> tuple[int, int, int, int]: ...
    def decide(
        self,
        queries: list[NDArray[np.float64]],
        costs: NDArray[np.float64] | None,
        constant: bool,
        exponent: float,
        log_shift: NDArray[np.float64],
        reject: float | None,
        novelty: float | None,
        margin: float,
        labels: NDArray[np.int32],
        threads: int,
    ) -> tuple[int, int, int, int]: ...

def make_forest(
    points: list[NDArray[np.float64]],
    weights: list[NDArray[np.float64] | None],
    bandwidths: list[float],
    kernel: str,
    parameters: list[float],
    threads: int,
) -> Forest: ...
def conformal_counts(
    queries: NDArray[np.float64],
    levels: NDArray[np.float64],
    points: NDArray[np.float64],
    factors: NDArray[np.float64],
    shifts: NDArray[np.float64],
    slopes: NDArray[np.float64],
    reach: NDArray[np.float64],
    weights: NDArray[np.float64],
    kernel: str,
    parameters: list[float],
    bandwidth: float,
    counts: NDArray[np.float64],
    threads: int,
) -> None: ...
