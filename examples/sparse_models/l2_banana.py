"""L2 classification of the Banana data: boundaries, kernels, and sparsity against k.

The first figure is Figure 2 of Kim & Scott (2010): the decision boundaries and kernels of L2QP-0,
L2QP-1 and a support vector machine, side by side. The second shows how many kernels are left, and
how often the classifier errs, when densities are compared after smoothing by k times the bandwidth:
at the same bandwidth a k of 2 or 3 leaves half of the kernels, and a bandwidth chosen for each k
takes that back. Without the data (the extra ``data``, or PARZEN_DATA) two crescents take their
place. ``--full`` takes the paper's grids and ten splits.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

from parzen.papers import reproduce


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    parser.add_argument("--full", action="store_true", help="the paper's grids, ten splits")
    arguments = parser.parse_args()
    for number in ("2", "sparsity"):
        found = reproduce(
            "l2", figure=number, quick=not arguments.full, out=arguments.out, n_jobs=1
        )
        for figure in found.figures:
            print(figure.title)
            print("\n".join(f"  {note}" for note in figure.notes))
            print(f"figure: {arguments.out / figure.files[0]}")


if __name__ == "__main__":
    main()
