"""Non-uniform Fourier transforms of a sample, by finufft.

    analyse      c_k = sum_j w_j exp(-i k.y_j)          the structure factor of the sample
    synthesise   f(x) = sum_k g_k c_k exp(i k.x)        g_k: the kernel's transform

on the frequencies of a box that holds the points. A Gaussian needs a box wider than the points by
`FOURIER_REACH` bandwidths, and frequencies up to FOURIER_REACH / h: the error is below 1e-13 of the
peak. Each transform of finufft runs on one of our threads: with its own threads the last bits
would depend on their number, and a forked child would hang.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import Array, Floats

Modes = NDArray[np.complex128]

FOURIER_REACH = 8.0  # Bandwidths at which a Gaussian has fallen to exp(-8^2 / 2) = 1e-14.
MAX_FOURIER_FEATURES = 3  # Features that finufft has transforms for.
# Rows of one transform; fixed, so that results do not depend on the number of threads.
_ROWS_PER_TRANSFORM = 1 << 17
# Oversampling and tolerance by dimension: in three dimensions memory is scarce.
_OPTIONS = {1: (2.0, 1e-13), 2: (2.0, 1e-13), 3: (1.5, 1e-12)}


@cache
def has_finufft() -> bool:
    """Whether finufft can be imported."""
    return importlib.util.find_spec("finufft") is not None


class Frame(NamedTuple):
    """A periodic box and its frequencies, ``-cutoff..cutoff`` times ``step`` in each direction."""

    centre: Floats
    step: Floats
    cutoffs: tuple[int, ...]

    @classmethod
    def around(cls, Y: Array, *, margin: float, narrow: float, wide: float) -> Frame:
        """For Gaussians of bandwidths from ``narrow`` to ``wide``; margin in bandwidths."""
        # Column by column: along the rows NumPy takes many times as long.
        low = np.array([column.min() for column in Y.T], dtype=np.float64)
        high = np.array([column.max() for column in Y.T], dtype=np.float64)
        step = 2 * np.pi / ((high - low) + margin * wide)
        cutoffs = tuple(int(np.ceil(FOURIER_REACH / (narrow * s))) for s in step)
        return cls(low + 0.5 * (high - low), step, cutoffs)

    @property
    def n_modes(self) -> float:
        """Number of frequencies."""
        return float(np.prod([2.0 * k + 1 for k in self.cutoffs]))

    @property
    def n_bytes(self) -> float:
        """Memory of a transform: the oversampled grid and the modes, twice."""
        return 16 * self.n_modes * (_OPTIONS[len(self.cutoffs)][0] ** len(self.cutoffs) + 2)

    def narrowed(self, narrow: float) -> Frame:
        """The frequencies that a Gaussian of this bandwidth needs."""
        cutoffs = (int(np.ceil(FOURIER_REACH / (narrow * s))) for s in self.step)
        return self._replace(cutoffs=tuple(min(k, c) for k, c in zip(self.cutoffs, cutoffs)))

    def angles(self, X: Array) -> list[Floats]:
        """Coordinates of the rows in the box, one array for each feature."""
        return [
            np.ascontiguousarray((X[:, a].astype(np.float64) - self.centre[a]) * self.step[a])
            for a in range(X.shape[1])
        ]

    def decays(self, bandwidth: float) -> list[Floats]:
        """The Gaussian's transform along each direction, in units of its peak and of the box."""
        out = []
        for step, cutoff in zip(self.step, self.cutoffs):
            unit = bandwidth * step
            k = np.arange(-cutoff, cutoff + 1)
            out.append(unit / np.sqrt(2 * np.pi) * np.exp(-0.5 * (unit * k) ** 2))
        return out


def analyse(frame: Frame, Y: Array, strengths: Modes, threads: int) -> Modes:
    """The structure factor on the frequencies of the frame."""
    shape = tuple(2 * k + 1 for k in frame.cutoffs)
    transform = _transform(1, len(shape))

    def part(rows: slice) -> Modes:
        angles = frame.angles(Y[rows])
        return np.asarray(transform(*angles, strengths[rows], shape, isign=-1))

    total = np.zeros(shape, np.complex128)
    # In the order of the chunks: the last bits do not depend on the threads.
    for modes in _each(part, _chunks(len(Y), frame), threads):
        total += modes
    return total


def synthesise(frame: Frame, modes: Modes, X: Array, threads: int) -> Modes:
    """The function with these modes at the rows of X."""
    transform = _transform(2, len(frame.cutoffs))

    def part(rows: slice) -> Modes:
        return np.asarray(transform(*frame.angles(X[rows]), modes, isign=1))

    return np.concatenate(_each(part, _chunks(len(X), frame), threads))


def cropped(modes: Array, cutoffs: tuple[int, ...]) -> Array:
    """The modes of the lower frequencies only."""
    middle = [(n - 1) // 2 for n in modes.shape]
    return modes[tuple(slice(m - k, m + k + 1) for m, k in zip(middle, cutoffs))]


def filtered(modes: Modes, decays: Sequence[Floats]) -> Modes:
    """The modes times a factor along each direction."""
    out = modes
    for a, decay in enumerate(decays):
        out = out * decay.reshape([-1 if b == a else 1 for b in range(modes.ndim)])
    return np.ascontiguousarray(out)


def _transform(kind: int, d: int) -> Callable[..., Any]:
    import finufft

    factor, eps = _OPTIONS[d]
    function = getattr(finufft, f"nufft{d}d{kind}")

    def call(*args: Any, isign: int) -> Any:
        return function(*args, isign=isign, eps=eps, upsampfac=factor, nthreads=1)

    return call


def _chunks(n: int, frame: Frame) -> list[slice]:
    """Rows in pieces, each worth more than the transform of the grid that it repeats."""
    size = max(_ROWS_PER_TRANSFORM, int(2 * frame.n_modes))
    return [slice(i, min(i + size, n)) for i in range(0, max(n, 1), size)]


def _each(part: Callable[[slice], Modes], chunks: list[slice], threads: int) -> list[Modes]:
    if threads == 1 or len(chunks) == 1:
        return [part(rows) for rows in chunks]
    with ThreadPoolExecutor(min(threads, len(chunks))) as pool:
        return list(pool.map(part, chunks))
