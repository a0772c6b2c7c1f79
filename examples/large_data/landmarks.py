"""
Landmarks: few rows carry weights, all rows count
=================================================

With ``n_landmarks=m`` only m rows carry weights, and the loss stays that of all 2000 rows. A fit
to m rows alone forgets the others. The gap between the two lines is what the other rows know.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import RLSClassifier
from parzen.datasets import make_waveform

X, y = make_waveform(2000, random_state=0)
new, truth = make_waveform(2000, random_state=1)
sizes = (20, 40, 80, 160, 320, 640)
errors = {"m landmarks, all rows in the loss": [], "m rows alone": []}
for m in sizes:
    rows = np.random.default_rng(0).choice(len(X), m, replace=False)
    landmarks = RLSClassifier(bandwidth=4.0, n_landmarks=m).fit(X, y)
    alone = RLSClassifier(bandwidth=4.0, n_landmarks=None).fit(X[rows], y[rows])
    for name, model in zip(errors, (landmarks, alone), strict=True):
        errors[name].append(np.mean(model.predict(new) != truth))
    print(f"m = {m:4d}: " + ", ".join(f"{name} {e[-1]:.3f}" for name, e in errors.items()))

figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for (name, values), style in zip(errors.items(), ("o-", "s--"), strict=True):
    ax.semilogx(sizes, values, style, label=name)
ax.set_xticks(sizes, labels=map(str, sizes))
ax.minorticks_off()
ax.set(xlabel="m", ylabel="error on new rows", title="Waveform, 2000 rows")
ax.legend(frameon=False)
plt.show()
