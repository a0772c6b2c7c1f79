"""The printed figures of Xiong, Swamy & Ahmad (2005): error in percent, Tables II to IX."""

from __future__ import annotations

from parzen.papers.engine import Benchmark, by_title

CLASSIFIERS = ("KNN", "KMSE", "KFD", "SVM")
COLUMNS = tuple(f"{c} {k}" for c in CLASSIFIERS for k in ("Gauss", "opt"))
ALIGNED = tuple(f"{part} {k}" for part in ("training", "test") for k in ("Gauss", "aligned", "opt"))

SETS = by_title(
    Benchmark("ionosphere", "Ionosphere", 117, 117, 10, 34),
    Benchmark("wdbc", "Breast", 189, 189, 10, 30),
    Benchmark("bupa", "Liver", 115, 115, 10, 6),
    Benchmark("pima", "Pima", 256, 256, 10, 8),
    Benchmark("all monks1", "Monks1", 144, 144, 10, 6),
    Benchmark("all monks2", "Monks2", 144, 144, 10, 6),
    Benchmark("all monks3", "Monks3", 144, 144, 10, 6),
    Benchmark("heart2", "Heart", 99, 99, 10, 13),
)
ROWS = {"Ionosphere": 351, "Breast": 569, "Liver": 345, "Pima": 768, "Monks1": 432, "Monks2": 432,
        "Monks3": 432, "Heart": 297}  # fmt: skip

# number of the table, set, part; a line per (gamma_0, gamma)
FIXED = {
    ("2", "Ionosphere", "training"): """
0.0001,0.01  17.39 6.62 4.83 2.52 6.54 3.38 3.39 1.97
0.0001,0.05  17.39 4.96 4.83 2.18 6.54 3.68 3.39 2.18
0.0005,0.01  17.39 7.86 2.31 0.81 3.72 1.52 1.07 0.38
""",
    ("3", "Ionosphere", "test"): """
0.0001,0.01  16.67 7.44 15.26 8.29 14.79 8.68 12.18 7.39
0.0001,0.05  16.67 6.67 15.26 5.73 14.79 8.25 12.18 5.68
0.0005,0.01  16.67 8.03 11.97 11.07 11.88 10.73 10.04 8.96
""",
    ("4", "Breast", "training"): """
0.0001,0.01  4.89 3.03 2.95 2.24 3.92 3.37 1.45 1.34
0.0001,0.05  4.89 3.11 2.95 1.71 3.92 3.55 1.45 1.42
0.0005,0.01  4.89 3.84 2.26 1.95 2.82 2.71 0.95 0.89
""",
    ("5", "Breast", "test"): """
0.0001,0.01  4.50 3.18 3.89 3.68 5.16 4.29 2.97 2.71
0.0001,0.05  4.50 3.84 3.89 3.39 5.16 5.00 2.97 3.07
0.0005,0.01  4.50 3.55 4.42 3.45 5.47 3.92 3.58 3.34
""",
    ("6", "Monks1", "training"): """
0.00005,0.05 29.31 13.61 32.71 11.49 32.81 11.56 30.07 10.66
0.0001,0.05  29.31 13.58 32.71 13.78 32.81 13.51 29.27 11.91
0.0001,0.1   29.31 14.93 32.71 10.45 32.81 11.11 29.10 9.97
""",
    ("7", "Monks1", "test"): """
0.00005,0.05 30.24 17.12 34.51 17.60 33.72 16.81 31.98 15.35
0.0001,0.05  30.24 16.15 34.51 19.93 33.72 18.96 31.60 16.88
0.0001,0.1   30.24 19.72 34.51 18.23 33.72 17.88 31.60 15.97
""",
}

TUNED = """
Ionosphere 16.41 6.58  7.27  5.81  10.94 6.32  6.73  5.27
Breast     4.21  3.21  4.03  3.38  4.95  4.06  3.10  2.98
Liver      40.74 34.48 33.78 32.00 35.57 31.83 29.30 28.91
Pima       29.49 26.52 23.91 22.66 28.09 27.34 21.78 21.54
Monks1     29.31 16.04 16.25 15.63 17.78 17.04 9.93  7.28
Monks2     29.72 20.49 26.25 24.42 25.90 25.62 25.69 15.07
Monks3     19.51 3.40  3.15  2.29  2.43  1.67  3.82  2.78
Heart      20.71 20.60 20.60 19.59 19.50 19.20 17.89 15.82
"""

# Of Table VIII: by how many percent of itself the error falls, KNN, KMSE, KFD, SVM.
IMPROVEMENT = """
Ionosphere 59.9 20.1 42.2 21.7
Breast     23.8 16.1 18.0 3.9
Liver      15.4 5.3  10.5 1.4
Pima       10.1 5.2  2.7  1.1
Monks1     45.3 3.8  4.2  26.7
Monks2     31.1 7.0  1.1  41.3
Monks3     82.6 27.3 31.3 27.2
Heart      0.5  4.9  1.5  11.6
"""

ALIGNMENT = """
Ionosphere 14.93 8.80  6.93  15.96 15.04 6.68
Breast     4.05  3.97  3.26  4.21  7.34  3.42
Liver      38.52 27.48 27.31 42.61 47.28 35.73
Pima       26.95 24.84 25.87 28.36 33.05 26.08
Monks1     25.35 12.07 13.33 28.31 16.97 15.73
Monks2     26.18 23.13 19.06 29.10 35.49 21.58
Monks3     14.23 3.81  2.50  18.38 7.34  3.27
"""
