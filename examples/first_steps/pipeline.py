"""
In a pipeline, under cross-validation
=====================================

The classifiers are scikit-learn estimators: they work in a ``Pipeline`` and in ``GridSearchCV``.
Here a principal component analysis comes first, and a grid search chooses the number of
components and the kernel. The bandwidth is chosen inside each fit, in one pass. One component is
too few; from two on, the bars of one standard error overlap.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from parzen import ParzenClassifier
from parzen.bandwidth import EndOfGridWarning

warnings.simplefilter("ignore", EndOfGridWarning)  # flat criteria have no inner minimum

X, y = load_wine(return_X_y=True)
model = make_pipeline(StandardScaler(), PCA(), ParzenClassifier())
grid = {
    "pca__n_components": [1, 2, 3, 4, 6, 8, 13],
    "parzenclassifier__kernel": ["gaussian", "epanechnikov", "uniform"],
}
search = GridSearchCV(model, grid, cv=StratifiedKFold(10, shuffle=True, random_state=0)).fit(X, y)
print(f"best: {search.best_params_}, error {1 - search.best_score_:.3f}")

# %%
# The error of every candidate, with the standard error of its ten folds.

components = np.array(search.cv_results_["param_pca__n_components"], dtype=int)
kernels = np.array(search.cv_results_["param_parzenclassifier__kernel"], dtype=str)
errors = 1 - search.cv_results_["mean_test_score"]
spread = search.cv_results_["std_test_score"] / np.sqrt(10)

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for shift, kernel in zip((-0.1, 0, 0.1), grid["parzenclassifier__kernel"], strict=True):
    mine = kernels == kernel
    ax.errorbar(components[mine] + shift, errors[mine], spread[mine], marker="o", label=kernel)
ax.set(xlabel="components", ylabel="cross-validated error", title="Wine: components and kernels")
ax.legend(frameon=False)
plt.show()
