"""The native entry points, called past the Python layer with arguments that need not fit.

A case builds arguments that fit, then spoils some of them: other shapes, types, orders, indices out
of range, numbers that are none. An exception is an answer; a crash is not, and under
AddressSanitizer and UndefinedBehaviorSanitizer neither is a read out of bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from parzen import _native

REFUSALS = (ValueError, TypeError, MemoryError, OverflowError)
ODD = [0.0, -1.0, 1.0, np.nan, np.inf, -np.inf, 1e-310, 1e-200, 1e200, 1e308, 2.0**31, -(2.0**31)]


def run(rng: np.random.Generator) -> None:
    entry = ENTRIES[rng.integers(len(ENTRIES))]
    for function, arguments in entry(rng):
        for _ in range(rng.integers(0, 3)):
            name = rng.choice(sorted(arguments))
            arguments[name] = spoilt(rng, name, arguments[name])
        try:
            function(**arguments)
        except REFUSALS:
            return


def spoilt(rng: np.random.Generator, name: str, value: Any) -> Any:
    """Something like the value that need not fit."""
    if name in ("threads", "max_iterations", "budget"):
        return int(rng.integers(-1, 4))
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        places = rng.integers(0, len(value), size=rng.integers(0, len(value) + 2))
        return [spoilt(rng, name, value[i]) if rng.random() < 0.5 else value[i] for i in places]
    if isinstance(value, np.ndarray):
        return spoilt_array(rng, value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return str(rng.choice([*_native.kernel_names(), "log", "plain", "scaled", "", "abacus"]))
    if isinstance(value, list):
        return [float(rng.choice(ODD)) for _ in range(rng.integers(0, 4))]
    if value is None:
        return array(rng, *rng.integers(0, 5, size=rng.integers(1, 4)))
    return float(rng.choice(ODD))


def spoilt_array(rng: np.random.Generator, value: np.ndarray) -> Any:
    kind = rng.integers(6)
    if kind == 0:
        return None
    if kind == 1:  # an axis longer or shorter
        axis = int(rng.integers(value.ndim))
        length = max(0, value.shape[axis] + int(rng.integers(-2, 3)))
        return np.ascontiguousarray(np.resize(value, shape_with(value.shape, axis, length)))
    if kind == 2:
        return value.astype(rng.choice([np.float32, np.float64, np.int32, np.int64, np.uint64]))
    if kind == 3:
        return value[..., ::-1] if value.ndim else value
    if kind == 4:
        return value[None] if rng.random() < 0.5 else value.reshape(-1)
    spoiled = value.copy()
    if spoiled.size:
        with np.errstate(invalid="ignore", over="ignore"):
            where = rng.random(spoiled.shape) < 0.3
            spoiled[where] = rng.choice(ODD, size=int(where.sum())).astype(value.dtype)
    return spoiled


def shape_with(shape: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    return (*shape[:axis], length, *shape[axis + 1 :])


def array(rng: np.random.Generator, *shape: int, dtype: Any = np.float64) -> np.ndarray:
    return (rng.normal(size=shape) * 10.0 ** rng.integers(-2, 3)).astype(dtype)


def sizes(rng: np.random.Generator, *largest: int) -> list[int]:
    return [
        int(rng.integers(1, 1 + (top if rng.random() < 0.1 else min(top, 6)))) for top in largest
    ]


def starts_of(rng: np.random.Generator, n: int, classes: int) -> np.ndarray:
    cuts = np.sort(rng.integers(0, n + 1, size=classes - 1))
    return np.array([0, *cuts, n], dtype=np.uint64)


def sums(rng: np.random.Generator) -> Any:
    q, n, d, columns, b = sizes(rng, 90, 200, 40, 8, 8)
    dtype = rng.choice([np.float32, np.float64])
    same = bool(rng.random() < 0.3)
    q = n if same else q
    sort = rng.random() < 0.3
    d = 1 if sort else d
    labelled = rng.random() < 0.3
    kernel = str(rng.choice(_native.kernel_names("sorted" if sort else "dense")))
    parameters = {"polynomial": [1.0, 2.0], "rational": [2.0]}.get(kernel, [])
    points = array(rng, n, d, dtype=dtype)
    weighted = not labelled or rng.random() < 0.5
    depth = b if rng.random() < 0.5 else 1
    weights = np.abs(array(rng, n, 1 if labelled else columns, depth, dtype=dtype))
    weights[rng.random(weights.shape) < 0.2] = 0
    yield (
        (_native.sorted_sums if sort else _native.kernel_sums),
        {
            "queries": points if same else array(rng, q, d, dtype=dtype),
            "points": points,
            "weights": weights if weighted else None,
            "labels": rng.integers(0, columns, n).astype(np.int32) if labelled else None,
            "kernel": kernel,
            "parameters": parameters,
            "bandwidths": 10.0 ** rng.uniform(-2, 2, b),
            "log_normalizers": array(rng, b),
            "mode": str(rng.choice(["plain", "log", "scaled"])),
            "same": same,
            "exclude_self": bool(same and rng.random() < 0.5),
            "out": np.empty((q, columns, b), dtype),
            "log_scale": np.empty((q, b), dtype),
            "threads": int(rng.integers(1, 3)),
        },
    )


def metric(rng: np.random.Generator) -> Any:
    m, n, d, k = sizes(rng, 60, 150, 20, 6)
    dtype = rng.choice([np.float32, np.float64])
    yield (
        _native.metric_loss,
        {
            "queries": array(rng, m, d, dtype=dtype),
            "points": array(rng, n, d, dtype=dtype),
            "absolute": bool(rng.random() < 0.5),
            "starts": starts_of(rng, n, k),
            "weights": np.abs(array(rng, n, dtype=dtype)),
            "labels": rng.integers(0, k, m).astype(np.int32),
            "own": rng.integers(-1, n, m) if rng.random() < 0.7 else None,
            "left": np.abs(array(rng, m, dtype=dtype)),
            "log_sizes": array(rng, m, k),
            "base": array(rng, m, k),
            "shares": np.abs(array(rng, m)),
            "parameters": np.abs(array(rng, d + 2 * k + 1)),
            "gradient": np.empty(d + 2 * k + 1),
            "log_means": np.empty((m, k)) if rng.random() < 0.5 else None,
            "threads": int(rng.integers(1, 3)),
        },
    )


def simplex(rng: np.random.Generator) -> Any:
    n, d, classes, chains, steps = sizes(rng, 80, 10, 5, 4, 4)
    n = max(n, classes)
    matrix = array(rng, n, n)
    source = rng.integers(3)
    yield (
        _native.simplex_qp,
        {
            "points": array(rng, n, d) if source == 0 else None,
            "matrix": matrix @ matrix.T if source == 1 else None,
            "evaluate": (lambda i: matrix[i]) if source == 2 else None,
            "shape": str(rng.choice(["gaussian", "rational", "product_laplacian"])),
            "power": float(rng.uniform(0.5, 3.0)),
            "starts": np.linspace(0, n, classes + 1).astype(np.uint64),
            "bandwidths": np.abs(array(rng, classes, classes)) + 0.1,
            "budget": int(rng.choice([0, 100, 1 << 20])),
            "linear": array(rng, chains, n),
            "factors": np.abs(array(rng, steps)),
            "active": rng.integers(0, 2, (chains, n)).astype(np.uint8)
            if rng.random() < 0.5
            else None,
            "coupling": array(rng, chains, classes, classes),
            "rates": np.abs(array(rng, chains, classes)) if rng.random() < 0.5 else None,
            "tolerance": 1e-6,
            "max_iterations": 50,
            "weights": np.zeros((chains, steps, n)),
            "objectives": np.empty((chains, steps)),
            "gaps": np.empty((chains, steps)),
            "iterations": np.empty((chains, steps), np.int64),
            "floors": np.empty((chains, steps, classes)),
            "threads": int(rng.integers(1, 3)),
            "report": None,
        },
    )


def forest(rng: np.random.Generator) -> Any:
    columns, d, q = sizes(rng, 5, 20, 100)
    rows = [int(rng.integers(0, 300 if rng.random() < 0.2 else 8)) for _ in range(columns)]
    weighted = [rng.random() < 0.5 for _ in rows]
    kernel = str(rng.choice(_native.kernel_names("tree")))
    made: list[Any] = []

    def make(**arguments: Any) -> None:
        made.append(_native.make_forest(**arguments))

    yield (
        make,
        {
            "points": [array(rng, n, d) for n in rows],
            "weights": [np.abs(array(rng, n)) if w else None for n, w in zip(rows, weighted)],
            "bandwidths": [float(h) for h in 10.0 ** rng.uniform(-2, 2, columns)],
            "kernel": kernel,
            "parameters": {"polynomial": [1.0, 2.0], "rational": [2.0]}.get(kernel, []),
            "threads": int(rng.integers(1, 3)),
        },
    )
    queries = [array(rng, q, d) for _ in range(columns if rng.random() < 0.3 else 1)]
    if rng.random() < 0.5:
        own = [rng.integers(-1, max(n, 1), q) if n else np.full(q, -1) for n in rows]
        yield (
            made[0].sums,
            {
                "queries": queries,
                "rtol": float(10.0 ** rng.uniform(-12, -1)),
                "values": np.empty((q, columns)),
                "levels": np.empty((q, columns)),
                "threads": int(rng.integers(1, 3)),
                "own": own if rng.random() < 0.5 else [],
            },
        )
        return
    constant = bool(rng.random() < 0.3)
    options = int(rng.integers(1, 5))
    costs = array(rng, columns + constant, options)
    yield (
        made[0].decide,
        {
            "queries": queries,
            "costs": costs if constant or rng.random() < 0.5 else None,
            "constant": constant,
            "exponent": float(rng.uniform(0.1, 2.0)),
            "log_shift": array(rng, columns),
            "reject": float(rng.random()) if rng.random() < 0.3 else None,
            "novelty": float(rng.normal()) if rng.random() < 0.3 else None,
            "margin": 1e-10,
            "labels": np.empty(q, np.int32),
            "threads": int(rng.integers(1, 3)),
        },
    )


def products(rng: np.random.Generator) -> Any:
    count, rows, columns = sizes(rng, 40, 90, 90)
    dtype = rng.choice([np.float32, np.float64])
    matrix = array(rng, rows, columns + 3, dtype=dtype)[:, :columns]
    if rng.random() < 0.5:
        left, out = array(rng, count, rows), np.empty((count, columns))
        yield _native.few_products, {"left": left, "matrix": matrix, "out": out}
    else:
        right, out = array(rng, count, columns), np.empty((count, rows))
        yield _native.few_transposed_products, {"right": right, "matrix": matrix, "out": out}


def values_of_products(rng: np.random.Generator) -> Any:
    n, m = sizes(rng, 90, 90)
    yield _native.gaussian_of_products, {
        "values": array(rng, n, m), "a": array(rng, n), "b": array(rng, m),
    }  # fmt: skip


def triangles(rng: np.random.Generator) -> Any:
    m, n = sizes(rng, 200, 150)
    dtype = rng.choice([np.float32, np.float64])
    triangle = np.triu(array(rng, n, n, dtype=dtype))
    threads = int(rng.integers(1, 3))
    yield _native.triangle_of, {"rows": array(rng, m, n), "triangle": triangle, "threads": threads}
    yield _native.join_diagonal, {
        "diagonal": array(rng, n, dtype=dtype), "triangle": triangle, "threads": threads,
    }  # fmt: skip


ENTRIES = [sums, sums, metric, simplex, forest, forest, products, values_of_products, triangles]
