"""
Which columns matter: learned relevance beside permutation importance
=====================================================================

The stack learns a weight for every column while it is fitted; ``metric_`` holds them as shares.
Permutation importance asks another question of any classifier: how much worse does it get when the
values of one column are shuffled? Here four columns decide the class, two are sums of those four,
and four are noise. The two columns that decide most lead in both pictures. The learned shares come
with the fit but are rough: one column of noise got a share by chance. The importance on new rows
takes a hundred predictions and shows that this column is worth nothing.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.inspection import permutation_importance

from parzen import StackedDensityClassifier

X, y = make_classification(
    1500, 10, n_informative=4, n_redundant=2, n_clusters_per_class=2, shuffle=False, random_state=3
)
order = np.random.default_rng(0).permutation(len(X))
train, test = order[:500], order[500:]
model = StackedDensityClassifier(random_state=0).fit(X[train], y[train])
shuffled = permutation_importance(
    model, X[test], y[test], scoring="neg_log_loss", n_repeats=5, random_state=0
)
print(f"error {1 - model.score(X[test], y[test]):.3f}")

names = [*(f"cause {i}" for i in "1234"), "sum 1", "sum 2", *(f"noise {i}" for i in "1234")]
colours = 4 * ["tab:blue"] + 2 * ["tab:cyan"] + 4 * ["0.7"]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
left.barh(names, model.metric_, color=colours)
left.set(xlabel="share of the distances", title="learned relevance")
left.invert_yaxis()
right.barh(names, shuffled.importances_mean, xerr=shuffled.importances_std, color=colours)
right.set(xlabel="growth of the log-loss", title="permutation importance on new rows")
plt.show()
