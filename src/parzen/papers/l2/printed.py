"""The printed figures of Kim & Scott (2010): Tables 2, 3 and 4, and the sizes of Table 1."""

from __future__ import annotations

from parzen.papers.engine import Benchmark

COLUMNS = ("H-SVM", "S-SVM", "L2QP-0", "L2QP-1", "L2QPη-0", "L2QPη-1", "Parzen")

# Thirteen sets of the IDA benchmark are standardised there; those of the LIBSVM collection are
# indicators as they are, or columns scaled to [-1, 1]. The one split of Diabetes that is known is
# not known to be official, and Adult's is of other sizes.
SETS = {
    b.title: b
    for b in (
        Benchmark("banana", "Banana", 400, 4900, 100, 2),
        Benchmark("breast_cancer", "B.Cancer", 200, 77, 100, 9),
        Benchmark("pima", "Diabetes", 468, 300, 100, 8, use_official=False),
        Benchmark("flare_solar", "F.Solar", 666, 400, 100, 9),
        Benchmark("german", "German", 700, 300, 100, 20),
        Benchmark("heart", "Heart", 170, 100, 100, 13),
        Benchmark("image", "Image", 1300, 1010, 20, 18),
        Benchmark("ringnorm", "Ringnorm", 400, 7000, 100, 20),
        Benchmark("splice", "Splice", 1000, 2175, 20, 60),
        Benchmark("thyroid", "Thyroid", 140, 75, 100, 5),
        Benchmark("titanic", "Titanic", 150, 2051, 100, 3),
        Benchmark("twonorm", "Twonorm", 400, 7000, 100, 20),
        Benchmark("waveform", "Waveform", 400, 4600, 100, 21),
        Benchmark("adult", "Adult", 3000, 3000, 20, 123, "none", use_official=False),
        Benchmark("ionosphere", "Ionosphere", 251, 100, 100, 34, "range"),
        Benchmark("mushrooms", "Mushrooms", 4124, 4000, 20, 112, "none"),
        Benchmark("sonar", "Sonar", 108, 100, 100, 60, "range"),
        Benchmark("web", "Web", 3000, 3000, 20, 300, "none"),
    )
}

ERROR = """
Banana      10.9±0.5 10.8±0.5 11.1±0.6 10.7±0.4 10.7±0.5 10.6±0.4  11.3±0.6
B.Cancer    27.4±4.8 26.9±4.6 26.5±4.6 26.4±4.4 27.6±4.7 25.2±4.2  24.7±4.2
Diabetes    23.8±1.9 23.2±1.8 26.5±2.4 26.8±2.4 26.2±2.3 26.6±1.9  26.0±2.1
F.Solar     37.8±4.6 32.3±1.8 35.7±3.4 35.5±1.8 37.3±1.8 34.0±2.0  36.2±1.9
German      24.2±2.2 24.2±2.1 29.4±2.1 28.4±2.7 26.1±2.8 25.5±2.6  25.3±2.5
Heart       19.4±4.0 15.6±3.4 17.5±4.2 16.8±3.6 17.4±4.0 16.7±3.8  18.0±3.5
Image        3.3±0.7  3.0±0.7 28.7±7.8  9.3±4.5  3.5±0.6  3.7±0.5   3.4±0.5
Ringnorm     1.6±0.1  2.0±0.2  2.4±0.2  2.4±0.2  2.4±0.2  2.4±0.2   2.4±0.2
Splice      10.8±0.7 11.3±0.6 38.9±4.3 36.0±5.2 19.2±1.5 29.1±10.1 26.0±1.9
Thyroid      5.3±2.3  5.0±2.2  5.2±2.2  4.9±2.3  4.6±2.4  4.3±2.5   4.2±2.1
Titanic     22.4±1.0 22.8±0.7 23.0±0.4 22.9±0.6 23.2±1.5 23.2±1.7  22.2±1.1
Twonorm      3.6±0.6  2.9±0.2  6.9±3.6  3.9±0.4  3.3±0.7  5.4±4.0   2.5±0.2
Waveform    13.2±1.2 10.0±0.4 14.2±0.8 13.5±1.2 11.6±0.7 11.2±1.1  10.7±0.8
Adult       15.9±0.8 15.7±0.8 19.5±1.5 21.6±1.2 18.3±0.8 20.0±0.8  18.4±0.6
Ionosphere   5.7±2.4  5.5±2.1 29.4±4.1 29.6±4.2 12.9±3.8  9.5±2.8  13.2±3.3
Mushrooms    0.0±0.0  0.0±0.0  0.0±0.0  0.0±0.0  0.0±0.0  0.0±0.0   0.0±0.0
Sonar       15.5±3.7 15.6±3.6 16.9±3.7 16.8±3.6 16.3±3.8 16.2±3.6  15.6±3.6
Web          2.3±0.3  1.9±0.3  2.9±0.3  2.9±0.3  3.6±1.3  2.9±0.3   2.1±0.3
"""

KEPT = """
Banana      26.2±2.5 38.5±2.2 19.9±1.5  16.5±1.1  13.5±1.0  12.7±1.0 100±0.0
B.Cancer    46.9±2.5 55.2±2.9  3.1±0.9   6.7±1.0  17.2±1.9  23.3±2.3 100±0.0
Diabetes    43.1±1.6 52.3±1.7  3.2±0.6  16.3±1.2   6.5±1.1   9.1±1.0 100±0.0
F.Solar     60.6±3.9 76.5±1.8 30.0±2.5  46.7±2.9  46.7±2.4  53.9±3.2 100±0.0
German      52.7±1.6 57.7±1.5  0.5±0.1   6.9±0.5  63.7±2.7  40.7±1.8 100±0.0
Heart       27.8±3.1 50.7±3.0  1.8±0.5  10.4±1.7  20.0±3.5  22.9±3.5 100±0.0
Image       30.2±0.9  7.9±0.8  7.8±2.0 75.8±23.2  79.8±1.0  73.0±1.0 100±0.0
Ringnorm    53.9±3.3 21.5±1.4  100±0.0   100±0.0   100±0.0   100±0.0 100±0.0
Splice      70.8±1.4 17.8±1.9  0.4±0.1   0.3±0.1  40.0±4.7  17.4±1.1 100±0.0
Thyroid     26.7±2.2 32.7±2.4 31.0±2.7  30.8±2.5  60.5±3.1  57.9±3.0 100±0.0
Titanic     45.3±6.5 48.0±6.8 36.5±11.5 44.0±8.2  70.2±4.9  70.4±4.1 100±0.0
Twonorm     19.7±2.1 13.9±1.1  0.7±0.2   5.2±1.2   3.9±0.9   4.5±0.7 100±0.0
Waveform    23.9±2.8 33.9±2.4 96.0±7.0  39.5±4.4  88.6±3.8  42.9±2.6 100±0.0
Adult       32.0±1.4 37.2±1.4 0.13±0.03 0.11±0.02 0.81±0.14  4.1±0.3 100±0.0
Ionosphere  56.7±2.1 34.3±1.7  1.2±0.4   3.1±3.7  32.6±7.2  53.9±2.0 100±0.0
Mushrooms    4.5±0.2 97.4±0.2  100±0.0   100±0.0  51.0±0.7  18.4±0.7 100±0.0
Sonar       89.2±2.5 89.6±2.3  100±0.0   100±0.0   100±0.0  99.2±0.7 100±0.0
Web          7.4±0.5  7.4±0.6  8.2±0.5   8.2±0.5  90.9±1.1   8.2±0.5 100±0.0
"""

SECONDS = """
Banana       4140.14    82.01   37.29   51.22    89.17   124.84
B.Cancer     2181.51    24.48   10.52   10.80    29.22    47.07
Diabetes    30222.68   165.03   52.10   50.42   139.38   135.02
F.Solar     15058.31   335.95   79.93   88.83   363.91   849.55
German       7310.32   237.69  137.66  142.33   431.41   423.13
Heart         173.17     6.60    8.54    8.27    22.72    23.25
Image        2047.28  1056.40  397.61  418.93  1353.30  1367.40
Ringnorm      105.68   127.04   46.36   48.44   144.95   145.96
Splice       2583.97  1323.10  387.71  371.54  1329.09  1386.79
Thyroid         8.65    12.12    5.22    4.93    12.78    12.54
Titanic       173.12   239.78    4.53    4.55    14.63    15.58
Twonorm        12.46    95.32   46.38   44.97   141.88   139.34
Waveform      425.29   127.46   47.15   45.21   143.47   140.28
Adult       11705.50 10924.42 1016.06  989.54  9929.85 16359.32
Ionosphere     15.87    64.89    9.41    9.48    67.01    68.53
Mushrooms     861.73 13337.38 3027.31 2944.65 28368.16 29076.56
Sonar           4.42    24.16    2.95    3.16    19.25    18.70
Web           499.02  5086.96  871.05  858.64  8703.72 11241.11
"""

# What is known about the differences, by the number of the table.
EXPLANATIONS = {
    "2": [
        "Ringnorm: the printed 2.4 is an artefact of underflow, see the table 'ringnorm'.",
        "Image, Ionosphere and Sonar, L2QP-0 and L2QP-1: the folds choose a very small sigma, at "
        "which linear densities are 0.0 and logarithms still find the nearest points. In a "
        "training set with equal or nearly equal rows these take most of the weight: error and "
        "share of kernels have a rank correlation of -0.55 to -0.75 over the splits, and the "
        "median errors on Sonar, 18 and 17, are near the printed means.",
        "Splice and Twonorm, Parzen, and L2QPη-1 there: the sigma is so large that the rule is "
        "nearly the nearest mean, and the classes' shares in a training set move its boundary. "
        "Error and distance of the shares from those of the whole set have a rank correlation of "
        "0.9; in the quarter of the splits nearest to it Parzen errs 2.4 on Twonorm and 18 on "
        "Splice.",
        "Banana and Heart, support vector machines: on the ten official splits alone S-SVM has "
        "10.7 on Banana, as printed; H-SVM 18.3 on Heart. The seeded splits are easier.",
        "H-SVM on Diabetes, F.Solar, Heart, Thyroid, Twonorm and Waveform: C = 2^15 and at most "
        "100 000 steps; the paper searched for the largest C that worked.",
        "F.Solar: 115 of its 1066 rows are distinct and the error is flat in sigma; the printed "
        "share of kernels (30 to 54 %) shows that other parameters were chosen there.",
        "Parzen on Banana, F.Solar and Titanic, L2QP-1 on Twonorm: one choice of parameters serves "
        "all splits, and no standard error knows its spread. Chosen by other groups of five "
        "training sets they have 10.7 to 11.4, 34.4 to 36.2, 22.6 to 24.7 and 3.6 to 5.8.",
        "L2QPη-0 on Splice and Web: on Splice every group of training sets that was tried chooses "
        "the largest eta, 2^30, and keeps 94 % of the kernels; the printed 40 % belong to a "
        "smaller one. On Web the printed deviation, 1.3, is four times that of the other columns.",
        "Not explained: Parzen on Adult and Sonar (17.4, and 17.2 to 18.7, whichever sets choose; "
        "linear arithmetic gives the same errors within 0.3), S-SVM on Thyroid and Twonorm, L2QP-1 "
        "on Adult.",
    ],
    "ringnorm": [
        "'σ per class' is not in the paper: 2.4 stands beside it for comparison.",
    ],
    "3": [
        "Titanic, F.Solar and other sets with many equal rows: equal rows of a class share one "
        "kernel here, so fewer are counted than in the paper.",
        "Ringnorm: at the sigma that underflow chooses every point keeps its weight, whence the "
        "printed 100 %.",
        "Ionosphere, L2QP-0 and L2QP-1: the sigma chosen here is 0.02 to 0.04, where hardly two "
        "kernels overlap and nearly all are kept; the paper's 1 to 3 % belong to a larger one.",
        "The other shares depend strongly on sigma and eta (or C), of which a flat error leaves "
        "several as good: chosen by other groups of five training sets L2QPη-0 on Heart keeps 3 to "
        "27 % at 17.8 to 19.1 % error, L2QP-1 on Twonorm 1 to 5 %, S-SVM there 18 to 36 %. Which "
        "parameters the paper's folds chose is not printed.",
    ],
}
