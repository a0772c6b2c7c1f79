"""Error and sparsity of the L2 classifier over random splits, in the sizes of Kim & Scott (2010).

As in the paper: five-fold cross-validation on the first five training sets chooses the parameters,
ties to the largest bandwidth, and their medians are used on all splits. The splits are the
benchmark's own where the folder named by PARZEN_DATA has ten of them, otherwise twenty random ones,
whose training sets all take part in the median, which then varies less from draw to draw. Data
come from parzen.datasets, and features are standardised by the training set. The bands are those
of the paper, or of an independent implementation where the paper's figure is an artefact.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from benchmarks._timing import table
from parzen import L2Classifier, datasets

_SPLITS = 20
_OFFICIAL = 5  # official splits whose training sets choose the parameters
_SIGMAS = np.geomspace(1e-2, 1e1, 50)
_FEW_SIGMAS = np.geomspace(1e-2, 1e1, 11)


_FEWER = np.geomspace(0.3, 2.0, 7)
_PAIRS = np.array([[a, b] for a in _FEWER for b in _FEWER])  # one sigma per class


_KEPT = 22.0  # per cent of the kernels of Banana L2QP-0; fewer are no failure either

# name, data set, training rows, most test rows, options, error wanted, band
_ROWS = [
    ("Banana L2QP-0", "banana", 400, 4900, {"grid": _SIGMAS}, 11.1, 0.5),
    ("Banana L2QP-1", "banana", 400, 4900, {"grid": _SIGMAS, "smoothing": 1}, 10.8, 0.5),
    ("Diabetes L2QP-0", "pima", 468, 300, {"grid": _SIGMAS}, 26.5, 1.0),
    ("German L2QP_eta-0", "german", 700, 300, {"grid": _FEW_SIGMAS, "eta": "cv"}, 26.2, 1.0),
    ("Twonorm L2QP_eta-0", "twonorm", 400, 7000, {"grid": _FEW_SIGMAS, "eta": "cv"}, 3.1, 0.7),
    ("Ringnorm per class", "ringnorm", 400, 7000, {"grid": _PAIRS}, 2.6, 0.0),
]  # fmt: skip


def run(only: str | None = None) -> None:
    """Print the error, its standard deviation over the splits, and the share of kernels kept.

    ``only`` is the beginning of a row's name.
    """
    for name, source, n_train, n_test, options, wanted, band in _ROWS:
        if only is not None and not name.lower().startswith(only.lower()):
            continue
        try:
            data = datasets.load(source)
        except datasets.UnavailableError as reason:
            print(f"skipped: {name}: {reason}")
            continue
        splits, choosing = _splits(data, n_train, n_test)
        errors, kept, chosen = _measure(data.X, data.y, splits, choosing, options)
        mean, share = 100 * errors.mean(), 100 * kept.mean()
        met = mean <= wanted + band  # fewer errors are no failure
        target = f"<= {wanted}" if band == 0.0 else f"{wanted} +- {band}"
        if name == "Banana L2QP-0":
            met, target = met and share <= _KEPT, f"{target}, kept 13-22"
        origin = "official" if choosing == _OFFICIAL else "random"
        table(
            f"L2 classification over {len(splits)} {origin} splits",
            ("set", "error %", "wanted", "met", "kernels kept %", "parameters"),
            [(name, f"{mean:.1f} +- {100 * errors.std():.1f}", target, "yes" if met else "NO",
              f"{share:.1f}", chosen)],
        )  # fmt: skip


def _splits(data, n_train, n_test):
    """Splits, and how many of their training sets choose the parameters."""
    if len(data.splits) >= 2 * _OFFICIAL:
        return list(data.splits), _OFFICIAL
    n_test = min(n_test, len(data.X) - n_train)
    splitter = StratifiedShuffleSplit(_SPLITS, train_size=n_train, test_size=n_test, random_state=0)
    return list(splitter.split(data.X, data.y)), _SPLITS


def _measure(X, y, splits, choosing, options):
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for train, _ in splits[:choosing]:
            clf = L2Classifier(**options).fit(StandardScaler().fit_transform(X[train]), y[train])
            found.append((np.broadcast_to(clf.bandwidth_, 2), clf.eta_))
    bandwidth = np.median([b for b, _ in found], axis=0)
    if bandwidth[0] == bandwidth[1]:
        bandwidth = float(bandwidth[0])
    eta = float(np.median([e for _, e in found]))
    final = L2Classifier(bandwidth=bandwidth, eta=eta, smoothing=options.get("smoothing", 0))
    errors, kept = [], []
    for train, test in splits:
        scaler = StandardScaler().fit(X[train])
        final.fit(scaler.transform(X[train]), y[train])
        errors.append(1.0 - final.score(scaler.transform(X[test]), y[test]))
        kept.append(len(final.support_) / len(train))
    chosen = f"sigma {np.round(bandwidth, 3)}, eta {eta:.3g}"
    return np.array(errors), np.array(kept), chosen
