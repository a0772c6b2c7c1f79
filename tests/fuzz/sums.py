"""Kernel sums of every kernel, method, precision, layout and size against extended precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from parzen import kernel_sums, kernels
from parzen.sums import labelled_kernel_sums, reference

KERNELS = [name for name in kernels.names() if name != "conformal"]
DIGITS = {np.dtype(np.float64): 1e-11, np.dtype(np.float32): 2e-5}
REFUSALS = ("is too small for points", "has no bounds", "takes one bandwidth")


def run(rng: np.random.Generator) -> None:
    kernel = kernels.get(str(rng.choice(KERNELS)))
    X, Y, h = sample(rng)
    weights = weights_of(rng, len(Y), len(h))
    exclude_self = bool(rng.random() < 0.2)
    X = Y if exclude_self else X
    log = kernel.measure != "inner" and rng.random() < 0.7
    if log:
        weights = np.abs(weights)
    options: dict[str, Any] = {"kernel": kernel, "bandwidths": h, "exclude_self": exclude_self}
    how = {"method": str(rng.choice(["auto", "dense", "tree"])), "n_jobs": int(rng.integers(1, 3))}
    labelled = log and weights.shape[1] == 1 and rng.random() < 0.3
    try:
        if labelled:
            labels = rng.integers(0, 2, len(Y))
            got = labelled_kernel_sums(X, Y, labels, 2, weights, **options, **how)
            weights = np.stack([np.where(labels == c, weights[:, 0].T, 0).T for c in (0, 1)], 1)
        else:
            got = kernel_sums(X, Y, weights, log=log, **options, **how)
    except ValueError as error:
        if any(text in str(error) for text in REFUSALS):
            return
        raise
    x, y = (np.asarray(part, dtype=np.float64) for part in (X, Y))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        wanted = reference.kernel_sums(x, y, weights, log=log, **options)
    assert not np.isnan(got).any(), "a sum is NaN"
    if log:
        check_logs(got, wanted, is_compact(kernel, x.shape[1]))
    else:
        check_sums(got, wanted, *sizes(x, y, weights, options), kernel.name)


def check_logs(got: Any, wanted: Any, compact: bool) -> None:
    # On the edge of a compact kernel's support the sum is the rounding of distances: there it is
    # right to the digits of the largest sum.
    top = wanted.max(initial=-np.inf, where=np.isfinite(wanted))
    inside = wanted > top - 10
    assert np.isfinite(got[inside]).all(), f"infinite instead of {wanted[inside]}"
    if compact and np.isfinite(top):
        edge = np.abs(np.exp(got - top) - np.exp(wanted - top))[~inside]
        assert (edge <= 10 * DIGITS[got.dtype]).all(), f"off by {edge.max()} of the largest sum"
    both = np.isfinite(wanted) & np.isfinite(got) & (inside | (not compact))
    error = np.abs(got - wanted)[both] / (1 + np.abs(wanted[both]))
    assert (error <= 10 * DIGITS[got.dtype]).all(), f"off by {error.max()}"


def check_sums(got: Any, wanted: Any, sizes: Any, peaks: Any, kernel: str) -> None:
    digits, numbers = DIGITS[got.dtype], np.finfo(got.dtype)
    # Sums are taken in units of the kernel's peak: terms below the normal numbers there are lost.
    lost = float(numbers.tiny) * np.maximum(1.0, peaks)
    counts = sizes < float(numbers.max)
    error = np.abs(got - wanted)[counts]
    logs = 1 + np.abs(np.log(sizes[counts] + float(numbers.tiny)))
    allowed = digits * logs * sizes[counts] + np.broadcast_to(lost, counts.shape)[counts]
    assert (error <= 10 * allowed).all(), f"{kernel}: off by {(error / allowed).max()} tolerances"


def sizes(x: Any, y: Any, weights: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """The sum of the sizes of the terms; and that of the peaks, which a compact kernel adds."""
    kernel = options["kernel"]
    if kernel.measure == "inner":
        return reference.kernel_sums(np.abs(x), np.abs(y), np.abs(weights), **options), 1.0
    found = reference.kernel_sums(x, y, np.abs(weights), **options)
    same = np.zeros((1, x.shape[1]))
    heights = [reference.kernel_sums(same, same, kernel=kernel, bandwidths=h).item()
               for h in options["bandwidths"]]  # fmt: skip
    peaks = np.abs(weights).sum(axis=0) * np.array(heights)
    return found + peaks if is_compact(kernel, x.shape[1]) else found, peaks


def is_compact(kernel: Any, d: int) -> bool:
    return bool(np.isneginf(kernel.log_profile(np.array(1e30), 1.0, d)))


def sample(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Queries, points and bandwidths, in many layouts and scales."""
    q, n = (int(rng.choice([1, 2, 3, 7, 40, 130])) for _ in range(2))
    d = int(rng.choice([1, 1, 2, 3, 5, 17, 60]))
    Y = rng.normal(size=(n, d))
    shape = rng.integers(5)
    if shape == 1:
        Y = np.round(Y)
    elif shape == 2:
        Y[: n // 2] += 100.0
    elif shape == 3:
        Y[:] = Y[0]
    elif shape == 4:
        Y *= 10.0 ** rng.uniform(-2, 2, d)
    X = Y[rng.integers(0, n, q)] + rng.choice([0.0, 0.1, 3.0]) * rng.normal(size=(q, d))
    h = 10.0 ** rng.uniform(-1, 1, rng.choice([1, 1, 2, 5]))
    dtype = rng.choice([np.float64, np.float64, np.float32])
    scale = 10.0 ** rng.uniform(-30, 30) if dtype == np.float64 and rng.random() < 0.3 else 1.0
    offset = rng.choice([0.0, 0.0, 1e3]) * scale
    X, Y = ((part * scale + offset).astype(dtype) for part in (X, Y))
    layout = rng.integers(3)
    if layout == 1:
        X, Y = np.asfortranarray(X), np.asfortranarray(Y)
    elif layout == 2:
        X, Y = np.repeat(X, 2, axis=0)[::2], np.repeat(Y, 2, axis=1)[:, ::2]
    return X, Y, h * scale * np.sqrt(d)


def weights_of(rng: np.random.Generator, n: int, bandwidths: int) -> Any:
    columns, depth = int(rng.choice([1, 1, 2, 5])), int(rng.choice([1, bandwidths]))
    weights = rng.choice([-1.0, 1.0], size=(n, columns, depth)) * rng.uniform(
        0.1, 2, (n, columns, depth)
    )
    weights[rng.random(weights.shape) < rng.choice([0.0, 0.3, 0.9])] = 0.0
    if rng.random() < 0.3:
        weights *= 10.0 ** rng.choice([-200.0, -60.0, 0.0, 60.0, 200.0], size=weights.shape)
    return weights
