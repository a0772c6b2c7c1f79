"""What is known about differences from the figures of Xiong, Swamy & Ahmad (2005)."""

from __future__ import annotations

from parzen.papers.engine import About, Explanation

ABOUT = About(
    proposes="A kernel that is learnt before the classifier. q(x) q(y) k(x, y), with q(x) = a_0 + "
    "sum_j a_j exp(-gamma |x - c_j|^2) around a third of the rows, the cores, is positive definite "
    "if k is. The factors a maximise J, the trace of the scatter between the classes over that "
    "within them in the empirical feature space, which is a quotient of two quadratic forms in a.",
    estimators="`KernelOptimizer` (`solver='gradient'` is Fig. 2, `'eigen'` solves the quotient at "
    "once), `EmpiricalKernelMap`, `AlignedKernel`, `class_separability`, all in "
    "`parzen.feature_space`; `KernelMSEClassifier`, `KernelFisherClassifier`.",
    protocol="Every set is standardised and cut into thirds by a seed: cores, training, test. 20 "
    "trials at fixed parameters (Tables 2 to 7), 10 with parameters chosen on the core third (8 "
    "and 9). The paper prints no deviations; ours stand for them. The tables have the library's "
    "line search, which cannot fall, where Fig. 2 has a fixed step (`step='fixed'`). Ties of the "
    "neighbours' votes cannot occur with an odd number, a score of 0 is +1, and where several "
    "parameters have the least error on the core third the first of the grid is taken. The "
    "threshold E of KMSE and KFD is absolute, as in the paper.",
    learnt=(
        "The cores are labelled rows: a plain SVC that gets them as training rows is better than "
        "the optimised kernel on five of eight sets, see 'baselines'.",
        "The quotient solved at once on both thirds, with a ridge, is better than 200 steps on "
        "nearly all sets, see 'better'.",
        "An absolute threshold depends on the kernel's scale, which |a| = 1 fixes arbitrarily: KFD "
        "with the optimised kernel at E = 1e-8 moves with rounding. The library's thresholds are "
        "relative by default.",
        "Optimisation does not halve every error: on Ionosphere at 0.0005, 0.01 KMSE has "
        "{3/γ0, γ = 0.0005,0.01/KMSE Gauss} before and {3/γ0, γ = 0.0005,0.01/KMSE opt} after.",
    ),
)
EXPLANATIONS = {
    "3": [Explanation(
        "KFD opt at 0.0001, 0.01: other draws of the thirds come nearer. The absolute threshold "
        "makes KFD depend more than the others on the kernel's scale.",
        ("γ0, γ = 0.0001,0.01",), ("KFD opt",), is_open=True)],
    "4": [Explanation(
        "Our draws of the thirds are easier in training and harder in the test than the paper's: "
        "3-NN with the Gaussian, which has no parameter, has {4/γ0, γ = 0.0001,0.01/KNN Gauss} and "
        "{5/γ0, γ = 0.0001,0.01/KNN Gauss} here, {4/γ0, γ = 0.0001,0.01/KNN Gauss/printed} and "
        "{5/γ0, γ = 0.0001,0.01/KNN Gauss/printed} there. All columns share the draws.",
        ("γ0, γ = 0.0001,0.05", "γ0, γ = 0.0005,0.01"), ("KFD opt", "KMSE Gauss"))],
    "8": [
        Explanation("KFD opt: with an absolute threshold the scale of the optimised kernel "
                    "matters, which |a| = 1 fixes arbitrarily; at E = 1e-8 it moves with rounding.",
                    ("Monks2", "Monks3"), ("KFD opt",), is_open=True),
        Explanation("Heart is better here with every kernel; the paper does not say how its "
                    "columns of categories were coded.", ("Heart",),
                    ("KNN Gauss", "KNN opt", "KMSE Gauss", "KMSE opt", "KFD Gauss", "KFD opt"),
                    is_open=True),
        Explanation("Pima, SVM opt: not explained.",
                    ("Pima",), ("SVM opt",), is_open=True),
    ],
    "9": [
        Explanation(
            "K_alg, 'aligned', is the spectral adaptation of Cristianini et al., of every "
            "eigenvalue above rounding. The paper does not say how many it re-weights nor how test "
            "rows enter.",
            ("Ionosphere", "Liver", "Pima", "Monks1", "Monks2", "Monks3", "Breast"),
            ("training aligned", "test aligned"), is_open=True,
        ),
        Explanation(
            "The Gaussian column is 3-NN in the input space whatever the width, so Monks1 differs "
            "by the draw of the thirds alone; Table 6 prints "
            "{6/γ0, γ = 0.0001,0.05/KNN Gauss/printed} for the same error in training.",
            ("Monks1",), ("training Gauss", "test Gauss"),
        ),
        Explanation("3-NN in the learnt space at parameters chosen on the core third: the paper's "
                    "tables 8 and 9 do not say whether both chose the same.",
                    ("Ionosphere", "Breast", "Pima"), ("training opt", "test opt"), is_open=True),
    ],
}  # fmt: skip
