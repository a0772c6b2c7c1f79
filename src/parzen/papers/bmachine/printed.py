"""The printed figures of Basak's report on the B-machine: Tables 2 and 3, with its parameters."""

from __future__ import annotations

from typing import Any

from parzen.papers.engine import FoldBenchmark, by_title

COLUMNS = ("SVM", "SVM, cubic", "LS-SVM", "BM Gauss", "BM Gauss+expo", "BM Cauchy")
KERNELS = {
    "BM Gauss": "gaussian",
    "BM Gauss+expo": "gaussian_exponential",
    "BM Cauchy": "inverse_quadratic",
}

SETS = by_title(
    FoldBenchmark("pima", "Pima", 0, 768, 100, 8, "range"),
    FoldBenchmark("bupa", "Bupa", 0, 345, 100, 6, "range"),
    FoldBenchmark("wdbc", "Wdbc", 0, 569, 100, 30, "range"),
    FoldBenchmark("wpbc32", "Wpbc", 0, 198, 100, 32, "range"),
    FoldBenchmark("iris", "Iris", 0, 150, 100, 4, "range"),
    FoldBenchmark("ecoli5", "Ecoli", 0, 326, 100, 7, "range"),
    FoldBenchmark("monks1", "Monks1", 0, 556, 100, 6, "range"),
    FoldBenchmark("monks2", "Monks2", 0, 601, 100, 6, "range"),
    FoldBenchmark("monks3", "Monks3", 0, 554, 100, 6, "range"),
)
CLASSES = {"Iris": 3, "Ecoli": 5}  # the others have two

ACCURACY = """
Pima   76.88±4.74 75.58±4.74 76.28±5.18 77.51±5.41 76.28±4.78 77.10±5.40
Bupa   69.39±6.53 71.72±6.40 68.87±7.21 72.42±6.37 73.17±6.59 72.77±6.55
Wdbc   98.03±1.80 96.20±2.26 93.78±2.93 97.68±1.65 97.61±1.76 97.81±1.65
Wpbc   80.78±6.15 74.39±8.72 78.13±3.93 81.05±7.11 80.83±6.35 82.33±6.51
Iris   96.13±4.87 96.13±5.06 84.53±7.90 95.87±5.02 97.07±4.70 97.60±4.21
Ecoli  88.17±4.53 87.25±4.88 77.40±5.54 87.93±4.79 88.77±4.56 89.16±4.37
Monks1 90.43±3.30 100        99.46±0.83 85.26±4.84 94.38±2.46 99.06±1.56
Monks2 92.07±3.63 99.07±1.49 95.34±2.78 89.46±3.96 80.64±5.23 92.48±3.43
Monks3 96.40±2.60 97.97±1.95 96.97±2.39 96.14±2.56 96.29±2.42 96.54±2.55
"""

# sigma and C; C; sigma^2 and gamma; sigma and lambda, three times
PARAMETERS: dict[str, tuple[Any, ...]] = {
    "Pima": ((1, 2), 1, (5, 0.1), (5, 0.2), (2, 0.2), (5, 0.2)),
    "Bupa": ((0.3, 1), 5, (1, 2), (2, 0.2), (2, 0.6), (3, 0.4)),
    "Wdbc": ((2, 20), 1, (4, 0.3), (1.5, 1), (0.2, 0.2), (2, 0.7)),
    "Wpbc": ((1, 2), 1, (5, 4), (5, 0.6), (3, 1), (3, 0.5)),
    "Iris": ((1, 1), 5, (0.2, 15), (1, 0.4), (1, 0.6), (2, 0.3)),
    "Ecoli": ((0.5, 1), 3, (1, 10), (1, 0.5), (2, 0.4), (3, 0.8)),
    "Monks1": ((2, 1), 3, (2, 20), (0.5, 0.4), (1, 0.2), (1, 0.2)),
    "Monks2": ((0.5, 1), 10, (2, 20), (0.5, 0.3), (1, 0.3), (1, 0.5)),
    "Monks3": ((2, 1), 1, (5, 20), (2, 0.4), (3, 0.6), (3, 0.5)),
}

T_COLUMNS = ("Pima", "Bupa", "Wdbc", "Wpbc", "Iris", "Ecoli", "Monks1", "Monks2", "Monks3")
T_STATISTICS = {
    ("BM Gauss", "SVM"): (-3.94, -7.33, 0.21, -3.33, -3.26, 2.37, 8.60, 8.31, 3.61),
    ("BM Gauss", "SVM, cubic"): (-7.0, -3.81, -6.93, -9.59, -2.72, -2.19, 29.62, 9.84, 2.82),
    ("BM Gauss", "LS-SVM"): (-4.27, -8.10, -14.73, -4.75, -17.83, -12.10, 26.13, 14.32, 3.88),
    ("BM Gauss+expo", "SVM"): (1.73, -8.00, 1.48, -0.41, -5.43, -2.54, -6.44, 25.43, 5.63),
    ("BM Gauss+expo", "SVM, cubic"): (-2.03, -4.61, -4.91, -6.41, -4.63, -8.53, 27.21, 25.07, 2.93),
    ("BM Gauss+expo", "LS-SVM"): (1.52, -8.56, -14.11, -2.29, -17.81, -13.34, 11.13, 26.31, 3.61),
    ("BM Cauchy", "SVM"): (-4.84, -6.97, 1.09, -2.71, -4.82, -3.25, -16.59, -4.74, 0.37),
    ("BM Cauchy", "SVM, cubic"): (-7.4, -3.49, -5.38, -7.45, -4.85, -6.56, 10.77, 5.57, 0.52),
    ("BM Cauchy", "LS-SVM"): (-4.9, -7.91, -14.68, -3.90, -17.94, -13.79, 6.89, 8.04, -0.89),
}
