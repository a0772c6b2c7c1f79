"""
A ring and its centre, mapped
=============================

After Jenssen and others (2007). A ring surrounds a denser centre. In the map of kernel principal
components the centre fills a cloud, and the thin ring shrinks to the origin (the cross). In the
Laplacian's feature space, where every row is weighted by the inverse root of its density, the ring
and the centre lie along two directions, and the angle between them tells the classes apart.
"""

import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

from parzen.datasets import make_ring
from parzen.feature_space import LaplacianEmbedding
from parzen.plots import EmbeddingDisplay

X, y = make_ring(random_state=0)
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11.5, 3.8), layout="constrained")
left.scatter(*X.T, c=y, s=8, cmap=ListedColormap(["C0", "C1"]))
left.set(title="the sample", aspect="equal", xticks=[], yticks=[])
for ax, weighted in ((middle, False), (right, True)):
    space = LaplacianEmbedding(weighted=weighted).fit(X)
    title = "Laplacian map" if weighted else "kernel-PCA map"
    EmbeddingDisplay.from_estimator(space, X, y, ax=ax, title=title, origin=True)
plt.show()
