"""The printed figures of Jenssen, Erdogmus, Principe & Eltoft (2007): right labels in percent."""

from __future__ import annotations

from parzen.papers.engine import Benchmark, by_title

COLUMNS = ("Laplacian, cv", "SVM", "Laplacian, rule", "SVM, rule", "Parzen, cv")
BENCHMARK = """
Banana  89.4±0.5 89.2±0.7 88.4±0.6 - 87.4±0.6
Thyroid 95.7±2.2 95.2±2.2 94.4±2.6 - 93.4±2.6
Image   96.6±0.6 97.0±0.6 96.2±0.7 - -
Twonorm 97.4±0.2 97.0±0.2 97.3±0.3 - -
"""
UCI = """
Wine  97.3±1.4 97.5±1.6 96.0±1.7 58.5±11.4 95.8±2.4
Iris  94.5±2.1 95.7±2.0 92.6±3.6 92.4±2.7  -
Ionos 92.5±1.7 94.1±1.2 91.9±1.7 72.1±10.6 83.4±3.7
WBC   97.1±0.7 96.9±0.7 96.9±0.7 94.6±1.1  -
Pima  73.9±1.7 76.8±1.5 73.3±1.7 64.6±1.7  -
Pen   98.9±0.4 99.6±0.2 96.6±0.8 98.3±0.5  -
"""

# Rates that the paper quotes: of Mika et al. on its Table VI, of Kuss and Rasmussen on VII.
FISHER = {"Banana": (89.2, 0.5), "Thyroid": (95.2, 0.6), "Image": (95.8, 2.1),
          "Twonorm": (97.4, 0.2)}  # fmt: skip
GAUSSIAN_PROCESS = {"Ionos": 92.0, "WBC": 96.8, "Pima": 77.4}
# Widths of the kernel, sqrt(2) sigma: at the rule, of the Laplacian classifier, of the SVM.
SIZES = {"Wine": (1.0, 2.3, 3.0), "Iris": (0.7, 0.4, 3.0), "Ionos": (1.1, 1.4, 2.5),
         "WBC": (0.7, 1.1, 10.0), "Pima": (0.7, 1.1, 10.0), "Pen": (0.8, 0.3, 3.0)}  # fmt: skip

# Of class two, the rare one (12 and 10 rows), and of class one: how many got the right label.
RARE = {"plug-in": (1, 200), "SVM": (3, 191), "Laplacian": (9, 162)}
ECHOCARDIOGRAM = {"plug-in": (2, 28), "Laplacian": (9, 20)}

SETS = by_title(
    Benchmark("banana", "Banana", 400, 4800, 100, 2),
    Benchmark("thyroid", "Thyroid", 140, 75, 100, 5),
    Benchmark("image", "Image", 1300, 1010, 20, 18),
    Benchmark("twonorm", "Twonorm", 400, 4600, 100, 20),
    Benchmark("wine", "Wine", 89, 89, 100, 13),
    Benchmark("iris", "Iris", 75, 75, 100, 4),
    Benchmark("ionosphere", "Ionos", 175, 176, 100, 34),
    Benchmark("wbc", "WBC", 341, 342, 100, 9),
    Benchmark("pima", "Pima", 384, 384, 100, 8, use_official=False),
    Benchmark("pen", "Pen", 545, 546, 100, 16),
)
