"""What is known about differences from the figures of Xiong, Swamy & Ahmad (2005)."""

from __future__ import annotations

from parzen.papers.engine import About, Explanation

ABOUT = About(
    proposes="A kernel that is learnt before the classifier. A base kernel k is multiplied by a "
    "factor q for each of its two rows; q is a sum of Gaussians around some rows, the cores, here "
    "a third of the data. The product is positive definite if k is. The coefficients a maximise "
    "the separability J: the scatter between the classes divided by the scatter within them, each "
    "as a trace in the empirical feature space. J is a quotient of two quadratic forms in a.",
    formula=r"q(x) \, q(y) \, k(x, y), \qquad q(x) = a_0 + \sum_j a_j \exp \bigl( -\gamma "
    r"\| x - c_j \|^2 \bigr), \qquad J = \frac{\operatorname{tr} S_b}{\operatorname{tr} S_w} "
    r"\to \max",
    estimators="`KernelOptimizer` (`solver='gradient'` is the algorithm of Fig. 2 in the paper, "
    "`'eigen'` solves the quotient as one eigenproblem), `EmpiricalKernelMap`, `AlignedKernel`, "
    "`class_separability`, all in `parzen.feature_space`; `KernelMSEClassifier`, "
    "`KernelFisherClassifier`.",
    protocol="Four classifiers: KNN (three nearest neighbours), KMSE (kernel minimum squared "
    "error), KFD (kernel Fisher discriminant) and SVM, each with a Gaussian kernel (Gauss) and "
    "with the optimised one (opt). The base kernel is exp(−γ0 r²), and γ is that of the cores. "
    "Every set is standardised and cut at random into thirds: cores, training, test. There are 20 "
    "trials at fixed parameters (Tables 2 to 7), and 10 with parameters chosen on the core third "
    "(Tables 8 and 9); of parameters with the same error the first of the grid is taken. The paper "
    "prints no deviations; ours stand for them. J is raised by a line search, so that no step "
    "lowers it, where Fig. 2 has a fixed step (`step='fixed'`). A score of 0 is +1. KMSE and KFD "
    "drop eigenvalues below a threshold E, which is absolute, as in the paper.",
    learnt=(
        "The cores are labelled rows: a plain SVC that gets them as training rows is better than "
        "the optimised kernel on five of eight sets, see the table 'baselines'.",
        "The eigenproblem on both thirds, with a ridge, is better than 200 steps of the gradient "
        "on nearly all sets, see the table 'better'.",
        "An absolute threshold depends on the scale of the kernel, and the paper's condition that "
        "a has length 1 makes that scale arbitrary: at E = 1e-8 KFD with the optimised kernel "
        "changes with rounding errors. The library's thresholds are relative by default.",
        "Optimisation does not halve every error: on Ionosphere at γ0 = 0.0005, γ = 0.01 KMSE has "
        "{3/γ0, γ = 0.0005,0.01/KMSE Gauss} before and {3/γ0, γ = 0.0005,0.01/KMSE opt} after.",
    ),
)
EXPLANATIONS = {
    "3": [Explanation(
        "KFD opt at γ0 = 0.0001, γ = 0.01: other draws of the thirds come nearer. The absolute "
        "threshold makes KFD depend more than the others on the scale of the kernel.",
        ("γ0, γ = 0.0001,0.01",), ("KFD opt",), is_open=True)],
    "4": [Explanation(
        "Our draws of the thirds are easier in training and harder in the test than the paper's: "
        "3-NN with the Gaussian, which has no parameter, has {4/γ0, γ = 0.0001,0.01/KNN Gauss} and "
        "{5/γ0, γ = 0.0001,0.01/KNN Gauss} here, {4/γ0, γ = 0.0001,0.01/KNN Gauss/printed} and "
        "{5/γ0, γ = 0.0001,0.01/KNN Gauss/printed} there. All columns share the draws.",
        ("γ0, γ = 0.0001,0.05", "γ0, γ = 0.0005,0.01"), ("KFD opt", "KMSE Gauss"))],
    "8": [
        Explanation("KFD opt: an absolute threshold depends on the scale of the optimised kernel, "
                    "which is arbitrary; at E = 1e-8 the result changes with rounding errors.",
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
            "'aligned' is the kernel that Cristianini et al. adapt to the labels by new "
            "eigenvalues (K_alg in the paper). Here every eigenvalue above rounding gets a new "
            "one; the paper does not say how many do, nor how the kernel of test rows is computed.",
            ("Ionosphere", "Liver", "Pima", "Monks1", "Monks2", "Monks3", "Breast"),
            ("training aligned", "test aligned"), is_open=True,
        ),
        Explanation(
            "With a Gaussian kernel of any width 3-NN (three nearest neighbours) has the same "
            "neighbours as without a kernel. So Monks1 differs by the draw of the thirds alone; "
            "Table 6 prints "
            "{6/γ0, γ = 0.0001,0.05/KNN Gauss/printed} for the same error in training.",
            ("Monks1",), ("training Gauss", "test Gauss"),
        ),
        Explanation("'opt': the parameters are chosen on the core third. The paper does not say "
                    "whether its Tables 8 and 9 have the same parameters.",
                    ("Ionosphere", "Breast", "Pima"), ("training opt", "test opt"), is_open=True),
    ],
}  # fmt: skip
